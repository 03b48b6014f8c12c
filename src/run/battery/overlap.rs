//! The calls that only a move must survive: source and destination in one buffer, as many bytes apart as public reports of broken memmoves
//! name, against a model that moves byte by byte.

use super::contents::Contents;
use super::fault::Fault;
use super::input::{Depth, Input, MARGIN, Place, SPREAD, lengths};
use crate::run::{Guarded, page_bytes};
use copysmith_kernels::Span;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::io;
use std::ops::Range;

/// Lengths up to here are tried at every distance; longer ones at few, and only where the span has no shorter.
const LONG: usize = 70_000;
/// Lengths up to here cost the gate little.
const SHORT: usize = 4200;
/// About how many of them the gate tries.
const GATE_LENGTHS: usize = 40;

/// Distances around the widths of accesses, at which moves go wrong.
const WIDTHS: [usize; 21] = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 130];
const PAGES: [usize; 3] = [4095, 4096, 4097];

/// The lengths of a span that are tried, ascending.
pub(super) fn overlap_lengths(span: Span, depth: Depth) -> Vec<usize> {
    let all = lengths(span, depth);
    let (near, far) = all.split_at(all.partition_point(|&n| n <= LONG));
    if near.is_empty() {
        return far.first().copied().into_iter().collect();
    }
    match depth {
        Depth::Full { .. } => near.to_vec(),
        Depth::Gate => {
            let (short, long) = near.split_at(near.partition_point(|&n| n <= SHORT));
            let stride = short.len().div_ceil(GATE_LENGTHS) | 1;
            let mut chosen: Vec<usize> = short.iter().copied().step_by(stride).collect();
            chosen.extend(long.first());
            chosen.extend(long.last());
            chosen.dedup();
            chosen
        }
    }
}

/// How many bytes the destination of a move of `n` lies above the source, or where negative below.
pub(super) fn distances(n: usize, depth: Depth) -> Vec<isize> {
    let around = [n.saturating_sub(1), n, n + 1];
    let apart: Vec<usize> = match depth {
        _ if n > LONG => vec![1, 33, 4097, n - 1],
        Depth::Full { .. } => (0..=130).chain(PAGES).chain(around).collect(),
        Depth::Gate if n > SHORT => vec![1, 31, 65, 4096, n - 1, n],
        Depth::Gate => WIDTHS.into_iter().chain(PAGES).chain(around).filter(|&apart| apart <= n + 1).collect(),
    };
    let mut distances: Vec<isize> =
        apart.into_iter().map(usize::cast_signed).flat_map(|apart| [apart, -apart]).collect();
    distances.sort_unstable_by_key(|distance| (distance.unsigned_abs(), *distance));
    distances.dedup();
    distances
}

/// One buffer for both operands, and what it should hold after a call.
pub(super) struct Shared {
    buffer: Guarded,
    model: Vec<u8>,
    turn: usize,
}

impl Shared {
    /// A buffer for every length and distance that is tried on a span.
    pub(super) fn new(lengths: &[usize], depth: Depth) -> io::Result<Shared> {
        let both = |&n: &usize| n + distances(n, depth).last().map_or(0, |apart| apart.unsigned_abs());
        let longest = lengths.iter().map(both).max().unwrap_or(0);
        // Twice over, so that a page boundary lies where it should.
        let room = if longest > 2 * LONG { longest } else { 2 * longest };
        let buffer = Guarded::new(room.saturating_add(2 * MARGIN + SPREAD + page_bytes()))?;
        Ok(Shared { buffer, model: Vec::new(), turn: 0 })
    }

    /// The calls for a length and a distance: against either guard, across a page boundary with both operands, and somewhere. Short ones
    /// everywhere, longer ones at one of these in turn.
    pub(super) fn inputs(&mut self, n: usize, distance: isize, depth: Depth, rng: &mut ChaCha8Rng) -> Vec<Input> {
        let apart = distance.unsigned_abs();
        let all = n + apart;
        let page = page_bytes();
        let boundary = (all + MARGIN).next_multiple_of(page);
        // Where they overlap, the boundary is in the middle of what they share; otherwise in the middle of the lower one.
        let across = boundary - if n > apart { apart + (n - apart) / 2 } else { n.div_ceil(2) };
        let mut lowest = vec![0, self.buffer.len() - all, MARGIN + rng.random_range(0..SPREAD)];
        if across + all <= self.buffer.len() {
            lowest.push(across);
        }
        self.turn += 1;
        if n > 300 || depth == Depth::Gate {
            lowest = vec![lowest[self.turn % lowest.len()]];
        }
        let source = |lowest: usize| lowest + if distance < 0 { apart } else { 0 };
        lowest
            .into_iter()
            .map(|lowest| Input { n, dst: Place::Beside(distance), src: Place::Inside(source(lowest)) })
            .collect()
    }

    /// Where destination and source of a call start.
    pub(super) fn starts(&self, input: Input) -> (*mut u8, *const u8) {
        let (dst, src) = offsets(input);
        (self.buffer.start().wrapping_add(dst), self.buffer.start().wrapping_add(src).cast_const())
    }

    /// Fills the source with the next contents and everything around it with a value that it has not.
    pub(super) fn prepare(&mut self, input: Input, contents: &mut Contents) {
        contents.next();
        let (dst, src) = offsets(input);
        let window = self.window(input);
        self.buffer.bytes_mut()[window.clone()].fill(contents.margin()[0]);
        self.buffer.bytes_mut()[src..src + input.n].copy_from_slice(contents.pattern(input.n));
        self.model.clear();
        self.model.extend_from_slice(&self.buffer.bytes()[window.clone()]);
        let at = |offset: usize| offset - window.start;
        self.model.copy_within(at(src)..at(src + input.n), at(dst));
    }

    /// Whether the run was moved and nothing else changed.
    pub(super) fn compare(&self, input: Input) -> Result<(), Fault> {
        let (dst, src) = offsets(input);
        let window = self.window(input);
        let found = &self.buffer.bytes()[window.clone()];
        if found == self.model {
            return Ok(());
        }
        let run = |start: usize| start - window.start..start - window.start + input.n;
        let wrong = |range: Range<usize>| range.into_iter().find(|&at| found[at] != self.model[at]);
        if let Some(at) = wrong(run(dst)) {
            return Err(Fault::Dst { at: at - run(dst).start, expected: self.model[at], found: found[at] });
        }
        if let Some(at) = wrong(run(src)) {
            return Err(Fault::SourceChanged { at: (at - run(src).start).cast_signed() });
        }
        Err(match wrong(0..run(dst).start) {
            Some(at) => Fault::BeforeDst { distance: run(dst).start - at },
            None => Fault::AfterDst { distance: wrong(run(dst).end..found.len()).unwrap_or(0) + 1 - run(dst).end },
        })
    }

    /// Both runs with their margins, as far as the buffer goes.
    fn window(&self, input: Input) -> Range<usize> {
        let (dst, src) = offsets(input);
        dst.min(src).saturating_sub(MARGIN)..(dst.max(src) + input.n + MARGIN).min(self.buffer.len())
    }
}

/// The offsets of destination and source from the start of the buffer.
fn offsets(input: Input) -> (usize, usize) {
    match (input.dst, input.src) {
        (Place::Beside(distance), Place::Inside(src)) => (src.saturating_add_signed(distance), src),
        // Only `Shared::inputs` makes inputs of overlapping operands.
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::input::rng;
    use super::*;

    fn calls(text: &str, depth: Depth) -> Vec<Input> {
        let lengths = overlap_lengths(text.parse().unwrap(), depth);
        let mut shared = Shared::new(&lengths, depth).unwrap();
        let mut rng = rng();
        let each = |n: usize| distances(n, depth).into_iter().map(move |distance| (n, distance));
        let calls: Vec<Input> = lengths
            .into_iter()
            .flat_map(each)
            .flat_map(|(n, distance)| shared.inputs(n, distance, depth, &mut rng))
            .collect();
        for input in &calls {
            let (dst, src) = offsets(*input);
            assert!(dst.max(src) + input.n <= shared.buffer.len(), "{input}");
        }
        calls
    }

    #[test]
    fn every_distance_of_the_public_tests_is_tried_both_ways() {
        let calls = calls("0..", Depth::FULL);
        for n in [64, 300, 1100, 4097, 65_536] {
            for apart in (1..=130).chain([4095, 4096, 4097, n - 1, n, n + 1]) {
                for distance in [apart, -apart] {
                    let dst = Place::Beside(distance);
                    assert!(calls.iter().any(|input| (input.n as isize, input.dst) == (n, dst)), "{n} {distance}");
                }
            }
        }
        let longest = calls.iter().map(|input| input.n).max().unwrap();
        assert!((65_000..=LONG).contains(&longest), "{longest}");
    }

    #[test]
    fn short_moves_touch_both_guards_and_cross_a_page_with_both_operands() {
        let calls = calls("100..=100", Depth::FULL);
        let at = |distance| {
            let beside = calls.iter().filter(move |input| input.dst == Place::Beside(distance));
            beside.map(|&input| offsets(input)).collect::<Vec<_>>()
        };
        let crosses = |start: usize| start / 4096 != (start + 99) / 4096;
        for distance in [1, -1, 33, -64, 98, -98] {
            let starts = at(distance);
            assert!(starts.iter().any(|&(dst, src)| dst.min(src) == 0), "{distance}: {starts:?}");
            assert!(starts.iter().any(|&(dst, src)| (dst.max(src) + 100) % 4096 == 0), "{distance}: {starts:?}");
            assert!(starts.iter().any(|&(dst, src)| crosses(dst) && crosses(src)), "{distance}: {starts:?}");
        }
        assert!(at(4096).iter().any(|&(dst, src)| crosses(dst) && crosses(src)));
    }

    #[test]
    fn the_gate_stays_within_its_share() {
        for text in ["0..", "1025..", "1..=64", "0..=65536", "16777217.."] {
            let calls = calls(text, Depth::Gate);
            let (most, bytes) = (calls.len(), calls.iter().map(|input| input.n).sum::<usize>());
            // A call costs about 0.3 us, a byte about 1 ns with its model and all comparisons.
            let long = if text == "16777217.." { 8 * 16_777_218 } else { 0 };
            assert!(most > 30 - 23 * usize::from(long > 0) && most < 4000, "{text}: {most} calls");
            assert!(bytes < (4 << 20) + long, "{text}: {bytes} bytes");
        }
    }

    #[test]
    fn every_difference_after_a_move_is_found_and_placed() {
        let mut shared = Shared::new(&[100], Depth::Gate).unwrap();
        let mut contents = Contents::new(100);
        let input = Input { n: 100, dst: Place::Beside(40), src: Place::Inside(700) };
        let mut after = |change: &dyn Fn(&mut [u8])| {
            shared.prepare(input, &mut contents);
            shared.buffer.bytes_mut().copy_within(700..800, 740);
            change(shared.buffer.bytes_mut());
            shared.compare(input)
        };
        assert_eq!(after(&|_| {}), Ok(()));
        assert!(matches!(after(&|bytes| bytes[839] ^= 1), Err(Fault::Dst { at: 99, .. })));
        assert_eq!(after(&|bytes| bytes[739] ^= 1), Err(Fault::SourceChanged { at: 39 }));
        assert_eq!(after(&|bytes| bytes[699] ^= 1), Err(Fault::BeforeDst { distance: 41 }));
        assert_eq!(after(&|bytes| bytes[840] ^= 1), Err(Fault::AfterDst { distance: 1 }));
        let forward = |bytes: &mut [u8]| (0..100).for_each(|at| bytes[740 + at] = bytes[700 + at]);
        shared.prepare(input, &mut contents);
        forward(shared.buffer.bytes_mut());
        assert!(matches!(shared.compare(input), Err(Fault::Dst { at: 40, .. })));
    }
}
