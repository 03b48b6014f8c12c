//! Cases whose calls are drawn: mixes, single lengths, cold copies, copies that are read, moves.

use super::Case;
use crate::time::{Lengths, ReadBack, Workload};
use copysmith_kernels::Span;

const KI: usize = 1 << 10;
const MI: usize = 1 << 20;

/// Single lengths below 1 KiB: those that compilers and programs like.
const SMALL: [usize; 16] = [0, 1, 4, 8, 16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 384, 512];
/// And from there on, beyond the last-level caches of most machines.
const LARGE: [usize; 10] = [KI, 2 * KI, 4 * KI, 16 * KI, 64 * KI, 256 * KI, MI, 4 * MI, 16 * MI, 64 * MI];
/// Lengths of copies that start cold.
const COLD: [usize; 6] = [64 * KI, 256 * KI, MI, 4 * MI, 16 * MI, 64 * MI];
/// Lengths of copies that are read in full.
const READ: [usize; 8] = [4 * KI, 16 * KI, 64 * KI, 256 * KI, MI, 4 * MI, 16 * MI, 64 * MI];
/// Lengths of copies whose ends are loaded at once.
const RELOADED: [usize; 6] = [8, 16, 24, 32, 64, 128];
/// Lengths of moves within a buffer.
const MOVED: [usize; 4] = [64, 512, 4 * KI, 64 * KI];

/// Short lengths at random: the mix, then the same with each length repeated eight times on average.
///
/// With probability 0.97 a length is `exp(v ln 128) - 1 + w`, else `128 exp(v ln 32)`, `v` and `w` even in [0, 1).
pub fn random() -> Vec<Case> {
    let span = Span::new(Lengths::Mix.first(), Lengths::Mix.last()).unwrap_or(Span::ALL);
    let case = |(name, lengths)| Case::new(span, vec![Workload::hot(lengths).into()]).named(name);
    [("mix", Lengths::Mix), ("runs", Lengths::Runs)].map(case).into()
}

/// Single lengths, hot: each of these, or from 0 to 64 MiB.
pub fn sweep(lengths: Option<&[usize]>) -> Vec<Case> {
    let all = || SMALL.into_iter().chain(LARGE).collect();
    let lengths: Vec<usize> = lengths.map_or_else(all, <[usize]>::to_vec);
    lengths.into_iter().map(|length| Case::fixed(length, Workload::hot(Lengths::Fixed(length)))).collect()
}

/// Copies whose source and destination are in no cache, not read afterwards.
pub fn cold() -> Vec<Case> {
    COLD.map(|length| Case::fixed(length, Workload::cold(Lengths::Fixed(length)))).into()
}

/// Copies that are read: short ones at their ends, at once; long ones in full.
pub fn read_back() -> Vec<Case> {
    let case = |length, name, read_back| {
        Case::fixed(length, Workload::hot(Lengths::Fixed(length)).read_back(read_back)).named(name)
    };
    let reloads = [("8-byte reload", ReadBack::Ends), ("16-byte reload", ReadBack::WideEnds)];
    let short = reloads.into_iter().flat_map(|(name, how)| RELOADED.map(|length| case(length, name, how)));
    short.chain(READ.map(|length| case(length, "read in full", ReadBack::Full))).collect()
}

/// Moves within a buffer, up and down, by less than a vector up to half the length.
pub fn overlap() -> Vec<Case> {
    let distances = |length: usize| {
        let up = [1, 8, 16, 64].into_iter().chain([length as i32 / 2]).filter(move |&by| (by as usize) < length);
        let mut up: Vec<i32> = up.collect();
        up.dedup();
        let down: Vec<i32> = up.iter().map(|by| -by).collect();
        up.into_iter().chain(down)
    };
    let case = |length, distance| Case {
        distance: Some(distance),
        ..Case::fixed(length, Workload::overlapping(Lengths::Fixed(length), distance))
    };
    MOVED.into_iter().flat_map(|length| distances(length).map(move |distance| case(length, distance))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_can_be_timed_and_none_comes_twice() {
        for cases in [random(), sweep(None), cold(), read_back(), overlap()] {
            let workloads = cases.iter().map(|case| case.situations[0].workload.clone());
            let mut texts: Vec<String> = workloads.clone().map(|workload| workload.to_string()).collect();
            assert!(workloads.into_iter().all(|workload| workload.check().is_ok()), "{texts:?}");
            let all = texts.len();
            texts.sort();
            texts.dedup();
            assert_eq!(texts.len(), all, "{texts:?}");
        }
    }

    #[test]
    fn moves_overlap_and_go_both_ways() {
        for case in overlap() {
            let distance = case.distance.unwrap();
            assert!((distance.unsigned_abs() as usize) < case.span.first());
            assert!(overlap().iter().any(|other| other.span == case.span && other.distance == Some(-distance)));
        }
    }

    #[test]
    fn a_sweep_has_the_lengths_that_are_asked_for() {
        let firsts: Vec<usize> = sweep(Some(&[7, 0])).iter().map(|case| case.span.first()).collect();
        assert_eq!((firsts, sweep(None).len()), (vec![7, 0], 26));
    }
}
