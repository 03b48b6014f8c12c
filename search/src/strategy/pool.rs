//! A space as points: who is near whom, for strategies that walk in it.

use crate::space::{AXES, axes};
use copysmith_kernels::Recipe;
use std::collections::BTreeMap;

/// The recipes of a space with the values of their axes as numbers, which are cheap to compare.
pub(super) struct Pool<'a> {
    pub recipes: &'a [Recipe],
    points: Vec<[u16; AXES.len()]>,
}

impl<'a> Pool<'a> {
    pub fn new(recipes: &'a [Recipe]) -> Pool<'a> {
        let mut known: [BTreeMap<String, u16>; AXES.len()] = std::array::from_fn(|_| BTreeMap::new());
        let mut point = |recipe: &Recipe| {
            let values = axes(recipe);
            std::array::from_fn(|axis| {
                let next = known[axis].len() as u16;
                *known[axis].entry(values[axis].clone()).or_insert(next)
            })
        };
        Pool { recipes, points: recipes.iter().map(&mut point).collect() }
    }

    /// Where a recipe stands; `None` for one that is not of the space.
    pub fn place(&self, recipe: &Recipe) -> Option<usize> {
        self.recipes.iter().position(|other| other == recipe)
    }

    /// Of those that may be had, the nearest to a place, all that are equally near.
    pub fn nearest(&self, to: usize, free: &[usize]) -> Vec<usize> {
        self.nearest_point(&self.points[to], free)
    }

    /// The nearest to a child of two parents that has each axis from the one that `first` says.
    pub fn nearest_child(&self, a: usize, b: usize, mut first: impl FnMut() -> bool, free: &[usize]) -> Vec<usize> {
        let child = std::array::from_fn(|axis| self.points[if first() { a } else { b }][axis]);
        self.nearest_point(&child, free)
    }

    fn nearest_point(&self, point: &[u16; AXES.len()], free: &[usize]) -> Vec<usize> {
        let away = |&place: &usize| distance(point, &self.points[place]);
        let least = free.iter().map(away).min();
        free.iter().copied().filter(|place| Some(away(place)) == least).collect()
    }

    /// Those that may be had and differ from a place in this axis, and in no more than the parts that come with it.
    pub fn along(&self, axis: usize, from: usize, free: &[usize]) -> Vec<usize> {
        let here = &self.points[from];
        let family = family(axis);
        let only = |&place: &usize| {
            let there = &self.points[place];
            let elsewhere =
                (0..AXES.len()).filter(|other| !family.contains(other)).any(|other| here[other] != there[other]);
            !elsewhere && place != from
        };
        free.iter().copied().filter(only).collect()
    }
}

fn distance(a: &[u16; AXES.len()], b: &[u16; AXES.len()]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// The axes that change together: an alignment has its bytes and its head, a prefetch its side, distance and end.
fn family(axis: usize) -> Vec<usize> {
    const TOGETHER: [&[&str]; 3] = [
        &["align", "align-to", "head"],
        &["prefetch", "prefetch-side", "distance", "prefetch-end"],
        &["stores", "streams"],
    ];
    let name = AXES[axis];
    let group = TOGETHER.into_iter().find(|group| group.contains(&name));
    group.map_or(vec![axis], |group| (0..AXES.len()).filter(|&other| group.contains(&AXES[other])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Breadth, space};
    use copysmith_kernels::Isa;

    #[test]
    fn along_an_axis_only_that_axis_changes_with_its_parts() {
        let recipes = space("1024..=4095".parse().expect("a span"), Isa::Avx, Breadth::Normal);
        let pool = Pool::new(&recipes);
        let all: Vec<usize> = (0..recipes.len()).collect();
        let from = pool.place(&"copy 1024..=4095 loop width=avx32 unroll=4".parse().expect("a recipe")).expect("there");
        let align = AXES.iter().position(|name| *name == "align").expect("an axis");
        let along = pool.along(align, from, &all);
        assert!(along.len() >= 4, "{}", along.len());
        for place in along {
            let text = recipes[place].to_string();
            assert!(
                text.starts_with("copy 1024..=4095 loop width=avx32 unroll=4 align=") && text.split(' ').count() == 6,
                "{text}"
            );
        }
        assert_eq!(pool.nearest(from, &all), [from]);
    }
}
