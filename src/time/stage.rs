//! One situation while it is timed: how many calls make a pass, and its blocks.

use super::batch::Fresh;
use super::bench::{Bench, CONTESTANTS, FIRST_REFERENCE, LAST_REFERENCE, NULL};
use super::block::{self, Block, Turn};
use super::driver::ReadBack;
use super::lanes::{Lanes, Spread};
use super::lengths::Lengths;
use super::recording::{FEWEST_RECORDED, Recording};
use super::sample::Around;
use super::settings::Situation;
use super::workload::{Temperature, Workload};
use rand_chacha::ChaCha8Rng;
use std::convert::Infallible;

/// With fewer fresh calls in a pass, branch predictors memorise their order.
const FRESH_CALLS: usize = 16_384;
/// Up to this many bytes on average copies are so short that their branches matter.
const SHORT: usize = 512;
/// How many lengths are drawn to find their average.
const TRIED_LENGTHS: usize = 1024;
/// Passes of longer copies take this to twice this many nanoseconds by the reference, or one call.
const PASS_NANOSECONDS: f64 = 40_000.0;

/// What a pass of recorded calls copies at most, on average: some milliseconds' worth. Where calls are longer than 4 KiB on average their
/// branches matter no more, and a pass has fewer.
const MOST_RECORDED_BYTES: f64 = (64 << 20) as f64;

/// A situation and its number of calls.
#[derive(Debug)]
pub(super) struct Stage {
    pub workload: Workload,
    pub weight: f64,
    /// Calls in a pass, as far as they fit the buffers.
    pub calls: usize,
    /// Settled blocks so far.
    block: usize,
}

impl Stage {
    /// Finds out how many calls make a pass.
    pub fn new(situation: &Situation, bench: &mut Bench, lanes: &Lanes, rng: &mut ChaCha8Rng) -> Stage {
        let Situation { workload, weight } = situation.clone();
        if let Lengths::Recorded(recording) = &workload.lengths {
            let calls = recorded_calls(recording);
            return Stage { workload, weight, calls, block: 0 };
        }
        let tried = workload.lengths.draw(TRIED_LENGTHS, rng);
        let is_short = tried.iter().map(|run| run.n * run.times).sum::<usize>() <= SHORT * TRIED_LENGTHS;
        let calls = if is_short { FRESH_CALLS } else { 1 };
        let mut stage = Stage { workload, weight, calls, block: 0 };
        if !is_short {
            stage.lengthen(bench, lanes, rng);
        }
        stage
    }

    /// Doubles the calls until the reference takes long enough.
    fn lengthen(&mut self, bench: &mut Bench, lanes: &Lanes, rng: &mut ChaCha8Rng) {
        let enough = PASS_NANOSECONDS * bench.clock.ticks_per_nanosecond();
        while self.calls < FRESH_CALLS {
            let fresh = self.fresh(bench, rng);
            if fresh.timed.calls.len() < self.calls {
                break;
            }
            // The quickest of three: an interrupt must not make passes short for good.
            let reference = || self.pass(FIRST_REFERENCE, self.workload.read_back, bench, lanes, &fresh, rng).ticks();
            let quickest = std::iter::repeat_with(reference).take(3).min().unwrap_or(0);
            if quickest as f64 >= enough {
                break;
            }
            self.calls *= 2;
        }
    }

    /// Where the lanes of its contestants lie to each other.
    pub fn spread(&self) -> Spread {
        match self.workload.lengths {
            Lengths::Recorded(_) => Spread::Apart,
            _ => Spread::Together,
        }
    }

    /// A block of this many contestants from the lanes, tried again while disturbed; `discard` hears of each such attempt.
    pub fn block(
        &mut self,
        contestants: usize,
        bench: &mut Bench,
        lanes: &Lanes,
        rng: &mut ChaCha8Rng,
        discard: impl FnMut(&Block),
    ) -> Block {
        let attempt = || Ok::<Block, Infallible>(self.attempt(contestants, bench, lanes, rng));
        let Ok(block) = block::settle(attempt, discard);
        self.block += 1;
        block
    }

    fn attempt(&self, contestants: usize, bench: &mut Bench, lanes: &Lanes, rng: &mut ChaCha8Rng) -> Block {
        let fresh = self.fresh(bench, rng);
        let calls = fresh.timed.calls.len();
        if self.spread() == Spread::Apart && self.workload.temperature == Temperature::Hot {
            bench.touch(&fresh.timed);
        }
        // An empty call each brings the list of calls into the cache, or the reference would be the one to pay for it.
        let mut empty = || self.pass(NULL, null_read_back(&self.workload), bench, lanes, &fresh, rng);
        empty();
        let overhead = empty().timing(calls);
        let bytes = fresh.timed.bytes as f64 / calls as f64;
        let pass = |turn, rng: &mut ChaCha8Rng| {
            let lane = match turn {
                Turn::First => FIRST_REFERENCE,
                Turn::Last => LAST_REFERENCE,
                Turn::Contestant(index) => CONTESTANTS + index,
            };
            let around = self.pass(lane, self.workload.read_back, bench, lanes, &fresh, rng);
            Ok::<_, Infallible>(around.timing(calls))
        };
        let Ok(block) = block::run(contestants, bytes, rng, pass);
        Block { overhead: overhead.disturbance.is_none().then_some(overhead.ticks), ..block }
    }

    fn pass(
        &self,
        lane: usize,
        read_back: ReadBack,
        bench: &mut Bench,
        lanes: &Lanes,
        fresh: &Fresh,
        rng: &mut ChaCha8Rng,
    ) -> Around {
        // SAFETY: lanes hold only targets that are vouched for, and the judge lets none race on lengths it is not for.
        unsafe { bench.pass((lanes, lane), read_back, &self.workload, fresh, rng) }
    }

    /// Calls that no pass has seen; fewer than wanted where they would not fit.
    fn fresh(&self, bench: &Bench, rng: &mut ChaCha8Rng) -> Fresh {
        let mut calls = self.calls;
        loop {
            let fresh = self.workload.fresh(calls, self.block, rng);
            if calls == 1 || fresh.timed.extent <= bench.room(self.workload.temperature) {
                return fresh;
            }
            calls /= 2;
        }
    }
}

/// How many recorded calls make a pass: as many as of short copies, long ones among them, unless most of them are long.
fn recorded_calls(recording: &Recording) -> usize {
    let affordable = (MOST_RECORDED_BYTES / recording.mean().max(1.0)) as usize;
    recording.calls().min(FRESH_CALLS).min(affordable.max(FEWEST_RECORDED))
}

/// What the loop around the empty call reads. Reading the ends of a hot buffer is the loop's share; reading what nobody has
/// copied there is dearer than reading a fresh copy when it is cold, and in full it is what the workload is about.
fn null_read_back(workload: &Workload) -> ReadBack {
    match (workload.read_back, workload.temperature) {
        (ends @ (ReadBack::Ends | ReadBack::WideEnds), Temperature::Hot) => ends,
        _ => ReadBack::None,
    }
}

/// The read-backs that lanes need for these workloads.
pub(super) fn read_backs<'w>(workloads: impl Iterator<Item = &'w Workload>) -> Vec<ReadBack> {
    let mut all = Vec::new();
    for read_back in workloads.flat_map(|workload| [workload.read_back, null_read_back(workload)]) {
        if !all.contains(&read_back) {
            all.push(read_back);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::recording::tests::counted;
    use super::*;
    use crate::profile::shipped;

    #[test]
    fn a_pass_of_recorded_calls_is_16384_unless_there_are_fewer_or_most_are_long() {
        // The mean length of these is half of their number.
        assert_eq!(
            [100, 8_000, 8_192, 16_384].map(|calls| recorded_calls(&counted(calls))),
            [100, 8_000, 8_192, 8_192]
        );
        for shipped in shipped() {
            let recording = Recording::from(&shipped.profile().unwrap());
            assert_eq!(recorded_calls(&recording), 16_384, "{}", shipped.name);
        }
    }
}
