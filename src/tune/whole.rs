//! The race of whole routines: compares and leaves in one piece, over short lengths as they come.

use super::TuneError;
use super::confirmation;
use super::door::Door;
use super::session::{Passing, Session, Use};
use super::trees::{neighbours, trees};
use crate::record::{Entry, Phase, Race, Recording};
use crate::time::{self, Lengths, LiveJudge, Situation, Workload};
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::race::{self, Limit, Rules};
use copysmith_search::stats::{margin, trimmed_mean};
use copysmith_search::ties::{Standing, choose, ties};

/// The name of the whole routine among the classes of a record.
pub(super) const WHOLE: &str = "routine";

/// Above this length a compare more or less is nothing beside the copy.
pub(super) const DISPATCH_MATTERS: usize = 4096;

/// How much of a whole routine's score is the worst of its situations: one that replaces memcpy should be worse nowhere.
const WORST_SHARE: f64 = 0.5;

/// What whole routines are timed on: each class up to 4 KiB alone, mixed lengths, and mixed lengths in runs.
pub(super) fn situations(spans: &[Span]) -> Vec<Situation> {
    let classes = spans.iter().filter(|span| span.last() <= DISPATCH_MATTERS);
    let classes = classes.map(|&span| Situation::from(Workload::hot(Lengths::Span(span))));
    let mixes =
        [Lengths::Mix, Lengths::Runs].map(|lengths| Situation { workload: Workload::hot(lengths), weight: 2.0 });
    classes.chain(mixes).collect()
}

/// Races the trees over the class winners and notes which won, unless the record says so already.
pub(super) fn race(
    session: &mut Session<'_>,
    spans: &[Span],
    winners: &[Recipe],
    incumbent: Option<&Routine>,
) -> Result<Race, TuneError> {
    let built = trees(winners).into_iter().take(session.options.effort.trees());
    let candidates = incumbent.cloned().into_iter().chain(built).collect();
    race_routines(session, Question::whole(WHOLE.to_owned(), spans), candidates, incumbent)
}

/// Races the routine against those that differ from it in one compare, and the winner again, until it stays or the effort ends.
pub(super) fn refine(session: &mut Session<'_>, spans: &[Span], mut routine: Routine) -> Result<Routine, TuneError> {
    for round in 1..=session.options.effort.tree_rounds() {
        session.check()?;
        let others = neighbours(&routine, DISPATCH_MATTERS);
        let candidates = std::iter::once(routine.clone()).chain(others).collect();
        let question = Question::whole(format!("{WHOLE} round {round}"), spans);
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
    /// Which routine does best over all short lengths, and is slower than the system nowhere if that can be.
    fn whole(name: String, spans: &[Span]) -> Question {
        Question { name, span: Span::ALL, situations: situations(spans), worst_share: WORST_SHARE }
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
    // The mean over many situations has only its share of what differs in one of them.
    let rules = Rules { margin: margin(floor) / many as f64, ..Rules::default() };
    let mut race = race::Race::new(admitted, rules);
    let stopped = {
        let mut recording = Recording::new(judge, &session.journal, &session.past, class, Phase::Race);
        let mut watch = Passing { observer: &mut *session.observer, span, door: &door };
        race.run(&mut recording, Limit::blocks(session.options.effort.tree_blocks()), &mut watch)
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
