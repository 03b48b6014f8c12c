//! Simulated annealing: a walk to near recipes that goes uphill less and less readily.

use super::field::Field;
use super::glance::{self, EXPLORED};
use super::pool::Pool;
use crate::Judge;
use copysmith_kernels::Recipe;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Neighbours timed at once: a walk of single steps would time the reference as often as the candidates.
const STEPS: usize = 4;

/// The first and the last temperature, in log units: a step up by so much is taken one time in e.
const HOT: f64 = 0.15;
const COLD: f64 = 0.01;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe], rng: &mut ChaCha8Rng) -> Result<(), J::Error> {
    let pool = Pool::new(space);
    glance::begin(field, space, rng)?;
    let mut here = field.means().first().and_then(|(best, _)| pool.place(best));
    while let Some(place) = here.filter(|_| field.affords(STEPS + 1, EXPLORED)) {
        let mut free = glance::free(field, &pool);
        let mut steps = Vec::new();
        while steps.len() < STEPS
            && let Some(&step) = pool.nearest(place, &free).choose(rng)
        {
            steps.push(step);
            free.retain(|&other| other != step);
        }
        if steps.is_empty() {
            break;
        }
        let recipes: Vec<Recipe> = steps.iter().map(|&step| space[step].clone()).collect();
        field.glance(&recipes, EXPLORED)?;
        let temperature = HOT * (COLD / HOT).powf(field.spent() / EXPLORED);
        let mut current = place;
        for step in steps {
            let (Some(there), Some(now)) = (field.mean(&space[step]), field.mean(&space[current])) else { continue };
            if there <= now || rng.random::<f64>() < ((now - there) / temperature).exp() {
                current = step;
            }
        }
        here = Some(current);
    }
    glance::end(field)
}
