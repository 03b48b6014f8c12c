//! What every stage of a tune shares: the machine, the options, who is admitted, the journal, and who is watching.

use super::admission::Admission;
use super::{Observer, Options, TuneError};
use crate::host::Host;
use crate::record::{Block, Entry, Journal, Outcome, Past, Phase, Rejected, Stage, Timing};
use crate::time::{self, LiveJudge, Situation};
use copysmith_kernels::{Routine, Span};
use copysmith_search::race::Outcome as Left;
use copysmith_search::stats::noise_floor;
use copysmith_search::{Progress, Watch, space};

/// A tune in progress.
pub(super) struct Session<'a> {
    pub host: &'a Host,
    pub options: &'a Options,
    pub features: space::Features,
    pub admission: Admission,
    pub journal: Journal,
    pub past: Past,
    pub observer: &'a mut dyn Observer,
}

/// What `name` is under in a block in which the reference raced its own clone.
const CLONE: &str = "reference";

/// Seeds of different uses of one class must differ, or a confirmation would replay the race's calls.
#[derive(Clone, Copy)]
pub(super) enum Use {
    Race = 0,
    Confirmation = 1,
}

impl Session<'_> {
    /// Settings for timing situations; the seed depends on the class, so that no two classes draw the same calls.
    pub fn settings(&self, situations: Vec<Situation>, class: &str, purpose: Use) -> time::Settings {
        let class = class.bytes().fold(0_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
        time::Settings {
            emitter: self.admission.emitter(),
            seed: self.options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ class << 8 ^ purpose as u64,
            cpu: self.options.cpu,
            last_level_cache: self.host.caches.large_copy_start() as usize,
            ..time::Settings::new(situations)
        }
    }

    /// Appends to the journal, and remembers.
    pub fn note(&mut self, entry: Entry) -> Result<(), TuneError> {
        self.journal.append(&entry)?;
        self.past.add(&entry);
        Ok(())
    }

    /// The noise floor of a class, measured unless it is recorded: the reference against its clone.
    pub fn floor(&mut self, judge: &mut LiveJudge, class: &str) -> Result<f64, TuneError> {
        let recorded = |past: &Past| past.class(class).and_then(|past| past.samples(Phase::Gate).remove(CLONE));
        if recorded(&self.past).is_none() {
            for ratio in judge.aa(self.options.effort.gate_blocks())? {
                let samples = vec![Timing { routine: CLONE.to_owned(), outcome: Outcome::LogRatio(ratio) }];
                let (class, phase) = (class.to_owned(), Phase::Gate);
                self.note(Entry::Block(Block { class, phase, reference_ns: None, samples }))?;
            }
        }
        Ok(noise_floor(&recorded(&self.past).unwrap_or_default()))
    }

    /// Notes a refused candidate once.
    pub fn note_refused(&mut self, routine: &str, reason: &str) -> Result<(), TuneError> {
        if self.past.rejected(routine).is_some() {
            return Ok(());
        }
        let stage = match reason {
            reason if reason.starts_with("the plan") => Stage::Plan,
            reason if reason.starts_with("run") => Stage::Run,
            _ => Stage::Code,
        };
        self.note(Entry::Rejected(Rejected { routine: routine.to_owned(), stage, reason: reason.to_owned() }))
    }

    /// The error to stop with, when the observer has asked for it.
    pub fn check(&mut self) -> Result<(), TuneError> {
        if self.observer.stop() { Err(TuneError::Interrupted) } else { Ok(()) }
    }
}

/// Passes what a search shows on to the observer.
pub(super) struct Passing<'a> {
    pub observer: &'a mut dyn Observer,
    pub span: Span,
}

impl Watch for Passing<'_> {
    fn block(&mut self, progress: &Progress<'_>) {
        self.observer.block(self.span, progress);
    }

    fn left(&mut self, routine: &Routine, outcome: &Left) {
        if let Left::Failed(reason) = outcome {
            self.observer.refused(&routine.to_string(), reason);
        }
    }

    fn more(&mut self) -> bool {
        !self.observer.stop()
    }
}
