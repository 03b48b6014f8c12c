//! The battery: is a routine that runs right, for its span, wherever the buffers lie?
//!
//! Each call copies between two [guarded](super::Guarded) buffers with contents that no other call has, through a caller
//! that fills every register a routine must keep. After it, everything is compared: the bytes copied, the bytes beside
//! them, the source, the returned pointer, the registers, the caller's stack, the upper halves of vectors.
//!
//! A routine that moves is then called with both operands in one buffer, overlapping in every way that public reports name.
//!
//! What it cannot see: reads that stay inside the buffer's own pages, writes that put back what was there, a missing fence.
//! Those are for the proofs.

mod buffers;
mod caller;
mod contents;
mod fault;
mod input;
mod overlap;

pub use caller::Avx;
pub use fault::{Fault, Rejection};
pub use input::{Depth, Input, LONGEST_FULL, Place};

use super::entry::Entry;
use super::watch::Watch;
use buffers::Buffers;
use caller::Caller;
use contents::Contents;
use copysmith_kernels::Span;
use copysmith_kernels::recipe::Operation;
use overlap::Shared;
use serde::{Deserialize, Serialize};
use std::io;

/// A routine to be checked.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Where it starts.
    pub entry: Entry<'a>,
    /// What it promises about operands that overlap.
    pub operation: Operation,
    /// The lengths it is for.
    pub span: Span,
    /// Whether this CPU has vectors whose upper halves must be left clean.
    pub avx: Avx,
}

/// What was tried without finding a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// How many different lengths.
    pub lengths: usize,
    /// The shortest, in bytes.
    pub shortest: usize,
    /// The longest, in bytes. Lengths of the span above it were not tried.
    pub longest: usize,
    /// How many calls, those with overlapping operands among them.
    pub calls: u64,
    /// Timer signals that were handled on the routine's own stack during further calls; 0 where none were sent.
    pub signals: u64,
    /// Checks that this machine does not allow, in words.
    pub skipped: Vec<String>,
}

/// Checks a routine in this process, noting each call on `watch` before it is made.
///
/// Contents, lengths and places are the same in every run.
///
/// # Errors
/// The outer one is the system's, when there is no memory for the buffers; the inner one is the first fault found.
///
/// # Safety
/// - `subject.entry` is code that this CPU can execute.
/// - The code may be wrong; then anything may happen to this process. Unless it is known to be right, call this only in
///   a process that may be lost, as [`try_out`](super::try_out()) does.
pub unsafe fn check(subject: &Subject, depth: Depth, watch: Option<&Watch>) -> io::Result<Result<Coverage, Rejection>> {
    let Subject { entry, operation, span, avx } = *subject;
    let lengths = input::lengths(span, depth);
    let (Some(&shortest), Some(&longest)) = (lengths.first(), lengths.last()) else {
        let input = Input { n: span.first(), dst: Place::FlushStart, src: Place::FlushStart };
        return Ok(Err(Rejection { input, fault: Fault::NothingTried { longest: depth.longest() } }));
    };
    let mut caller = Caller::new(avx)?;
    let mut buffers = Buffers::new(longest)?;
    let mut contents = Contents::new(longest);
    let mut rng = input::rng();
    let mut calls = 0;
    for &n in &lengths {
        for (dst, src) in input::places(n, depth, &mut rng) {
            let input = Input { n, dst, src };
            calls += 1;
            // SAFETY: passed on to the caller.
            if let Err(fault) = unsafe { one(entry, input, &mut caller, &mut buffers, &mut contents, watch) } {
                return Ok(Err(Rejection { input, fault }));
            }
        }
    }
    if operation == Operation::Move {
        let lengths = overlap::overlap_lengths(span, depth);
        let mut shared = Shared::new(&lengths, depth)?;
        let each = |n| overlap::distances(n, depth).into_iter().map(move |distance| (n, distance));
        for (n, distance) in lengths.into_iter().flat_map(each) {
            for input in shared.inputs(n, distance, depth, &mut rng) {
                calls += 1;
                // SAFETY: passed on to the caller.
                if let Err(fault) = unsafe { moved(entry, input, &mut caller, &mut shared, &mut contents, watch) } {
                    return Ok(Err(Rejection { input, fault }));
                }
            }
        }
    }
    let skipped = caller.skipped();
    Ok(Ok(Coverage { lengths: lengths.len(), shortest, longest, calls, signals: 0, skipped }))
}

/// One call and all comparisons after it.
///
/// # Safety
/// As for [`check`].
unsafe fn one(
    entry: Entry,
    input: Input,
    caller: &mut Caller,
    buffers: &mut Buffers,
    contents: &mut Contents,
    watch: Option<&Watch>,
) -> Result<(), Fault> {
    let (dst_at, src_at) = buffers.prepare(input, contents);
    let dst = buffers.dst.start().wrapping_add(dst_at);
    let src = buffers.src.start().wrapping_add(src_at).cast_const();
    if let Some(watch) = watch {
        watch.note(input, dst as usize, src as usize);
    }
    // SAFETY: `prepare` placed both runs of n bytes inside their buffers; the rest is passed on to the caller.
    unsafe { caller.call(entry, dst, src, input.n)? };
    buffers.compare(input, contents)
}

/// One call with both operands in one buffer, and all comparisons after it.
///
/// # Safety
/// As for [`check`].
unsafe fn moved(
    entry: Entry,
    input: Input,
    caller: &mut Caller,
    shared: &mut Shared,
    contents: &mut Contents,
    watch: Option<&Watch>,
) -> Result<(), Fault> {
    shared.prepare(input, contents);
    let (dst, src) = shared.starts(input);
    if let Some(watch) = watch {
        watch.note(input, dst as usize, src as usize);
    }
    // SAFETY: both runs of n bytes lie inside the buffer; the rest is passed on to the caller.
    unsafe { caller.call(entry, dst, src, input.n)? };
    shared.compare(input)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
