//! An evolutionary search: children have each axis from one of two good parents, and now and then one of their own.

use super::field::Field;
use super::glance::{self, BATCH, EXPLORED};
use super::pool::Pool;
use crate::Judge;
use copysmith_kernels::Recipe;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// The fastest so far, who may become parents.
const PARENTS: usize = 10;

/// How many are drawn for one parent, of whom the fastest becomes it.
const TOURNAMENT: usize = 2;

/// How often a child is not the nearest to its parents but anyone: new blood.
const STRANGERS: f64 = 0.1;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe], rng: &mut ChaCha8Rng) -> Result<(), J::Error> {
    let pool = Pool::new(space);
    glance::begin(field, space, rng)?;
    while field.affords(BATCH + 1, EXPLORED) {
        let means = field.means();
        let parents: Vec<usize> = means.iter().take(PARENTS).filter_map(|(recipe, _)| pool.place(recipe)).collect();
        let mut free = glance::free(field, &pool);
        let mut children = Vec::new();
        while children.len() < BATCH && !parents.is_empty() {
            let parent = |rng: &mut ChaCha8Rng| {
                // Parents stand in order: the least of the places drawn is the fastest.
                let place = (0..TOURNAMENT).map(|_| rng.random_range(0..parents.len())).min();
                parents[place.unwrap_or(0)]
            };
            let (mother, father) = (parent(rng), parent(rng));
            let stranger = rng.random::<f64>() < STRANGERS;
            let near = if stranger {
                free.clone()
            } else {
                pool.nearest_child(mother, father, || rng.random::<bool>(), &free)
            };
            let Some(&child) = near.choose(rng) else { break };
            children.push(child);
            free.retain(|&other| other != child);
        }
        if children.is_empty() {
            break;
        }
        let children: Vec<Recipe> = children.into_iter().map(|child| space[child].clone()).collect();
        field.glance(&children, EXPLORED)?;
    }
    glance::end(field)
}
