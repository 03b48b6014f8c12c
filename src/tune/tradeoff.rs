//! What the races of whole routines saw: what can be had of one thing, and what it costs in the others.
//!
//! A score weighs everything into one number; whoever weighs otherwise finds here what else there was.

use crate::record::{Breakdown, InSituation};
use crate::time::{Lengths, ReadBack, Situation, Workload};
use serde::Serialize;

/// How one routine did in each kind of situation, as times relative to the system's memcpy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trade {
    /// The routine's text.
    pub routine: String,
    /// Recorded calls in their order: the mean of all programs.
    pub recorded: Option<f64>,
    /// Random lengths, repeated and not: the mean.
    pub mix: Option<f64>,
    /// Single lengths: the worst.
    pub constant: Option<f64>,
    /// Single lengths, read again at once: the worst.
    pub reload: Option<f64>,
}

/// Ratios this near to each other, in log units, are the same.
const SAME: f64 = 0.01;

/// The routines that no other one was as good as in everything, those first that are fastest in recorded order. Each breakdown is of
/// these situations, in their order; others are left out.
pub(super) fn trade_off<'a>(breakdowns: impl Iterator<Item = &'a Breakdown>, situations: &[Situation]) -> Vec<Trade> {
    let mut trades: Vec<Trade> = Vec::new();
    for breakdown in breakdowns.filter(|breakdown| breakdown.situations.len() == situations.len()) {
        let trade = trade(breakdown, situations);
        // One that raced in several rounds was timed the longest in the last.
        trades.retain(|earlier| earlier.routine != trade.routine);
        trades.push(trade);
    }
    let mut front: Vec<Trade> = Vec::new();
    trades.sort_by(|a, b| values(a).into_iter().sum::<f64>().total_cmp(&values(b).into_iter().sum()));
    for trade in trades {
        if !front.iter().any(|better| covers(better, &trade)) {
            front.push(trade);
        }
    }
    front.sort_by(|a, b| a.recorded.unwrap_or(0.0).total_cmp(&b.recorded.unwrap_or(0.0)));
    front
}

/// Whether the one is nowhere slower than the other by more than what is the same.
fn covers(one: &Trade, other: &Trade) -> bool {
    values(one).into_iter().zip(values(other)).all(|(one, other)| one <= other + SAME)
}

/// The logarithms, nothing counting as neither faster nor slower.
fn values(trade: &Trade) -> [f64; 4] {
    [trade.recorded, trade.mix, trade.constant, trade.reload].map(|ratio| ratio.map_or(0.0, f64::ln))
}

fn trade(breakdown: &Breakdown, situations: &[Situation]) -> Trade {
    let of = |kind: fn(&Workload) -> bool| {
        let both = situations.iter().zip(&breakdown.situations);
        both.filter(move |(situation, _)| kind(&situation.workload)).map(|(_, did)| did.log_ratio).collect::<Vec<f64>>()
    };
    let mean = |logs: Vec<f64>| (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp());
    let worst = |logs: Vec<f64>| logs.into_iter().reduce(f64::max).map(f64::exp);
    Trade {
        routine: breakdown.routine.clone(),
        recorded: mean(of(|workload| matches!(workload.lengths, Lengths::Recorded(_)))),
        mix: mean(of(|workload| matches!(workload.lengths, Lengths::Mix | Lengths::Runs) && is_unread(workload))),
        constant: worst(of(|workload| matches!(workload.lengths, Lengths::Fixed(_)) && is_unread(workload))),
        reload: worst(of(|workload| matches!(workload.lengths, Lengths::Fixed(_)) && !is_unread(workload))),
    }
}

fn is_unread(workload: &Workload) -> bool {
    workload.read_back == ReadBack::None
}

/// Where a routine was slower than the system's memcpy, the worst first: those whose whole interval says so.
pub(super) fn slower(breakdown: &Breakdown) -> Vec<InSituation> {
    let lost = |did: &&InSituation| did.low.is_some_and(|low| low > 0.0);
    let mut slower: Vec<InSituation> = breakdown.situations.iter().filter(lost).cloned().collect();
    slower.sort_by(|a, b| b.log_ratio.total_cmp(&a.log_ratio));
    slower
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Phase;

    fn situations() -> Vec<Situation> {
        let hot = |lengths| Workload::hot(lengths);
        let reload = hot(Lengths::Fixed(8)).read_back(ReadBack::Ends);
        [hot(Lengths::Mix), hot(Lengths::Runs), hot(Lengths::Fixed(1)), hot(Lengths::Fixed(8)), reload]
            .map(Situation::from)
            .to_vec()
    }

    fn breakdown(routine: &str, ratios: [f64; 5]) -> Breakdown {
        let did = |ratio: f64| InSituation {
            situation: "one".to_owned(),
            log_ratio: ratio.ln(),
            low: Some(ratio.ln() - 0.02),
            high: Some(ratio.ln() + 0.02),
        };
        let situations = ratios.map(did).to_vec();
        Breakdown { class: "routine".to_owned(), phase: Phase::Race, routine: routine.to_owned(), situations }
    }

    #[test]
    fn what_is_nowhere_better_than_another_is_left_out() {
        let all = [
            breakdown("masked", [0.4, 0.6, 0.8, 0.8, 1.6]),
            breakdown("tree", [0.8, 0.8, 0.9, 0.9, 1.0]),
            breakdown("worse tree", [0.8, 0.9, 0.9, 0.95, 1.0]),
            breakdown("as good a tree", [0.8, 0.801, 0.9, 0.9, 1.0]),
        ];
        let front = trade_off(all.iter(), &situations());
        let names: Vec<&str> = front.iter().map(|trade| trade.routine.as_str()).collect();
        assert_eq!(
            (front.len(), names.contains(&"masked"), names.contains(&"worse tree")),
            (2, true, false),
            "{names:?}"
        );
        let masked = front.iter().find(|trade| trade.routine == "masked").unwrap();
        assert_eq!((masked.recorded, masked.constant.map(|ratio| (ratio * 10.0).round())), (None, Some(8.0)));
        assert!((masked.mix.unwrap() - 0.24_f64.sqrt()).abs() < 1e-12 && (masked.reload.unwrap() - 1.6).abs() < 1e-12);
    }

    #[test]
    fn a_loss_is_one_whose_whole_interval_is_above_one() {
        let lost = slower(&breakdown("any", [0.9, 1.01, 1.05, 1.0, 1.3]));
        let ratios: Vec<f64> = lost.iter().map(|did| (did.log_ratio.exp() * 100.0).round()).collect();
        assert_eq!(ratios, [130.0, 105.0]);
    }
}
