//! The main job: from nothing to proven, timed and confirmed kernels for every length.
//!
//! ```text
//! classes ─> class (race) ─> threshold ─> confirmation ─> whole (races of routines) ─> confirmation ─> Winners, Report
//!              |  every candidate through admission (three proofs); every sample through the journal
//! ```
//!
//! A tune is a function of its options and the judge's answers: stopped anywhere and started again, it goes on where it was.

mod admission;
mod class;
mod classes;
mod confirmation;
mod deadline;
mod door;
mod effort;
mod error;
mod files;
mod identity;
mod loops;
mod moving;
mod neighbours;
mod objective;
mod offsets;
mod report;
mod routines;
mod session;
mod situations;
mod small;
mod threshold;
mod tradeoff;
mod trees;
mod whole;

pub use admission::Admission;
pub(crate) use class::{Asked, chosen};
pub use classes::{check_spans, classes};
pub(crate) use door::Door;
pub use effort::Effort;
pub use error::TuneError;
pub use files::{FilesError, WINNERS, printed, recorded, tuned, unlinked, winners_in, write_all};
pub(crate) use files::{HOST, SAMPLES};
pub use identity::{emitter, features, header};
pub use objective::shipped_halves;
pub use offsets::OFFSETS;
pub use report::{ClassReport, Figures, Report, RoutineReport};
pub(crate) use session::{CLONE, Use, timing};
pub use situations::{Destination, LONGEST_TIMED, seconds_a_sample, situations, timed};
pub use tradeoff::Trade;
pub use trees::trees;

use crate::host::Host;
use crate::print::winners::{Evidence, Provenance, SCHEMA, Whole, Winner, Winners};
use crate::record::{Entry, Journal, Lock, Mismatch, Past, Race};
use crate::run::Arena;
use crate::time::{Pin, Recording, TimeError};
use copysmith_kernels::{Isa, Recipe, Routine, Span};
use copysmith_search::Progress;
use deadline::Allowance;
use session::Session;
use std::time::{Duration, Instant};

/// What a tune is to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much is tried.
    pub effort: Effort,
    /// Seed of everything drawn.
    pub seed: u64,
    /// The CPU to time on; the highest-numbered one allowed by default.
    pub cpu: Option<usize>,
    /// Size classes, instead of those that follow the caches.
    pub spans: Option<Vec<Span>>,
    /// The largest instruction set, instead of what the processor has.
    pub isa: Option<Isa>,
    /// About how long a tune may take, two fifths of it for the races of the classes, instead of what the effort says.
    pub budget: Option<Duration>,
    /// What is done with an earlier record.
    pub begin: Begin,
    /// Recorded calls that the whole routine is for, and nothing else; without any it is for the shipped profiles, the mixes and
    /// single lengths alike.
    pub programs: Vec<Recording>,
    /// Whether what is copied is read soon after.
    pub destination: Destination,
}

/// What a tune does with the record of an earlier one in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Begin {
    /// Goes on with it, or refuses one that is not from here and now.
    #[default]
    WhereItStopped,
    /// Leaves it under another name and begins a new one.
    Anew,
}

impl Options {
    /// The classes of a tune on this machine.
    ///
    /// # Errors
    /// [`TuneError::Spans`] where those given do not cover every length once.
    pub fn classes(&self, host: &Host) -> Result<Vec<Span>, TuneError> {
        match &self.spans {
            None => Ok(classes(&host.caches)),
            Some(spans) => check_spans(spans).map(|()| spans.clone()).map_err(TuneError::Spans),
        }
    }

    /// How long the races of one of so many classes may take, in seconds.
    pub(crate) fn class_seconds(&self, classes: usize) -> f64 {
        self.budget
            .map_or(self.effort.class_seconds(), |budget| budget.as_secs_f64() * deadline::CLASSES / classes as f64)
    }

    /// So much of what the effort would count in races of whole routines as the budget leaves, and no fewer than a race needs.
    fn share_of(&self, count: usize) -> usize {
        const FEWEST: usize = 8;
        let share = self.budget.map_or(1.0, |budget| budget.as_secs_f64() / self.effort.seconds());
        ((count as f64 * share.min(1.0)) as usize).max(FEWEST)
    }
}

/// Sees a tune as it runs, and may stop it.
pub trait Observer {
    /// A stage begins: number `stage` of `of`, and what it is about.
    fn stage(&mut self, _stage: usize, _of: usize, _what: &str) {}

    /// A block of a race has been timed.
    fn block(&mut self, _span: Span, _progress: &Progress<'_>) {}

    /// A candidate was refused, or failed while it was timed.
    fn refused(&mut self, _routine: &str, _reason: &str) {}

    /// Something about an earlier record that is worth knowing.
    fn note(&mut self, _note: &str) {}

    /// Whether the tune should stop now. What has been measured is in the record.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Looks away and never stops anything.
impl Observer for () {}

/// Tunes this machine with its record in the locked directory. The lock is the caller's, so that it can be held until the results are
/// written too.
///
/// # Errors
/// [`TuneError`]; everything measured until then is in the record.
pub fn tune(
    host: &Host,
    options: &Options,
    admission: Admission,
    lock: &Lock,
    incumbents: Option<&Winners>,
    observer: &mut dyn Observer,
) -> Result<(Winners, Report), TuneError> {
    let started = Instant::now();
    // Before the record is begun for a processor that is not there, or where nothing generated may run.
    Pin::to(options.cpu).map_err(TimeError::Pin)?;
    Arena::new(&[]).map_err(TimeError::Code)?;
    let mut spans = options.classes(host)?;
    let recordings = match &options.programs[..] {
        [] => shipped_halves().map_err(|error| TuneError::Text(error.to_string()))?,
        given => given.to_vec(),
    };
    let objective = objective::situations(&recordings, !options.programs.is_empty(), &spans, options.destination);
    // What cannot be timed at the end is better known before the work than after it.
    objective.iter().try_for_each(|situation| situation.workload.check()).map_err(TimeError::Workload)?;
    let features = features(&host.cpu.features, options.isa);
    let header = header(host, options, &spans);
    if options.begin == Begin::Anew
        && let Some(aside) = Journal::set_aside(lock)?
    {
        observer.note(&format!("the earlier record is now {}", aside.display()));
    }
    let provenance = Provenance {
        copysmith: header.version.clone(),
        emitter: format!("{:016x}", header.emitter.0),
        space: format!("{:016x}", header.space.0),
    };
    tell_differences(incumbents, &provenance, observer);
    let opened = Journal::open(lock, &header)?;
    if let Some(torn) = &opened.torn {
        observer.note(&format!("{torn}"));
    }
    for Mismatch { field, recorded, now } in &opened.changed {
        observer.note(&format!("since the record was begun {field} went from {recorded} to {now}"));
    }
    if opened.entries.iter().any(|entry| matches!(entry, Entry::Block(_))) {
        observer.note(&format!("going on with {}", opened.journal.path().display()));
    }
    if let Some(budget) = options.budget.filter(|&budget| budget < deadline::LEAST) {
        let (asked, least) = (budget.as_secs(), deadline::LEAST.as_secs());
        observer.note(&format!("{asked} s are less than proofs and trials take; the budget counts as {least} s"));
    }
    let past = Past::new(&opened.entries);
    let allowance = Allowance::from_now(options, spans.len());
    let mut session =
        Session { host, options, features, admission, journal: opened.journal, past, observer, allowance };

    // Race, then confirm: the confirmations come later and in other processes than the races they check.
    let stages = 2 * spans.len() + 3;
    let mut races: Vec<Race> = Vec::new();
    let mut neighbour: Option<Recipe> = None;
    for (number, &span) in spans.iter().enumerate() {
        session.check()?;
        session.observer.stage(number, stages, &format!("race {span}"));
        let race = class::race(&mut session, span, number, [incumbent(incumbents, span), neighbour.as_ref()])?;
        neighbour = confirmation::routine(&race.winner)?.leaves().first().cloned();
        races.push(race);
    }
    session.observer.stage(spans.len(), stages, "non-temporal threshold");
    threshold::settle(&mut session, &mut spans, &mut races, options.share_of(options.effort.threshold_blocks()))?;
    let mut classes = Vec::new();
    for (number, (race, &span)) in races.iter().zip(&spans).enumerate() {
        session.check()?;
        session.observer.stage(spans.len() + 1 + number, stages, &format!("confirm {span}"));
        let seconds = session.allowance.confirmation_seconds(number);
        let blocks = options.effort.class_confirmation_blocks(span, &host.caches, seconds);
        let selected = Some(race.log_ratio);
        let situations = session.situations(span);
        let (routine, figures) = confirmation::confirmed(&mut session, race, situations, selected, blocks)?;
        let winner = routine.leaves()[0].clone();
        let (tied, candidates, refused) = (race.tied.len() + 1, race.candidates as usize, race.refused as usize);
        classes.push(ClassReport { span, winner, figures, tied, candidates, refused });
    }
    let winners: Vec<Recipe> = classes.iter().map(|class| class.winner.clone()).collect();
    session.observer.stage(stages - 2, stages, "race whole routines");
    let held = incumbents.map(|winners| &winners.routine.text);
    let race = whole::race(&mut session, &objective, &winners, held)?;
    session.observer.stage(stages - 2, stages, "each leaf for longer lengths");
    let tied = whole::leaves(&session, &races)?;
    let best = whole::polish(&mut session, &objective, &tied, confirmation::routine(&race.winner)?)?;
    session.observer.stage(stages - 2, stages, "compares, leaves and alignment around the best");
    let refined = whole::refine(&mut session, &objective, &tied, best)?;
    // The tree's own rivals had other leaves or compares than it has now: it is confirmed alone.
    let race = Race { winner: refined.to_string(), tied: Vec::new(), ..race };
    session.check()?;
    session.observer.stage(stages - 1, stages, "confirm the whole routine");
    let (routine, figures) =
        confirmation::confirmed(&mut session, &race, objective.clone(), None, options.effort.confirmation_blocks())?;
    let (slower, trade_off) = session.seen(&objective);
    let routine = RoutineReport {
        winner: routine,
        figures,
        tied: race.tied.len() + 1,
        candidates: race.candidates as usize,
        slower,
        trade_off,
    };

    let report = Report {
        machine: header.machine.clone(),
        warnings: host.warnings.clone(),
        cpu: options.cpu,
        effort: options.effort,
        seed: options.seed,
        non_temporal_from: non_temporal_from(&routine.winner),
        classes,
        routine,
        files: Vec::new(),
        seconds: started.elapsed().as_secs_f64(),
    };
    let winners = winners_of(&report, features.isa, provenance);
    winners
        .validate()
        .map_err(|error| TuneError::Text(format!("the record gives no winners: {error}; begin anew with --fresh")))?;
    Ok((winners, report))
}

/// Says what of earlier winners was made with something else than now. They race again like everybody; no figure of theirs is used.
fn tell_differences(earlier: Option<&Winners>, now: &Provenance, observer: &mut dyn Observer) {
    for difference in earlier.map(|winners| winners.provenance.differences(now)).unwrap_or_default() {
        observer.note(&format!("the present winners race again: their {difference}"));
    }
}

/// The present winner for a class; where its classes are others, since a threshold was measured say, the one for the
/// middle of it.
fn incumbent(incumbents: Option<&Winners>, span: Span) -> Option<&Recipe> {
    let classes = &incumbents?.classes;
    let same = classes.iter().find(|winner| winner.span == span);
    let middle = offsets::middle(timed(span));
    same.or_else(|| classes.iter().find(|winner| winner.span.contains(middle))).map(|winner| &winner.recipe)
}

/// The first length from which on every leaf stores around the caches.
fn non_temporal_from(routine: &Routine) -> Option<usize> {
    let around = |recipe: &&Recipe| recipe.shape().is_non_temporal();
    routine.leaves().iter().rev().take_while(around).last().map(|recipe| recipe.span().first())
}

fn evidence(figures: &Figures) -> Evidence {
    let Figures { ratio, low, high, blocks, .. } = *figures;
    Evidence::Measured { ratio, low, high, blocks: blocks as u32 }
}

fn winners_of(report: &Report, isa: Isa, provenance: Provenance) -> Winners {
    let winner = |class: &ClassReport| Winner {
        span: class.span,
        recipe: class.winner.clone(),
        evidence: evidence(&class.figures),
    };
    Winners {
        schema: SCHEMA,
        machine: report.machine.clone(),
        isa,
        seed: report.seed,
        classes: report.classes.iter().map(winner).collect(),
        routine: Whole { text: report.routine.winner.clone(), evidence: evidence(&report.routine.figures) },
        provenance,
    }
}
