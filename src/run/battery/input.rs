//! Which lengths are tried, and where their buffers lie.

use copysmith_kernels::Span;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

/// Bytes beside a run that are filled before a call and compared after it. Reached beyond, a stray shows only if it meets
/// the guard pages.
pub(super) const MARGIN: usize = 512;
/// A run that is not flush starts at most this far behind the margin: every offset in a page occurs.
pub(super) const SPREAD: usize = 4096;

/// How thorough the battery is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// At most some 20 ms: every candidate passes it before it is timed. A span that starts above 1 MiB takes longer,
    /// because its shortest lengths are always tried.
    Gate,
    /// Some seconds: for finalists.
    Full {
        /// The longest length to try, in bytes; [`LONGEST_FULL`] unless more time is to be spent.
        longest: usize,
    },
}

/// The longest length that a full battery tries unless told otherwise: just above 16 MiB.
pub const LONGEST_FULL: usize = (16 << 20) + 65;
/// The longest length that the gate ever tries: so long, a routine for longer copies only must be rejected untried.
const LONGEST_GATE: usize = (64 << 20) + 1;

/// Above this length, in bytes, a call with its comparisons costs a millisecond.
const LONG: usize = 1 << 20;

impl Depth {
    /// The full battery up to [`LONGEST_FULL`].
    pub const FULL: Depth = Depth::Full { longest: LONGEST_FULL };

    /// The longest length that is ever tried at this depth, in bytes.
    pub const fn longest(self) -> usize {
        match self {
            Depth::Gate => LONGEST_GATE,
            Depth::Full { longest } => longest,
        }
    }

    /// How long a routine may take before it counts as hanging: far above what a slow machine needs for a right one.
    pub const fn limit(self) -> Duration {
        match self {
            Depth::Gate => Duration::from_secs(5),
            Depth::Full { .. } => Duration::from_secs(120),
        }
    }
}

/// Where a run of bytes lies in its guarded buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// So many bytes after the buffer's start, which is on a page boundary.
    Inside(usize),
    /// The first byte is the buffer's first: the byte before it faults.
    FlushStart,
    /// The last byte is the buffer's last: the byte after it faults.
    FlushEnd,
    /// So many bytes above the first byte of the source, in the source's own buffer: for destinations that may overlap it.
    Beside(isize),
}

impl Place {
    /// The offset in bytes from the start of a buffer of `buffer` bytes, for a run of `n` bytes that fits.
    pub(super) fn offset(self, n: usize, buffer: usize) -> usize {
        match self {
            Place::Inside(offset) => offset,
            Place::FlushStart => 0,
            Place::FlushEnd => buffer - n,
            // Two operands in one buffer are placed as one.
            Place::Beside(_) => 0,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Inside(offset) => write!(f, "page+{offset}"),
            Place::FlushStart => f.write_str("after-guard"),
            Place::FlushEnd => f.write_str("before-guard"),
            Place::Beside(distance) => write!(f, "src{distance:+}"),
        }
    }
}

/// One call: how many bytes, from where to where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The length in bytes.
    pub n: usize,
    /// Where the destination lies.
    pub dst: Place,
    /// Where the source lies.
    pub src: Place,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n={} dst={} src={}", self.n, self.dst, self.src)
    }
}

/// The battery's random choices, the same in every run.
pub(super) fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(0x636f_7079)
}

/// What beside a power of two is tried: register widths and unrolled blocks end there.
const BESIDE: [isize; 20] = [-65, -64, -33, -32, -31, -17, -16, -15, -1, 0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65];

/// The lengths of the span to try, ascending. Empty only if the span starts above [`Depth::longest`].
pub(super) fn lengths(span: Span, depth: Depth) -> Vec<usize> {
    let longest = depth.longest();
    let edges = |from: usize, to: usize| [from, from.saturating_add(1), to.saturating_sub(1), to];
    let mut lengths = BTreeSet::new();
    match depth {
        Depth::Gate => {
            // The start of a span is tried at any length, its end only while that is cheap.
            lengths.extend(edges(span.first(), span.last().min(LONG)));
            lengths.extend(middle(span));
        }
        Depth::Full { .. } => {
            lengths.extend(edges(span.first(), span.last()));
            lengths.extend(0..=1100);
            let powers = (11..usize::BITS).map(|power| 1_usize << power).take_while(|&power| power <= longest);
            lengths.extend(powers.flat_map(|power| BESIDE.map(|beside| power.saturating_add_signed(beside))));
        }
    }
    lengths.retain(|&n| span.contains(n) && n <= longest);
    lengths.into_iter().collect()
}

/// A selection of lengths up to 64 KiB for the gate: the first 97 of the span, the powers of two with their neighbours,
/// and a random choice that has as many lengths between 64 and 128 as between 32 and 64 KiB.
fn middle(span: Span) -> Vec<usize> {
    let (first, last) = (span.first(), span.last().min(64 << 10));
    if first > last {
        return Vec::new();
    }
    let mut rng = rng();
    let (low, high) = (((first + 1) as f64).ln(), ((last + 1) as f64).ln());
    let random = (0..32).map(|_| rng.random_range(low..=high).exp() as usize);
    let powers = (0..=16).flat_map(|power| [-1, 0, 1].map(|beside| (1_usize << power).saturating_add_signed(beside)));
    (first..=first + 96).chain(random).chain(powers).collect()
}

/// Where destination and source lie for a length, in the order tried.
pub(super) fn places(n: usize, depth: Depth, rng: &mut ChaCha8Rng) -> Vec<(Place, Place)> {
    let flush = [Place::FlushEnd, Place::FlushStart];
    let mut places: Vec<_> = flush.into_iter().flat_map(|dst| flush.map(|src| (dst, src))).collect();
    let residues = |dst: usize, src: usize| (Place::Inside(MARGIN + dst), Place::Inside(MARGIN + src));
    match (depth, n) {
        (Depth::Full { .. }, ..=300) => {
            places.extend((0..64).flat_map(|dst| (0..64).map(move |src| residues(dst, src))));
        }
        (Depth::Gate, ..=4096) => {
            // Every residue of either pointer once, paired differently for every length.
            let turn = rng.random_range(0..64);
            places.extend((0..64).map(|k| residues(k, (k * 29 + turn) % 64)));
        }
        _ => {
            let pairs = match (depth, n) {
                (Depth::Full { .. }, ..=LONG) => 12,
                (Depth::Full { .. }, _) => 6,
                (Depth::Gate, ..=16_384) => 8,
                _ => 2,
            };
            let mut place = || Place::Inside(MARGIN + rng.random_range(0..SPREAD));
            places.extend((0..pairs).map(|_| (place(), place())));
            // Just above the source modulo a page, where string moves are guarded.
            let (src, above) = (MARGIN + rng.random_range(0..SPREAD - 64), rng.random_range(1..64));
            places.push((Place::Inside(src + above), Place::Inside(src)));
        }
    }
    if n > LONG {
        // Two flush places already hold a buffer against both its guards.
        places.drain(1..3);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str) -> Span {
        text.parse().unwrap()
    }

    #[test]
    fn no_length_outside_the_span_or_above_the_longest_is_tried() {
        for text in ["0..=0", "1..=3", "17..=32", "33..=5000", "1025..", "65536..=524288", "0..", "4194304.."] {
            for depth in [Depth::Gate, Depth::FULL, Depth::Full { longest: 100 }] {
                let span = span(text);
                let lengths = lengths(span, depth);
                assert!(lengths.iter().all(|&n| span.contains(n) && n <= depth.longest()), "{text} {depth:?}");
                assert_eq!(lengths.is_empty(), span.first() > depth.longest(), "{text} {depth:?}");
            }
        }
        assert!(lengths(Span::new(usize::MAX, usize::MAX).unwrap(), Depth::Gate).is_empty());
    }

    #[test]
    fn the_edges_of_a_span_and_their_neighbours_are_always_tried() {
        for (text, depth) in
            [("100..=900", Depth::Gate), ("70000..=700000", Depth::Gate), ("70000..=9999999", Depth::FULL)]
        {
            let span = span(text);
            let lengths = lengths(span, depth);
            for n in [span.first(), span.first() + 1, span.last() - 1, span.last()] {
                assert!(lengths.binary_search(&n).is_ok(), "{n} of {text} {depth:?}");
            }
        }
    }

    #[test]
    fn a_short_span_is_tried_whole_and_a_full_battery_tries_all_small_lengths() {
        assert_eq!(lengths(span("17..=32"), Depth::Gate), (17..=32).collect::<Vec<_>>());
        let full = lengths(Span::ALL, Depth::FULL);
        assert_eq!(full[..=1100], (0..=1100).collect::<Vec<_>>());
        assert_eq!(full.last(), Some(&LONGEST_FULL));
        assert!(full.binary_search(&((1 << 15) - 33)).is_ok());
    }

    #[test]
    fn the_gate_stays_within_its_budget() {
        let mut rng = rng();
        for text in ["0..", "0..=65536", "1025..", "1..=64"] {
            let calls = lengths(span(text), Depth::Gate).into_iter();
            let (calls, bytes) = calls.fold((0, 0), |(calls, bytes), n| {
                let places = places(n, Depth::Gate, &mut rng).len();
                (calls + places, bytes + places * n)
            });
            // A call costs about 0.3 us, a byte about 0.4 ns with all its comparisons.
            assert!(calls < 15_000 && bytes < 30 << 20, "{text}: {calls} calls, {bytes} bytes");
        }
    }

    #[test]
    fn every_residue_of_both_pointers_occurs_at_every_short_length() {
        let mut rng = rng();
        for depth in [Depth::Gate, Depth::FULL] {
            let places = places(100, depth, &mut rng);
            for residue in 0..64 {
                let at = Place::Inside(MARGIN + residue);
                assert!(places.iter().any(|&(dst, _)| dst == at) && places.iter().any(|&(_, src)| src == at));
            }
            for flush in [Place::FlushStart, Place::FlushEnd] {
                assert!(places.iter().any(|&(dst, _)| dst == flush) && places.iter().any(|&(_, src)| src == flush));
            }
        }
    }
}
