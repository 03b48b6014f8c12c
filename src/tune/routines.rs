//! Races of whole routines: who gets in, who wins, and what is noted of it.

use super::TuneError;
use super::door::Door;
use super::objective::{LOSS_AVERSION, broken_down};
use super::session::{Passing, Session, Use};
use crate::record::{Breakdown, Entry, Phase, Race, Recording};
use crate::time::{self, LiveJudge, Situation};
use copysmith_kernels::{Routine, Span};
use copysmith_search::race::{self, Limit, Outcome, Rules};
use copysmith_search::stats::{margin, trimmed_mean};
use copysmith_search::ties::ties;

/// Blocks of a first look: enough to tell what differs by a tenth.
const FIRST_LOOK: usize = 3;

/// Blocks before anybody may be dropped: in how many situations somebody loses must have settled.
const SETTLED: usize = 12;

/// Races whole routines, those held before and the `keep` best of the others after a first look, and notes which won and what each did
/// where; unless the record says so already.
pub(super) fn raced(
    session: &mut Session<'_>,
    name: &str,
    situations: &[Situation],
    [held, others]: [Vec<Routine>; 2],
    incumbent: Option<&Routine>,
) -> Result<Race, TuneError> {
    if let Some(race) = session.past.class(name).and_then(|past| past.races.last()) {
        return Ok(race.clone());
    }
    let candidates = held.into_iter().chain(best_of(session, name, situations, others)?).collect();
    let blocks = session.options.share_of(session.options.effort.tree_blocks());
    let mut judge = judge(session, name, situations)?;
    let floor = session.floor(&mut judge, name)?;
    let timed = timed(session, name, situations, candidates, judge, floor, blocks)?;
    let race = result(session, name, &timed, incumbent)?;
    let mut entries: Vec<Entry> = timed.breakdowns(name, situations).map(Entry::Breakdown).collect();
    entries.push(Entry::Race(race.clone()));
    session.note_all(&entries)?;
    Ok(race)
}

/// The best of many candidates after a first look at each.
fn best_of(
    session: &mut Session<'_>,
    name: &str,
    situations: &[Situation],
    candidates: Vec<Routine>,
) -> Result<Vec<Routine>, TuneError> {
    let keep = session.options.share_of(session.options.effort.kept());
    if candidates.len() <= keep {
        return Ok(candidates);
    }
    let name = &format!("{name}, first look");
    let judge = judge(session, name, situations)?;
    // Nobody is dropped in so few blocks, so the noise need not be known.
    let timed = timed(session, name, situations, candidates, judge, f64::INFINITY, FIRST_LOOK)?;
    let lanes = timed.race.lanes().iter();
    let mut lanes: Vec<&race::Lane> = lanes.filter(|lane| !matches!(lane.outcome, Outcome::Failed(_))).collect();
    lanes.sort_by(|a, b| trimmed_mean(&a.samples).total_cmp(&trimmed_mean(&b.samples)));
    Ok(lanes.into_iter().take(keep).map(|lane| lane.routine.clone()).collect())
}

/// A race that has been run, and what belongs to it.
struct Timed {
    race: race::Race,
    floor: f64,
    margin: f64,
    refused: usize,
    judge: LiveJudge,
}

impl Timed {
    /// What each did in each situation, as far as it was timed now.
    fn breakdowns(&self, name: &str, situations: &[Situation]) -> impl Iterator<Item = Breakdown> {
        let of = |lane: &race::Lane| {
            let routine = lane.routine.to_string();
            let alone = broken_down(situations, self.judge.breakdown(&routine));
            Breakdown { class: name.to_owned(), phase: Phase::Race, routine, situations: alone }
        };
        self.race.lanes().iter().map(of).filter(|breakdown| !breakdown.situations.is_empty())
    }
}

fn judge(session: &Session<'_>, name: &str, situations: &[Situation]) -> Result<LiveJudge, TuneError> {
    let settings = session.settings(situations.to_vec(), name, Use::Race);
    Ok(LiveJudge::new(&time::Settings { loss_aversion: LOSS_AVERSION, ..settings })?)
}

fn timed(
    session: &mut Session<'_>,
    name: &str,
    situations: &[Situation],
    candidates: Vec<Routine>,
    mut judge: LiveJudge,
    floor: f64,
    blocks: usize,
) -> Result<Timed, TuneError> {
    let door = Door::new(&session.admission, &session.journal, &session.past);
    let mut admitted = Vec::new();
    let mut refused = 0;
    for routine in candidates {
        if door.is_broken() || session.observer.stop() {
            break;
        }
        match door.admit(&routine) {
            Ok(()) if !admitted.contains(&routine) => admitted.push(routine),
            Ok(()) => {}
            // Nothing can be tried out any more: that is no fault of this one.
            Err(_) if door.is_broken() => {}
            Err(reason) => {
                session.observer.refused(&routine.to_string(), &reason);
                refused += 1;
            }
        }
    }
    // The mean over many situations has only its share of what differs in one of them.
    let margin = margin(floor) / situations.len() as f64;
    let mut race = race::Race::new(admitted, Rules { first: SETTLED, margin, ..Rules::default() });
    let mut recording = Recording::new(&mut judge, &session.journal, &session.past, name, Phase::Race);
    let deadline = session.allowance.routines();
    let mut watch = Passing { observer: &mut *session.observer, span: Span::ALL, door: &door, deadline };
    let stopped = race.run(&mut recording, Limit::blocks(blocks), &mut watch);
    let refusals = door.close()?;
    session.remember(refusals);
    stopped?;
    session.check()?;
    Ok(Timed { race, floor, margin, refused, judge })
}

/// The outcome of a race of routines, as the journal keeps it.
fn result(session: &Session<'_>, name: &str, timed: &Timed, incumbent: Option<&Routine>) -> Result<Race, TuneError> {
    let class = name.to_owned();
    let lanes = timed.race.lanes();
    let Some(sorted) = ties(lanes, timed.margin) else {
        return Err(TuneError::NobodyLeft { class, reason: "no routine could be timed".to_owned() });
    };
    let winner = session.chosen(lanes, &sorted.tied, incumbent).unwrap_or(sorted.best);
    // The fastest of the tied ones first, so that they are the finalists.
    let mut tied: Vec<usize> = sorted.tied.iter().copied().filter(|&index| index != winner).collect();
    tied.sort_by(|&a, &b| sorted.behind[a].mean.total_cmp(&sorted.behind[b].mean));
    Ok(Race {
        class,
        winner: lanes[winner].routine.to_string(),
        tied: tied.into_iter().map(|index| lanes[index].routine.to_string()).collect(),
        candidates: lanes.len() as u32,
        refused: timed.refused as u32,
        blocks: lanes[winner].samples.len() as u32,
        log_ratio: trimmed_mean(&lanes[winner].samples),
        noise_floor: timed.floor,
    })
}
