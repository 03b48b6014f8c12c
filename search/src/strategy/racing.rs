//! One race of the whole space.

use super::field::Field;
use crate::Judge;
use copysmith_kernels::Recipe;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe]) -> Result<(), J::Error> {
    field.race(space, 1.0)
}
