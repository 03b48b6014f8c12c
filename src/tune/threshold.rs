//! From which length on stores around the caches win, found by measuring.
//!
//! The edge between the last two classes follows the L3 cache as the machine describes it, and under a hypervisor that may be wrong. So the
//! winners on both sides of the edge are timed against each other at lengths from a quarter of it to twice it, cold and read back,
//! and the edge moves to where the non-temporal one begins to win.

use super::TuneError;
use super::confirmation::routine;
use super::session::{Session, Use};
use super::situations::timed;
use crate::record::{Entry, Phase, Race, Recording};
use crate::time::{Lengths, LiveJudge, Situation, Workload};
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::stats::{Verdict, compare};
use copysmith_search::{Judge, Sample};

/// The name of the measurement among the classes of a record.
const THRESHOLD: &str = "non-temporal threshold";

/// The lengths that are tried, in eighths of the edge.
const EIGHTHS: [usize; 7] = [2, 3, 4, 6, 8, 12, 16];

/// Moves the edge below the first non-temporal winner to where it belongs, in the races of both classes and in their spans.
pub(super) fn settle(session: &mut Session<'_>, spans: &mut [Span], races: &mut [Race]) -> Result<(), TuneError> {
    let winners = races.iter().map(|race| routine(&race.winner)).collect::<Result<Vec<Routine>, TuneError>>()?;
    let around = |routine: &Routine| routine.leaves()[0].shape().is_non_temporal();
    let first = winners.iter().rposition(|winner| !around(winner)).map_or(0, |last| last + 1);
    if first == 0 || first == winners.len() {
        return Ok(());
    }
    let (lower, upper) = (spans[first - 1], spans[first]);
    let edge = match session.past.class(THRESHOLD).and_then(|past| past.races.last()) {
        Some(race) => race.winner.parse().map_err(|_| TuneError::Text(format!("'{}' is no length", race.winner)))?,
        None => measure(session, lower, upper, &winners[first - 1].leaves()[0], &winners[first].leaves()[0])?,
    };
    if let (Ok(below), Ok(above)) = (Span::new(lower.first(), edge), Span::new(edge + 1, upper.last())) {
        // Both sides move or neither: with one alone, lengths would be in two classes or in none.
        let mut moved = [races[first - 1].clone(), races[first].clone()];
        if respan(&mut moved[0], below)? && respan(&mut moved[1], above)? {
            races[first - 1..=first].clone_from_slice(&moved);
            spans[first - 1..=first].copy_from_slice(&[below, above]);
        }
    }
    Ok(())
}

/// The last length that is better copied through the caches; the present edge where the other side does not win.
fn measure(
    session: &mut Session<'_>,
    lower: Span,
    upper: Span,
    cached: &Recipe,
    around: &Recipe,
) -> Result<usize, TuneError> {
    let blocks = session.options.share_of(session.options.effort.threshold_blocks());
    let edge = lower.last();
    let whole = Span::new(lower.first(), upper.last()).unwrap_or(upper);
    let both: Vec<Routine> =
        [cached, around].iter().filter_map(|recipe| recipe.with_span(whole).ok()).map(Routine::from).collect();
    if both.len() < 2 || both.iter().any(|routine| session.admission.admit(routine).is_err()) {
        return Ok(edge);
    }
    let mut tried: Vec<(usize, Verdict)> = Vec::new();
    for length in EIGHTHS.map(|eighths| edge / 8 * eighths) {
        if !(lower.contains(length) && length > lower.first() || timed(upper).contains(length)) {
            continue;
        }
        session.check()?;
        let workload = Workload::cold(Lengths::Fixed(length)).read_back(session.options.destination.read_back());
        let settings = session.settings(vec![Situation::from(workload)], THRESHOLD, Use::Race);
        let judge = LiveJudge::new(&settings)?;
        let class = format!("{THRESHOLD} {length}");
        let mut recording = Recording::new(judge, &session.journal, &session.past, &class, Phase::Race);
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
    let found = begins_to_win(&tried).unwrap_or(edge);
    session.note(Entry::Race(Race {
        class: THRESHOLD.to_owned(),
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
