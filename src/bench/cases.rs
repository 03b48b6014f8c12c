//! What is timed: a row for each span of lengths, or for each relative page offset at one length.

use crate::host::Host;
use crate::time::{Lengths, Placements, Relative, Situation, Workload};
use crate::tune::{OFFSETS, situations, timed};
use copysmith_kernels::Span;

/// The last length of each class that is compared by default, in bytes.
const EDGES: [usize; 12] = [16, 32, 64, 128, 256, 512, 1 << 10, 4 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20];

/// The lengths whose relative page offsets are swept by default, in bytes.
const SWEPT: [usize; 3] = [256, 4096, 65536];

/// What the rows differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The lengths, at places as a tune draws them.
    Lengths,
    /// `(dst - src) mod 4096`, at one length.
    Offsets,
}

/// What one row is timed on.
#[derive(Clone, Debug)]
pub struct Case {
    /// The lengths.
    pub span: Span,
    /// `(dst - src) mod 4096`, where it is fixed.
    pub offset: Option<u16>,
    /// The situations.
    pub(super) situations: Vec<Situation>,
}

/// The cases of these spans, an open one up to 64 MiB; of all classes up to there, or of a short, a middle and a long length, where
/// none are given. An offset is swept at the last length of each span.
pub fn cases(over: Over, spans: Option<&[Span]>, host: &Host) -> Vec<Case> {
    match over {
        Over::Lengths => {
            let spans = spans.map_or_else(classes, <[Span]>::to_vec);
            spans.into_iter().map(|span| Case::lengths(span, host)).collect()
        }
        Over::Offsets => {
            let last = |span: &Span| timed(*span).last();
            let lengths = spans.map_or_else(|| SWEPT.to_vec(), |spans| spans.iter().map(last).collect());
            lengths.into_iter().flat_map(|length| OFFSETS.map(|offset| Case::offset(length, offset))).collect()
        }
    }
}

/// 0 to 16 bytes up to 4 to 64 MiB, without gaps.
fn classes() -> Vec<Span> {
    let firsts = std::iter::once(0).chain(EDGES.iter().map(|edge| edge + 1));
    firsts.zip(EDGES).filter_map(|(first, last)| Span::new(first, last).ok()).collect()
}

impl Case {
    /// Lengths random within a span, at places as a tune draws them.
    fn lengths(span: Span, host: &Host) -> Case {
        Case { span, offset: None, situations: situations(span, &host.caches) }
    }

    /// One length at one relative page offset, hot.
    fn offset(length: usize, offset: u16) -> Case {
        let placements = Placements { relative: vec![Relative::At(offset)], ..Placements::default() };
        let workload = Workload { placements, ..Workload::hot(Lengths::Fixed(length)) };
        let span = Span::new(length, length).unwrap_or(Span::ALL);
        Case { span, offset: Some(offset), situations: vec![workload.into()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_leave_no_length_out() {
        let classes = classes();
        assert_eq!((classes.len(), classes[0].first(), classes[11].last()), (12, 0, 64 << 20));
        assert!(classes.windows(2).all(|pair| pair[1].first() == pair[0].last() + 1));
    }

    #[test]
    fn a_sweep_has_every_offset_at_the_last_length_of_each_span() {
        let spans: [Span; 2] = ["1..=9".parse().unwrap(), "4096..=4096".parse().unwrap()];
        let cases = cases(Over::Offsets, Some(&spans), &Host::read());
        let found: Vec<(usize, Option<u16>)> = cases.iter().map(|case| (case.span.first(), case.offset)).collect();
        let expected: Vec<_> = [9, 4096].into_iter().flat_map(|length| OFFSETS.map(|at| (length, Some(at)))).collect();
        assert_eq!(found, expected);
    }
}
