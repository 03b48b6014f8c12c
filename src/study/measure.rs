//! Every kernel of a plan in a fixed number of blocks, each through the same proofs and the same judge as in a tune.
//!
//! ```text
//! class ── gate: the reference against its clone
//!   └── group of 48, drawn ── admission ── blocks: reference, the group in random order, reference
//! ```
//!
//! Nobody leaves early and nobody is chosen. Kernels of one group share their blocks; those of two groups are compared through the
//! reference alone. A run that was stopped goes on with the block it was in.

use super::{Plan, StudyError};
use crate::host::Host;
use crate::record::{Block, Entry, Journal, Lock, Opened, Outcome, Past, Phase, Timing};
use crate::time::{LiveJudge, Settings};
use crate::tune::{self, Admission, Destination, Door, Observer, Use, timed};
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::{Judge, Progress, Sample};
use std::collections::BTreeSet;

/// Blocks in which the reference races its clone before the groups of a class.
const GATE: usize = 32;

/// What was measured, over all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Measured {
    /// Kernels with samples.
    pub kernels: usize,
    /// Kernels that were refused or failed.
    pub rejected: usize,
    /// Samples of this run.
    pub samples: u64,
    /// Samples that earlier runs had taken.
    pub found: u64,
}

/// Measures a plan into the journal of the locked directory, going on where an earlier run stopped.
///
/// # Errors
/// [`StudyError`]; everything measured until then is in the journal.
pub fn measure(
    host: &Host,
    plan: &Plan,
    admission: Admission,
    lock: &Lock,
    observer: &mut dyn Observer,
) -> Result<Measured, StudyError> {
    let Opened { journal, entries, torn, changed } = Journal::open(lock, &plan.header(host))?;
    if let Some(torn) = torn {
        observer.note(&torn.to_string());
    }
    for mismatch in changed {
        observer.note(&format!("since these data were begun, {mismatch}"));
    }
    let mut study = Study { host, plan, admission, past: Past::new(&entries), journal, measured: Measured::default() };
    let stages: Vec<(Span, Vec<Vec<Recipe>>)> =
        plan.classes.iter().map(|&class| (class, plan.groups(host, class))).collect();
    let of = stages.iter().map(|(_, groups)| groups.len()).sum();
    let mut stage = 0;
    for (class, groups) in stages {
        let mut judge = None;
        for (number, group) in groups.iter().enumerate() {
            observer.stage(stage, of, &format!("{class}, group {} of {}", number + 1, groups.len()));
            study.group(class, number, group, &mut judge, observer)?;
            stage += 1;
        }
    }
    Ok(study.measured)
}

struct Study<'a> {
    host: &'a Host,
    plan: &'a Plan,
    admission: Admission,
    past: Past,
    journal: Journal,
    measured: Measured,
}

impl Study<'_> {
    fn group(
        &mut self,
        class: Span,
        number: usize,
        group: &[Recipe],
        judge: &mut Option<LiveJudge>,
        observer: &mut dyn Observer,
    ) -> Result<(), StudyError> {
        let names: BTreeSet<String> = group.iter().map(Recipe::to_string).collect();
        let text = class.to_string();
        let ours = |block: &&Block| {
            block.phase == Phase::Race && block.samples.iter().any(|timing| names.contains(&timing.routine))
        };
        let blocks: Vec<&Block> =
            self.past.class(&text).into_iter().flat_map(|past| &past.blocks).filter(ours).collect();
        let (have, samples) = (blocks.len(), blocks.iter().map(|block| block.samples.len() as u64).sum::<u64>());
        self.measured.found += samples;
        let admitted = if have < self.plan.blocks { self.admitted(group, observer)? } else { Vec::new() };
        let mut racing: Vec<Routine> = admitted;
        racing.retain(|routine| self.past.rejected(&routine.to_string()).is_none());
        if have < self.plan.blocks && !racing.is_empty() {
            if judge.is_none() {
                *judge = Some(LiveJudge::new(&self.settings(class))?);
                self.gate(&text, judge.as_mut().expect("just made"))?;
            }
            let judge = judge.as_mut().expect("made above");
            for block in have..self.plan.blocks {
                if observer.stop() {
                    return Err(StudyError::Interrupted);
                }
                if racing.is_empty() {
                    break;
                }
                let samples = judge.block(&racing)?;
                self.measured.samples += samples.len() as u64;
                let progress = Progress {
                    block: number * self.plan.blocks + block + 1,
                    contestants: &racing,
                    samples: &samples,
                    survivors: racing.len(),
                    best: None,
                };
                observer.block(class, &progress);
                let timings = racing.iter().zip(&samples);
                let entry = Entry::Block(Block {
                    class: text.clone(),
                    phase: Phase::Race,
                    reference_ns: judge.reference_figures().nanoseconds.map(|ns| rounded(ns, 1e3)),
                    samples: timings.map(|(routine, sample)| timing(routine.to_string(), sample)).collect(),
                });
                self.note(&entry)?;
                racing.retain(|routine| self.past.rejected(&routine.to_string()).is_none());
            }
        }
        let rejected = names.iter().filter(|name| self.past.rejected(name).is_some()).count();
        self.measured.rejected += rejected;
        self.measured.kernels += names.len() - rejected;
        Ok(())
    }

    /// Those of the group that pass the proofs, in its order.
    fn admitted(&mut self, group: &[Recipe], observer: &mut dyn Observer) -> Result<Vec<Routine>, StudyError> {
        let door = Door::new(&self.admission, &self.journal, &self.past);
        let mut admitted = Vec::new();
        for recipe in group {
            if door.is_broken() {
                break;
            }
            if observer.stop() {
                return Err(StudyError::Interrupted);
            }
            let routine = Routine::from(recipe.clone());
            match door.admit(&routine) {
                Ok(()) => admitted.push(routine),
                Err(reason) if !door.is_broken() => observer.refused(&routine.to_string(), &reason),
                Err(_) => {}
            }
        }
        let refused = door.close()?;
        refused.into_iter().for_each(|rejected| self.past.add(&Entry::Rejected(rejected)));
        Ok(admitted)
    }

    /// The reference against its clone, as far as that is not recorded.
    fn gate(&mut self, class: &str, judge: &mut LiveJudge) -> Result<(), StudyError> {
        let recorded = self.past.class(class).map_or(0, |past| past.samples(Phase::Gate).values().map(Vec::len).sum());
        for ratio in judge.aa(GATE.saturating_sub(recorded))? {
            let samples = vec![timing(tune::CLONE.to_owned(), &Sample::LogRatio(ratio))];
            self.note(&Entry::Block(Block {
                class: class.to_owned(),
                phase: Phase::Gate,
                reference_ns: None,
                samples,
            }))?;
        }
        Ok(())
    }

    fn settings(&self, class: Span) -> Settings {
        let text = class.to_string();
        // What a resumed run draws must not be what the run before it drew.
        let recorded = self.past.class(&text).map_or(0, |past| past.blocks.len() as u64);
        let seed = self.plan.seed ^ recorded << 32 ^ (self.plan.shard.index() as u64) << 48;
        let situations = tune::situations(timed(class), &self.host.caches, Destination::Read);
        tune::timing(self.host, &self.admission, situations, &text, (seed, self.plan.cpu), Use::Race)
    }

    fn note(&mut self, entry: &Entry) -> Result<(), StudyError> {
        self.journal.append(entry)?;
        self.past.add(entry);
        Ok(())
    }
}

/// A sample as it is written: a millionth of a log is a thousandth of the least noise, and more digits would triple the file.
fn timing(routine: String, sample: &Sample) -> Timing {
    let outcome = match sample {
        Sample::LogRatio(ratio) => Outcome::LogRatio(rounded(*ratio, 1e6)),
        Sample::Failed(why) => Outcome::Failed(why.clone()),
    };
    Timing { routine, outcome }
}

fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}
