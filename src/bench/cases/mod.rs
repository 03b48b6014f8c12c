//! What is timed: a row for each case of a mode.

mod drawn;
mod replay;

pub use drawn::{cold, overlap, random, read_back, sweep};
pub use replay::replay;

use crate::host::Host;
use crate::time::{Lengths, Placements, Situation, Workload};
use crate::tune::{Destination, OFFSETS, situations, timed};
use copysmith_kernels::Span;

/// The last length of each class that is compared by default, in bytes.
const EDGES: [usize; 12] = [16, 32, 64, 128, 256, 512, 1 << 10, 4 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20];

/// The lengths whose relative page offsets are swept by default, in bytes.
const SWEPT: [usize; 3] = [256, 4096, 65536];

/// What one row is timed on.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called, where its lengths do not say so.
    pub name: Option<String>,
    /// The lengths.
    pub span: Span,
    /// `(dst - src) mod 4096`, where it is fixed.
    pub offset: Option<u16>,
    /// `dst - src`, where both lie in one buffer.
    pub distance: Option<i32>,
    /// How many calls are replayed, where they are recorded ones.
    pub calls: Option<usize>,
    /// The situations.
    pub(super) situations: Vec<Situation>,
    /// Why it is not timed, where it is known not to be worth it.
    pub(super) skipped: Option<String>,
}

/// Classes of lengths, random within each: these spans, an open one up to 64 MiB; all up to there where none are given.
pub fn classes(spans: Option<&[Span]>, host: &Host) -> Vec<Case> {
    let spans = spans.map_or_else(|| all_up_to(usize::MAX), <[Span]>::to_vec);
    spans.into_iter().map(|span| Case::class(span, host)).collect()
}

/// Every relative page offset at the last length of each span; at a short, a middle and a long length where none are given.
pub fn offsets(spans: Option<&[Span]>) -> Vec<Case> {
    let last = |span: &Span| timed(*span).last();
    let lengths = spans.map_or_else(|| SWEPT.to_vec(), |spans| spans.iter().map(last).collect());
    lengths.into_iter().flat_map(|length| OFFSETS.map(|offset| Case::offset(length, offset))).collect()
}

/// The classes on which code is moved: those of [`classes`] up to 4 MiB, beyond which where code lies is nothing beside the copy.
pub fn starts(spans: Option<&[Span]>, host: &Host) -> Vec<Case> {
    let spans = spans.map_or_else(|| all_up_to(4 << 20), <[Span]>::to_vec);
    classes(Some(&spans), host)
}

/// 0 to 16 bytes up to 4 to 64 MiB, without gaps, those whose last length is no longer.
fn all_up_to(last: usize) -> Vec<Span> {
    let firsts = std::iter::once(0).chain(EDGES.iter().map(|edge| edge + 1));
    firsts
        .zip(EDGES)
        .filter(|(_, edge)| *edge <= last)
        .filter_map(|(first, last)| Span::new(first, last).ok())
        .collect()
}

impl Case {
    fn new(span: Span, situations: Vec<Situation>) -> Case {
        Case { name: None, span, offset: None, distance: None, calls: None, situations, skipped: None }
    }

    /// Lengths random within a span, at places as a tune draws them.
    fn class(span: Span, host: &Host) -> Case {
        Case::new(span, situations(span, &host.caches, Destination::Read))
    }

    /// One length.
    fn fixed(length: usize, workload: Workload) -> Case {
        Case::new(Span::new(length, length).unwrap_or(Span::ALL), vec![workload.into()])
    }

    /// One length at one relative page offset, hot.
    fn offset(length: usize, offset: u16) -> Case {
        let workload = Workload { placements: Placements::at(offset), ..Workload::hot(Lengths::Fixed(length)) };
        Case { offset: Some(offset), ..Case::fixed(length, workload) }
    }

    fn named(self, name: impl Into<String>) -> Case {
        Case { name: Some(name.into()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_leave_no_length_out() {
        let classes = all_up_to(usize::MAX);
        assert_eq!((classes.len(), classes[0].first(), classes[11].last()), (12, 0, 64 << 20));
        assert!(classes.windows(2).all(|pair| pair[1].first() == pair[0].last() + 1));
        assert_eq!(starts(None, &Host::read()).last().map(|case| case.span.last()), Some(4 << 20));
    }

    #[test]
    fn a_sweep_of_offsets_has_every_one_at_the_last_length_of_each_span() {
        let spans: [Span; 2] = ["1..=9".parse().unwrap(), "4096..=4096".parse().unwrap()];
        let cases = offsets(Some(&spans));
        let found: Vec<(usize, Option<u16>)> = cases.iter().map(|case| (case.span.first(), case.offset)).collect();
        let expected: Vec<_> = [9, 4096].into_iter().flat_map(|length| OFFSETS.map(|at| (length, Some(at)))).collect();
        assert_eq!(found, expected);
    }
}
