//! Heats in random order, the leaders of one in the next, until the space or the budget is used up.

use super::field::Field;
use crate::Judge;
use copysmith_kernels::Recipe;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// New contestants of one heat.
const HEAT: usize = 24;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe], rng: &mut ChaCha8Rng) -> Result<(), J::Error> {
    let mut order = space.to_vec();
    order.shuffle(rng);
    for (place, heat) in order.chunks(HEAT).enumerate() {
        // The first heat takes what a small budget has; later ones are raced to a look or not at all.
        if place > 0 && !field.affords(HEAT, 1.0) {
            break;
        }
        field.race(heat, 1.0)?;
    }
    Ok(())
}
