//! Everything in every block, to the last block that the budget has: no early exit, so no early mistake.

use super::field::Field;
use crate::Judge;
use crate::race::Rules;
use copysmith_kernels::Recipe;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe]) -> Result<(), J::Error> {
    let budget = field.settings.budget;
    let contestants = (space.len() + field.settings.starts.len()).max(1) as u64;
    let affordable = usize::try_from(budget.evaluations / contestants).unwrap_or(usize::MAX);
    // The first look is the last block; where that many cannot be had, as few contestants as reach the usual first look.
    let first = affordable.min(budget.blocks).max(field.settings.rules.first);
    field.race_by(Rules { first, ..field.settings.rules }, space, 1.0)
}
