//! What was not told apart from the best, and which of it is taken: by written rule, never by the noise.

use crate::race::{Lane, Outcome, fastest};
use crate::stats::{Estimate, compare, quantile};
use copysmith_kernels::Routine;

/// Probability that the fastest is left out of the tie set; of several equally fast ones, each.
const LEFT_OUT: f64 = 0.05;

/// The contestants of a race, sorted out.
#[derive(Clone, Debug, PartialEq)]
pub struct Ties {
    /// Index of the lane with the least trimmed mean.
    pub best: usize,
    /// Indices of the tie set, the best among them, in the order of the lanes.
    pub tied: Vec<usize>,
    /// For each lane, in their order: ln(its time / the best's time). Without ends where they shared fewer than 3 blocks.
    pub behind: Vec<Estimate>,
}

/// Sorts out the lanes of a race: the tie set is everyone who is not separable from the best, or whose estimate is
/// within `margin` of it (log units; [`margin`](crate::stats::margin) of the noise floor). `None` when nobody has a sample.
///
/// Separable means D - t(1 - 0.05 / (m - 1)) SE > 0 among m contestants, or dropped by the race for the same reason.
/// Failed contestants are never in it. Those that were dropped count as the best only when everyone else has failed.
pub fn ties(lanes: &[Lane], margin: f64) -> Option<Ties> {
    let with = |wanted: fn(&Outcome) -> bool| (0..lanes.len()).filter(move |&index| wanted(&lanes[index].outcome));
    let best = fastest(lanes, with(|outcome| *outcome == Outcome::Survived))
        .or_else(|| fastest(lanes, with(|outcome| matches!(outcome, Outcome::Dropped { .. }))))?;
    let raced = with(|outcome| !matches!(outcome, Outcome::Failed(_))).count();
    let alpha = LEFT_OUT / (raced.max(2) - 1) as f64;
    let behind: Vec<Estimate> =
        lanes.iter().map(|lane| compare(&lane.samples, &lanes[best].samples).estimate).collect();
    let ties = |index: usize| {
        let behind = &behind[index];
        let equivalent = behind.se.is_finite() && behind.mean <= margin;
        match lanes[index].outcome {
            _ if index == best => true,
            Outcome::Failed(_) => false,
            Outcome::Dropped { .. } => equivalent,
            Outcome::Survived => equivalent || behind.above(quantile(1.0 - alpha, behind.dof)) <= 0.0,
        }
    };
    let tied = (0..lanes.len()).filter(|&index| ties(index)).collect();
    Some(Ties { best, tied, behind })
}

/// What the tie rule needs to know of one member of a tie set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Who.
    pub routine: Routine,
    /// Length of its code in bytes.
    pub code_bytes: usize,
    /// Whether it is what the table has now.
    pub incumbent: bool,
    /// Whether other runs meet it as well: [`Found::common`](crate::strategy::Found::common).
    pub common: bool,
    /// Whether the neighbouring span has the same shape.
    pub neighbour: bool,
}

/// The member of a tie set that is taken: the incumbent; else the one with the lowest instruction set; of those one that other
/// runs meet as well; of those the one with the fewest bytes of code; of those one whose shape the neighbouring span has; of those the
/// first by canonical text. `None` for an empty set. The order of the set does not matter.
///
/// A search that goes on from its leaders finds other ties in every run. Were the best of all of them taken, two runs would take
/// two different ones, neither of which is faster than what both knew.
pub fn choose(tied: &[Standing]) -> Option<&Standing> {
    tied.iter().min_by_key(|standing| {
        let Standing { routine, code_bytes, incumbent, common, neighbour } = standing;
        (!incumbent, routine.isa(), !common, *code_bytes, !neighbour, routine.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(text: &str, code_bytes: usize) -> Standing {
        let routine = text.parse().expect("a routine");
        Standing { routine, code_bytes, incumbent: false, common: true, neighbour: false }
    }

    #[test]
    fn each_rule_decides_only_what_those_before_it_left_open() {
        let evex = standing("copy 16..=32 pairs width=evex16", 10);
        let sse = standing("copy 16..=32 pairs width=sse16", 30);
        let short = standing("copy 16..=32 pairs width=sse16 last=head", 29);
        let text = |set: &[&Standing]| {
            let set: Vec<Standing> = set.iter().map(|&standing| standing.clone()).collect();
            choose(&set).map(|standing| standing.routine.to_string())
        };
        assert_eq!(text(&[]), None);
        assert_eq!(text(&[&evex, &sse]), Some(sse.routine.to_string()), "instruction set before bytes");
        assert_eq!(text(&[&short, &sse]), Some(short.routine.to_string()), "bytes before text");
        let found = Standing { common: false, ..short.clone() };
        assert_eq!(text(&[&found, &sse]), Some(sse.routine.to_string()), "what other runs meet before bytes");
        assert_eq!(
            text(&[&found, &evex]),
            Some(found.routine.to_string()),
            "instruction set before what other runs meet"
        );
        let friend = Standing { neighbour: true, code_bytes: 30, ..short.clone() };
        assert_eq!(text(&[&sse, &friend]), Some(friend.routine.to_string()), "neighbour before text");
        assert_eq!(text(&[&short, &Standing { neighbour: true, ..sse.clone() }]), Some(short.routine.to_string()));
        let held = Standing { incumbent: true, code_bytes: 999, ..evex.clone() };
        assert_eq!(text(&[&sse, &held, &short]), Some(held.routine.to_string()), "the incumbent before all");
        let same = Standing { code_bytes: 30, ..short.clone() };
        assert_eq!(text(&[&same, &sse]), Some(sse.routine.to_string()), "text at last");
    }

    #[test]
    fn failed_contestants_never_tie_and_dropped_ones_only_by_estimate() {
        let lane = |text: &str, ratio: f64, outcome| Lane {
            routine: text.parse().expect("a routine"),
            samples: (0..10).map(|block| ratio + 1e-4 * f64::from(block % 3)).collect(),
            outcome,
        };
        let lanes = [
            lane("copy 16..=32 pairs width=sse16", -0.1, Outcome::Survived),
            lane("copy 16..=32 pairs width=evex16", -0.5, Outcome::Failed("SIGILL".to_owned())),
            lane("copy 8..=16 pairs width=8", -0.095, Outcome::Dropped { block: 10 }),
            lane("copy 8..=16 pairs width=mmx8", -0.05, Outcome::Dropped { block: 10 }),
        ];
        let sorted = ties(&lanes, 0.01).expect("someone was timed");
        assert_eq!((sorted.best, sorted.tied), (0, vec![0, 2]));
        assert!((sorted.behind[3].mean - 0.05).abs() < 1e-9);
        let all_failed: Vec<Lane> =
            lanes.iter().map(|lane| Lane { outcome: Outcome::Failed(String::new()), ..lane.clone() }).collect();
        assert_eq!(ties(&all_failed, 0.01), None);
        assert_eq!(ties(&lanes[2..], 0.01).map(|sorted| (sorted.best, sorted.tied)), Some((0, vec![0])));
    }
}
