//! What one process wrote. It may have been killed in the middle of a word, or still be running, or be no friend: nothing here
//! is trusted beyond its size.

use super::maps::Maps;
use crate::profile::call::{Call, Function, SYMBOLS};
use crate::profile::layout::*;
use crate::profile::{Counts, Extent};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A process's file, and where its stretches are in it.
pub struct Process {
    path: PathBuf,
    /// When it began: nanoseconds of the monotonic clock.
    pub started: u64,
    /// How many threads copied.
    pub threads: u32,
    /// Of all its calls.
    pub counts: Counts,
    /// In the order in which they began.
    pub stretches: Vec<Place>,
    callers: Vec<u64>,
    pub maps: Maps,
}

/// A stretch: its chunks by index, in order; all but the last are full.
pub struct Place {
    /// Its thread is the process's own number.
    pub extent: Extent,
    chunks: Vec<u32>,
}

impl Process {
    /// Reads everything but the calls; `None` where the file was not begun.
    pub fn read(path: &Path, maps: Maps) -> io::Result<Option<Process>> {
        let file = File::open(path)?;
        let Some(header) = words(&file, 0, HEADER_BYTES / 8)? else { return Ok(None) };
        if header[0] != MAGIC {
            return Ok(None);
        }
        let bounded = |word: usize, most: usize| usize::try_from(header[word]).map_or(most, |value| value.min(most));
        let blocks = bounded(THREADS, MOST_BLOCKS);
        let mut counts = Counts::default();
        let mut taken = Vec::new();
        let common = std::iter::once(COMMON_AT);
        for at in common.chain((0..blocks).map(|index| BLOCKS_AT + index * BLOCK_BYTES)) {
            let Some(block) = words(&file, at, BLOCK_WORDS)? else { break };
            count(&block, &mut counts);
            if at != COMMON_AT {
                taken.push(block[TAKEN]);
            }
        }
        let mut stretches = Vec::new();
        let mut open: HashMap<u64, usize> = HashMap::new();
        for index in 0..bounded(CHUNKS, MOST_CHUNKS) {
            let Some(chunk) = words(&file, CHUNKS_AT + index * CHUNK_BYTES, CHUNK_HEADER_BYTES / 8)? else { break };
            let thread = chunk[CHUNK_THREAD];
            let Some(&all) = usize::try_from(thread).ok().and_then(|thread| taken.get(thread)) else { continue };
            let from = chunk[CHUNK_NUMBER].saturating_mul(CHUNK_CALLS);
            if chunk[CHUNK_MAGIC] != MAGIC || from >= all {
                continue;
            }
            let calls = CHUNK_CALLS.min(all - from);
            let last = open.get(&thread).copied();
            match last.and_then(|last| stretches.get_mut(last)) {
                Some(Place { extent, chunks }) if extent.from + extent.calls == from => {
                    extent.calls += calls;
                    chunks.push(index as u32);
                }
                _ => {
                    open.insert(thread, stretches.len());
                    let extent = Extent { thread: thread as u32, from, calls };
                    stretches.push(Place { extent, chunks: vec![index as u32] });
                }
            }
        }
        let callers = match header[KEEPS_CALLERS] {
            0 => Vec::new(),
            _ => words(&file, CALLERS_AT, CALLERS)?.unwrap_or_default(),
        };
        let threads = u32::try_from(header[THREADS]).unwrap_or(u32::MAX);
        let path = path.to_owned();
        Ok(Some(Process { path, started: header[STARTED], threads, counts, stretches, callers, maps }))
    }

    /// The calls of a part of a stretch, in order. Those that a signal handler or the end kept from being written are left
    /// out. `name` gives the number of a caller's address.
    pub fn calls(&self, place: &Place, part: Range<u64>, mut name: impl FnMut(u64) -> u32) -> io::Result<Vec<Call>> {
        // Not kept open: there may be more processes than a process may have files.
        let file = File::open(&self.path)?;
        let mut calls = Vec::new();
        for (number, &index) in place.chunks.iter().enumerate() {
            let first = number as u64 * CHUNK_CALLS;
            let (start, end) = (part.start.max(first) - first, part.end.min(first + CHUNK_CALLS).saturating_sub(first));
            if start >= end.min(CHUNK_CALLS) {
                continue;
            }
            let at = CHUNKS_AT + index as usize * CHUNK_BYTES + CHUNK_HEADER_BYTES + start as usize * 16;
            let Some(words) = words(&file, at, (end - start) as usize * 2)? else { break };
            calls.extend(words.chunks_exact(2).filter_map(|two| call(two[0], two[1], &self.callers, &mut name)));
        }
        Ok(calls)
    }
}

/// One call from its two words; `None` where it was not written.
fn call(places: u64, rest: u64, callers: &[u64], name: &mut impl FnMut(u64) -> u32) -> Option<Call> {
    let field = |word: u64, shift: u32, bits: u32| word >> shift & ((1 << bits) - 1);
    let (function, form) = Function::of_number(field(rest, FUNCTION_SHIFT, 8) as usize)?;
    let near = i64::from((rest as u32).cast_signed());
    let offsets = [LENGTH_BITS, LENGTH_BITS + OFFSET_BITS].map(|shift| field(places, shift, OFFSET_BITS) as u16);
    let address = (field(rest, CALLER_SHIFT, 16) as usize).checked_sub(1).and_then(|index| callers.get(index));
    (rest & WRITTEN != 0).then(|| Call {
        function,
        form,
        length: field(places, 0, LENGTH_BITS),
        dst_offset: offsets[0],
        src_offset: offsets[1],
        // As far down as up: the format has one bound for both.
        distance: (rest & NEAR != 0 && near.unsigned_abs() < DISTANCES_BELOW).then_some(near),
        caller: address.filter(|address| **address != 0).map(|&address| name(address)),
    })
}

/// Adds the counters of a block.
fn count(block: &[u64], counts: &mut Counts) {
    let mut all = 0u64;
    for (length, &calls) in block[BY_LENGTH..=BY_LENGTH + LAST_EXACT].iter().enumerate() {
        counts.add_length(length as u64, calls, calls.saturating_mul(length as u64));
        all = all.saturating_add(calls);
    }
    for (bin, counter) in block[LONGER..LONGER + 2 * BINS].chunks_exact(2).enumerate() {
        counts.add_length(first_of_bin(bin), counter[0], counter[1]);
        all = all.saturating_add(counter[0]);
    }
    // A thread's own block does not count memcpy, which is what is left; the common one does, and the same is left. A process
    // that was killed between two counters may have one more there than in all.
    for (symbol, &calls) in SYMBOLS.iter().zip(&block[BY_FUNCTION..]).skip(1) {
        counts.add_function(symbol, calls.min(all));
        all -= calls.min(all);
    }
    counts.add_function(SYMBOLS[MEMCPY], all);
}

/// So many words from there; `None` where the file ends before.
fn words(file: &File, at: usize, count: usize) -> io::Result<Option<Vec<u64>>> {
    let mut bytes = vec![0; count * 8];
    match file.read_exact_at(&mut bytes, at as u64) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
        Ok(()) => Ok(Some(
            bytes
                .chunks_exact(8)
                .map(|word| word.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
                .collect(),
        )),
    }
}
