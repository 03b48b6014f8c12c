//! The calls of one pass: lengths drawn, each put somewhere.
//!
//! Hot calls go anywhere in two pages of each buffer. Cold calls are stacked into fresh pages so densely that walking
//! through the buffers really displaces what the caches hold: each call falls onto the lowest page where its cache lines
//! are free at the page offset drawn for it.

use super::driver::Call;
use super::lengths::{Lengths, Run};
use super::replay::{self, RECORDED_PAGES};
use super::workload::{Placements, Relative, Temperature, Workload};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Page offsets repeat with this: 4 KiB aliasing is a matter of the low 12 address bits, whatever the page size.
pub(super) const PAGE: usize = 4096;
const LINE: usize = 64;
/// The pages of each buffer in which hot calls start: small, so that short copies stay in the first-level cache.
const HOT_PAGES: usize = 2;
/// With fewer calls in a pass not every relative offset would come up in each: then one holds for a whole block.
const ROTATE_FROM: usize = 16;

/// One warm-up call for this many timed ones.
const WARM_UP_SHARE: usize = 32;
/// The longest warm-up calls before a cold pass: they keep the code warm, and must not fill the caches.
pub(super) const LONGEST_COLD_WARM_UP: usize = 4096;
/// What the warm-up calls of cold passes extend over at most.
pub(super) const COLD_WARM_UP_EXTENT: usize = LONGEST_COLD_WARM_UP + (RECORDED_PAGES + 1) * PAGE;

/// How the relative offsets of a workload take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Each call draws one.
    PerCall,
    /// The calls of a block share one; the next block has the next.
    PerBlock,
}

/// The calls of a block, the same for every contestant, but each makes them in an order of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// As they were drawn.
    pub calls: Vec<Call>,
    /// Where among them each run of calls that stay together begins.
    runs: Vec<usize>,
    /// The bytes they copy in all.
    pub bytes: u64,
    /// The bytes of each buffer that they lie in, from offset 0.
    pub extent: usize,
    /// How the relative offsets took turns.
    pub rotation: Rotation,
}

/// The calls of one attempt.
#[derive(Debug)]
pub(super) struct Fresh {
    /// Other calls of the same kind, to make before the timed ones, all of them in a few pages: at least one where the buffers are to
    /// be hot, none where they are to stay cold and even one would be large.
    pub warm_up: Batch,
    /// Those to time.
    pub timed: Batch,
}

impl Workload {
    /// Fresh calls for block number `block`. The same state of the generator gives the same calls. Recorded ones are a piece of their
    /// recording in its order, and fewer where it has fewer.
    pub fn batch(&self, count: usize, block: usize, rng: &mut ChaCha8Rng) -> Batch {
        if let Lengths::Recorded(recording) = &self.lengths {
            return replay::fresh(recording, self.temperature, count, rng).timed;
        }
        let drawn = self.lengths.draw(count, rng);
        let rotation = if count < ROTATE_FROM { Rotation::PerBlock } else { Rotation::PerCall };
        let fixed = (rotation == Rotation::PerBlock).then(|| {
            let all = &self.placements.relative;
            // Strided, so that the first few blocks already meet unlike offsets; 7 divides no list there is likely to be.
            all[block * 7 % all.len()]
        });
        let (mut calls, mut runs) = (Vec::with_capacity(count), Vec::with_capacity(drawn.len()));
        for Run { n, times } in drawn {
            runs.push(calls.len());
            calls.extend(std::iter::repeat_n(Call { dst: 0, src: 0, n: bounded(n) }, times));
        }
        match self.temperature {
            Temperature::Hot if self.overlap.is_some() => {
                place_overlapping(&mut calls, &self.placements, self.overlap.unwrap_or(0), rng);
            }
            Temperature::Hot => place_hot(&mut calls, &self.placements, fixed, rng),
            Temperature::Cold => place_cold(&mut calls, |_, rng| page_offsets(&self.placements, fixed, rng), rng),
        }
        Batch::new(calls, runs, rotation)
    }

    /// The calls of an attempt at block number `block`, `count` of them to be timed, that no pass has seen.
    pub(super) fn fresh(&self, count: usize, block: usize, rng: &mut ChaCha8Rng) -> Fresh {
        if let Lengths::Recorded(recording) = &self.lengths {
            return replay::fresh(recording, self.temperature, count, rng);
        }
        let hot = Workload { temperature: Temperature::Hot, ..self.clone() };
        let warm_up = match self.temperature {
            Temperature::Hot => (count / WARM_UP_SHARE).max(1),
            Temperature::Cold if self.lengths.last() > LONGEST_COLD_WARM_UP => 0,
            Temperature::Cold => count / WARM_UP_SHARE,
        };
        let warm_up = hot.batch(warm_up, block, rng);
        Fresh { warm_up, timed: self.batch(count, block, rng) }
    }

    /// At least the extent of every batch of hot calls, and of a cold batch of one.
    pub(super) fn least_extent(&self) -> usize {
        let pages = if matches!(self.lengths, Lengths::Recorded(_)) { RECORDED_PAGES } else { HOT_PAGES };
        let apart = self.overlap.map_or(0, |distance| distance.unsigned_abs() as usize);
        self.lengths.last() + apart + (pages + 1) * PAGE
    }
}

impl Batch {
    fn new(calls: Vec<Call>, runs: Vec<usize>, rotation: Rotation) -> Batch {
        let end = |call: &Call| call.dst.max(call.src) as usize + call.n as usize;
        let extent = calls.iter().map(end).max().unwrap_or(0);
        Batch { bytes: calls.iter().map(|call| u64::from(call.n)).sum(), extent, rotation, runs, calls }
    }

    /// These calls, which every contestant makes in this order.
    pub(super) fn in_order(calls: Vec<Call>, rotation: Rotation) -> Batch {
        Batch::new(calls, vec![0], rotation)
    }

    /// The same calls in another order, runs kept together; recorded ones in theirs. Routines share branches, or have them at like addresses: were all
    /// to make the calls in one order, the predictor would know it from the routine before.
    ///
    /// The order is a stride through the runs, for a shuffle would take longer than the pass.
    pub(super) fn reordered(&self, calls: &mut Vec<Call>, rng: &mut ChaCha8Rng) {
        calls.clear();
        let count = self.runs.len();
        if count < 2 {
            calls.extend_from_slice(&self.calls);
            return;
        }
        let mut at = rng.random_range(0..count);
        // Far from 0 and from the count: there it would be the old order or its reverse.
        let stride = std::iter::repeat_with(|| rng.random_range(count / 4..count - count / 4));
        let stride = stride.take(64).find(|&stride| stride > 0 && gcd(stride, count) == 1).unwrap_or(1);
        for _ in 0..count {
            let end = self.runs.get(at + 1).copied().unwrap_or(self.calls.len());
            calls.extend_from_slice(&self.calls[self.runs[at]..end]);
            at += stride;
            at -= if at >= count { count } else { 0 };
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn bounded(offset: usize) -> u32 {
    u32::try_from(offset).expect("a checked workload's offsets have 32 bits")
}

fn place_hot(calls: &mut [Call], placements: &Placements, fixed: Option<Relative>, rng: &mut ChaCha8Rng) {
    for call in calls {
        let (dst, src) = page_offsets(placements, fixed, rng);
        call.dst = bounded(rng.random_range(0..HOT_PAGES) * PAGE + dst);
        call.src = bounded(rng.random_range(0..HOT_PAGES) * PAGE + src);
    }
}

/// Sources start where those of hot calls do, as far up as the destinations need room below.
fn place_overlapping(calls: &mut [Call], placements: &Placements, distance: i32, rng: &mut ChaCha8Rng) {
    let room = if distance < 0 { distance.unsigned_abs() } else { 0 };
    for call in calls {
        let (_, src) = page_offsets(placements, None, rng);
        call.src = room + bounded(rng.random_range(0..HOT_PAGES) * PAGE + src);
        call.dst = call.src.wrapping_add_signed(distance);
    }
}

/// Lengths keep their order; places do not follow it, so that no prefetcher sees the next call coming.
pub(super) fn place_cold(
    calls: &mut [Call],
    mut offsets: impl FnMut(usize, &mut ChaCha8Rng) -> (usize, usize),
    rng: &mut ChaCha8Rng,
) {
    let mut order: Vec<usize> = (0..calls.len()).collect();
    order.shuffle(rng);
    let (mut to, mut from) = (Stack::default(), Stack::default());
    for index in order {
        let (dst, src) = offsets(index, rng);
        let call = &mut calls[index];
        call.dst = bounded(to.drop(dst, call.n as usize));
        call.src = bounded(from.drop(src, call.n as usize));
    }
}

/// Where in their pages destination and source start.
fn page_offsets(placements: &Placements, fixed: Option<Relative>, rng: &mut ChaCha8Rng) -> (usize, usize) {
    let aligned = rng.random_range(0..4) < placements.aligned_quarters;
    let relative = fixed.unwrap_or_else(|| placements.relative[rng.random_range(0..placements.relative.len())]);
    let to_line = |offset: usize| if aligned { offset & !(LINE - 1) } else { offset };
    let dst = to_line(rng.random_range(0..PAGE));
    let relative = match relative {
        Relative::At(offset) => usize::from(offset),
        Relative::Random => to_line(rng.random_range(0..PAGE)),
    };
    (dst, (PAGE + dst - relative) % PAGE)
}

/// For each cache line of a page, the first page in which it is still free.
struct Stack {
    free: [usize; PAGE / LINE],
}

impl Default for Stack {
    fn default() -> Stack {
        Stack { free: [0; PAGE / LINE] }
    }
}

impl Stack {
    /// Takes the lines of `n` bytes at a page offset and returns the offset of the first byte in the buffer.
    fn drop(&mut self, page_offset: usize, n: usize) -> usize {
        let first = page_offset / LINE;
        let lines = first..first + (page_offset % LINE + n.max(1)).div_ceil(LINE);
        let column = |line: usize| (line % self.free.len(), line / self.free.len());
        let page =
            lines.clone().map(column).map(|(column, up)| self.free[column].saturating_sub(up)).max().unwrap_or(0);
        for line in lines {
            let (column, up) = (line % (PAGE / LINE), line / (PAGE / LINE));
            self.free[column] = page + up + 1;
        }
        page * PAGE + page_offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use std::collections::{HashMap, HashSet};

    fn rng() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(11)
    }

    fn relative(call: &Call) -> u32 {
        call.dst.wrapping_sub(call.src) % 4096
    }

    fn short(temperature: Temperature) -> Workload {
        Workload { temperature, ..Workload::hot(Lengths::Span("0..=300".parse().unwrap())) }
    }

    #[test]
    fn the_same_seed_gives_the_same_calls_and_the_next_block_others() {
        for workload in [short(Temperature::Hot), short(Temperature::Cold)] {
            let (mut one, mut other) = (rng(), rng());
            let first = workload.batch(100, 0, &mut one);
            assert_eq!(first, workload.batch(100, 0, &mut other));
            assert_ne!(first, workload.batch(100, 1, &mut one));
        }
    }

    #[test]
    fn each_relative_offset_comes_up_as_often_as_the_others() {
        for temperature in [Temperature::Hot, Temperature::Cold] {
            let batch = short(temperature).batch(16_000, 0, &mut rng());
            assert_eq!(batch.rotation, Rotation::PerCall);
            let mut seen: HashMap<u32, usize> = HashMap::new();
            batch.calls.iter().for_each(|call| *seen.entry(relative(call)).or_default() += 1);
            for offset in [0, 1, 16, 64, 512, 2048, 3584, 4032, 4080, 4095] {
                let count = seen.remove(&offset).unwrap_or(0);
                assert!((680..920).contains(&count), "{offset}: {count}");
            }
            assert!(seen.len() > 1000, "the random ones are {} kinds", seen.len());
        }
    }

    #[test]
    fn a_quarter_of_the_destinations_is_aligned_and_the_rest_lies_anywhere() {
        let batch = short(Temperature::Hot).batch(16_000, 0, &mut rng());
        let mut residues = [0; 64];
        batch.calls.iter().for_each(|call| residues[call.dst as usize % 64] += 1);
        assert!((4000..4400).contains(&residues[0]), "{}", residues[0]);
        assert!(residues[1..].iter().all(|&count| (130..260).contains(&count)), "{residues:?}");
    }

    #[test]
    fn few_calls_share_the_offset_of_their_block_and_blocks_go_through_all() {
        let workload = Workload::hot(Lengths::Fixed(1 << 20));
        let count = workload.placements.relative.len();
        let offsets: HashSet<u32> = (0..count)
            .map(|block| {
                let batch = workload.batch(3, block, &mut rng());
                assert_eq!(batch.rotation, Rotation::PerBlock);
                if let Relative::At(offset) = workload.placements.relative[block * 7 % count] {
                    assert!(batch.calls.iter().all(|call| relative(call) == u32::from(offset)));
                }
                relative(&batch.calls[0])
            })
            .collect();
        for offset in [0, 1, 16, 64, 512, 2048, 3584, 4032, 4080, 4095] {
            assert!(offsets.contains(&offset), "{offset} of {offsets:?}");
        }
    }

    #[test]
    fn cold_calls_share_no_cache_line_and_fill_much_of_their_pages() {
        for lengths in ["17..=32", "100..=300", "3000..=9000", "1..=70000"] {
            let workload = Workload::cold(Lengths::Span(lengths.parse().unwrap()));
            let batch = workload.batch(2000, 0, &mut rng());
            for side in [|call: &Call| call.dst, |call: &Call| call.src] {
                let mut lines = HashSet::new();
                for call in &batch.calls {
                    let start = side(call);
                    assert!((start / 64..=(start + call.n - 1) / 64).all(|line| lines.insert(line)), "{lengths}");
                }
                let filled = (lines.len() * LINE) as f64 / batch.extent as f64;
                assert!(filled > 0.4, "{lengths}: {filled}");
            }
        }
    }

    #[test]
    fn another_order_has_the_same_calls_and_other_neighbours() {
        let mut rng = rng();
        for count in [1, 2, 3, 15, 16, 1000, 16_384] {
            let batch = short(Temperature::Hot).batch(count, 0, &mut rng);
            let sorted = |calls: &[Call]| {
                let mut all: Vec<_> = calls.iter().map(|call| (call.dst, call.src, call.n)).collect();
                all.sort_unstable();
                all
            };
            for _ in 0..20 {
                let mut other = Vec::new();
                batch.reordered(&mut other, &mut rng);
                assert_eq!(sorted(&other), sorted(&batch.calls), "{count}");
                let follows: HashSet<_> = batch.calls.windows(2).map(|pair| format!("{pair:?}")).collect();
                let kept = other.windows(2).filter(|pair| follows.contains(&format!("{pair:?}"))).count();
                assert!(count < 1000 || kept * 100 < count, "{kept} of {count} neighbours are the same");
            }
        }
    }

    #[test]
    fn another_order_keeps_runs_together() {
        let mut rng = rng();
        let batch = Workload::hot(Lengths::Runs).batch(10_000, 0, &mut rng);
        let changes = |calls: &[Call]| calls.windows(2).filter(|pair| pair[0].n != pair[1].n).count();
        let mut other = Vec::new();
        batch.reordered(&mut other, &mut rng);
        let (before, after) = (changes(&batch.calls), changes(&other));
        assert!(before.abs_diff(after) < before / 10 && before < 1500, "{before} and {after}");
    }

    #[test]
    fn moves_within_a_buffer_have_their_distance_whichever_way() {
        for distance in [1, -1, 64, -64, 40_000, -40_000] {
            let workload = Workload::overlapping(Lengths::Span("0..=3000".parse().unwrap()), distance);
            let batch = workload.batch(1000, 0, &mut rng());
            assert!(batch.calls.iter().all(|call| i64::from(call.dst) - i64::from(call.src) == i64::from(distance)));
            assert!(batch.extent <= workload.least_extent(), "{distance}");
        }
    }

    #[test]
    fn hot_calls_stay_within_the_extent_that_buffers_are_made_for() {
        let workload = Workload::hot(Lengths::Span("1..=9000".parse().unwrap()));
        let batch = workload.batch(10_000, 0, &mut rng());
        assert!(batch.extent <= workload.least_extent());
        assert_eq!(batch.bytes, batch.calls.iter().map(|call| u64::from(call.n)).sum::<u64>());
    }
}
