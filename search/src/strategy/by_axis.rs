//! One axis at a time: from the best so far, every value of one axis is timed with all others as they are, axis by axis, until a
//! whole round changes nothing; then again from the best that such a descent has not started from.
//!
//! It uses what is known of the space: most axes of a copy loop act nearly alone (their log ratios add), and the parts of an alignment
//! or a prefetch belong together.

use super::field::Field;
use super::glance::{self, EXPLORED};
use super::pool::Pool;
use crate::Judge;
use crate::space::AXES;
use copysmith_kernels::Recipe;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// Values of one axis timed at once; prefetches have dozens.
const VALUES: usize = 12;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe], rng: &mut ChaCha8Rng) -> Result<(), J::Error> {
    let pool = Pool::new(space);
    glance::begin(field, space, rng)?;
    let mut begun: BTreeSet<usize> = BTreeSet::new();
    loop {
        let start = field
            .means()
            .into_iter()
            .filter_map(|(recipe, _)| pool.place(&recipe))
            .find(|place| !begun.contains(place));
        let Some(start) = start.filter(|_| field.affords(2, EXPLORED)) else { break };
        descend(field, &pool, start, &mut begun, rng)?;
    }
    glance::end(field)
}

fn descend<J: Judge>(
    field: &mut Field<'_, J>,
    pool: &Pool<'_>,
    start: usize,
    begun: &mut BTreeSet<usize>,
    rng: &mut ChaCha8Rng,
) -> Result<(), J::Error> {
    let mut here = start;
    loop {
        begun.insert(here);
        let before = here;
        let mut order: Vec<usize> = (0..AXES.len()).collect();
        order.shuffle(rng);
        for axis in order {
            let mut values = pool.along(axis, here, &glance::free(field, pool));
            values.shuffle(rng);
            values.truncate(VALUES);
            if values.is_empty() {
                continue;
            }
            if !field.affords(2, EXPLORED) {
                return Ok(());
            }
            let recipes: Vec<Recipe> = values.iter().map(|&place| pool.recipes[place].clone()).collect();
            field.glance(&recipes, EXPLORED)?;
            let mean = |place: &usize| field.mean(&pool.recipes[*place]).unwrap_or(f64::INFINITY);
            here = values.into_iter().chain([here]).min_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or(here);
        }
        if here == before {
            return Ok(());
        }
    }
}
