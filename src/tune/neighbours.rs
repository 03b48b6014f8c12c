//! Routines that differ from one in a single choice: what the last steps of a search try.

use copysmith_kernels::routine::{Cut, FallsThrough};
use copysmith_kernels::{Recipe, Routine};

/// The routines with one compare of a length up to `longest` turned or made earlier, one leaf for such lengths replaced by one of its
/// `others`, or everything that is jumped to aligned otherwise. Each is there once.
pub(super) fn neighbours(routine: &Routine, longest: usize, others: impl Fn(&Recipe) -> Vec<Recipe>) -> Vec<Routine> {
    let (cuts, leaves, align) = (routine.cuts(), routine.leaves(), routine.align_jumps());
    let with_cuts = |cuts| Routine::new(cuts, leaves.to_vec()).and_then(|other| other.with_align_jumps(align));
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
    other_cuts(cuts, longest).into_iter().filter_map(|cuts| with_cuts(cuts).ok()).for_each(&mut add);
    found
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
fn with_leaf(routine: &Routine, at: usize, leaf: &Recipe) -> Option<Routine> {
    let mut leaves = routine.leaves().to_vec();
    leaves[at] = leaf.clone();
    Routine::new(routine.cuts().to_vec(), leaves).ok()?.with_align_jumps(routine.align_jumps()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_differs_in_one_short_compare_one_short_leaf_or_the_alignment() {
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
        let found: Vec<String> = neighbours(&routine, 4096, others).iter().map(Routine::to_string).collect();
        assert_eq!(found, expected);
        let aligned = &expected[..3];
        let found = neighbours(&routine, 6, others);
        assert_eq!(found.iter().map(Routine::to_string).collect::<Vec<_>>(), aligned);
    }

    #[test]
    fn a_leaf_for_other_lengths_replaces_nothing() {
        let routine: Routine = "cuts=16 | copy 0..=16 chain width=8 | copy 17.. string unit=1".parse().unwrap();
        assert_eq!(with_leaf(&routine, 0, &"copy 0..=15 branch-free width=8".parse().unwrap()), None);
    }
}
