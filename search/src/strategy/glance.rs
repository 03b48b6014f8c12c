//! What strategies that walk share: each candidate is timed to its first look only, and the fastest race at the end.
//!
//! Candidates of different glances are compared through the reference, which is good enough to say where to go next. Who wins is decided
//! by one race of the best of them, in the same blocks.

use super::field::Field;
use super::pool::Pool;
use crate::Judge;
use copysmith_kernels::Recipe;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Share of the budget after which the walk ends.
pub(super) const EXPLORED: f64 = 0.8;

/// Candidates timed at once.
pub(super) const BATCH: usize = 7;

/// Drawn before there is anything to go by; fewer where the budget is small.
const FIRST: usize = 24;

/// Who races at the end.
const FINALISTS: usize = 8;

/// Times the starts, the simplest and some that are drawn.
pub(super) fn begin<J: Judge>(
    field: &mut Field<'_, J>,
    space: &[Recipe],
    rng: &mut ChaCha8Rng,
) -> Result<(), J::Error> {
    let most = (field.evaluations() / 4).clamp(BATCH, FIRST);
    let mut first = field.settings.starts.clone();
    first.extend(space.first().cloned());
    first.extend(space.sample(rng, most.saturating_sub(1)).cloned());
    field.glance(&first, EXPLORED)
}

/// Races the best, to the end of the budget.
pub(super) fn end<J: Judge>(field: &mut Field<'_, J>) -> Result<(), J::Error> {
    let best: Vec<Recipe> = field.means().into_iter().take(FINALISTS).map(|(recipe, _)| recipe).collect();
    field.race_alone(&best)
}

/// Who of the pool has been neither timed nor rejected.
pub(super) fn free<J: Judge>(field: &Field<'_, J>, pool: &Pool<'_>) -> Vec<usize> {
    (0..pool.recipes.len()).filter(|&place| !field.knows(&pool.recipes[place])).collect()
}
