//! What a search found: everyone of its last race, best first.

use crate::race::{Lane, Outcome};
use crate::space::simpler;
use crate::stats::Estimate;
use crate::ties::ties;
use copysmith_kernels::Recipe;

/// One contestant of the last race.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Who.
    pub recipe: Recipe,
    /// ln(its time / the reference's time).
    pub estimate: Estimate,
    /// ln(its time / the best's time).
    pub behind: Estimate,
    /// Whether it is in the tie set.
    pub tied: bool,
    /// Its log ratios to the reference in the last race, one for each block it was in: the selection's own figures.
    pub samples: Vec<f64>,
}

/// What a search found. Its figures select; only those of a [confirmation](crate::confirm) are published.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The contestants of the last race that did not fail, best first: the tie set by trimmed mean, then the others.
    /// Empty when nobody could be timed.
    pub ranking: Vec<Ranked>,
    /// Who was refused or failed, and why, in the order in which it happened.
    pub rejected: Vec<(Recipe, String)>,
    /// Every log ratio to the reference of everyone who was timed, over all races, in the order in which they began.
    /// Those of two recipes are not pairs: they may be of different blocks.
    pub samples: Vec<(Recipe, Vec<f64>)>,
    /// Samples taken.
    pub evaluations: u64,
    /// The simplest of the ties of the first race, which was of the whole space: what other runs meet as well, whatever their
    /// noise leads them to later.
    pub common: Vec<Recipe>,
}

/// Being this much faster, in log units, is not worth a choice that no other run would make.
pub const WORTH: f64 = 0.025;

impl Found {
    /// What [`choose`](crate::ties::choose) chooses from: the tie set. Where the best that is [`common`](Found::common) is at most
    /// [`WORTH`] behind, also everything common that is as near to that one as `margin`.
    pub fn eligible(&self, margin: f64) -> Vec<&Ranked> {
        let common = |ranked: &&Ranked| self.common.contains(&ranked.recipe);
        let best = self.ranking.iter().filter(common).map(|ranked| ranked.behind.mean).min_by(f64::total_cmp);
        let near = best.filter(|&best| best <= WORTH).map(|best| best + margin);
        let eligible =
            |ranked: &&Ranked| ranked.tied || common(ranked) && near.is_some_and(|near| ranked.behind.mean <= near);
        self.ranking.iter().filter(eligible).collect()
    }

    /// The tie set, best first.
    pub fn ties(&self) -> impl Iterator<Item = &Ranked> {
        self.ranking.iter().filter(|ranked| ranked.tied)
    }
}

/// Ranks the lanes of a race among `recipes`, in the same order.
pub(super) fn rank(recipes: &[Recipe], lanes: &[Lane], margin: f64) -> Vec<Ranked> {
    let Some(sorted) = ties(lanes, margin) else { return Vec::new() };
    let mut ranking: Vec<Ranked> = recipes
        .iter()
        .zip(lanes)
        .enumerate()
        .filter(|(_, (_, lane))| !matches!(lane.outcome, Outcome::Failed(_)) && !lane.samples.is_empty())
        .map(|(index, (recipe, lane))| Ranked {
            recipe: recipe.clone(),
            estimate: Estimate::of(&lane.samples),
            behind: sorted.behind[index],
            tied: sorted.tied.contains(&index),
            samples: lane.samples.clone(),
        })
        .collect();
    ranking.sort_by(|a, b| {
        let tied_first = b.tied.cmp(&a.tied);
        tied_first.then(a.estimate.mean.total_cmp(&b.estimate.mean)).then_with(|| simpler(&a.recipe, &b.recipe))
    });
    ranking
}

/// At most `most` of the tie set, to go on with. First those whose estimate is within the margin of the best, simplest
/// first, so that of equal recipes the noise picks none; then those that only could not be told apart, best first.
pub(super) fn leaders(ranking: &[Ranked], margin: f64, most: usize) -> Vec<Recipe> {
    let (mut equal, rest): (Vec<&Ranked>, Vec<&Ranked>) =
        ranking.iter().filter(|ranked| ranked.tied).partition(|ranked| ranked.behind.mean <= margin);
    equal.sort_by(|a, b| simpler(&a.recipe, &b.recipe));
    equal.into_iter().chain(rest).take(most).map(|ranked| ranked.recipe.clone()).collect()
}
