//! Whole routines made of class winners: which compares come first, and which neighbours share a leaf.
//!
//! Where lengths vary, a compare that is guessed wrong costs more than a short copy, so a tree with few, well-placed compares
//! beats one with a leaf for each class.

use copysmith_kernels::routine::{Cut, FallsThrough};
use copysmith_kernels::{Recipe, Routine, Span};
use std::collections::HashSet;

/// Distinct routines over all lengths, in the order in which they should be tried: each set of leaves with the compares that are
/// plainest for it, then each with the next order of its compares, and so on. The sets are the rows of short shapes before the class
/// winners for longer lengths; and the winners alone, as they are and with neighbouring classes joined wherever one winner's shape
/// can do both. The second figure is how many sets there are.
pub fn trees(winners: &[Recipe], rows: &[Vec<Recipe>]) -> (Vec<Routine>, usize) {
    let sets: Vec<Vec<Recipe>> = rows.iter().filter_map(|row| behind(row, winners)).chain(leaf_sets(winners)).collect();
    let orders: Vec<Vec<Vec<Cut>>> = sets.iter().map(|leaves| orders(leaves)).collect();
    let most = orders.iter().map(Vec::len).max().unwrap_or(0);
    let mut seen = HashSet::new();
    let mut routines: Vec<Routine> = Vec::new();
    for round in 0..most {
        for (leaves, orders) in sets.iter().zip(&orders) {
            let routine = orders.get(round).and_then(|cuts| Routine::new(cuts.clone(), leaves.clone()).ok());
            routines.extend(routine.filter(|routine| routine.span() == Span::ALL && seen.insert(routine.clone())));
        }
    }
    (routines, sets.len())
}

/// The row, and after it the winners for longer lengths; `None` where the first of them is for no length so short.
fn behind(row: &[Recipe], winners: &[Recipe]) -> Option<Vec<Recipe>> {
    let first = row.last()?.span().last() + 1;
    let mut longer = winners.iter().filter(|winner| winner.span().last() >= first);
    let next = longer.next()?;
    let next = next.with_span(Span::new(first, next.span().last()).ok()?).ok()?;
    Some(row.iter().cloned().chain([next]).chain(longer.cloned()).collect())
}

/// Above this length a compare more costs nothing beside the copy, and there is no reason to do without the best leaf.
const JOINED: usize = 4096;

/// The winners; the winners with one pair of short neighbours joined; and with every pair joined that can be, from the small end.
fn leaf_sets(winners: &[Recipe]) -> Vec<Vec<Recipe>> {
    let mut sets = vec![winners.to_vec()];
    for at in 0..winners.len().saturating_sub(1) {
        for joined in joined(&winners[at], &winners[at + 1]) {
            let mut set = winners.to_vec();
            set.splice(at..at + 2, [joined]);
            sets.push(set);
        }
    }
    let mut all: Vec<Recipe> = Vec::new();
    for winner in winners {
        match all.last().and_then(|last| joined(last, winner).into_iter().next()) {
            Some(both) => *all.last_mut().expect("there is a last one") = both,
            None => all.push(winner.clone()),
        }
    }
    sets.push(all);
    sets.dedup();
    sets
}

/// What copies both neighbours' lengths: the upper shape first, since it is the one with the higher limits.
fn joined(lower: &Recipe, upper: &Recipe) -> Vec<Recipe> {
    let Ok(span) = Span::new(lower.span().first(), upper.span().last()) else { return Vec::new() };
    if span.last() > JOINED {
        return Vec::new();
    }
    [upper, lower].into_iter().filter_map(|recipe| recipe.with_span(span).ok()).collect()
}

/// The boundary that is best tested first, as a rule: nine of ten copies are shorter than twice this.
const ROOT: usize = 64;

/// Orders of the compares: for each boundary up to 4 KiB, those near [`ROOT`] first, that boundary first, then the smaller ones
/// downward and the larger ones upward, with three choices of what falls through; then smallest boundary first; largest first; halves.
fn orders(leaves: &[Recipe]) -> Vec<Vec<Cut>> {
    let ends: Vec<usize> = leaves[..leaves.len() - 1].iter().map(|leaf| leaf.span().last()).collect();
    let at_most = |ends: &[usize]| ends.iter().map(|&at| Cut { at, falls: FallsThrough::AtMost }).collect::<Vec<_>>();
    let mut descending = ends.clone();
    descending.reverse();
    let mut halves = Vec::new();
    halve(&ends, &mut halves);
    let mut orders = Vec::new();
    let mut roots: Vec<(usize, usize)> = ends.iter().copied().enumerate().filter(|&(_, first)| first <= 4096).collect();
    roots.sort_by_key(|&(_, first)| first.abs_diff(ROOT));
    for (index, first) in roots {
        let below = ends[..index].iter().rev().copied();
        let order: Vec<usize> =
            std::iter::once(first).chain(below.clone()).chain(ends[index + 1..].iter().copied()).collect();
        orders.push(at_most(&order));
        // The same with smaller sides jumped to, so that the larger of the small ones fall through; then the root's too.
        for jumped in [first - 1, first] {
            let cut = |at| Cut { at, falls: if at <= jumped { FallsThrough::Above } else { FallsThrough::AtMost } };
            orders.push(order.iter().map(|&at| cut(at)).collect());
        }
    }
    orders.extend([at_most(&ends), at_most(&descending), at_most(&halves)]);
    orders
}

fn halve(ends: &[usize], order: &mut Vec<usize>) {
    if ends.is_empty() {
        return;
    }
    let middle = ends.len() / 2;
    order.push(ends[middle]);
    halve(&ends[..middle], order);
    halve(&ends[middle + 1..], order);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tree_covers_every_length_and_is_there_once() {
        let winners: Vec<Recipe> = [
            "copy 0..=16 branch-free width=8",
            "copy 17..=32 pairs width=sse16",
            "copy 33..=64 computed width=sse16 moves=4",
            "copy 65.. loop width=sse16 unroll=4 tail=overlap",
        ]
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
        let (routines, sets) = trees(&winners, &[]);
        assert!(sets >= 2, "{sets}");
        assert!(routines.len() > 8, "{}", routines.len());
        assert!(routines.iter().all(|routine| routine.span() == Span::ALL));
        let mut texts: Vec<String> = routines.iter().map(Routine::to_string).collect();
        assert!(texts.iter().any(|text| text.contains("17..=64 computed")), "{texts:#?}");
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), routines.len());
    }

    #[test]
    fn a_row_stands_before_the_winners_for_longer_lengths() {
        let winners: Vec<Recipe> =
            ["move 0..=16 chain width=8", "move 17..=128 computed width=sse16 moves=8", "move 129.. string unit=1"]
                .map(|text| text.parse().unwrap())
                .to_vec();
        let row: Vec<Recipe> = vec!["move 0..=64 branch-free width=avx32".parse().unwrap()];
        let (routines, sets) = trees(&winners, std::slice::from_ref(&row));
        assert_eq!(
            routines[0].to_string(),
            "cuts=64,128 | move 0..=64 branch-free width=avx32 | move 65..=128 computed width=sse16 moves=8 | move 129.. string unit=1"
        );
        assert!(sets >= 2 && routines.iter().all(|routine| routine.span() == Span::ALL));
    }

    #[test]
    fn one_class_is_a_tree() {
        let only: Recipe = "copy 0.. string unit=1".parse().unwrap();
        assert_eq!(trees(std::slice::from_ref(&only), &[]).0, [Routine::from(only)]);
    }
}
