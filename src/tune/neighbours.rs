//! Routines that differ from one in a single choice: what the last steps of a search try.

use copysmith_kernels::routine::{Cut, FallsThrough};
use copysmith_kernels::{Recipe, Routine, Span};

/// The routines with one compare of a length up to `longest` turned or made earlier, one boundary there moved, one leaf for such
/// lengths replaced by one of its `others`, or everything that is jumped to aligned otherwise. Each is there once.
pub(super) fn neighbours(routine: &Routine, longest: usize, others: impl Fn(&Recipe) -> Vec<Recipe>) -> Vec<Routine> {
    let (cuts, leaves) = (routine.cuts(), routine.leaves());
    let aligned = Routine::ALIGN_JUMPS.map(|align| routine.clone().with_align_jumps(align));
    let mut found = Vec::new();
    let mut add = |other: Routine| {
        if other != *routine && !found.contains(&other) {
            found.push(other);
        }
    };
    aligned.into_iter().flatten().for_each(&mut add);
    for (at, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.span().last() <= longest) {
        others(leaf).into_iter().filter_map(|other| with_leaf(routine, at, &other)).for_each(&mut add);
    }
    other_cuts(cuts, longest).into_iter().filter_map(|cuts| rebuilt(routine, cuts, leaves.to_vec())).for_each(&mut add);
    moved_boundaries(routine, longest).for_each(&mut add);
    found
}

/// The routine with one boundary elsewhere, as far as both leaves at it can do their new lengths: a quarter lower or higher, an eighth
/// lower, or one byte lower, since a boundary just below a power of two leaves that length to what is above.
fn moved_boundaries(routine: &Routine, longest: usize) -> impl Iterator<Item = Routine> {
    let ends = routine.leaves().iter().map(|leaf| leaf.span().last()).enumerate();
    let short: Vec<(usize, usize)> = ends.take(routine.cuts().len()).filter(|&(_, end)| end <= longest).collect();
    let places = |(at, end): (usize, usize)| [end - end / 4, end - end / 8, end - 1, end + end / 4].map(|to| (at, to));
    short.into_iter().flat_map(places).filter_map(|(at, to)| with_boundary(routine, at, to))
}

/// The routine with the leaf in this place ending at `to` and the next one beginning after it.
fn with_boundary(routine: &Routine, at: usize, to: usize) -> Option<Routine> {
    let mut leaves = routine.leaves().to_vec();
    let (below, above) = (leaves[at].span(), leaves[at + 1].span());
    leaves[at] = leaves[at].with_span(Span::new(below.first(), to).ok()?).ok()?;
    leaves[at + 1] = leaves[at + 1].with_span(Span::new(to.checked_add(1)?, above.last()).ok()?).ok()?;
    let cut = |cut: &Cut| Cut { at: if cut.at == below.last() { to } else { cut.at }, ..*cut };
    let cuts = routine.cuts().iter().map(cut).collect();
    rebuilt(routine, cuts, leaves)
}

/// Which side of a compare falls through, or how early it comes.
fn other_cuts(cuts: &[Cut], longest: usize) -> Vec<Vec<Cut>> {
    let mut changed: Vec<Vec<Cut>> = Vec::new();
    for (place, cut) in cuts.iter().enumerate().filter(|(_, cut)| cut.at <= longest) {
        let mut turned = cuts.to_vec();
        turned[place].falls = match cut.falls {
            FallsThrough::AtMost => FallsThrough::Above,
            FallsThrough::Above => FallsThrough::AtMost,
        };
        changed.push(turned);
        // In pre-order, a cut moved before its parent takes the parent's place.
        for earlier in 0..place {
            let mut moved = cuts.to_vec();
            moved[earlier..=place].rotate_right(1);
            changed.push(moved);
        }
    }
    changed
}

/// The routine with another leaf in one place.
pub(super) fn with_leaf(routine: &Routine, at: usize, leaf: &Recipe) -> Option<Routine> {
    let mut leaves = routine.leaves().to_vec();
    leaves[at] = leaf.clone();
    rebuilt(routine, routine.cuts().to_vec(), leaves)
}

/// The routine up to where its leaves begin above `longest`, and from there on these leaves for all lengths, compared with one after the
/// other; `None` where the two do not meet.
pub(super) fn with_long_leaves(routine: &Routine, longest: usize, leaves: &[Recipe]) -> Option<Routine> {
    let mut joined: Vec<Recipe> =
        routine.leaves().iter().take_while(|leaf| leaf.span().first() <= longest).cloned().collect();
    let end = joined.last()?.span().last();
    let long = leaves.iter().filter(|leaf| leaf.span().last() > end);
    for leaf in long {
        let first = leaf.span().first().max(end.checked_add(1)?);
        joined.push(leaf.with_span(Span::new(first, leaf.span().last()).ok()?).ok()?);
    }
    let mut cuts: Vec<Cut> = routine.cuts().iter().copied().filter(|cut| cut.at <= end).collect();
    let known = |cut: &Cut| routine.cuts().iter().any(|other| other.at == cut.at && cut.at <= end);
    let further = joined.split_last()?.1.iter().map(|leaf| Cut { at: leaf.span().last(), falls: FallsThrough::AtMost });
    cuts.extend(further.filter(|cut| !known(cut)));
    rebuilt(routine, cuts, joined)
}

/// Another tree with what is jumped to aligned as in this one.
fn rebuilt(routine: &Routine, cuts: Vec<Cut>, leaves: Vec<Recipe>) -> Option<Routine> {
    Routine::new(cuts, leaves).ok()?.with_align_jumps(routine.align_jumps()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_differs_in_one_short_compare_boundary_or_leaf_or_in_the_alignment() {
        let leaves = ["0..=7", "8..=31", "32..=9999", "10000.."].map(|span| format!("copy {span} string unit=1"));
        let text = |cuts: &str, leaves: &[String]| format!("cuts={cuts} | {}", leaves.join(" | "));
        let routine: Routine = text("31,7,9999 align-jumps=16", &leaves).parse().unwrap();
        let other: Recipe = "copy 8..=31 branch-free width=sse16".parse().unwrap();
        let others = |leaf: &Recipe| if leaf.span() == other.span() { vec![other.clone()] } else { vec![] };
        let replaced = [leaves[0].clone(), other.to_string(), leaves[2].clone(), leaves[3].clone()];
        let expected = [
            text("31,7,9999", &leaves),
            text("31,7,9999 align-jumps=32", &leaves),
            text("31,7,9999 align-jumps=64", &leaves),
            text("31,7,9999 align-jumps=16", &replaced),
            text("31>,7,9999 align-jumps=16", &leaves),
            text("31,7>,9999 align-jumps=16", &leaves),
            text("7,31,9999 align-jumps=16", &leaves),
        ];
        let bounded = |first: usize, second: usize| {
            let spans = [
                format!("0..={first}"),
                format!("{}..={second}", first + 1),
                format!("{}..=9999", second + 1),
                "10000..".to_owned(),
            ];
            text(
                &format!("{second},{first},9999 align-jumps=16"),
                &spans.map(|span| format!("copy {span} string unit=1")),
            )
        };
        let moved =
            [(6, 31), (8, 31), (7, 24), (7, 28), (7, 30), (7, 38)].map(|(first, second)| bounded(first, second));
        let found: Vec<String> = neighbours(&routine, 4096, others).iter().map(Routine::to_string).collect();
        assert_eq!(found, [expected.as_slice(), moved.as_slice()].concat());
        let aligned = &expected[..3];
        let found = neighbours(&routine, 6, others);
        assert_eq!(found.iter().map(Routine::to_string).collect::<Vec<_>>(), aligned);
    }

    #[test]
    fn long_leaves_are_the_new_ones_and_the_tree_over_the_short_ones_stays() {
        let text =
            |cuts: &str, long: &str| format!("cuts={cuts} align-jumps=32 | move 0..=64 masked width=evex64 | {long}");
        let old: Routine = text(
            "64>,4096,9999",
            "move 65..=4096 string unit=1 | move 4097..=9999 string unit=1 | move 10000.. string unit=2",
        )
        .parse()
        .unwrap();
        let new: Vec<Recipe> = ["0..=4096", "4097..=7000", "7001.."]
            .map(|span| format!("move {span} string unit=8").parse().unwrap())
            .to_vec();
        let joined = "move 65..=4096 string unit=1 | move 4097..=7000 string unit=8 | move 7001.. string unit=8";
        assert_eq!(with_long_leaves(&old, 4096, &new).unwrap().to_string(), text("64>,4096,7000", joined));
        // A boundary that had moved is met where it is.
        let moved: Routine =
            text("64>,5120", "move 65..=5120 string unit=1 | move 5121.. string unit=2").parse().unwrap();
        let joined = "move 65..=5120 string unit=1 | move 5121..=7000 string unit=8 | move 7001.. string unit=8";
        assert_eq!(with_long_leaves(&moved, 4096, &new).unwrap().to_string(), text("64>,5120,7000", joined));
        let lone: Routine = "move 0.. string unit=1".parse().unwrap();
        assert_eq!(with_long_leaves(&lone, 4096, &new), Some(lone));
    }

    #[test]
    fn a_boundary_moves_only_where_both_leaves_can_do_the_lengths() {
        let text = "cuts=64,128 | move 0..=64 masked width=evex64 | move 65..=128 pairs width=evex32 moves=2 | move 129.. string unit=1";
        let found: Vec<Routine> = moved_boundaries(&text.parse().unwrap(), 4096).collect();
        let boundaries: Vec<(usize, usize)> =
            found.iter().map(|routine| (routine.cuts()[0].at, routine.cuts()[1].at)).collect();
        // A mask reaches no further than 64, and four moves of 32 neither below 64 nor above 128.
        assert_eq!(boundaries, [(63, 128), (64, 96), (64, 112), (64, 127)]);
    }

    #[test]
    fn a_leaf_for_other_lengths_replaces_nothing() {
        let routine: Routine = "cuts=16 | copy 0..=16 chain width=8 | copy 17.. string unit=1".parse().unwrap();
        assert_eq!(with_leaf(&routine, 0, &"copy 0..=15 branch-free width=8".parse().unwrap()), None);
    }
}
