//! The two buffers of a call: filled before it, compared after it.

use super::contents::Contents;
use super::fault::Fault;
use super::input::{Input, MARGIN, SPREAD};
use crate::run::Guarded;
use std::io;
use std::ops::Range;

/// A destination and a source between guard pages.
pub(super) struct Buffers {
    pub(super) dst: Guarded,
    pub(super) src: Guarded,
}

impl Buffers {
    /// Buffers for runs of up to `longest` bytes at any [`Place`](super::Place) that is tried.
    pub(super) fn new(longest: usize) -> io::Result<Buffers> {
        let bytes = longest.saturating_add(2 * MARGIN + SPREAD);
        Ok(Buffers { dst: Guarded::new(bytes)?, src: Guarded::new(bytes)? })
    }

    /// Fills both runs and their margins with the next contents; returns where the runs start.
    pub(super) fn prepare(&mut self, input: Input, contents: &mut Contents) -> (usize, usize) {
        contents.next();
        let (dst_at, src_at) = self.starts(input);
        let window = window(dst_at, input.n, self.dst.len());
        self.dst.bytes_mut()[window].fill(contents.margin()[0]);
        let window = self::window(src_at, input.n, self.src.len());
        let pattern = contents.pattern(window.len());
        self.src.bytes_mut()[window].copy_from_slice(pattern);
        (dst_at, src_at)
    }

    /// Whether the run was copied and nothing else changed.
    pub(super) fn compare(&self, input: Input, contents: &Contents) -> Result<(), Fault> {
        let n = input.n;
        let (dst_at, src_at) = self.starts(input);
        let src_window = window(src_at, n, self.src.len());
        let pattern = contents.pattern(src_window.len());
        let copied = &pattern[src_at - src_window.start..][..n];
        let dst = self.dst.bytes();
        if let Some(at) = difference(&dst[dst_at..dst_at + n], copied) {
            return Err(Fault::Dst { at, expected: copied[at], found: dst[dst_at + at] });
        }
        let dst_window = window(dst_at, n, dst.len());
        let before = &dst[dst_window.start..dst_at];
        if let Some(at) = difference(before, &contents.margin()[..before.len()]) {
            return Err(Fault::BeforeDst { distance: before.len() - at });
        }
        let after = &dst[dst_at + n..dst_window.end];
        if let Some(at) = difference(after, &contents.margin()[..after.len()]) {
            return Err(Fault::AfterDst { distance: at + 1 });
        }
        match difference(&self.src.bytes()[src_window.clone()], pattern) {
            Some(at) => Err(Fault::SourceChanged { at: (src_window.start + at).cast_signed() - src_at.cast_signed() }),
            None => Ok(()),
        }
    }

    fn starts(&self, input: Input) -> (usize, usize) {
        (input.dst.offset(input.n, self.dst.len()), input.src.offset(input.n, self.src.len()))
    }
}

/// A run with its margins, as far as the buffer goes.
fn window(at: usize, n: usize, buffer: usize) -> Range<usize> {
    at.saturating_sub(MARGIN)..(at + n + MARGIN).min(buffer)
}

/// Where two runs of the same length first differ.
fn difference(found: &[u8], expected: &[u8]) -> Option<usize> {
    // Equality is the C library's; only a difference is looked for byte by byte.
    (found != expected).then(|| found.iter().zip(expected).position(|(found, expected)| found != expected))?
}
