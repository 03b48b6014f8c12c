//! How far the numbers of a tune can be trusted, on this machine: measured, not assumed.
//!
//! ```text
//! reference against its clone, many blocks ──> windows as long as a confirmation ──> false positives, planted differences found
//! kernels, many blocks ──────────────────────> windows against all other blocks ───> coverage of the 95 % interval
//! the race of a class again and again ───────> picks and tie sets ─────────────────> agreement, Jaccard, size of tie sets
//!                                              each pick confirmed ────────────────> optimism
//! ```

mod stability;
mod windows;

pub use stability::{Pick, Stability, stability};
pub use windows::{PLANTED, covered, finds_planted, holds};

use super::StudyError;
use crate::host::Host;
use crate::time::{LiveJudge, confirm};
use crate::tune::{self, Admission, Asked, Destination, Effort, Observer, Options, Use, chosen, features, situations};
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::space::space;
use copysmith_search::stats::{noise_floor, trimmed_mean};
use copysmith_search::strategy::search;
use copysmith_search::{Judge, Sample};
use serde::Serialize;
use std::time::Duration;

/// Kernels whose intervals are held against their own later blocks.
const COVERED: usize = 6;

/// How long the process that confirms may take.
const LIMIT: Duration = Duration::from_secs(600);

/// What was found of one class at one effort.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Calibration {
    /// The effort.
    pub effort: String,
    /// The class.
    pub class: String,
    /// Windows of the reference against its clone.
    pub trials: usize,
    /// Share of them whose 95 % interval leaves out zero.
    pub false_positives: f64,
    /// Share of them in which a planted difference of 3 % is told apart.
    pub planted_found: f64,
    /// Windows of kernels.
    pub windows: usize,
    /// Share of them whose 95 % interval holds the mean of all other blocks of the kernel.
    pub coverage: f64,
    /// Races of the class.
    pub reruns: usize,
    /// What they say of each other.
    pub stability: Stability,
    /// Mean of log speed-up at selection minus log speed-up at confirmation.
    pub optimism: f64,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Windows of the reference against its clone, and of each kernel.
    pub trials: usize,
    /// Races of each class.
    pub reruns: usize,
    /// Seed of everything drawn.
    pub seed: u64,
    /// The CPU to time on.
    pub cpu: Option<usize>,
}

/// Calibrates one class at one effort on this machine.
///
/// # Errors
/// [`StudyError`] where nothing can be timed, or it was asked to stop.
pub fn calibrate(
    host: &Host,
    span: Span,
    effort: Effort,
    amount: Amount,
    observer: &mut dyn Observer,
) -> Result<Calibration, StudyError> {
    let Amount { trials, reruns, seed, cpu } = amount;
    let admission = Admission::new(host.cpu.features);
    let class = span.to_string();
    let settings = |seed: u64, purpose| {
        tune::timing(host, &admission, situations(span, &host.caches, Destination::Read), &class, (seed, cpu), purpose)
    };
    let blocks = effort.confirmation_blocks();
    let mut judge = LiveJudge::new(&settings(seed, Use::Confirmation))?;
    let mut clone = Vec::new();
    for _ in 0..trials {
        stopped(observer)?;
        clone.extend(judge.aa(blocks)?);
    }
    let mut picks = Vec::new();
    let mut optimism = Vec::new();
    let mut raced: Vec<Routine> = Vec::new();
    for rerun in 0..reruns as u64 {
        stopped(observer)?;
        observer.stage(rerun as usize, reruns, &format!("{class} at effort {effort}, race {}", rerun + 1));
        let seed = seed.wrapping_add(1 + rerun);
        let Some((winner, pick, selected)) =
            race(host, span, effort, seed, &admission, &settings(seed, Use::Race), observer)?
        else {
            stopped(observer)?;
            return Err(StudyError::Class { class, why: "no kernel could be timed".to_owned() });
        };
        let confirmed =
            confirm(&settings(seed, Use::Confirmation), std::slice::from_ref(&winner), blocks, LIMIT, &mut || {
                observer.stop()
            })?;
        if let Some(Ok(series)) = confirmed.finalists.first() {
            optimism.push(trimmed_mean(&series.log_ratios) - selected);
        }
        raced.extend(Some(winner).filter(|winner| !raced.contains(winner)));
        let more = pick.tied.iter().filter_map(|text| text.parse::<Routine>().ok());
        for routine in more {
            if raced.len() < COVERED && !raced.contains(&routine) {
                raced.push(routine);
            }
        }
        picks.push(pick);
    }
    let mut series: Vec<Vec<f64>> = vec![Vec::new(); raced.len()];
    for _ in 0..trials * blocks {
        stopped(observer)?;
        for (series, sample) in series.iter_mut().zip(judge.block(&raced)?) {
            if let Sample::LogRatio(ratio) = sample {
                series.push(ratio);
            }
        }
    }
    let held: Vec<bool> = series.iter().flat_map(|series| covered(series, blocks)).collect();
    Ok(Calibration {
        effort: effort.to_string(),
        class,
        trials,
        false_positives: share(clone.chunks_exact(blocks).map(|window| !holds(window, 0.0))),
        planted_found: share(clone.chunks_exact(blocks).map(finds_planted)),
        windows: held.len(),
        coverage: share(held.into_iter()),
        reruns,
        stability: stability(&picks),
        optimism: optimism.iter().sum::<f64>() / optimism.len().max(1) as f64,
    })
}

fn stopped(observer: &mut dyn Observer) -> Result<(), StudyError> {
    if observer.stop() { Err(StudyError::Interrupted) } else { Ok(()) }
}

/// The race that a tune of this effort gives the class: the winner, how it ended, and the winner's log ratio in it.
fn race(
    host: &Host,
    span: Span,
    effort: Effort,
    seed: u64,
    admission: &Admission,
    settings: &crate::time::Settings,
    observer: &mut dyn Observer,
) -> Result<Option<(Routine, Pick, f64)>, StudyError> {
    let mut judge = LiveJudge::new(settings)?;
    let floor = noise_floor(&judge.aa(effort.gate_blocks())?);
    let features = features(&host.cpu.features, None);
    let seconds = Options { effort, ..Options::default() }.class_seconds(1);
    let (candidates, asked) = Asked {
        space: space(span, features, effort.breadth()),
        features,
        budget: effort.budget(span, &host.caches, seconds),
        floor,
        seed,
        starts: [None, None],
    }
    .of(span);
    let mut admit = |recipe: &Recipe| {
        if observer.stop() {
            return Err("interrupted".to_owned());
        }
        admission.admit(&Routine::from(recipe.clone())).map_err(|refusal| refusal.to_string())
    };
    let found = search(&mut judge, &candidates, &asked, &mut (), &mut admit)?;
    let code_bytes = |routine: &Routine| admission.code_bytes(routine);
    let Some((winner, tied)) = chosen(&found, floor, &code_bytes, [None, None]) else { return Ok(None) };
    let samples = found.samples.iter().find(|(recipe, _)| *recipe == winner.leaves()[0]);
    let selected = samples.map_or(0.0, |(_, samples)| trimmed_mean(samples));
    let pick = Pick {
        winner: winner.to_string(),
        tied: tied.iter().map(Routine::to_string).collect(),
        timed: found.samples.iter().map(|(recipe, _)| recipe.to_string()).collect(),
    };
    Ok(Some((winner, pick, selected)))
}

fn share(answers: impl ExactSizeIterator<Item = bool>) -> f64 {
    let count = answers.len();
    answers.filter(|&yes| yes).count() as f64 / count.max(1) as f64
}
