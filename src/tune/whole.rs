//! The race of whole routines: compares and leaves in one piece, over lengths as programs have them.

use super::TuneError;
use super::confirmation;
use super::door::Door;
use super::moving::moving;
use super::objective::WORST_SHARE;
use super::session::{Passing, Session, Use};
use super::small;
use super::trees::{neighbours, trees};
use crate::record::{Entry, Phase, Race, Recording};
use crate::time::{self, LiveJudge, Situation};
use copysmith_kernels::recipe::Operation;
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::race::{self, Limit, Rules};
use copysmith_search::stats::{margin, trimmed_mean};
use copysmith_search::ties::{Standing, choose, ties};

/// The name of the whole routine among the classes of a record.
pub(super) const WHOLE: &str = "routine";

/// Above this length a compare more or less is nothing beside the copy.
pub(super) const DISPATCH_MATTERS: usize = 4096;

/// Races rows of short shapes and trees over the class winners, all of them moves, and notes which won, unless the record says so
/// already.
pub(super) fn race(
    session: &mut Session<'_>,
    situations: &[Situation],
    winners: &[Recipe],
    incumbent: Option<&Routine>,
) -> Result<Race, TuneError> {
    let moving: Vec<Recipe> = winners.iter().filter_map(moving).collect();
    let (built, sets) = trees(&moving, &small::rows(session.features));
    let most = session.options.share_of(session.options.effort.trees());
    // Of more sets of leaves than there is time for, evenly spaced ones.
    let step = sets.div_ceil(most).max(1);
    let built = built.into_iter().take(sets.max(most)).step_by(step);
    let incumbent = incumbent.filter(|incumbent| incumbent.operation() == Operation::Move);
    let candidates = incumbent.cloned().into_iter().chain(built).collect();
    race_routines(session, Question::whole(WHOLE.to_owned(), situations), candidates, incumbent)
}

/// Races the routine against those that differ from it in one compare, and the winner again, until it stays or the effort ends.
pub(super) fn refine(
    session: &mut Session<'_>,
    situations: &[Situation],
    mut routine: Routine,
) -> Result<Routine, TuneError> {
    for round in 1..=session.options.effort.tree_rounds() {
        session.check()?;
        let others = neighbours(&routine, DISPATCH_MATTERS);
        let candidates = std::iter::once(routine.clone()).chain(others).collect();
        let question = Question::whole(format!("{WHOLE} round {round}"), situations);
        let winner = race_routines(session, question, candidates, Some(&routine))?.winner;
        if winner == routine.to_string() {
            break;
        }
        routine = confirmation::routine(&winner)?;
    }
    Ok(routine)
}

/// What a race of whole routines is about.
pub(super) struct Question {
    /// What it is called in the record.
    pub name: String,
    /// The lengths, for whoever watches.
    pub span: Span,
    /// What is timed.
    pub situations: Vec<Situation>,
    /// How much of the score is the worst of the situations.
    pub worst_share: f64,
}

impl Question {
    /// Which routine does best over all of the situations, and is slower than the system in none if that can be.
    fn whole(name: String, situations: &[Situation]) -> Question {
        Question { name, span: Span::ALL, situations: situations.to_vec(), worst_share: WORST_SHARE }
    }
}

/// Races whole routines and notes which won, unless the record says so already.
pub(super) fn race_routines(
    session: &mut Session<'_>,
    question: Question,
    candidates: Vec<Routine>,
    incumbent: Option<&Routine>,
) -> Result<Race, TuneError> {
    let Question { name: class, span, situations, worst_share } = question;
    let class = class.as_str();
    let many = situations.len();
    if let Some(race) = session.past.class(class).and_then(|past| past.races.last()) {
        return Ok(race.clone());
    }
    let settings = time::Settings { worst_share, ..session.settings(situations, class, Use::Race) };
    let mut judge = LiveJudge::new(&settings)?;
    let floor = session.floor(&mut judge, class)?;
    let mut admitted = Vec::new();
    let mut refusals = 0;
    let door = Door::new(&session.admission, &session.journal, &session.past);
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
                refusals += 1;
            }
        }
    }
    let blocks = session.options.share_of(session.options.effort.tree_blocks());
    // The mean over many situations has only its share of what differs in one of them.
    let rules = Rules { margin: margin(floor) / many as f64, ..Rules::default() };
    let mut race = race::Race::new(admitted, rules);
    let stopped = {
        let mut recording = Recording::new(judge, &session.journal, &session.past, class, Phase::Race);
        let mut watch = Passing { observer: &mut *session.observer, span, door: &door };
        race.run(&mut recording, Limit::blocks(blocks), &mut watch)
    };
    let refused = door.close()?;
    session.remember(refused);
    stopped?;
    session.check()?;
    let race = result(session, class, &race, rules.margin, floor, incumbent, refusals)?;
    session.note(Entry::Race(race.clone()))?;
    Ok(race)
}

/// The outcome of a race of routines, as the journal keeps it.
fn result(
    session: &Session<'_>,
    class: &str,
    race: &race::Race,
    margin: f64,
    noise_floor: f64,
    incumbent: Option<&Routine>,
    refused: usize,
) -> Result<Race, TuneError> {
    let class = class.to_owned();
    let Some(sorted) = ties(race.lanes(), margin) else {
        return Err(TuneError::NobodyLeft { class, reason: "no routine could be timed".to_owned() });
    };
    let lane = |index: usize| &race.lanes()[index];
    let standing = |&index: &usize| Standing {
        routine: lane(index).routine.clone(),
        code_bytes: session.admission.code_bytes(&lane(index).routine),
        incumbent: Some(&lane(index).routine) == incumbent,
        common: true,
        neighbour: false,
    };
    let standings: Vec<Standing> = sorted.tied.iter().map(standing).collect();
    let winner = choose(&standings).map_or(&lane(sorted.best).routine, |chosen| &chosen.routine);
    let best = race.lanes().iter().find(|lane| lane.routine == *winner).unwrap_or(lane(sorted.best));
    // The fastest of the tied ones first, so that they are the finalists.
    let mut tied: Vec<usize> = sorted.tied.iter().copied().filter(|&index| lane(index).routine != *winner).collect();
    tied.sort_by(|&a, &b| sorted.behind[a].mean.total_cmp(&sorted.behind[b].mean));
    Ok(Race {
        class,
        winner: winner.to_string(),
        tied: tied.into_iter().map(|index| lane(index).routine.to_string()).collect(),
        candidates: race.lanes().len() as u32,
        refused: refused as u32,
        blocks: best.samples.len() as u32,
        log_ratio: trimmed_mean(&best.samples),
        noise_floor,
    })
}
