//! What every stage of a tune shares: the machine, the options, who is admitted, the journal, and who is watching.

use super::admission::Admission;
use super::deadline::{Allowance, Deadline};
use super::door::Door;
use super::situations::situations;
use super::tradeoff::{Trade, slower, trade_off};
use super::whole::WHOLE;
use super::{Observer, Options, TuneError};
use crate::host::Host;
use crate::record::{Block, Breakdown, Entry, InSituation, Journal, Outcome, Past, Phase, Rejected, Timing};
use crate::time::{self, LiveJudge, Situation};
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::race::{Lane, Outcome as Left};
use copysmith_search::stats::noise_floor;
use copysmith_search::ties::{Standing, choose};
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
    pub allowance: Allowance,
    pub stages: Stages,
}

/// How far a tune is.
pub(super) struct Stages {
    begun: usize,
    all: usize,
}

impl Stages {
    /// Of a tune with so many.
    pub fn new(all: usize) -> Stages {
        Stages { begun: 0, all }
    }
}

/// What `name` is under in a block in which the reference raced its own clone.
pub(crate) const CLONE: &str = "reference";

/// Seeds of different uses of one class must differ, or a confirmation would replay the race's calls.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    Race = 0,
    Confirmation = 1,
}

/// Settings for timing situations of admitted routines on a CPU; what they draw depends on the seed, the class and the purpose.
pub(crate) fn timing(
    host: &Host,
    admission: &Admission,
    situations: Vec<Situation>,
    class: &str,
    (seed, cpu): (u64, Option<usize>),
    purpose: Use,
) -> time::Settings {
    let class = class.bytes().fold(0_u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    time::Settings {
        emitter: admission.emitter(),
        seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ class << 8 ^ purpose as u64,
        cpu,
        last_level_cache: host.caches.large_copy_start() as usize,
        ..time::Settings::new(situations)
    }
}

impl Session<'_> {
    /// What a class is timed on here.
    pub fn situations(&self, span: Span) -> Vec<Situation> {
        situations(span, &self.host.caches, self.options.destination)
    }

    /// Settings for timing situations; the seed depends on the class, so that no two classes draw the same calls.
    pub fn settings(&self, situations: Vec<Situation>, class: &str, purpose: Use) -> time::Settings {
        let Options { seed, cpu, .. } = *self.options;
        timing(self.host, &self.admission, situations, class, (seed, cpu), purpose)
    }

    /// Appends to the journal, and remembers.
    pub fn note(&mut self, entry: Entry) -> Result<(), TuneError> {
        self.note_all(&[entry])
    }

    /// Appends entries that mean something only together.
    pub fn note_all(&mut self, entries: &[Entry]) -> Result<(), TuneError> {
        self.journal.append_all(entries)?;
        entries.iter().for_each(|entry| self.past.add(entry));
        Ok(())
    }

    /// Remembers who was refused; the journal has them already.
    pub fn remember(&mut self, refused: Vec<Rejected>) {
        refused.into_iter().for_each(|rejected| self.past.add(&Entry::Rejected(rejected)));
    }

    /// The noise floor of a class, measured unless it is recorded: the reference against its clone.
    pub fn floor(&mut self, judge: &mut LiveJudge, class: &str) -> Result<f64, TuneError> {
        let recorded = |past: &Past| past.class(class).and_then(|past| past.samples(Phase::Gate).remove(CLONE));
        // A run that was killed may have recorded some of the blocks.
        let have = recorded(&self.past).map_or(0, |ratios| ratios.len());
        let block = |ratio| {
            let samples = vec![Timing { routine: CLONE.to_owned(), outcome: Outcome::LogRatio(ratio) }];
            Entry::Block(Block { class: class.to_owned(), phase: Phase::Gate, reference_ns: None, samples })
        };
        let ratios = judge.aa(self.options.effort.gate_blocks().saturating_sub(have))?;
        self.note_all(&ratios.into_iter().map(block).collect::<Vec<Entry>>())?;
        Ok(noise_floor(&recorded(&self.past).unwrap_or_default()))
    }

    /// The index of the one of the tied lanes that the tie rule chooses; `None` of none.
    pub fn chosen(&self, lanes: &[Lane], tied: &[usize], incumbent: Option<&Routine>) -> Option<usize> {
        let standing = |&index: &usize| {
            let routine = lanes[index].routine.clone();
            let (code_bytes, incumbent) = (self.admission.code_bytes(&routine), Some(&routine) == incumbent);
            Standing { routine, code_bytes, incumbent, common: true, neighbour: false }
        };
        let standings: Vec<Standing> = tied.iter().map(standing).collect();
        let chosen = choose(&standings)?;
        lanes.iter().position(|lane| lane.routine == chosen.routine)
    }

    /// Where the confirmed whole routine is slower than the reference, and what its races saw that trades otherwise.
    pub fn seen(&self, situations: &[Situation]) -> (Vec<InSituation>, Vec<Trade>) {
        let of_wholes = self.past.classes().filter(|(name, _)| name.starts_with(WHOLE));
        let breakdowns: Vec<&Breakdown> = of_wholes.flat_map(|(_, past)| &past.breakdowns).collect();
        let in_phase = |phase| breakdowns.iter().copied().filter(move |breakdown| breakdown.phase == phase);
        let slower = in_phase(Phase::Confirmation).next_back().map(slower).unwrap_or_default();
        (slower, trade_off(in_phase(Phase::Race), situations))
    }

    /// The next stage begins; the error to stop with, when the observer has asked for it.
    pub fn stage(&mut self, what: &str) -> Result<(), TuneError> {
        self.check()?;
        let Stages { begun, all } = &mut self.stages;
        self.observer.stage(*begun, *all, what);
        *begun += 1;
        Ok(())
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
    pub door: &'a Door<'a>,
    pub deadline: Deadline,
}

impl Watch for Passing<'_> {
    fn block(&mut self, progress: &Progress<'_>) {
        self.deadline.block();
        self.observer.block(self.span, progress);
    }

    fn left(&mut self, routine: &Routine, outcome: &Left) {
        if let Left::Failed(reason) = outcome {
            self.observer.refused(&routine.to_string(), reason);
        }
    }

    fn refused(&mut self, recipe: &Recipe, reason: &str) {
        // Where nothing can be tried out any more, that is no fault of the recipe.
        if !self.door.is_broken() {
            self.observer.refused(&recipe.to_string(), reason);
        }
    }

    fn more(&mut self) -> bool {
        !self.door.is_broken() && !self.observer.stop() && !self.deadline.is_over()
    }
}
