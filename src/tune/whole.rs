//! The whole routine: compares and leaves in one piece, over lengths as programs have them.
//!
//! ```text
//! rows of short shapes, trees over the winners ──first look──> the best few ──race──> one
//!    one ──each leaf for longer lengths by another, timed on its lengths alone──> one better
//!    one ──its neighbours: another compare, boundary, leaf or alignment──> the best few ──race──> one better ──> ... ──> one
//! ```

use super::confirmation;
use super::loops::loops;
use super::moving::moving;
use super::neighbours::{neighbours, with_leaf, with_long_leaves};
use super::routines::raced;
use super::session::Session;
use super::small;
use super::trees::trees;
use super::{ClassReport, RoutineReport, TuneError};
use crate::print::winners::Winners;
use crate::record::Race;
use crate::time::Situation;
use copysmith_kernels::recipe::Operation;
use copysmith_kernels::{Recipe, Routine};

/// The name of the whole routine among the classes of a record.
pub(super) const WHOLE: &str = "routine";

/// Above this length a compare more or less is nothing beside the copy.
pub(super) const DISPATCH_MATTERS: usize = 4096;

/// Where a jump leads to is aligned like this before anything is known of it.
const USUAL_ALIGN_JUMPS: u8 = 16;

/// How many stages [`found`] has.
pub(super) const STAGES: usize = 4;

/// The whole routine that the classes' winners lead to, confirmed.
pub(super) fn found(
    session: &mut Session<'_>,
    objective: &[Situation],
    races: &[Race],
    classes: &[ClassReport],
    incumbents: Option<&Winners>,
) -> Result<RoutineReport, TuneError> {
    let winners: Vec<Recipe> = classes.iter().map(|class| class.winner.clone()).collect();
    session.stage("race whole routines")?;
    let trees = race(session, objective, &winners, incumbents.map(|winners| &winners.routine.text))?;
    session.stage("each leaf for longer lengths")?;
    let tied = leaves(session, races)?;
    let polished = polish(session, objective, &tied, trees)?;
    session.stage("compares, leaves and alignment around the best")?;
    let refined = refine(session, objective, &tied, polished)?;
    session.stage("confirm the whole routine")?;
    let (tied, candidates) = (refined.tied.len() + 1, refined.candidates as usize);
    // Alone: its rivals have been told from it or not where they raced it.
    let alone = Race { class: WHOLE.to_owned(), tied: Vec::new(), ..refined };
    let blocks = session.options.effort.confirmation_blocks();
    let (winner, figures) = confirmation::confirmed(session, &alone, objective.to_vec(), None, blocks)?;
    let (slower, trade_off) = session.seen(objective);
    Ok(RoutineReport { winner, figures, tied, candidates, slower, trade_off })
}

/// Races rows of short shapes and trees over the class winners, all of them moves, and notes which won, unless the record says so
/// already.
fn race(
    session: &mut Session<'_>,
    situations: &[Situation],
    winners: &[Recipe],
    incumbent: Option<&Routine>,
) -> Result<Race, TuneError> {
    let moving: Vec<Recipe> = winners.iter().filter_map(moving).collect();
    let (built, sets) = trees(&moving, &small::rows(session.features));
    let most = session.options.share_of(session.options.effort.trees());
    let built = if sets > most { spread(built.into_iter().take(sets).collect(), most) } else { built };
    let built = built.into_iter().take(most);
    let aligned = built.filter_map(|routine| routine.with_align_jumps(USUAL_ALIGN_JUMPS).ok());
    let incumbent = incumbent.filter(|incumbent| incumbent.operation() == Operation::Move);
    // No situation has copies so long: there the races of the classes know better than a routine that was made before them.
    let incumbent = incumbent.and_then(|incumbent| with_long_leaves(incumbent, DISPATCH_MATTERS, &moving));
    let held = incumbent.iter().cloned().collect();
    raced(session, WHOLE, situations, [held, aligned.collect()], incumbent.as_ref())
}

/// Of more than there is time for: the first half of so many, which have the fewest compares, and evenly spaced ones of the others.
fn spread<T>(mut all: Vec<T>, most: usize) -> Vec<T> {
    let plain = most.div_ceil(2).min(all.len());
    let others = all.split_off(plain);
    let step = others.len().div_ceil((most - plain).max(1)).max(1);
    all.extend(others.into_iter().step_by(step).take(most - plain));
    all
}

/// Leaves that end further down are in everything that programs do, and are judged with it.
const ALONE: usize = 128;

/// Races each leaf for lengths from 129 bytes to 4 KiB against others in its place, on those situations alone that have lengths of it
/// and no others: in all of them together, what a single leaf does is lost in their noise. A quick tune has no time for it.
fn polish(session: &mut Session<'_>, situations: &[Situation], tied: &[Recipe], best: Race) -> Result<Race, TuneError> {
    if !session.options.effort.polishes() {
        return Ok(best);
    }
    let mut routine = confirmation::routine(&best.winner)?;
    for (at, leaf) in routine.leaves().to_vec().into_iter().enumerate() {
        let span = leaf.span();
        if span.first() <= ALONE || span.last() > DISPATCH_MATTERS {
            continue;
        }
        let is_alone = |situation: &&Situation| situation.workload.lengths.are_within(span);
        let alone: Vec<Situation> = situations.iter().filter(is_alone).cloned().collect();
        if alone.is_empty() {
            continue;
        }
        session.check()?;
        if session.allowance.routines().has_passed() {
            break;
        }
        let others = others(session, tied, &leaf).into_iter().filter_map(|other| with_leaf(&routine, at, &other));
        let field = [vec![routine.clone()], others.collect()];
        let race = raced(session, &format!("{WHOLE} leaf {span}"), &alone, field, Some(&routine))?;
        routine = confirmation::routine(&race.winner)?;
    }
    let winner = routine.to_string();
    // With another leaf nothing is known of who ties with it.
    let tied = if winner == best.winner { best.tied } else { Vec::new() };
    Ok(Race { winner, tied, ..best })
}

/// What can stand in a leaf's place: straight code, loops, and what tied with the winner of its class.
fn others(session: &Session<'_>, tied: &[Recipe], leaf: &Recipe) -> Vec<Recipe> {
    let span = leaf.span();
    let tied = tied.iter().filter(|other| other.span() == span).cloned();
    small::straight(span, session.features).into_iter().chain(loops(span, session.features)).chain(tied).collect()
}

/// Races the routine against those that differ from it in one compare, boundary, leaf or alignment, and the winner again, until it
/// stays, or the effort or the time ends.
fn refine(
    session: &mut Session<'_>,
    situations: &[Situation],
    tied: &[Recipe],
    mut best: Race,
) -> Result<Race, TuneError> {
    for round in 1..=session.options.effort.tree_rounds() {
        session.check()?;
        if session.allowance.routines().has_passed() {
            break;
        }
        let name = format!("{WHOLE} round {round}");
        let routine = confirmation::routine(&best.winner)?;
        let others = neighbours(&routine, DISPATCH_MATTERS, |leaf| others(session, tied, leaf));
        let before = best.winner;
        best = raced(session, &name, situations, [vec![routine.clone()], others], Some(&routine))?;
        if best.winner == before {
            break;
        }
    }
    Ok(best)
}

/// The winners of the classes and what ties with each, as moves.
fn leaves(session: &Session<'_>, classes: &[Race]) -> Result<Vec<Recipe>, TuneError> {
    let mut leaves = Vec::new();
    for class in classes {
        for text in std::iter::once(&class.winner).chain(&class.tied).take(session.options.effort.leaves()) {
            leaves.extend(confirmation::routine(text)?.leaves().first().and_then(moving));
        }
    }
    Ok(leaves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plainest_are_all_there_and_the_others_are_sampled_to_their_end() {
        assert_eq!(spread((0..20).collect(), 8), [0, 1, 2, 3, 4, 8, 12, 16]);
        assert_eq!(spread((0..9).collect(), 8), [0, 1, 2, 3, 4, 6, 8]);
        assert_eq!(spread((0..3).collect(), 1), [0]);
    }
}
