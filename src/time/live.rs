//! The judge with a real clock.

use super::TimeError;
use super::bench::Bench;
use super::breakdown::Breakdown;
use super::driver::{self, Entered};
use super::entrant::{Copier, Entrant};
use super::lanes::{Lane, Lanes, Spread, Target};
use super::median;
use super::pin::Pin;
use super::sample::is_possible;
use super::settings::{Emitter, Seen, Settings, Situation, score};
use super::stage::{self, Stage};
use super::tally::Tally;
use super::workload::Workload;
use copysmith_kernels::{Code, Routine, Span};

use copysmith_search::{Judge, Sample};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// How many blocks an absolute figure is the median of.
const PACE_BLOCKS: usize = 15;

/// Times routines against the reference on this machine. The thread it is made on stays on one CPU as long as it lives.
#[derive(Debug)]
pub struct LiveJudge {
    pin: Pin,
    bench: Bench,
    rng: ChaCha8Rng,
    emitter: Emitter,
    reference: Lane,
    null: Lane,
    /// How routines are called.
    entered: Entered,
    stages: Vec<Stage>,
    loss_aversion: f64,
    lanes: Lanes,
    codes: HashMap<String, Result<Rc<Code>, String>>,
    /// What each contestant did in the first situation in the latest blocks, by its name.
    latest: HashMap<String, VecDeque<Pace>>,
    breakdown: Breakdown,
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
        let lane = |target, entered| Lane { target, entered, start: None, slot: None };
        let reference = lane(Target::Linked(settings.reference), settings.entered);
        // A function that makes the jump itself makes no more jumps than an empty one that is called by one.
        let null = lane(Target::Emitted(Rc::new(driver::emit_null())), Entered::ByJump);
        let workloads = settings.situations.iter().map(|situation| &situation.workload);
        let lanes = Lanes::new(
            vec![reference.clone(), reference.clone(), null.clone()],
            stage::read_backs(workloads),
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
            entered: settings.entered,
            stages,
            loss_aversion: settings.loss_aversion,
            lanes,
            codes: HashMap::new(),
            latest: HashMap::new(),
            breakdown: Breakdown::default(),
            tally: Tally::default(),
        })
    }

    /// The reference raced against itself through another copy of the call loop: the log ratios of the clone, one a block.
    /// What they scatter by is what cannot be told apart here.
    ///
    /// # Errors
    /// [`TimeError::Reference`], when the reference cannot be timed.
    pub fn aa(&mut self, blocks: usize) -> Result<Vec<f64>, TimeError> {
        let clone = [Contestant { name: REFERENCE_NAME.to_owned(), lane: self.reference.clone() }];
        let one = |_| Ok(self.race(&clone)?.remove(0).ok());
        (0..blocks).map(one).filter_map(Result::transpose).collect()
    }

    /// One block of anybody, by name, as [`Judge::block`] is one of routines.
    ///
    /// # Errors
    /// [`TimeError`], as for [`Judge::block`].
    pub fn entrants_block(&mut self, entrants: &[Entrant]) -> Result<Vec<Result<f64, String>>, TimeError> {
        let entered = entrants.iter().map(|entrant| self.enter(entrant)).collect();
        self.race_entered(entered)
    }

    /// What somebody of this name took in the latest blocks of the first situation; see [`LiveJudge::gigabytes_per_second`].
    pub fn figures(&self, name: &str) -> Figures {
        let median_of = |figure: &dyn Fn(&Pace) -> f64| {
            let known = self.latest.get(name).into_iter().flatten();
            Some(median(known.map(figure))).filter(|figure| figure.is_finite())
        };
        let rate = self.bench.clock.ticks_per_nanosecond();
        let bytes_a_tick = median_of(&|pace| pace.bytes / pace.ticks);
        Figures {
            gigabytes_per_second: bytes_a_tick
                .filter(|&bytes| bytes > 0.0 && is_possible(1.0, bytes))
                .map(|bytes| bytes * rate),
            nanoseconds: median_of(&|pace| pace.ticks).map(|ticks| ticks / rate),
        }
    }

    /// The log ratios of somebody of this name in every block, situation by situation.
    pub fn breakdown(&self, name: &str) -> &[Vec<f64>] {
        self.breakdown.of(name)
    }

    /// The reference's, as [`figures`](LiveJudge::figures).
    pub fn reference_figures(&self) -> Figures {
        self.figures(REFERENCE_NAME)
    }

    /// What a call of a function that does nothing took in the latest blocks of the first situation, in nanoseconds. It is in every
    /// other figure, and is not to be taken off where ratios are made: a short copy runs in the shadow of its call.
    pub fn overhead_nanoseconds(&self) -> Option<f64> {
        self.figures(NULL_NAME).nanoseconds
    }

    /// The speed of a routine in its latest blocks of the first situation, in bytes a nanosecond; `None` until it has run, and
    /// for figures that no copy can reach. For display: compare log ratios, not these.
    pub fn gigabytes_per_second(&self, routine: &Routine) -> Option<f64> {
        self.figures(&routine.to_string()).gigabytes_per_second
    }

    /// The speed of the reference, as [`gigabytes_per_second`](LiveJudge::gigabytes_per_second).
    pub fn reference_gigabytes_per_second(&self) -> Option<f64> {
        self.reference_figures().gigabytes_per_second
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

    /// A contestant with its lane, or why it cannot be one.
    fn enter(&mut self, entrant: &Entrant) -> Result<Contestant, String> {
        let (target, entered, start) = match &entrant.copier {
            Copier::Function(entry, entered) => (Target::Linked(*entry), *entered, None),
            Copier::Routine(routine) => (self.code(routine)?, Entered::ByJump, None),
            Copier::Moved(routine, start) => (self.code(routine)?, Entered::ByJump, Some(*start)),
        };
        Ok(Contestant { name: entrant.name.clone(), lane: Lane { target, entered, start, slot: entrant.slot.clone() } })
    }

    /// The code of a routine, or why there is none.
    fn code(&mut self, routine: &Routine) -> Result<Target, String> {
        self.covers(routine.span())?;
        let emit = || self.emitter.emit(routine).map(Rc::new);
        self.codes.entry(routine.to_string()).or_insert_with(emit).clone().map(Target::Emitted)
    }

    /// Whether a routine is made for every length that is timed.
    fn covers(&self, span: Span) -> Result<(), String> {
        if let Some(stage) = self.stages.iter().find(|stage| stage.workload.overlap.is_some()) {
            return Err(format!("it copies regions that are apart, and is to be timed on {}", stage.workload));
        }
        let outside =
            |workload: &&Workload| !(span.contains(workload.lengths.first()) && span.contains(workload.lengths.last()));
        match self.stages.iter().map(|stage| &stage.workload).find(outside) {
            Some(workload) => Err(format!("it copies {span} only, and is to be timed on {workload}")),
            None => Ok(()),
        }
    }

    /// One block of those who could enter, and the reasons of those who could not in their places.
    fn race_entered(
        &mut self,
        entered: Vec<Result<Contestant, String>>,
    ) -> Result<Vec<Result<f64, String>>, TimeError> {
        let racing: Vec<Contestant> = entered.iter().flatten().cloned().collect();
        let mut ratios = self.race(&racing)?.into_iter();
        Ok(entered.into_iter().map(|entered| entered.and_then(|_| ratios.next().expect("one each"))).collect())
    }

    /// One block of every situation. All contestants are correct for all lengths of all workloads.
    ///
    /// Code and hot buffers move each time. Some places suit a routine a fifth better than others, and blocks in one place would agree
    /// with each other more than the estimate of their error allows. And predictors remember the situation before: on Zen 5 a
    /// branch that was taken there once costs a later one, in which it never is, what it costs where it always is.
    fn race(&mut self, contestants: &[Contestant]) -> Result<Vec<Result<f64, String>>, TimeError> {
        let mut all_lanes = vec![self.reference.clone(), self.reference.clone(), self.null.clone()];
        all_lanes.extend(contestants.iter().map(|contestant| contestant.lane.clone()));
        let all_lanes: Rc<[Lane]> = all_lanes.into();
        let LiveJudge { bench, rng, stages, loss_aversion, lanes, tally, latest, breakdown, .. } = self;
        let mut all = vec![Ok(Vec::with_capacity(stages.len())); contestants.len()];
        for (index, stage) in stages.iter_mut().enumerate() {
            *lanes = lanes.moved(&all_lanes, stage.spread(), rng)?;
            bench.move_hot(rng);
            let block = stage.block(contestants.len(), bench, lanes, rng, |discarded| tally.note_attempt(discarded));
            tally.note_settled(&block);
            let reference = block.reference_ticks();
            let reference = reference.ok_or_else(|| TimeError::Reference { workload: stage.workload.to_string() })?;
            for (ratios, ratio) in all.iter_mut().zip(block.log_ratios()) {
                match (ratios.as_mut(), ratio) {
                    (Ok(ratios), Some(ratio)) => ratios.push(ratio),
                    (Ok(_), None) => *ratios = Err(format!("no copy can take the time it takes on {}", stage.workload)),
                    (Err(_), _) => {}
                }
            }
            if index == 0 {
                let mut note = |name: &str, ticks| note(latest, name, Pace { bytes: block.bytes, ticks });
                note(REFERENCE_NAME, reference);
                block.overhead.into_iter().for_each(|ticks| note(NULL_NAME, ticks));
                for (contestant, ticks) in contestants.iter().zip(block.contestant_ticks()) {
                    ticks.into_iter().for_each(|ticks| note(&contestant.name, ticks));
                }
            }
        }
        let mut scored = |name: &str, ratios: Vec<f64>| {
            breakdown.note(name, ratios.into_iter());
            let weights = stages.iter().map(|stage| stage.weight);
            let seen: Vec<Seen<'_>> =
                weights.zip(breakdown.of(name)).map(|(weight, log_ratios)| Seen { weight, log_ratios }).collect();
            score(&seen, *loss_aversion)
        };
        let scores = contestants.iter().zip(all);
        Ok(scores.map(|(contestant, ratios)| ratios.map(|ratios| scored(&contestant.name, ratios))).collect())
    }
}

impl Judge for LiveJudge {
    type Error = TimeError;

    fn block(&mut self, routines: &[Routine]) -> Result<Vec<Sample>, TimeError> {
        let mut enter = |routine: &Routine| {
            let (target, entered) = (self.code(routine)?, self.entered);
            Ok(Contestant { name: routine.to_string(), lane: Lane { target, entered, start: None, slot: None } })
        };
        let entered = routines.iter().map(&mut enter).collect();
        let sample = |ratio| match ratio {
            Ok(ratio) => Sample::LogRatio(ratio),
            Err(why) => Sample::Failed(why),
        };
        Ok(self.race_entered(entered)?.into_iter().map(sample).collect())
    }
}

/// What a contestant takes in absolute terms: for display, since only ratios can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Bytes a nanosecond; `None` where nothing was copied or measured, and for figures that no copy can reach.
    pub gigabytes_per_second: Option<f64>,
    /// Nanoseconds a call, the call loop's share included; `None` where nothing was measured.
    pub nanoseconds: Option<f64>,
}

/// One who races, and the name its figures are kept under.
#[derive(Clone, Debug)]
struct Contestant {
    name: String,
    lane: Lane,
}

/// What a call of one pass copied and took on average.
#[derive(Clone, Copy, Debug)]
struct Pace {
    bytes: f64,
    ticks: f64,
}

/// No routine has an empty text.
const REFERENCE_NAME: &str = "";
/// Nor one of a blank.
const NULL_NAME: &str = " ";

fn note(latest: &mut HashMap<String, VecDeque<Pace>>, name: &str, pace: Pace) {
    let paces = latest.entry(name.to_owned()).or_default();
    paces.push_back(pace);
    if paces.len() > PACE_BLOCKS {
        paces.pop_front();
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
