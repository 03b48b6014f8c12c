//! One block: every contestant once, in fresh random order between two readings of the reference; and which blocks count.
//! Knows no clock: a pass is whatever the caller says it is.

use super::sample::{Timing, is_possible};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Whose pass it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The routine that everything is measured against, as the block begins.
    First,
    /// The same as it ends.
    Last,
    /// The contestant with this index.
    Contestant(usize),
}

/// What one block timed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    /// The reference, first and last.
    pub reference: [Timing; 2],
    /// Each contestant, in the order of their indices.
    pub contestants: Vec<Timing>,
    /// How many bytes a call copies on average.
    pub bytes: f64,
    /// Ticks an empty call, if they were measured.
    pub overhead: Option<f64>,
}

/// The reference may move this much within a block: more is the machine's doing, and the contestants saw it too.
const MOST_DRIFT: f64 = 0.05;
/// How often a block is tried.
const ATTEMPTS: usize = 4;
/// Runs one block.
pub(super) fn run<E>(
    contestants: usize,
    bytes: f64,
    rng: &mut ChaCha8Rng,
    mut pass: impl FnMut(Turn, &mut ChaCha8Rng) -> Result<Timing, E>,
) -> Result<Block, E> {
    let mut order: Vec<usize> = (0..contestants).collect();
    order.shuffle(rng);
    let first = pass(Turn::First, rng)?;
    let mut timings = vec![first; contestants];
    for index in order {
        timings[index] = pass(Turn::Contestant(index), rng)?;
    }
    Ok(Block { reference: [first, pass(Turn::Last, rng)?], contestants: timings, bytes, overhead: None })
}

/// A block that counts: tried again while it is disturbed, at most 4 times in all; then the least disturbed one. Tells every
/// attempt that does not count to `discard`.
pub(super) fn settle<E>(
    mut attempt: impl FnMut() -> Result<Block, E>,
    mut discard: impl FnMut(&Block),
) -> Result<Block, E> {
    let mut best: Option<Block> = None;
    for _ in 0..ATTEMPTS {
        let block = attempt()?;
        if !block.is_disturbed() {
            return Ok(block);
        }
        discard(&block);
        if best.as_ref().is_none_or(|best| block.badness() < best.badness()) {
            best = Some(block);
        }
    }
    Ok(best.expect("at least one attempt was made"))
}

impl Block {
    /// How far the reference moved from first to last: 0.05 is 5 %.
    pub fn drift(&self) -> f64 {
        match self.reference.map(|timing| self.believed(&timing)) {
            [Some(first), Some(last)] => (last / first).ln().abs().exp_m1(),
            _ => f64::INFINITY,
        }
    }

    /// Every timing, the reference's first.
    pub fn timings(&self) -> impl Iterator<Item = &Timing> {
        self.reference.iter().chain(&self.contestants)
    }

    /// How many passes took a time that no copy can take.
    pub fn impossible(&self) -> usize {
        self.timings().filter(|timing| self.believed(timing).is_none()).count()
    }

    /// Whether it should not count.
    pub fn is_disturbed(&self) -> bool {
        self.drift() > MOST_DRIFT || self.spoiled() > 0
    }

    /// The reference's ticks a call; unless one of its readings is impossible.
    pub fn reference_ticks(&self) -> Option<f64> {
        let [first, last] = self.reference.map(|timing| self.believed(&timing));
        Some((first? + last?) / 2.0)
    }

    /// For each contestant ln(its time / the reference's); unless one of the two is impossible.
    ///
    /// The call loop's share is in both, so a ratio is what a program that calls the one instead of the other sees, and is nearer
    /// to 1 than the copies' own. Taking an empty call's time off both would be wrong: a short copy runs in the shadow of its
    /// call, an empty call then takes almost as long, and the ratio of what is left is as far from 1 as one likes (0.1 instead
    /// of 0.4 for random lengths up to 16).
    pub fn log_ratios(&self) -> Vec<Option<f64>> {
        let reference = self.reference_ticks();
        self.contestants.iter().map(|timing| Some((self.believed(timing)? / reference?).ln())).collect()
    }

    /// Ticks a call of each contestant, unless its time is impossible.
    pub fn contestant_ticks(&self) -> Vec<Option<f64>> {
        self.contestants.iter().map(|timing| self.believed(timing)).collect()
    }

    /// Ticks a call, if a copy can take them.
    fn believed(&self, timing: &Timing) -> Option<f64> {
        is_possible(timing.ticks, self.bytes).then_some(timing.ticks)
    }

    fn spoiled(&self) -> usize {
        self.timings().filter(|timing| timing.disturbance.is_some() || self.believed(timing).is_none()).count()
    }

    fn badness(&self) -> (usize, f64) {
        (self.spoiled(), self.drift())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Disturbance;
    use super::*;
    use rand::SeedableRng;
    use std::convert::Infallible;

    const BYTES: f64 = 32.0;

    fn quiet(ticks: f64) -> Timing {
        Timing { ticks, disturbance: None }
    }

    fn block(first: f64, last: f64, contestants: &[Timing]) -> Block {
        Block {
            reference: [quiet(first), quiet(last)],
            contestants: contestants.to_vec(),
            bytes: BYTES,
            overhead: None,
        }
    }

    fn orders(seed: u64, blocks: usize) -> Vec<Vec<Turn>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let one = |_| {
            let mut turns = Vec::new();
            let pass = |turn, _: &mut ChaCha8Rng| {
                turns.push(turn);
                Ok::<Timing, Infallible>(quiet(1.0))
            };
            run(5, BYTES, &mut rng, pass).unwrap();
            turns
        };
        (0..blocks).map(one).collect()
    }

    #[test]
    fn the_reference_is_first_and_last_and_each_contestant_once_between_in_fresh_order() {
        let all = orders(3, 200);
        for turns in &all {
            assert_eq!((turns.len(), turns[0], turns[6]), (7, Turn::First, Turn::Last));
            assert!((0..5).all(|index| turns.contains(&Turn::Contestant(index))));
        }
        for index in 0..5 {
            let leads = all.iter().filter(|turns| turns[1] == Turn::Contestant(index)).count();
            assert!((25..60).contains(&leads), "{index} leads {leads} of 200 blocks");
        }
        assert_eq!(all, orders(3, 200));
        assert_ne!(all, orders(4, 200));
    }

    #[test]
    fn timings_come_back_in_the_order_of_the_contestants() {
        let mut clock = 10.0;
        let pass = |turn, _: &mut ChaCha8Rng| {
            clock += 0.001;
            Ok::<Timing, Infallible>(quiet(match turn {
                Turn::First | Turn::Last => clock,
                Turn::Contestant(index) => 10.0 * (index + 2) as f64,
            }))
        };
        let block = run(4, BYTES, &mut ChaCha8Rng::seed_from_u64(1), pass).unwrap();
        assert_eq!(block.contestants, [20.0, 30.0, 40.0, 50.0].map(quiet));
        assert!(block.reference[0].ticks < block.reference[1].ticks);
    }

    #[test]
    fn ratios_are_to_the_mean_of_both_reference_readings() {
        let ratios = block(9.8, 10.2, &[quiet(5.0), quiet(20.0)]).log_ratios();
        assert!((ratios[0].unwrap() - 0.5_f64.ln()).abs() < 1e-12);
        assert!((ratios[1].unwrap() - 2.0_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn a_block_is_disturbed_by_a_moved_reference_or_by_any_spoiled_pass() {
        let spoiled = |disturbance| Timing { ticks: 10.0, disturbance: Some(disturbance) };
        assert!(!block(10.0, 10.49, &[quiet(3.0)]).is_disturbed());
        assert!(!block(10.49, 10.0, &[quiet(3.0)]).is_disturbed());
        assert!(block(10.0, 10.51, &[quiet(3.0)]).is_disturbed());
        assert!(block(10.51, 10.0, &[quiet(3.0)]).is_disturbed());
        assert!(block(10.0, 10.0, &[quiet(3.0), spoiled(Disturbance::Preempted)]).is_disturbed());
    }

    #[test]
    fn ratios_and_ticks_are_of_whole_calls() {
        let mut block = block(10.0, 10.0, &[quiet(12.0), quiet(8.0)]);
        block.bytes = 16.0;
        let near = |one: Option<f64>, other: f64| (one.unwrap() - other).abs() < 1e-12;
        assert!(near(block.log_ratios()[0].map(f64::exp), 1.2) && near(block.log_ratios()[1].map(f64::exp), 0.8));
        assert_eq!(block.contestant_ticks(), [Some(12.0), Some(8.0)]);
    }

    #[test]
    fn an_impossible_time_has_no_ratio_and_an_impossible_reference_leaves_none() {
        let mut block = block(10.0, 10.0, &[quiet(0.2), quiet(10.0)]);
        block.bytes = 64.0;
        assert_eq!((block.log_ratios(), block.impossible(), block.is_disturbed()), (vec![None, Some(0.0)], 1, true));
        block.contestants[0] = quiet(10.0);
        assert_eq!((block.impossible(), block.is_disturbed()), (0, false));
        block.reference[1] = quiet(f64::NAN);
        assert_eq!(block.log_ratios(), [None, None]);
        assert!(block.drift().is_infinite());
    }

    #[test]
    fn a_disturbed_block_is_tried_again_until_a_quiet_one_comes() {
        let mut blocks = vec![block(10.0, 10.1, &[]), block(10.0, 12.0, &[]), block(10.0, 11.0, &[])];
        let mut discarded = 0;
        let settled = settle(|| Ok::<_, Infallible>(blocks.pop().unwrap()), |_| discarded += 1).unwrap();
        assert_eq!((settled.reference[1].ticks, discarded), (10.1, 2));
    }

    #[test]
    fn after_four_disturbed_attempts_the_least_disturbed_is_kept() {
        let preempted = Timing { ticks: 10.0, disturbance: Some(Disturbance::Preempted) };
        let mut blocks = vec![
            block(10.0, 10.0, &[]),
            block(10.0, 13.0, &[quiet(1.0)]),
            block(10.0, 10.0, &[preempted]),
            block(10.0, 12.0, &[quiet(1.0)]),
            block(10.0, 14.0, &[quiet(1.0)]),
        ];
        let mut discarded = 0;
        let settled = settle(|| Ok::<_, Infallible>(blocks.pop().unwrap()), |_| discarded += 1).unwrap();
        assert_eq!((settled.reference[1].ticks, discarded, blocks.len()), (12.0, 4, 1));
    }

    #[test]
    fn an_error_ends_the_block_at_once() {
        let mut passes = 0;
        let pass = |_, _: &mut ChaCha8Rng| {
            passes += 1;
            if passes == 3 { Err("stopped") } else { Ok(quiet(1.0)) }
        };
        assert_eq!(run(5, BYTES, &mut ChaCha8Rng::seed_from_u64(1), pass), Err("stopped"));
        assert_eq!(passes, 3);
    }
}
