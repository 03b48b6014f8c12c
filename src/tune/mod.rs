//! The main job: from nothing to proven, timed and confirmed kernels for every length.
//!
//! ```text
//! classes ─> class (race) ─> thresholds ─> confirmation ─> whole (races of routines) ─> confirmation ─> Winners, Report
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
mod opening;
mod options;
mod report;
mod routines;
mod session;
mod situations;
mod small;
mod thresholds;
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
pub use options::{Begin, Options};
pub use report::{ClassReport, Figures, Report, RoutineReport};
pub(crate) use session::{CLONE, Use, timing};
pub use situations::{Destination, LONGEST_TIMED, seconds_a_sample, situations, timed};
pub use tradeoff::Trade;
pub use trees::trees;

use crate::host::Host;
use crate::print::winners::{Evidence, Provenance, SCHEMA, Whole, Winner, Winners};
use crate::record::{Lock, Past};
use crate::run::Arena;
use crate::time::{Pin, TimeError};
use copysmith_kernels::{Isa, Recipe, Routine, Span};
use copysmith_search::Progress;
use deadline::Allowance;
use session::{Session, Stages};
use std::time::Instant;

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
    let objective = objective::of(options, &spans)?;
    let header = header(host, options, &spans);
    let provenance = Provenance {
        copysmith: header.version.clone(),
        emitter: format!("{:016x}", header.emitter.0),
        space: format!("{:016x}", header.space.0),
    };
    // They race again like everybody; no figure of theirs is used.
    for difference in incumbents.map(|earlier| earlier.provenance.differences(&provenance)).unwrap_or_default() {
        observer.note(&format!("the present winners race again: their {difference}"));
    }
    let opened = opening::open(options, lock, &header, observer)?;
    let mut session = Session {
        host,
        options,
        features: features(&host.cpu.features, options.isa),
        admission,
        past: Past::new(&opened.entries),
        journal: opened.journal,
        observer,
        allowance: Allowance::from_now(options, spans.len()),
        stages: Stages::new(2 * spans.len() + whole::STAGES + 1),
    };

    // Race, then confirm: the confirmations come later and in other processes than the races they check.
    let mut races = class::races(&mut session, &spans, incumbents)?;
    session.stage("thresholds")?;
    thresholds::settle(&mut session, &mut spans, &mut races)?;
    let classes = confirmation::classes(&mut session, &races, &spans)?;
    let routine = whole::found(&mut session, &objective, &races, &classes, incumbents)?;

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
    let winners = winners_of(&report, session.features.isa, provenance);
    winners
        .validate()
        .map_err(|error| TuneError::Text(format!("the record gives no winners: {error}; begin anew with --fresh")))?;
    Ok((winners, report))
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
