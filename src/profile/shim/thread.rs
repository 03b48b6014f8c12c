//! What a process and a thread have: the mapping of the process's file, and the block of the thread.

use super::count::add_shared;
use super::layout::*;
use super::system::{self, Undisturbed};
use super::{callers, open};
use core::arch::{asm, global_asm};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering::*};

// What each thread has, in the part of its memory that is reserved when the program starts, since the library is there by
// then: no call is needed to find it.
global_asm!(
    ".pushsection .tbss.copysmith_thread, \"awT\", @nobits",
    ".balign 16",
    ".globl copysmith_thread",
    ".hidden copysmith_thread",
    ".type copysmith_thread, @object",
    ".size copysmith_thread, 16",
    "copysmith_thread:",
    ".zero 16",
    ".popsection",
);

#[repr(C)]
pub struct Thread {
    /// The mapping that the block is in.
    pub base: usize,
    /// Its block, or the common one.
    pub block: *mut u64,
}

/// Set in a thread's `base` where it has no block of its own: then its calls always come the slow way.
const COMMON: usize = 1;

pub enum Joined {
    Own { block: *mut u64 },
    Common { block: *mut u64 },
}

impl Thread {
    fn joined(&self) -> Option<Joined> {
        match (self.block.is_null(), self.base & COMMON) {
            (true, _) => None,
            (false, 0) => Some(Joined::Own { block: self.block }),
            (false, _) => Some(Joined::Common { block: self.block }),
        }
    }
}

/// Only after relocation: before it, the place of the thread's part is unknown.
#[inline(always)]
pub fn thread() -> *mut Thread {
    let at;
    // SAFETY: reads the thread pointer and the offset that the loader wrote.
    unsafe {
        asm!("mov {0}, qword ptr [rip + copysmith_thread@GOTTPOFF]", "add {0}, qword ptr fs:[0]", out(reg) at,
             options(pure, readonly, nostack));
    }
    at
}

/// Three pages, so that the middle one is whole and not backed by the library's file: only such a page can be wiped.
#[repr(C, align(4096))]
pub struct Wiped {
    before: [u8; 4096],
    pub base: AtomicUsize,
    after: [u8; 8184],
}

/// The mapping's address, or one of those below. 0, as a wiped page has it: no call was seen in this process yet.
pub static STATE: Wiped = Wiped { before: [0; 4096], base: AtomicUsize::new(0), after: [0; 8184] };
/// A thread is opening the file; it cannot be interrupted.
const OPENING: usize = 1;
/// Calls are passed on without a record.
pub const OFF: usize = 2;

/// Whether the loader has relocated this library: until then nothing that it would write an address to can be used.
fn relocated() -> bool {
    struct Address(*const u8);
    // SAFETY: the address is never written.
    unsafe impl Sync for Address {}
    static HERE: u8 = 1;
    static WRITTEN_BY_LOADER: Address = Address(&HERE);
    // SAFETY: reads a word of this library; not by its value at compile time, which is the address already.
    unsafe { ptr::read_volatile(&raw const WRITTEN_BY_LOADER.0) == &raw const HERE }
}

/// Opens the process's file and claims the thread's block, where they are not there yet.
#[cold]
#[inline(never)]
pub fn join() -> Option<Joined> {
    if !relocated() {
        return None;
    }
    let base = STATE.base.load(Acquire);
    if base > OFF {
        // SAFETY: the state is set after relocation only; the thread's part is its own.
        let thread = unsafe { &*thread() };
        if thread.base & !COMMON == base {
            return thread.joined();
        }
    }
    let _undisturbed = Undisturbed::begin();
    let base = loop {
        match STATE.base.compare_exchange(0, OPENING, AcqRel, Acquire) {
            Ok(_) => {
                let page = (&raw const STATE.base) as usize;
                let wiped = system::advise(page, 4096, system::WIPE_ON_FORK) == 0;
                callers::forget();
                let base = if wiped { open::file() } else { None };
                STATE.base.store(base.unwrap_or(OFF), Release);
            }
            // Whoever opens is not interrupted and soon done.
            // SAFETY: takes no arguments.
            Err(OPENING) => unsafe {
                let _ = system::call(system::SCHED_YIELD, 0, 0, 0, 0, 0, 0);
            },
            Err(OFF) => return None,
            Err(base) => break base,
        }
    };
    // SAFETY: the thread's own part. A handler that came before the signals were blocked may have joined already.
    let thread = unsafe { &mut *thread() };
    if thread.base & !COMMON != base {
        (thread.block, thread.base) = claim(base);
    }
    thread.joined()
}

/// A block for this thread, or the common one, or none at all.
fn claim(base: usize) -> (*mut u64, usize) {
    // SAFETY: the header and all blocks are inside the mapping.
    unsafe {
        let number = add_shared((base as *mut u64).add(THREADS), 1) as usize;
        let at = base + BLOCKS_AT + number * BLOCK_BYTES;
        if number < MOST_BLOCKS && system::populate(at, BLOCK_BYTES) {
            *(at as *mut u64).add(NUMBER) = number as u64;
            *(at as *mut u64).add(CURRENT) = NONE_YET;
            return (at as *mut u64, base);
        }
        let common = base + COMMON_AT;
        (if system::populate(common, BLOCK_BYTES) { common as *mut u64 } else { ptr::null_mut() }, base | COMMON)
    }
}
