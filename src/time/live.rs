//! The judge with a real clock.

use super::TimeError;
use super::bench::Bench;
use super::driver;
use super::lanes::{Lanes, Spread, Target};
use super::median;
use super::pin::Pin;
use super::sample::is_possible;
use super::settings::{Emitter, Settings, Situation, score};
use super::stage::{self, Stage};
use super::tally::Tally;
use super::workload::Workload;
use crate::run::Entry;
use copysmith_kernels::{Code, Routine, Span};
use copysmith_search::{Judge, Sample};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// How many blocks an absolute figure is the median of.
const RATE_BLOCKS: usize = 15;

/// Times routines against the reference on this machine. The thread it is made on stays on one CPU as long as it lives.
#[derive(Debug)]
pub struct LiveJudge {
    pin: Pin,
    bench: Bench,
    rng: ChaCha8Rng,
    emitter: Emitter,
    reference: Target,
    null: Target,
    stages: Vec<Stage>,
    worst_share: f64,
    lanes: Lanes,
    codes: HashMap<String, Result<Rc<Code>, String>>,
    /// The latest bytes a tick of each routine in the first situation, by its text.
    rates: HashMap<String, VecDeque<f64>>,
    tally: Tally,
}

impl LiveJudge {
    /// A judge with filled buffers that knows how many calls make a pass. Takes up to a second or so for cold situations.
    ///
    /// # Errors
    /// [`TimeError`], where the settings mean nothing or this machine cannot time.
    pub fn new(settings: &Settings) -> Result<LiveJudge, TimeError> {
        if !cfg!(target_arch = "x86_64") {
            return Err(TimeError::Architecture);
        }
        settings.check()?;
        let pin = Pin::to(settings.cpu).map_err(TimeError::Pin)?;
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        let mut bench = Bench::new(settings, &mut rng)?;
        let reference = Target::Linked(settings.reference);
        let null = Target::Emitted(Rc::new(driver::emit_null()));
        let workloads = settings.situations.iter().map(|situation| &situation.workload);
        let lanes = Lanes::new(
            vec![reference.clone(), reference.clone(), null.clone()],
            stage::read_backs(workloads),
            settings.entered,
            Spread::Together,
            &mut rng,
        )?;
        let prepare = |situation: &Situation| Stage::new(situation, &mut bench, &lanes, &mut rng);
        let stages = settings.situations.iter().map(prepare).collect();
        Ok(LiveJudge {
            pin,
            bench,
            rng,
            emitter: settings.emitter.clone(),
            reference,
            null,
            stages,
            worst_share: settings.worst_share,
            lanes,
            codes: HashMap::new(),
            rates: HashMap::new(),
            tally: Tally::default(),
        })
    }

    /// The reference raced against itself through another copy of the call loop: the log ratios of the clone, one a block.
    /// What they scatter by is what cannot be told apart here.
    ///
    /// # Errors
    /// [`TimeError::Reference`], when the reference cannot be timed.
    pub fn aa(&mut self, blocks: usize) -> Result<Vec<f64>, TimeError> {
        let clone = [Contestant { name: REFERENCE_NAME.to_owned(), target: self.reference.clone() }];
        let one = |_| Ok(self.race(&clone)?.remove(0).ok());
        (0..blocks).map(one).filter_map(Result::transpose).collect()
    }

    /// One block of functions that are linked into this program, by name, as [`Judge::block`] is one of routines. They copy
    /// every length.
    ///
    /// # Errors
    /// [`TimeError`], as for [`Judge::block`].
    pub fn linked_block(&mut self, linked: &[Linked]) -> Result<Vec<Result<f64, String>>, TimeError> {
        let contestant =
            |linked: &Linked| Contestant { name: linked.name.clone(), target: Target::Linked(linked.entry) };
        self.race(&linked.iter().map(contestant).collect::<Vec<_>>())
    }

    /// The speed of a linked function, as [`LiveJudge::gigabytes_per_second`].
    pub fn linked_gigabytes_per_second(&self, linked: &Linked) -> Option<f64> {
        self.rate(&linked.name)
    }

    /// The speed of a routine in its latest blocks of the first situation, in bytes a nanosecond; `None` until it has run, and
    /// for figures that no copy can reach. For display: compare log ratios, not these.
    pub fn gigabytes_per_second(&self, routine: &Routine) -> Option<f64> {
        self.rate(&routine.to_string())
    }

    /// The speed of the reference, as [`gigabytes_per_second`](LiveJudge::gigabytes_per_second).
    pub fn reference_gigabytes_per_second(&self) -> Option<f64> {
        self.rate(REFERENCE_NAME)
    }

    /// What was dropped so far, and why.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// The CPU it times on.
    pub fn cpu(&self) -> usize {
        self.pin.cpu()
    }

    /// How many calls a pass of each situation makes, in order.
    pub fn calls(&self) -> Vec<usize> {
        self.stages.iter().map(|stage| stage.calls).collect()
    }

    fn rate(&self, text: &str) -> Option<f64> {
        let rate = median(self.rates.get(text)?.iter().copied());
        is_possible(1.0, rate).then(|| rate * self.bench.clock.ticks_per_nanosecond()).filter(|&rate| rate > 0.0)
    }

    /// A routine as a contestant, or why it cannot be one.
    fn enter(&mut self, routine: &Routine) -> Result<Contestant, String> {
        self.covers(routine.span())?;
        let name = routine.to_string();
        let emit = || self.emitter.emit(routine).map(Rc::new);
        let code = self.codes.entry(name.clone()).or_insert_with(emit).clone()?;
        Ok(Contestant { name, target: Target::Emitted(code) })
    }

    /// Whether a routine is made for every length that is timed.
    fn covers(&self, span: Span) -> Result<(), String> {
        let outside =
            |workload: &&Workload| !(span.contains(workload.lengths.first()) && span.contains(workload.lengths.last()));
        match self.stages.iter().map(|stage| &stage.workload).find(outside) {
            Some(workload) => Err(format!("it copies {span} only, and is to be timed on {workload}")),
            None => Ok(()),
        }
    }

    /// One block of every situation. All contestants are correct for all lengths of all workloads.
    ///
    /// Code and hot buffers move each time. Some places suit a routine a fifth better than others, and blocks in one place would agree
    /// with each other more than the estimate of their error allows. And predictors remember the situation before: on Zen 5 a
    /// branch that was taken there once costs a later one, in which it never is, what it costs where it always is.
    fn race(&mut self, contestants: &[Contestant]) -> Result<Vec<Result<f64, String>>, TimeError> {
        let mut targets = vec![self.reference.clone(), self.reference.clone(), self.null.clone()];
        targets.extend(contestants.iter().map(|contestant| contestant.target.clone()));
        let LiveJudge { bench, rng, stages, worst_share, lanes, tally, rates, .. } = self;
        let mut all = vec![Ok(Vec::with_capacity(stages.len())); contestants.len()];
        for (index, stage) in stages.iter_mut().enumerate() {
            *lanes = lanes.moved(targets.clone(), stage.spread(), rng)?;
            bench.move_hot(rng);
            let block = stage.block(contestants.len(), bench, lanes, rng, |discarded| tally.note_attempt(discarded));
            tally.note_settled(&block);
            let reference = block.reference_ticks();
            let reference = reference.ok_or_else(|| TimeError::Reference { workload: stage.workload.to_string() })?;
            for (ratios, ratio) in all.iter_mut().zip(block.log_ratios()) {
                match (ratios.as_mut(), ratio) {
                    (Ok(ratios), Some(ratio)) => ratios.push((stage.weight, ratio)),
                    (Ok(_), None) => *ratios = Err(format!("no copy can take the time it takes on {}", stage.workload)),
                    (Err(_), _) => {}
                }
            }
            if index == 0 {
                note_rate(rates, REFERENCE_NAME, block.bytes / reference);
                for (contestant, rate) in contestants.iter().zip(block.rates()) {
                    rate.into_iter().for_each(|rate| note_rate(rates, &contestant.name, rate));
                }
            }
        }
        Ok(all.into_iter().map(|ratios| ratios.map(|ratios| score(&ratios, *worst_share))).collect())
    }
}

impl Judge for LiveJudge {
    type Error = TimeError;

    fn block(&mut self, routines: &[Routine]) -> Result<Vec<Sample>, TimeError> {
        let entered: Vec<Result<Contestant, String>> = routines.iter().map(|routine| self.enter(routine)).collect();
        let racing: Vec<Contestant> = entered.iter().flatten().cloned().collect();
        let mut ratios = self.race(&racing)?.into_iter();
        let sample = |entered: Result<Contestant, String>| match entered.and_then(|_| ratios.next().expect("one each"))
        {
            Ok(ratio) => Sample::LogRatio(ratio),
            Err(why) => Sample::Failed(why),
        };
        Ok(entered.into_iter().map(sample).collect())
    }
}

/// A function that is linked into this program.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The name its figures are kept under; not empty.
    pub name: String,
    /// Where it starts.
    pub entry: Entry<'static>,
}

/// One that races, and the name its figures are kept under.
#[derive(Clone, Debug)]
struct Contestant {
    name: String,
    target: Target,
}

/// No routine has an empty text.
const REFERENCE_NAME: &str = "";

fn note_rate(rates: &mut HashMap<String, VecDeque<f64>>, name: &str, bytes_a_tick: f64) {
    let latest = rates.entry(name.to_owned()).or_default();
    latest.push_back(bytes_a_tick);
    if latest.len() > RATE_BLOCKS {
        latest.pop_front();
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
