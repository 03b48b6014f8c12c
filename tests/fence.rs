//! Non-temporal stores and other threads: who sees the flag sees the data.
//!
//! Weak evidence, because a processor may be in order by luck; that every path has its fence is proven on the code itself.
#![cfg(target_arch = "x86_64")]

use copysmith::run::{Arena, Piece};
use copysmith_kernels::{Code, Routine, Target, X86_64};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that are handed over in a round: a few lines, the last of them whole, so that nothing else drains the write buffers.
const LENGTH: usize = 256;
/// Rounds, or as many of them as a slow machine makes in [`LIMIT`].
const ROUNDS: u64 = 1_000_000;
const LIMIT: Duration = Duration::from_secs(2);

/// A store fence, and three bytes that do nothing.
const SFENCE: [u8; 3] = [0x0f, 0xae, 0xf8];
const NOP: [u8; 3] = [0x0f, 0x1f, 0x00];

#[repr(align(64))]
struct Aligned([u64; LENGTH / 8]);

fn code(text: &str) -> Code {
    X86_64.emit(&text.parse::<Routine>().unwrap().plan()).unwrap()
}

/// Waits for another thread, which may need this processor.
fn until(is_so: impl Fn() -> bool) {
    for spins in 0_u64.. {
        if is_so() {
            return;
        }
        if spins % 1024 == 1023 { thread::yield_now() } else { std::hint::spin_loop() }
    }
}

/// Hands numbered blocks from one thread to another through the routine, a flag behind each; the rounds made, and those in which the
/// other thread saw the flag and an older block.
fn handed_over(code: &Code) -> (u64, u64) {
    let arena = Arena::new(&[Piece::from(code)]).unwrap();
    let entry = arena.entry(0).unwrap();
    let mut shared = Aligned([0; LENGTH / 8]);
    let place = shared.0.as_mut_ptr() as usize;
    let (flag, seen) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut stale = 0;
    let mut rounds = 0;
    thread::scope(|scope| {
        let consumer = scope.spawn(|| {
            let mut stale = 0;
            for round in 1.. {
                until(|| flag.load(Ordering::Acquire) >= round);
                if flag.load(Ordering::Acquire) == u64::MAX {
                    return stale;
                }
                // From the end, which was written last.
                let is_new = |word: usize| {
                    // SAFETY: inside the block, which lives longer than this thread.
                    unsafe { (place as *const u64).add(word).read_volatile() == round }
                };
                stale += u64::from(!(0..LENGTH / 8).rev().all(is_new));
                seen.store(round, Ordering::Release);
            }
            stale
        });
        let began = Instant::now();
        while rounds < ROUNDS && began.elapsed() < LIMIT {
            rounds += 1;
            let source = Aligned([rounds; LENGTH / 8]);
            // SAFETY: a copy of 256 bytes between blocks of that size, proven; the other thread waits for the flag.
            unsafe { entry.call(place as *mut u8, source.0.as_ptr().cast(), LENGTH) };
            flag.store(rounds, Ordering::Release);
            until(|| seen.load(Ordering::Acquire) == rounds);
        }
        flag.store(u64::MAX, Ordering::Release);
        stale = consumer.join().unwrap();
    });
    (rounds, stale)
}

#[test]
fn who_sees_the_flag_sees_what_was_stored_around_the_caches() {
    for text in [
        "copy 256..=256 loop width=sse16 unroll=4 align=dst:16:overlap stores=nt tail=overlap",
        "copy 256..=256 loop width=8 unroll=4 align=dst:8:overlap stores=nt tail=overlap",
    ] {
        let code = code(text);
        assert!(code.bytes.windows(3).any(|bytes| bytes == SFENCE), "{text}");
        let (rounds, stale) = handed_over(&code);
        assert!(rounds > 100, "{text}: {rounds} rounds only");
        assert_eq!(stale, 0, "{text}: in {stale} of {rounds} rounds the flag was seen before the data");
    }
}

#[test]
fn without_the_fence_the_proof_of_the_code_refuses_it() {
    let routine: Routine =
        "copy 256..=256 loop width=sse16 unroll=4 align=dst:16:overlap stores=nt tail=overlap".parse().unwrap();
    let mut code = X86_64.emit(&routine.plan()).unwrap();
    let fences: Vec<usize> = (0..code.bytes.len() - 2).filter(|&at| code.bytes[at..at + 3] == SFENCE).collect();
    fences.iter().for_each(|&at| code.bytes[at..at + 3].copy_from_slice(&NOP));
    println!("without its fence: {:?} rounds, stale", handed_over(&code));
    let features = copysmith::host::Host::read().cpu.features;
    let refused = copysmith::proofs::prove_with(&routine, code, &features, copysmith::proofs::Thoroughness::Gate);
    assert!(refused.unwrap_err().to_string().contains("fence"));
}
