//! A race: interleaved blocks in which those that are told apart from the best leave early.
//!
//! ```text
//! block   1 . . . . . . 8 . 10 . 12 . 14        look 1 after block 8, then every second block
//! a       x x x x x x x x  x x  x x  x x  best
//! b       x x x x x x x x  x x            dropped at look 2: ln(b / a) surely above 0
//! c       x x x                           failed: a row with its reason
//! d       x x x x x x x x  x x  x x  x x  equivalent to a: the race is over
//! ```
//!
//! The rule is a sequential test with an alpha-spending sequence: at look k, alpha(k) = spend * 6 / (pi^2 k^2), which
//! sums to `spend` over all looks there can be, shared out among the m - 1 contestants that anyone may lose to at that look.

mod lane;
mod rules;

pub use lane::{Lane, Outcome, Stop, Torn};
pub use rules::{Limit, Rules};

use crate::stats::{Estimate, compare, quantile, trimmed_mean};
use crate::{Judge, Progress, Sample, Watch};
use copysmith_kernels::Routine;

/// Contestants, everything they did, and who is still in.
#[derive(Clone, Debug)]
pub struct Race {
    rules: Rules,
    lanes: Vec<Lane>,
    blocks: usize,
    looks: usize,
    /// Index of the best survivor at the last look.
    best: Option<usize>,
    stop: Option<Stop>,
}

impl Race {
    /// A race that has not begun.
    pub fn new(contestants: impl IntoIterator<Item = Routine>, rules: Rules) -> Race {
        let lanes = contestants.into_iter().map(Lane::new).collect();
        Race { rules, lanes, blocks: 0, looks: 0, best: None, stop: None }
    }

    /// A race brought back from its recorded blocks, judged again as they were the first time: with the same rules the
    /// same contestants are in, whoever stopped it and wherever.
    ///
    /// # Errors
    /// [`Torn`] when a block does not have one sample for each contestant that was in it.
    pub fn resume(
        contestants: impl IntoIterator<Item = Routine>,
        rules: Rules,
        recorded: impl IntoIterator<Item = Vec<Sample>>,
    ) -> Result<Race, Torn> {
        let mut race = Race::new(contestants, rules);
        for samples in recorded {
            let expected = race.survivors().count();
            if samples.len() != expected {
                return Err(Torn { block: race.blocks + 1, expected, found: samples.len() });
            }
            race.judge(&samples, &mut ());
        }
        Ok(race)
    }

    /// Times blocks until the race is decided or a limit is reached, and says which. A race that a limit stopped can be run on.
    ///
    /// # Errors
    /// The judge's own. What was measured before is kept.
    pub fn run<J: Judge>(&mut self, judge: &mut J, limit: Limit, watch: &mut dyn Watch) -> Result<Stop, J::Error> {
        let mut spent = 0;
        let mut contestants: Vec<Routine> = Vec::new();
        loop {
            if let Some(stop) = self.stop {
                return Ok(stop);
            }
            let survivors = self.survivors().count();
            if survivors == 0 {
                return Ok(Stop::NobodyLeft);
            }
            if self.blocks >= limit.blocks || spent + survivors as u64 > limit.evaluations {
                return Ok(Stop::Limit);
            }
            if !watch.more() {
                return Ok(Stop::Watch);
            }
            if contestants.len() != survivors {
                contestants = self.survivors().map(|index| self.lanes[index].routine.clone()).collect();
            }
            let samples = judge.block(&contestants)?;
            spent += survivors as u64;
            self.judge(&samples, watch);
            watch.block(&Progress {
                block: self.blocks,
                contestants: &contestants,
                samples: &samples,
                survivors: self.survivors().count(),
                best: self.best.map(|best| (&self.lanes[best].routine, Estimate::of(&self.lanes[best].samples))),
            });
        }
    }

    /// Every contestant, in the order given, with all its samples.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// Blocks timed so far.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Samples taken so far, over all contestants.
    pub fn evaluations(&self) -> u64 {
        self.lanes.iter().map(|lane| lane.samples.len() as u64).sum()
    }

    fn survivors(&self) -> impl Iterator<Item = usize> + '_ {
        self.lanes.iter().enumerate().filter(|(_, lane)| lane.outcome == Outcome::Survived).map(|(index, _)| index)
    }

    /// Takes one block in, and looks if a look is due.
    fn judge(&mut self, samples: &[Sample], watch: &mut dyn Watch) {
        self.blocks += 1;
        let survivors: Vec<usize> = self.survivors().collect();
        for (place, &index) in survivors.iter().enumerate() {
            let lane = &mut self.lanes[index];
            let failed = match samples.get(place) {
                Some(Sample::LogRatio(ratio)) if ratio.is_finite() => {
                    lane.samples.push(*ratio);
                    continue;
                }
                Some(Sample::LogRatio(ratio)) => format!("its log ratio was {ratio}; only finite ones are times"),
                Some(Sample::Failed(reason)) => reason.clone(),
                None => "the judge gave no sample for it".to_owned(),
            };
            lane.outcome = Outcome::Failed(failed);
            watch.left(&lane.routine, &lane.outcome);
        }
        self.best = self.best.filter(|&best| self.lanes[best].outcome == Outcome::Survived);
        if self.blocks >= self.rules.first && (self.blocks - self.rules.first).is_multiple_of(self.rules.every.max(1)) {
            self.look(watch);
        }
    }

    /// Drops those that are told apart from the best; ends the race when nothing is left to decide.
    fn look(&mut self, watch: &mut dyn Watch) {
        self.looks += 1;
        let survivors: Vec<usize> = self.survivors().collect();
        let Some(best) = fastest(&self.lanes, survivors.iter().copied()) else { return };
        self.best = Some(best);
        let alpha = self.rules.alpha(self.looks) / (survivors.len() - 1).max(1) as f64;
        let mut left = 1;
        let mut open = false;
        let mut critical = None;
        for index in survivors.into_iter().filter(|&index| index != best) {
            let behind = compare(&self.lanes[index].samples, &self.lanes[best].samples).estimate;
            // Every survivor has a sample in every block, so all have the same quantile.
            let t = *critical.get_or_insert_with(|| quantile(1.0 - alpha, behind.dof));
            if behind.above(t) > 0.0 {
                let lane = &mut self.lanes[index];
                lane.outcome = Outcome::Dropped { block: self.blocks };
                watch.left(&lane.routine, &lane.outcome);
            } else {
                left += 1;
                open |= behind.high > self.rules.margin;
            }
        }
        if left == 1 {
            self.stop = Some(Stop::OneLeft);
        } else if !open {
            self.stop = Some(Stop::Equivalent);
        }
    }
}

/// The one with the least trimmed mean; of equal ones the first by text, so that the order given does not matter.
pub(crate) fn fastest(lanes: &[Lane], indices: impl Iterator<Item = usize>) -> Option<usize> {
    indices.filter(|&index| !lanes[index].samples.is_empty()).min_by(|&a, &b| {
        let mean = |index: usize| trimmed_mean(&lanes[index].samples);
        mean(a).total_cmp(&mean(b)).then_with(|| lanes[a].routine.cmp(&lanes[b].routine))
    })
}
