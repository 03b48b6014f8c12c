//! The leaves of a routine, chosen again where they stand.
//!
//! A kernel that ties with others when it is called alone need not tie behind a tree of compares: a leaf's own branches then come on
//! top of the tree's. So for each short class the members of its tie set are raced as leaves of the whole routine, on that class's
//! lengths.

use super::TuneError;
use super::confirmation::routine;
use super::moving::moving;
use super::session::Session;
use super::situations::situations;
use super::whole::{DISPATCH_MATTERS, Question, WHOLE, race_routines};
use crate::record::Race;
use copysmith_kernels::{Recipe, Routine};

/// The routine with the leaf of each short class replaced by the member of the class's tie set that does best in its place.
pub(super) fn settle(session: &mut Session<'_>, races: &[Race], mut whole: Routine) -> Result<Routine, TuneError> {
    for class in races {
        session.check()?;
        let span = routine(&class.winner)?.span();
        let Some(at) = whole.leaves().iter().position(|leaf| leaf.span() == span) else { continue };
        if span.last() > DISPATCH_MATTERS || class.tied.is_empty() {
            continue;
        }
        let mut candidates = vec![whole.clone()];
        for text in std::iter::once(&class.winner).chain(&class.tied).take(session.options.effort.leaves()) {
            let other = routine(text)?;
            let other = other.leaves().first().and_then(moving);
            candidates.extend(other.and_then(|leaf| with_leaf(&whole, at, &leaf)));
        }
        let name = format!("{WHOLE} {span}");
        let question = Question { name, span, situations: situations(span, &session.host.caches), worst_share: 0.0 };
        let race = race_routines(session, question, candidates, None)?;
        whole = routine(&race.winner)?;
    }
    Ok(whole)
}

/// The routine with another leaf in one place.
fn with_leaf(whole: &Routine, at: usize, leaf: &Recipe) -> Option<Routine> {
    let mut leaves = whole.leaves().to_vec();
    leaves[at] = leaf.clone();
    Routine::new(whole.cuts().to_vec(), leaves).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_is_replaced_only_by_one_for_the_same_lengths() {
        let whole: Routine = "cuts=16 | copy 0..=16 chain width=8 | copy 17.. string unit=1".parse().unwrap();
        let leaf = |text: &str| text.parse::<Recipe>().unwrap();
        let other = with_leaf(&whole, 0, &leaf("copy 0..=16 branch-free width=8")).unwrap();
        assert_eq!(other.to_string(), "cuts=16 | copy 0..=16 branch-free width=8 | copy 17.. string unit=1");
        assert_eq!(with_leaf(&whole, 0, &leaf("copy 0..=15 branch-free width=8")), None);
    }
}
