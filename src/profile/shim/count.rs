//! Counters and places: what is added in one instruction, and what is decided once in 1,024 calls.

use super::layout::*;
use super::system::{self, Undisturbed};
use core::arch::asm;
use core::sync::atomic::Ordering::Relaxed;

/// Adds to a word that other threads add to; what it was before.
#[inline(always)]
pub unsafe fn add_shared(word: *mut u64, amount: u64) -> u64 {
    // SAFETY: aligned and mapped, says the caller.
    unsafe { core::sync::atomic::AtomicU64::from_ptr(word) }.fetch_add(amount, Relaxed)
}

/// Adds to a word of this thread in one instruction, which no handler can come into.
#[inline(always)]
pub unsafe fn add(word: *mut u64, amount: u64) {
    // SAFETY: mapped, says the caller.
    unsafe { asm!("add qword ptr [{}], {}", in(reg) word, in(reg) amount, options(nostack)) }
}

/// The same; what it was before.
#[inline(always)]
pub unsafe fn take(word: *mut u64) -> u64 {
    let mut one = 1u64;
    // SAFETY: mapped, says the caller.
    unsafe { asm!("xadd qword ptr [{}], {}", in(reg) word, inout(reg) one, options(nostack)) };
    one
}

/// The bits of [`CURRENT`] that are the chunk's index plus 1.
pub const CHUNK_MASK: u64 = (1 << CHUNK_BITS) - 1;

/// Counts for one of too many threads.
#[cold]
#[inline(never)]
pub unsafe fn count_in_common(block: *mut u64, n: usize, function: usize) {
    // SAFETY: the common block is mapped.
    unsafe {
        add_shared(block.add(BY_FUNCTION + function), 1);
        if n <= LAST_EXACT {
            add_shared(block.add(BY_LENGTH + n), 1);
        } else {
            add_shared(block.add(LONGER + 2 * bin(n)), 1);
            add_shared(block.add(LONGER + 2 * bin(n) + 1), n as u64);
        }
    }
}

/// What [`CURRENT`] is for chunk `wanted` of this thread: claims one, or begins or goes on with a gap.
#[cold]
#[inline(never)]
pub unsafe fn turn(base: usize, block: *mut u64, wanted: u64) -> u64 {
    let _undisturbed = Undisturbed::begin();
    // SAFETY: block, header and chunks are inside the mapping by `layout`.
    unsafe {
        let current = block.add(CURRENT).read_volatile();
        let tag = wanted + 1;
        match current >> CHUNK_BITS {
            reached if reached == tag => return current,
            // A handler came between and used up the chunk: this call stays without a place.
            reached if reached > tag => return 0,
            _ => {}
        }
        let header = base as *mut u64;
        let used = header.add(CHUNKS).read_volatile() as usize;
        let level = (used * LEVELS / MOST_CHUNKS) as u32;
        let goes_on = wanted % STRETCH_CHUNKS != 0 && current & CHUNK_MASK != 0;
        let keeps = (wanted / STRETCH_CHUNKS) & ((1 << level) - 1) == 0 && wanted % STRETCH_CHUNKS == 0;
        let mut chunk = 0;
        if (goes_on || keeps) && used < MOST_CHUNKS && header.add(FULL).read_volatile() == 0 {
            let index = add_shared(header.add(CHUNKS), 1) as usize;
            let at = base + CHUNKS_AT + index * CHUNK_BYTES;
            if index < MOST_CHUNKS && system::populate(at, CHUNK_BYTES) {
                let words = at as *mut u64;
                words.add(CHUNK_THREAD).write(block.add(NUMBER).read());
                words.add(CHUNK_NUMBER).write(wanted);
                words.add(CHUNK_MAGIC).write_volatile(MAGIC);
                chunk = index as u64 + 1;
            } else if index < MOST_CHUNKS {
                header.add(FULL).write_volatile(1);
            }
        }
        let current = tag << CHUNK_BITS | chunk;
        block.add(CURRENT).write_volatile(current);
        current
    }
}
