//! The library that `copysmith record` preloads: it stands before libc's copies, writes down each call, and passes it on.
//!
//! It lives in programs that it knows nothing about, so it never allocates, locks, prints or calls libc on a call:
//!
//! - Each process maps a file of its own (see `layout`); what is written there outlives the process, however it ends.
//! - Each thread has a block of counters and appends calls to chunks. A place is taken by one instruction (`xadd`), so that a
//!   signal handler that copies gets the next one; what takes several steps is done with signals blocked.
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
use count::{CHUNK_MASK, add, count, count_in_common, take, turn};
use layout::*;
use real::pass_on;
use thread::{Joined, OFF, STATE, join, thread};

/// A call on its way: counted, written down unless the thread is in a gap, passed on. What is rare stands in functions of its
/// own that end in the call passed on, so that the compiler saves no register on the way that nearly all calls take.
/// `room` is what only the `__*_chk` forms have; it goes on as it came.
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
        counted::<FUNCTION>(dst, src, n, room, caller, base, (*thread()).block)
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
    // SAFETY: a block that was joined is mapped; arguments go on as they came.
    unsafe {
        match join() {
            Some(Joined::Own { base, block }) => {
                return counted::<FUNCTION>(dst, src, n, room, caller, base, block);
            }
            Some(Joined::Common { block }) => count_in_common(block, n, FUNCTION),
            None => {}
        }
        pass_on::<FUNCTION>(dst, src, n, room)
    }
}

#[inline(always)]
unsafe fn counted<const FUNCTION: usize>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
    base: usize,
    block: *mut u64,
) -> *mut u8 {
    // SAFETY: the block is inside the mapping by `layout`; arguments go on as they came.
    unsafe {
        // Those of memcpy, the most frequent, are what is left of all calls.
        if FUNCTION != MEMCPY {
            count::<BY_FUNCTION>(block, FUNCTION);
        }
        if n > LAST_EXACT {
            return longer::<FUNCTION>(dst, src, n, room, caller, block);
        }
        count::<BY_LENGTH>(block, n);
        append::<FUNCTION>(dst, src, n, room, caller, base, block)
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
    block: *mut u64,
) -> *mut u8 {
    // SAFETY: the block is inside the mapping by `layout`; arguments go on as they came.
    unsafe {
        let counter = block.add(LONGER + 2 * bin(n));
        add(counter, 1);
        add(counter.add(1), n as u64);
        append::<FUNCTION>(dst, src, n, room, caller, STATE.base.load(Relaxed), block)
    }
}

/// Takes a place for the call, if the thread is not in a gap.
#[inline(always)]
unsafe fn append<const FUNCTION: usize>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
    base: usize,
    block: *mut u64,
) -> *mut u8 {
    // SAFETY: block and place are inside the mapping by `layout`; arguments go on as they came.
    unsafe {
        let number = take(block.add(TAKEN));
        let current = block.add(CURRENT).read_volatile();
        // Whether the chunk's number is that of the call's, both at the same bits.
        if (number << (CHUNK_BITS - CHUNK_CALLS_BITS) ^ current) >> CHUNK_BITS != 0 {
            return turned::<FUNCTION>(dst, src, n, room, caller, number);
        }
        match (current & CHUNK_MASK) as usize {
            0 => pass_on::<FUNCTION>(dst, src, n, room),
            chunk => written::<FUNCTION>(dst, src, n, room, caller, place(base, chunk, number)),
        }
    }
}

/// Where call `number` stands in the chunk with this index plus 1.
#[inline(always)]
fn place(base: usize, chunk: usize, number: u64) -> usize {
    base + CHUNKS_AT + (chunk - 1) * CHUNK_BYTES + CHUNK_HEADER_BYTES + (number % CHUNK_CALLS) as usize * 16
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
        let base = STATE.base.load(Relaxed);
        let current = turn(base, (*thread()).block, number >> CHUNK_CALLS_BITS);
        match (current & CHUNK_MASK) as usize {
            0 => pass_on::<FUNCTION>(dst, src, n, room),
            chunk => written::<FUNCTION>(dst, src, n, room, caller, place(base, chunk, number)),
        }
    }
}

/// Writes the call down at its place, and passes it on.
#[inline(never)]
unsafe extern "C" fn written<const FUNCTION: usize>(
    dst: *mut u8,
    src: *const u8,
    n: usize,
    room: usize,
    caller: usize,
    place: usize,
) -> *mut u8 {
    // SAFETY: the place is inside the mapping by `layout`; arguments go on as they came.
    unsafe {
        let base = STATE.base.load(Relaxed);
        let caller =
            if (base as *const u64).add(KEEPS_CALLERS).read() != 0 { callers::number(base, caller) } else { 0 };
        let call = place as *mut u64;
        let length = (n as u64).min((1 << LENGTH_BITS) - 1);
        let offset = |at: usize| at as u64 & ((1 << OFFSET_BITS) - 1);
        let distance = (dst as i64).wrapping_sub(src as i64);
        let near = if i64::from(distance as i32) == distance { NEAR } else { 0 };
        let places = offset(dst as usize) << LENGTH_BITS | offset(src as usize) << (LENGTH_BITS + OFFSET_BITS);
        call.write_volatile(length | places);
        let rest = u64::from(distance as u32) | caller << CALLER_SHIFT | (FUNCTION as u64) << FUNCTION_SHIFT;
        call.add(1).write_volatile(rest | near | WRITTEN);
        pass_on::<FUNCTION>(dst, src, n, room)
    }
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
