//! Which inputs a proof runs. Chosen by rule, never at random: the same program meets the same inputs everywhere.
//!
//! What a copy does with a length depends on the length's place among the routine's blocks and on its edges, so the first
//! lengths of a span are all taken, and then the neighbours of powers of two, of block multiples and of the other end.

use super::memory::LONGEST;
use crate::Span;
use std::collections::BTreeSet;

/// How much a proof may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// About a millisecond: before a candidate is timed.
    Gate,
    /// About a second for a wide span: before a candidate can be in a table.
    Full,
}

/// Which destination and source addresses are run, modulo 128.
///
/// Address-dependent routines look at these only: no access is wider than 64 bytes, and no block that is zeroed than 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residues {
    destination: u16,
    source: u16,
}

impl Residues {
    /// Both addresses multiples of 64: for routines that look at no address.
    pub const fn one() -> Residues {
        Residues { destination: 1, source: 1 }
    }

    /// Destination residues `0..upto` (cut to 1..=128), source residue 0: for routines that align the destination.
    pub fn destination(upto: u16) -> Residues {
        Residues { destination: upto.clamp(1, 128), source: 1 }
    }

    /// Source residues `0..upto` (cut to 1..=64), destination residue 0: for routines that align the source.
    pub fn source(upto: u16) -> Residues {
        Residues { destination: 1, source: upto.clamp(1, 64) }
    }

    /// Every pair of residues `0..destination` and `0..source` (cut to 1..=128 and 1..=64).
    pub fn both(destination: u16, source: u16) -> Residues {
        Residues { destination: destination.clamp(1, 128), source: source.clamp(1, 64) }
    }

    /// The pairs of destination and source residue.
    pub fn pairs(self) -> impl Iterator<Item = (u16, u16)> {
        (0..self.source).flat_map(move |source| (0..self.destination).map(move |destination| (destination, source)))
    }
}

/// The neighbourhood of a power of two in which kernels go wrong (block, vector and word edges).
const NEIGHBOURS: [isize; 20] = [-65, -64, -33, -32, -31, -17, -16, -15, -1, 0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65];

/// So many lengths from the start of a span see every block, every tail and every way from one to the other.
const FIRST: usize = 600;

impl Depth {
    /// Up to this many lengths, a bounded span is run whole.
    const fn whole(self) -> usize {
        match self {
            Depth::Gate => FIRST,
            Depth::Full => 2048,
        }
    }

    /// About how many bytes the runs for one pair of addresses may copy.
    const fn bytes(self) -> usize {
        match self {
            Depth::Gate => 1 << 20,
            Depth::Full => 1 << 27,
        }
    }

    /// About how many steps the runs of a group of lengths for all further pairs may take; a step takes some five nanoseconds.
    const fn steps(self) -> u64 {
        match self {
            Depth::Gate => 1 << 17,
            Depth::Full => 1 << 25,
        }
    }

    /// The lengths run for the first pair of addresses, ascending; empty where all of the span is above [`LONGEST`].
    ///
    /// A bounded span of at most 2048 lengths ([`Depth::Gate`]: 600) is taken whole. Of others come the first 600 lengths, the
    /// last 130 of a bounded one, the neighbours of 2^11 to 2^17 (`Gate`: 2^11 to 2^13, and 2^16 + 33), and 16 lengths spread
    /// evenly up to 2^17. Where all these together are too many bytes, every so manieth is taken, always an odd number, and
    /// with them the first four of different kinds and the last.
    pub(super) fn lengths(self, span: Span) -> Vec<usize> {
        let last = span.last().min(LONGEST);
        if span.first() > last {
            return Vec::new();
        }
        let whole = last - span.first() < self.whole();
        let chosen: Vec<usize> = if whole { (span.first()..=last).collect() } else { self.edges(span, last) };
        let stride = self.stride(&chosen);
        let near = [0, 1, 31, 63].map(|more| span.first() + more).into_iter().filter(|&n| n <= last);
        let end = (!span.is_open() && last <= self.bytes()).then_some(last);
        let strided: BTreeSet<usize> = chosen.into_iter().step_by(stride).chain(near).chain(end).collect();
        strided.into_iter().collect()
    }

    fn edges(self, span: Span, last: usize) -> Vec<usize> {
        let first = span.first();
        let mut lengths: BTreeSet<usize> = (first..=last.min(first.saturating_add(FIRST - 1))).collect();
        if !span.is_open() {
            lengths.extend(last.saturating_sub(129)..=last);
        }
        let (powers, lone) = match self {
            Depth::Gate => (11..=13, Some((1 << 16) + 33)),
            Depth::Full => (11..=17, None),
        };
        for power in powers {
            lengths.extend(NEIGHBOURS.iter().map(|&near| (1_usize << power).saturating_add_signed(near)));
        }
        lengths.extend(lone);
        if self == Depth::Full {
            // The golden ratio spreads any number of points evenly, and meets no block size twice at the same place.
            let room = last.min(1 << 17).saturating_sub(first) as u64;
            lengths.extend((1..=16_u64).map(|k| first + (((k * 0x9e37_79b9 % (1 << 32)) * room) >> 32) as usize));
        }
        lengths.into_iter().filter(|n| (first..=last).contains(n)).collect()
    }

    /// Every how manieth of the lengths keeps their sum below what may be copied.
    pub(super) fn stride(self, lengths: &[usize]) -> usize {
        odd_share(lengths.iter().map(|&n| n as u64 + 64).sum(), self.bytes() as u64)
    }

    /// The lengths near the start of the span, and those further on: they are dealt out to pairs of addresses separately, so that a
    /// few long copies do not take the place of many short ones.
    pub(super) fn groups(lengths: &[usize]) -> [&[usize]; 2] {
        let near = lengths.first().map_or(0, |&first| lengths.partition_point(|&n| n - first < FIRST));
        let (near, far) = lengths.split_at(near);
        [near, far]
    }

    /// Every how manieth of the lengths each of so many further pairs of addresses can have, where the first pair had them all
    /// and took `steps` steps.
    pub(super) fn further_stride(self, lengths: &[usize], steps: u64, further: usize) -> usize {
        // Entering a run, and filling and comparing memory, cost as much as some steps.
        let cost = lengths.iter().map(|&n| n as u64 / 16 + 16).sum::<u64>() + steps;
        odd_share(cost.saturating_mul(further as u64), self.steps())
    }
}

/// Into how many parts `cost` falls, each at most about `share`; odd, so that taking every so manieth misses no power of two.
fn odd_share(cost: u64, share: u64) -> usize {
    match cost.div_ceil(share) {
        0 | 1 => 1,
        parts => (parts | 1) as usize,
    }
}
