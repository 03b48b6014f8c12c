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
use copysmith_search::ties::{Standing, choose, ties};
use std::collections::HashMap;

/// Blocks of a first look: enough to tell what differs by a tenth.
const FIRST_LOOK: usize = 3;

/// The `keep` best of many candidates after a first look at each.
pub(super) fn best_of(
    session: &mut Session<'_>,
    name: &str,
    situations: &[Situation],
    candidates: Vec<Routine>,
    keep: usize,
) -> Result<Vec<Routine>, TuneError> {
    if candidates.len() <= keep {
        return Ok(candidates);
    }
    let name = format!("{name}, first look");
    let Timed { race, .. } = timed(session, &name, situations, candidates, FIRST_LOOK)?;
    let mut lanes: Vec<&race::Lane> =
        race.lanes().iter().filter(|lane| !matches!(lane.outcome, Outcome::Failed(_))).collect();
    lanes.sort_by(|a, b| trimmed_mean(&a.samples).total_cmp(&trimmed_mean(&b.samples)));
    Ok(lanes.into_iter().take(keep).map(|lane| lane.routine.clone()).collect())
}

/// Races whole routines and notes which won and what each did where, unless the record says so already.
pub(super) fn raced(
    session: &mut Session<'_>,
    name: &str,
    situations: &[Situation],
    candidates: Vec<Routine>,
    incumbent: Option<&Routine>,
) -> Result<Race, TuneError> {
    if let Some(race) = session.past.class(name).and_then(|past| past.races.last()) {
        return Ok(race.clone());
    }
    let blocks = session.options.share_of(session.options.effort.tree_blocks());
    let timed = timed(session, name, situations, candidates, blocks)?;
    let race = result(session, name, &timed, incumbent)?;
    let mut entries: Vec<Entry> = timed.breakdowns.into_iter().map(Entry::Breakdown).collect();
    entries.push(Entry::Race(race.clone()));
    session.note_all(&entries)?;
    Ok(race)
}

/// A race that has been run, and what belongs to it.
struct Timed {
    race: race::Race,
    floor: f64,
    margin: f64,
    refused: usize,
    breakdowns: Vec<Breakdown>,
}

fn timed(
    session: &mut Session<'_>,
    name: &str,
    situations: &[Situation],
    candidates: Vec<Routine>,
    blocks: usize,
) -> Result<Timed, TuneError> {
    let settings = session.settings(situations.to_vec(), name, Use::Race);
    let mut judge = LiveJudge::new(&time::Settings { loss_aversion: LOSS_AVERSION, ..settings })?;
    let floor = session.floor(&mut judge, name)?;
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
    let mut race = race::Race::new(admitted, Rules { margin, ..Rules::default() });
    let mut recording = Recording::new(&mut judge, &session.journal, &session.past, name, Phase::Race);
    let mut watch = Passing { observer: &mut *session.observer, span: Span::ALL, door: &door };
    let stopped = race.run(&mut recording, Limit::blocks(blocks), &mut watch);
    let refusals = door.close()?;
    session.remember(refusals);
    stopped?;
    session.check()?;
    let broken_down = |lane: &race::Lane| {
        let routine = lane.routine.to_string();
        let of = broken_down(situations, judge.breakdown(&routine));
        Breakdown { class: name.to_owned(), phase: Phase::Race, routine, situations: of }
    };
    let breakdowns = race.lanes().iter().map(broken_down).filter(|breakdown| !breakdown.situations.is_empty());
    let breakdowns = breakdowns.collect();
    Ok(Timed { race, floor, margin, refused, breakdowns })
}

/// The outcome of a race of routines, as the journal keeps it.
fn result(session: &Session<'_>, name: &str, timed: &Timed, incumbent: Option<&Routine>) -> Result<Race, TuneError> {
    let class = name.to_owned();
    let lanes = timed.race.lanes();
    let Some(sorted) = ties(lanes, timed.margin) else {
        return Err(TuneError::NobodyLeft { class, reason: "no routine could be timed".to_owned() });
    };
    let standing = |&index: &usize| Standing {
        routine: lanes[index].routine.clone(),
        code_bytes: session.admission.code_bytes(&lanes[index].routine),
        incumbent: Some(&lanes[index].routine) == incumbent,
        common: true,
        neighbour: false,
    };
    let standings: Vec<Standing> = sorted.tied.iter().map(standing).collect();
    let index: HashMap<&Routine, usize> = lanes.iter().enumerate().map(|(at, lane)| (&lane.routine, at)).collect();
    let winner = choose(&standings).map_or(sorted.best, |chosen| index[&chosen.routine]);
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
