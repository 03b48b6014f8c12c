//! How alike the races of a class end: picks and tie sets of one held against the other's. No clock.

use super::share;
use copysmith_search::stats::median;
use serde::Serialize;
use std::collections::BTreeSet;

/// How alike the races of a class end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stability {
    /// Share of the pairs of races with the same pick.
    pub same: f64,
    /// Share of the pairs in which each pick is the other's, tied with it, or not raced by it.
    pub agree: f64,
    /// Median over the pairs of the Jaccard index of their tie sets.
    pub jaccard: f64,
    /// Median size of a tie set as a share of its candidates.
    pub tied: f64,
}

/// How a race ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// The winner.
    pub winner: String,
    /// Everyone that was not told from it, itself included.
    pub tied: BTreeSet<String>,
    /// Everyone who was timed.
    pub timed: BTreeSet<String>,
}

/// How alike races ended; all zero for fewer than two.
pub fn stability(picks: &[Pick]) -> Stability {
    let mut pairs = Vec::new();
    for (at, one) in picks.iter().enumerate() {
        pairs.extend(picks[at + 1..].iter().map(|other| (one, other)));
    }
    if pairs.is_empty() {
        return Stability::default();
    }
    // What a race never timed it cannot have told apart from its pick.
    let allows = |race: &Pick, pick: &String| race.tied.contains(pick) || !race.timed.contains(pick);
    let jaccard = |one: &Pick, other: &Pick| {
        let common = one.tied.intersection(&other.tied).count() as f64;
        common / one.tied.union(&other.tied).count().max(1) as f64
    };
    let tied: Vec<f64> = picks.iter().map(|pick| pick.tied.len() as f64 / pick.timed.len().max(1) as f64).collect();
    Stability {
        same: share(pairs.iter().map(|(one, other)| one.winner == other.winner)),
        agree: share(pairs.iter().map(|(one, other)| allows(one, &other.winner) && allows(other, &one.winner))),
        jaccard: median(&pairs.iter().map(|(one, other)| jaccard(one, other)).collect::<Vec<f64>>()),
        tied: median(&tied),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_agree_where_they_tie_and_what_was_not_raced_is_no_disagreement() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        let pick = |winner: &str, tied: &[&str], timed: &[&str]| Pick {
            winner: winner.to_owned(),
            tied: set(tied),
            timed: set(timed),
        };
        let all = ["a", "b", "c", "d"];
        let alike = stability(&[pick("a", &["a", "b"], &all), pick("b", &["a", "b"], &all)]);
        assert_eq!(alike, Stability { same: 0.0, agree: 1.0, jaccard: 1.0, tied: 0.5 });
        let apart = stability(&[pick("a", &["a"], &all), pick("b", &["b"], &all)]);
        assert_eq!(apart, Stability { same: 0.0, agree: 0.0, jaccard: 0.0, tied: 0.25 });
        let unseen = stability(&[pick("a", &["a"], &["a", "c"]), pick("b", &["b"], &["b", "c"])]);
        assert_eq!(unseen.agree, 1.0);
        assert_eq!(stability(&[pick("a", &["a"], &all)]), Stability::default());
    }
}
