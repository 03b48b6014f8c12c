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

/// Counts in word `AT + index` of this thread's block: in one instruction, which no handler can come into, with the address in
/// it, because compilers put nothing but registers there.
#[inline(always)]
pub unsafe fn count<const AT: usize>(block: *mut u64, index: usize) {
    // SAFETY: mapped, says the caller.
    unsafe {
        asm!("add qword ptr [{} + 8 * {} + {at}], 1", in(reg) block, in(reg) index, at = const AT * 8, options(nostack));
    }
}

/// Adds to a word of this thread in one instruction.
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

/// Whether the next call is to be written down; if not, the gap has one call less, in one instruction.
#[inline(always)]
pub unsafe fn is_due(block: *mut u64) -> bool {
    // Only the flags of the subtraction tell what this call made of the word: read again, it may be a handler's.
    // SAFETY: mapped, says the caller.
    unsafe {
        asm!("sub qword ptr [{} + {at}], 1", "js {}", in(reg) block, label { return true }, at = const LEFT * 8,
             options(nostack));
    }
    false
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
        if current != NONE_YET {
            match current >> CHUNK_BITS {
                reached if reached == wanted => return current,
                // A handler came between and used up the chunk: this call stays without a place.
                reached if reached > wanted => return 0,
                _ => {}
            }
        }
        // A handler that came between the two counters of this call has begun the gap that the call is in.
        if (block.add(LEFT).read_volatile().cast_signed()) > 0 {
            add(block.add(TAKEN), 1u64.wrapping_neg());
            add(block.add(LEFT), 1u64.wrapping_neg());
            return 0;
        }
        let header = base as *mut u64;
        let used = header.add(CHUNKS).read_volatile() as usize;
        let level = (used * LEVELS / MOST_CHUNKS).min(LEVELS) as u32;
        let kept = STRETCH_CHUNKS << level;
        let goes_on = !wanted.is_multiple_of(STRETCH_CHUNKS) && current != NONE_YET && current & CHUNK_MASK != 0;
        let keeps = wanted.is_multiple_of(kept);
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
        if chunk == 0 {
            let next = (wanted + 1).next_multiple_of(kept) << CHUNK_CALLS_BITS;
            let taken = block.add(TAKEN).read_volatile();
            block.add(LEFT).write_volatile(next.saturating_sub(taken));
            block.add(TAKEN).write_volatile(next.max(taken));
        }
        let current = wanted << CHUNK_BITS | chunk;
        block.add(CURRENT).write_volatile(current);
        current
    }
}
