//! From which lengths on another way of copying wins, found by measuring: a loop, a string move, stores around the caches.
//!
//! The edges between long classes follow the caches as the machine describes them, and under a hypervisor that may be wrong. So where
//! the winners on both sides of one copy in different ways, they are timed against each other at lengths from a quarter of the edge to
//! twice it, each in the situations of a class of that one length, and the edge moves to where the upper one begins to win.

use super::TuneError;
use super::confirmation::routine;
use super::session::{Session, Use};
use super::situations::timed;
use crate::record::{Entry, Phase, Race, Recording};
use crate::time::LiveJudge;
use copysmith_kernels::recipe::Shape;
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::stats::{Verdict, compare};
use copysmith_search::{Judge, Sample};

/// Edges up to here are where the number of moves of a vector doubles, whatever the caches.
const FIXED: usize = 4096;

/// The lengths that are tried, in eighths of the edge.
const EIGHTHS: [usize; 7] = [2, 3, 4, 6, 8, 12, 16];

/// Moves every edge between different ways of copying to where it belongs, in the races of both classes and in their spans.
pub(super) fn settle(session: &mut Session<'_>, spans: &mut [Span], races: &mut [Race]) -> Result<(), TuneError> {
    for upper in 1..races.len() {
        settle_one(session, &mut spans[upper - 1..=upper], &mut races[upper - 1..=upper])?;
    }
    Ok(())
}

/// The same for one edge: two classes, the lower one first.
fn settle_one(session: &mut Session<'_>, spans: &mut [Span], races: &mut [Race]) -> Result<(), TuneError> {
    let winners = races.iter().map(|race| routine(&race.winner)).collect::<Result<Vec<Routine>, TuneError>>()?;
    let (lower, upper) = (&winners[0].leaves()[0], &winners[1].leaves()[0]);
    let edge = spans[0].last();
    if edge <= FIXED || way(lower) == way(upper) {
        return Ok(());
    }
    let class = format!("threshold {edge}");
    let edge = match session.past.class(&class).and_then(|past| past.races.last()) {
        Some(race) => race.winner.parse().map_err(|_| TuneError::Text(format!("'{}' is no length", race.winner)))?,
        None => measure(session, &class, (spans[0], lower), (spans[1], upper))?,
    };
    if let (Ok(below), Ok(above)) = (Span::new(spans[0].first(), edge), Span::new(edge + 1, spans[1].last())) {
        // Both sides move or neither: with one alone, lengths would be in two classes or in none.
        let mut moved = races.to_vec();
        if respan(&mut moved[0], below)? && respan(&mut moved[1], above)? {
            races.clone_from_slice(&moved);
            spans.copy_from_slice(&[below, above]);
        }
    }
    Ok(())
}

/// What differs between the ways of copying: whether the processor moves by itself, whether it stores around the caches.
fn way(recipe: &Recipe) -> (bool, bool) {
    (matches!(recipe.shape(), Shape::String(_)), recipe.shape().is_non_temporal())
}

/// The last length that the lower one copies better; the present edge where the upper one never wins, or cannot be tried.
fn measure(
    session: &mut Session<'_>,
    class: &str,
    (lower_span, lower): (Span, &Recipe),
    (upper_span, upper): (Span, &Recipe),
) -> Result<usize, TuneError> {
    let blocks = session.options.share_of(session.options.effort.threshold_blocks());
    let edge = lower_span.last();
    let whole = Span::new(lower_span.first(), upper_span.last()).unwrap_or(upper_span);
    let both: Vec<Routine> =
        [lower, upper].iter().filter_map(|recipe| recipe.with_span(whole).ok()).map(Routine::from).collect();
    if both.len() < 2 || both.iter().any(|routine| session.admission.admit(routine).is_err()) {
        return Ok(edge);
    }
    let mut tried: Vec<(usize, Verdict)> = Vec::new();
    for length in EIGHTHS.map(|eighths| edge / 8 * eighths) {
        let alone = Span::new(length, length).unwrap_or(whole);
        if length <= lower_span.first() || length > timed(upper_span).last() {
            continue;
        }
        session.check()?;
        let settings = session.settings(session.situations(alone), class, Use::Race);
        let judge = LiveJudge::new(&settings)?;
        let at_length = format!("{class} at {length}");
        let mut recording = Recording::new(judge, &session.journal, &session.past, &at_length, Phase::Race);
        let mut ratios = [Vec::new(), Vec::new()];
        for _ in 0..blocks {
            for (ratios, sample) in ratios.iter_mut().zip(recording.block(&both)?) {
                match sample {
                    Sample::LogRatio(ratio) => ratios.push(ratio),
                    Sample::Failed(_) => return Ok(edge),
                }
            }
        }
        tried.push((length, compare(&ratios[1], &ratios[0]).verdict));
    }
    let found = begins_to_win(&tried).map_or(edge, |length| length - 1);
    session.note(Entry::Race(Race {
        class: class.to_owned(),
        winner: found.to_string(),
        tied: Vec::new(),
        candidates: 2,
        refused: 0,
        blocks: (tried.len() * blocks) as u32,
        log_ratio: 0.0,
        noise_floor: 0.0,
    }))?;
    Ok(found)
}

/// The shortest length at which it is faster and after which it is never slower.
fn begins_to_win(tried: &[(usize, Verdict)]) -> Option<usize> {
    let last_slower = tried.iter().rposition(|(_, verdict)| *verdict == Verdict::Slower).map_or(0, |last| last + 1);
    tried[last_slower..].iter().find(|(_, verdict)| *verdict == Verdict::Faster).map(|&(length, _)| length)
}

/// The race with every recipe made for another span; false, and nothing changed, where the winner cannot be.
fn respan(race: &mut Race, span: Span) -> Result<bool, TuneError> {
    let other = |text: &str| -> Result<Option<String>, TuneError> {
        let recipe = routine(text)?.leaves()[0].with_span(span);
        Ok(recipe.ok().map(|recipe| recipe.to_string()))
    };
    let Some(winner) = other(&race.winner)? else { return Ok(false) };
    let tied = race.tied.iter().map(|text| other(text)).collect::<Result<Vec<_>, TuneError>>()?;
    race.winner = winner;
    race.tied = tied.into_iter().flatten().collect();
    race.class = span.to_string();
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_where_it_wins_for_good() {
        use Verdict::{Faster, Slower, Tie};
        for (verdicts, expected) in [
            (vec![Slower, Slower, Tie, Faster, Faster], Some(4)),
            (vec![Faster, Slower, Faster, Tie, Faster], Some(3)),
            (vec![Faster, Faster, Faster, Faster, Faster], Some(1)),
            (vec![Tie, Tie, Tie, Tie, Slower], None),
            (vec![Tie, Tie, Tie, Tie, Tie], None),
        ] {
            let tried: Vec<(usize, Verdict)> = (1..).zip(verdicts).collect();
            assert_eq!(begins_to_win(&tried), expected, "{tried:?}");
        }
    }

    #[test]
    fn a_race_moves_to_another_span_with_all_its_recipes() {
        let mut race = Race {
            class: "65..=128".to_owned(),
            winner: "copy 65..=128 loop width=sse16 unroll=4".to_owned(),
            tied: vec!["copy 65..=128 pairs width=avx32 moves=2".to_owned(), "copy 65..=128 string unit=1".to_owned()],
            candidates: 3,
            refused: 0,
            blocks: 8,
            log_ratio: 0.0,
            noise_floor: 0.0,
        };
        assert!(respan(&mut race, "65..=200".parse().unwrap()).unwrap());
        assert_eq!(race.winner, "copy 65..=200 loop width=sse16 unroll=4");
        assert_eq!(race.tied, ["copy 65..=200 string unit=1"]);
        assert!(!respan(&mut race, "3..=200".parse().unwrap()).unwrap());
    }
}
