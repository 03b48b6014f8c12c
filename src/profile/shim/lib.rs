//! The library that `copysmith record` preloads: it stands before libc's copies, writes down each call, and passes it on.
//!
//! It lives in programs that it knows nothing about, so it never allocates, locks, prints or calls libc on a call:
//!
//! - Each process maps a file of its own (see `layout`); what is written there outlives the process, however it ends.
//! - Each thread has a block of counters and appends calls to chunks. A place is taken by one instruction (`xadd`), so that a
//!   signal handler that copies gets the next one; what takes several steps is done with signals blocked.
//! - In the gaps between what is kept, where a busy program spends its time, a call is two counters: its length's goes up, and
//!   the calls that are left of the gap go down. Neither waits for the other.
//! - A page that the kernel wipes in a child that is forked holds the address of the mapping: a child finds none and opens a
//!   file of its own.
//! - Before the constructor has found libc's functions, string moves do the copying.
//!
//! What cannot be recorded is passed on all the same, silently.

#![no_std]

mod callers;
mod count;
mod layout;
mod open;
mod real;
mod system;
mod thread;

use core::arch::{asm, naked_asm};
use core::sync::atomic::Ordering::*;
use count::{CHUNK_MASK, add, count, count_in_common, is_due, take, turn};
use layout::*;
use real::pass_on;
use thread::{Joined, OFF, STATE, join, thread};

/// A call on its way, and the address that it was made from. `room` is what only the `__*_chk` forms have; it goes on as it came.
///
/// Only functions that are inlined have it whole: in registers it costs nothing, and its way ends in the call passed on.
struct Call<const FUNCTION: usize> {
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
}

/// Counted, written down unless the thread is in a gap, passed on. What is rare stands in functions of its own that end in the
/// call passed on, so that the compiler saves no register on the way that nearly all calls take.
unsafe extern "C" fn copy<const FUNCTION: usize>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
) -> *mut u8 {
    let base = STATE.base.load(Acquire);
    // SAFETY: the state is set after relocation only, and from then on the thread's part is there; arguments go on as they
    // came.
    unsafe {
        if base <= OFF || (*thread()).base != base {
            return first::<FUNCTION>(dst, src, n, room, caller);
        }
        Call::<FUNCTION> { dst, src, n, room, caller }.counted((*thread()).block)
    }
}

/// A thread's first call in this process, and each that cannot be recorded.
#[cold]
#[inline(never)]
unsafe extern "C" fn first<const FUNCTION: usize>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
) -> *mut u8 {
    let call = Call::<FUNCTION> { dst, src, n, room, caller };
    // SAFETY: a block that was joined is mapped; arguments go on as they came.
    unsafe {
        match join() {
            Some(Joined::Own { block }) => return call.counted(block),
            Some(Joined::Common { block }) => count_in_common(block, n, FUNCTION),
            None => {}
        }
        call.passed_on()
    }
}

/// A call whose length has no counter of its own; rare, and slow by itself.
#[cold]
#[inline(never)]
unsafe extern "C" fn longer<const FUNCTION: usize>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
) -> *mut u8 {
    // SAFETY: the thread has joined, and its block is inside the mapping by `layout`; arguments go on as they came.
    unsafe {
        let block = (*thread()).block;
        let counter = block.add(LONGER + 2 * bin(n));
        add(counter, 1);
        add(counter.add(1), n as u64);
        Call::<FUNCTION> { dst, src, n, room, caller }.placed(block)
    }
}

/// A call that is to be written down: takes a place for it.
#[inline(never)]
unsafe extern "C" fn due<const FUNCTION: usize>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
) -> *mut u8 {
    let call = Call::<FUNCTION> { dst, src, n, room, caller };
    // SAFETY: the thread has joined, and block and place are inside the mapping by `layout`; arguments go on as they came.
    unsafe {
        let block = (*thread()).block;
        let number = take(block.add(TAKEN));
        let current = block.add(CURRENT).read_volatile();
        // Whether the chunk's number is that of the call's, both at the same bits.
        if (number << (CHUNK_BITS - CHUNK_CALLS_BITS) ^ current) >> CHUNK_BITS != 0 {
            return turned::<FUNCTION>(dst, src, n, room, caller, number);
        }
        call.written(current & CHUNK_MASK, number)
    }
}

/// The first call of a chunk or of a gap.
#[cold]
#[inline(never)]
unsafe extern "C" fn turned<const FUNCTION: usize>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
    number: u64,
) -> *mut u8 {
    // SAFETY: the thread has joined; arguments go on as they came.
    unsafe {
        let current = turn(STATE.base.load(Relaxed), (*thread()).block, number >> CHUNK_CALLS_BITS);
        Call::<FUNCTION> { dst, src, n, room, caller }.written(current & CHUNK_MASK, number)
    }
}

impl<const FUNCTION: usize> Call<FUNCTION> {
    #[inline(always)]
    unsafe fn counted(self, block: *mut u64) -> *mut u8 {
        let Call { dst, src, n, room, caller } = self;
        // SAFETY: the block is inside the mapping by `layout`; arguments go on as they came.
        unsafe {
            // Those of memcpy, the most frequent, are what is left of all calls.
            if FUNCTION != MEMCPY {
                count::<BY_FUNCTION>(block, FUNCTION);
            }
            if n > LAST_EXACT {
                return longer::<FUNCTION>(dst, src, n, room, caller);
            }
            count::<BY_LENGTH>(block, n);
            self.placed(block)
        }
    }

    /// Written down and passed on; in a gap the latter alone.
    #[inline(always)]
    unsafe fn placed(self, block: *mut u64) -> *mut u8 {
        let Call { dst, src, n, room, caller } = self;
        // SAFETY: the block is inside the mapping by `layout`; arguments go on as they came.
        unsafe { if is_due(block) { due::<FUNCTION>(dst, src, n, room, caller) } else { self.passed_on() } }
    }

    /// Writes the call down at place `number` of the chunk with this index plus 1, or nowhere for 0, and passes it on.
    #[inline(always)]
    unsafe fn written(self, chunk: u64, number: u64) -> *mut u8 {
        // SAFETY: the place is inside the mapping by `layout`; arguments go on as they came.
        unsafe {
            if chunk == 0 {
                return self.passed_on();
            }
            let base = STATE.base.load(Relaxed);
            let caller = if (base as *const u64).add(KEEPS_CALLERS).read() != 0 {
                callers::number(base, self.caller)
            } else {
                0
            };
            let length = (self.n as u64).min((1 << LENGTH_BITS) - 1);
            let offset = |at: usize| at as u64 & ((1 << OFFSET_BITS) - 1);
            let (dst, src) = (self.dst as usize, self.src as usize);
            let distance = (dst as i64).wrapping_sub(src as i64);
            let near = if i64::from(distance as i32) == distance { NEAR } else { 0 };
            let places = offset(dst) << LENGTH_BITS | offset(src) << (LENGTH_BITS + OFFSET_BITS);
            let call = place(base, chunk as usize, number) as *mut u64;
            call.write_volatile(length | places);
            let rest = u64::from(distance as u32) | caller << CALLER_SHIFT | (FUNCTION as u64) << FUNCTION_SHIFT;
            call.add(1).write_volatile(rest | near | WRITTEN);
            self.passed_on()
        }
    }

    #[inline(always)]
    unsafe fn passed_on(self) -> *mut u8 {
        // SAFETY: arguments go on as they came.
        unsafe { pass_on::<FUNCTION>(self.dst, self.src, self.n, self.room) }
    }
}

/// Where call `number` stands in the chunk with this index plus 1.
fn place(base: usize, chunk: usize, number: u64) -> usize {
    base + CHUNKS_AT + (chunk - 1) * CHUNK_BYTES + CHUNK_HEADER_BYTES + (number % CHUNK_CALLS) as usize * 16
}

/// What the program calls. Naked, because only the first instruction knows where it was called from.
macro_rules! exported {
    ($($name:ident = $function:expr;)*) => {$(
        /// Counted and passed on.
        ///
        /// # Safety
        /// As libc's function of this name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(dst: *mut u8, src: *const u8, n: usize, room: usize) -> *mut u8 {
            naked_asm!("mov r8, [rsp]", "jmp {}", sym copy::<{ $function }>)
        }
    )*};
}

exported! {
    memcpy = MEMCPY;
    memmove = MEMMOVE;
    mempcpy = MEMPCPY;
    __memcpy_chk = MEMCPY + CHECKED;
    __memmove_chk = MEMMOVE + CHECKED;
    __mempcpy_chk = MEMPCPY + CHECKED;
}

/// A memmove with its first two arguments exchanged; counted as one.
///
/// # Safety
/// As memmove.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bcopy(src: *const u8, dst: *mut u8, n: usize) {
    naked_asm!("xchg rdi, rsi", "mov r8, [rsp]", "jmp {}", sym copy::<MEMMOVE>)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: ends the program; nothing here panics, and a panic could not be told anyone.
    unsafe { asm!("ud2", options(noreturn)) }
}
