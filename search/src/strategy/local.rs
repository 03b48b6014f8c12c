//! Hill climbs: from each start, to the best of its neighbours, until none is faster.

use super::field::Field;
use super::refine::unknown_neighbours;
use crate::Judge;
use copysmith_kernels::Recipe;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Random starts, beside those that the caller gives.
const STARTS: usize = 4;

/// Neighbours raced at once.
const STEP: usize = 48;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe], rng: &mut ChaCha8Rng) -> Result<(), J::Error> {
    let drawn: Vec<Recipe> = space.sample(rng, STARTS).cloned().collect();
    let starts = [field.settings.starts.clone(), drawn].concat();
    let share = 1.0 / (starts.len() + 1) as f64;
    field.race(&starts, share)?;
    for (place, start) in starts.into_iter().enumerate() {
        climb(field, start, share * (place + 2) as f64)?;
    }
    Ok(())
}

/// Climbs from `start` until a share of the whole budget is used up. The leaders of earlier climbs race along, and
/// whoever of them is faster ends the climb: it is on a lower hill.
fn climb<J: Judge>(field: &mut Field<'_, J>, start: Recipe, share: f64) -> Result<(), J::Error> {
    let mut here = start;
    while field.affords(STEP, share) {
        let mut step = vec![here.clone()];
        step.extend(unknown_neighbours(field, std::slice::from_ref(&here), STEP - 1));
        if step.len() == 1 && field.knows(&here) {
            break;
        }
        field.race(&step, share)?;
        let best = field.leaders(1).into_iter().find(|best| step.contains(best));
        match best {
            // Within the margin of the best, the simplest leads: staying is no step.
            Some(best) if best != here => here = best,
            Some(_) => {}
            None => break,
        }
    }
    Ok(())
}
