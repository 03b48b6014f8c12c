//! The default: one race of the whole space, then rounds in which the neighbours of the leaders are raced against them,
//! then the leaders and the simplest ties of the first race alone.

use super::field::Field;
use crate::Judge;
use crate::space::neighbours;
use copysmith_kernels::Recipe;
use std::collections::BTreeSet;

/// Share of the budget after which the broad race ends.
const BROAD: f64 = 0.55;

/// Share of the budget after which refining ends; the rest is for the leaders and the simplest ties of the broad race.
const REFINED: f64 = 0.8;

/// Leaders whose neighbours are tried.
const PARENTS: usize = 4;

/// Neighbours raced at once.
const ROUND: usize = 48;

pub(super) fn run<J: Judge>(field: &mut Field<'_, J>, space: &[Recipe]) -> Result<(), J::Error> {
    field.race(space, BROAD)?;
    let common = field.settle_common();
    loop {
        let parents = field.leaders(PARENTS);
        let round = unknown_neighbours(field, &parents, ROUND);
        if round.is_empty() || !field.affords(round.len() + parents.len(), REFINED) {
            break;
        }
        field.race(&round, REFINED)?;
    }
    if field.ranking().iter().filter(|ranked| ranked.tied).count() > 1 {
        // Of what ties in the end, the rule takes one that other runs meet too: those must not be lost on the way.
        field.race(&common, 1.0)?;
    }
    Ok(())
}

/// At most so many neighbours of the parents that have neither been timed nor rejected: the parents in turn, the
/// simplest neighbours of each first.
pub(super) fn unknown_neighbours<J: Judge>(field: &Field<'_, J>, parents: &[Recipe], most: usize) -> Vec<Recipe> {
    let mut seen = BTreeSet::new();
    let near = |parent: &Recipe| {
        let near = neighbours(parent, field.settings.features).into_iter();
        near.filter(|recipe| !field.knows(recipe)).collect::<Vec<Recipe>>()
    };
    let mut lists: Vec<_> = parents.iter().map(|parent| near(parent).into_iter()).collect();
    let mut found = Vec::new();
    while found.len() < most {
        let turn: Vec<Recipe> = lists.iter_mut().filter_map(Iterator::next).collect();
        if turn.is_empty() {
            break;
        }
        found.extend(turn.into_iter().filter(|recipe| seen.insert(recipe.clone())));
    }
    found.truncate(most);
    found
}
