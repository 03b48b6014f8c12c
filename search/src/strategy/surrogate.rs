//! A surrogate: a random forest is fitted to what has been timed, and what it thinks fastest is timed next.

use super::field::Field;
use super::glance::{self, BATCH, EXPLORED};
use super::pool::Pool;
use crate::Judge;
use crate::forest::{Encoding, Forest};
use copysmith_kernels::Recipe;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

/// Trees of the forest: more change the order of the first few hardly ever.
const TREES: usize = 24;

/// Of each batch, how many are drawn instead: what the forest knows nothing of it cannot praise.
const DRAWN: usize = 1;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe], rng: &mut ChaCha8Rng) -> Result<(), J::Error> {
    let pool = Pool::new(space);
    let encoding = Encoding::of(space);
    let rows: Vec<Vec<f64>> = space.iter().map(|recipe| encoding.row(recipe)).collect();
    glance::begin(field, space, rng)?;
    while field.affords(BATCH + 1, EXPLORED) {
        let free = glance::free(field, &pool);
        if free.is_empty() {
            break;
        }
        let timed: Vec<(usize, f64)> =
            field.means().iter().filter_map(|(recipe, mean)| Some((pool.place(recipe)?, *mean))).collect();
        let known: Vec<Vec<f64>> = timed.iter().map(|&(place, _)| rows[place].clone()).collect();
        let values: Vec<f64> = timed.iter().map(|&(_, mean)| mean).collect();
        let asked: Vec<Vec<f64>> = free.iter().map(|&place| rows[place].clone()).collect();
        let forest = Forest::fit(&known, &values, TREES, rng.next_u64());
        let predicted = forest.map(|forest| forest.predict(&asked)).unwrap_or_default();
        let mut order: Vec<(f64, f64, usize)> = free
            .iter()
            .enumerate()
            // Ties of a forest are many; the draw beside the prediction keeps the order from favouring the simplest.
            .map(|(number, &place)| (predicted.get(number).copied().unwrap_or(0.0), rng.random(), place))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut next: Vec<usize> = order.iter().take(BATCH - DRAWN).map(|&(.., place)| place).collect();
        let rest: Vec<usize> = free.iter().copied().filter(|place| !next.contains(place)).collect();
        next.extend(rest.sample(rng, DRAWN));
        let next: Vec<Recipe> = next.into_iter().map(|place| space[place].clone()).collect();
        field.glance(&next, EXPLORED)?;
    }
    glance::end(field)
}
