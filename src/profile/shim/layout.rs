//! The file that a recorded process maps and its recorder reads: where everything is.
//!
//! ```text
//! header | callers | common block | one block a thread ... | chunks of 1,024 calls ...
//! ```
//!
//! This file is part of two programs, the preloaded library and the command, so that they cannot disagree. All numbers
//! are 64-bit words of the machine; positions in a file are in bytes, positions in a block or in the header in words.

#![allow(dead_code, reason = "neither of the two programs uses all of it")]

/// The variable that tells a process to record: `0:DIRECTORY`, or `1:DIRECTORY` to keep callers too.
pub const VARIABLE: &[u8] = b"COPYSMITH_RECORD";

/// The first word of a file that is ready.
pub const MAGIC: u64 = u64::from_le_bytes(*b"copycall");

// Words of the header.
pub const PROCESS: usize = 1;
/// When the file was made: nanoseconds of the monotonic clock.
pub const STARTED: usize = 2;
/// How many threads asked for a block; above [`MOST_BLOCKS`] they share the common one.
pub const THREADS: usize = 3;
/// How many chunks were asked for.
pub const CHUNKS: usize = 4;
/// Not zero where the file system had no room for another chunk.
pub const FULL: usize = 5;
/// Not zero where callers are kept.
pub const KEEPS_CALLERS: usize = 6;
/// The path of the program: its length in bytes, then the bytes.
pub const PROGRAM_BYTES: usize = 7;
pub const PROGRAM: usize = 8;
pub const MOST_PROGRAM_BYTES: usize = 2048;
pub const HEADER_BYTES: usize = 4096;

/// Return addresses of the callers: a hash table. A call has the index plus 1.
pub const CALLERS_AT: usize = HEADER_BYTES;
pub const CALLERS: usize = 8192;

// Words of a block.
/// Calls of the thread, with those that are left of a gap; also the number of the next one that gets a place in a chunk.
pub const TAKEN: usize = 0;
/// The chunk in use: its number in the thread, shifted by [`CHUNK_BITS`]; below it its index in the file plus 1, or 0 in a gap.
/// In one word, so that a signal handler never sees half of it.
pub const CURRENT: usize = 1;
/// What [`CURRENT`] is at first: no chunk has this number.
pub const NONE_YET: u64 = u64::MAX;
/// The thread's number in the process.
pub const NUMBER: usize = 2;
/// How many calls of a gap are still to come. Below 0: calls are written down.
pub const LEFT: usize = 3;
/// Calls by function, as [`FUNCTIONS`] has them.
pub const BY_FUNCTION: usize = 8;
/// Calls by length, 0 to [`LAST_EXACT`].
pub const BY_LENGTH: usize = 16;
/// Calls and bytes of longer copies, two words a bin.
pub const LONGER: usize = BY_LENGTH + LAST_EXACT + 1;
pub const BLOCK_WORDS: usize = LONGER + 2 * BINS;
pub const BLOCK_BYTES: usize = (BLOCK_WORDS * 8).next_multiple_of(4096);
pub const COMMON_AT: usize = CALLERS_AT + CALLERS * 8;
pub const BLOCKS_AT: usize = COMMON_AT + BLOCK_BYTES;
pub const MOST_BLOCKS: usize = 768;

/// In the order of their numbers in calls and blocks.
pub const FUNCTIONS: usize = 6;
pub const MEMCPY: usize = 0;
pub const MEMMOVE: usize = 1;
pub const MEMPCPY: usize = 2;
/// To be added for the `__*_chk` form.
pub const CHECKED: usize = 3;

/// The longest length that has a counter of its own.
pub const LAST_EXACT: usize = 4096;
/// Longer ones: eight bins to each power of two, up to 2^48.
pub const BINS: usize = 8 * 36;

/// The bin of a length above [`LAST_EXACT`].
pub const fn bin(length: usize) -> usize {
    let power = length.ilog2() as usize;
    let bin = (power - 12) * 8 + (length >> (power - 3) & 7);
    if bin < BINS { bin } else { BINS - 1 }
}

/// The first length of a bin.
pub const fn first_of_bin(bin: usize) -> u64 {
    let first = (8 + (bin as u64 & 7)) << (bin / 8 + 9);
    if bin == 0 { LAST_EXACT as u64 + 1 } else { first }
}

// Chunks: a header of 64 bytes, then calls of 16.
pub const CHUNKS_AT: usize = BLOCKS_AT + MOST_BLOCKS * BLOCK_BYTES;
pub const CHUNK_CALLS: u64 = 1 << CHUNK_CALLS_BITS;
pub const CHUNK_CALLS_BITS: u32 = 10;
pub const CHUNK_HEADER_BYTES: usize = 64;
pub const CHUNK_BYTES: usize = CHUNK_HEADER_BYTES + CHUNK_CALLS as usize * 16;
pub const CHUNK_BITS: u32 = 16;
pub const MOST_CHUNKS: usize = 2048;
// Words of a chunk's header.
/// The number of the thread that filled it.
pub const CHUNK_THREAD: usize = 0;
/// Its number in the thread: it begins with call `CHUNK_NUMBER * CHUNK_CALLS`.
pub const CHUNK_NUMBER: usize = 1;
/// [`MAGIC`] once it is in use.
pub const CHUNK_MAGIC: usize = 2;

/// A stretch is this many chunks: 16,384 calls.
pub const STRETCH_CHUNKS: u64 = 16;
/// Each sixteenth of the room doubles the gaps: every stretch of a thread, then every 2nd, every 4th, ... is kept. A file is
/// not full before 2^33 calls.
pub const LEVELS: usize = 16;

pub const FILE_BYTES: usize = CHUNKS_AT + MOST_CHUNKS * CHUNK_BYTES;

// A call's first word: length, destination and source offset in the page.
pub const LENGTH_BITS: u32 = 40;
pub const OFFSET_BITS: u32 = 12;
// Its second: distance as 32 bits, caller as 16, function as 8, whether the distance is known, and a set bit that tells a
// call from a place that was never written, because a handler did not return or the process was killed.
pub const CALLER_SHIFT: u32 = 32;
pub const FUNCTION_SHIFT: u32 = 48;
/// Distances below this, up or down, are known.
pub const DISTANCES_BELOW: u64 = 1 << 31;
pub const NEAR: u64 = 1 << 62;
pub const WRITTEN: u64 = 1 << 63;
