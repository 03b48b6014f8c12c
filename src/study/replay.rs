//! Every strategy against recorded data, many times, through the judge seam of a live run.
//!
//! An evaluation is what it takes to look at one kernel: as many samples as a race takes before its first look. Strategies here spend
//! samples as they like and are charged for each, leaders that are timed again included. The answer at any moment is the kernel
//! with the least mean among those with three samples; before there is one, it is a kernel drawn blindly.

use super::relive;
use super::score::{default_budget, random_baseline, score};
use super::{Class, Data, Noise, RecordedJudge, StudyError};
use crate::tune::chosen;
use copysmith_kernels::{Isa, Recipe};
use copysmith_search::race::Rules;
use copysmith_search::space::Features;
use copysmith_search::stats::{median, trimmed_mean};
use copysmith_search::strategy::{Budget, Settings, Strategy, search};
use copysmith_search::{Progress, Sample, Watch};
use serde::Serialize;
use std::collections::BTreeMap;

/// Blocks of any one race of a replay.
const BLOCKS: usize = 120;

/// Samples without which nobody is an answer.
const FEWEST: usize = 3;

/// Within so much of the best is a success.
pub const WITHIN: f64 = 0.01;

/// What is replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The strategies.
    pub strategies: Vec<Strategy>,
    /// What questions are answered with.
    pub noise: Noise,
    /// How many evaluations each run has; `None` for as many as random search needs to come within 5 % of the way from the median to the
    /// best.
    pub evaluations: Option<usize>,
    /// Runs of each strategy in each class.
    pub repeats: usize,
    /// Seed of the first run; each later one has the next.
    pub seed: u64,
}

/// One strategy in one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The class.
    pub class: String,
    /// The strategy, by name.
    pub strategy: String,
    /// Evaluations of each run.
    pub evaluations: usize,
    /// Runs.
    pub runs: usize,
    /// Mean of how much slower than the best the chosen kernel is: 0.01 is one per cent.
    pub regret: f64,
    /// The largest of them.
    pub worst_regret: f64,
    /// Share of the runs whose choice was within one per cent of the best.
    pub success: f64,
    /// Evaluations until the answer was within one per cent for the first time, the median of the runs in which it ever was.
    pub to_within: Option<f64>,
    /// Expected running time in evaluations: all that were spent until then, over the runs in which it was.
    pub expected: Option<f64>,
    /// The same in seconds, at what a sample is reckoned to take.
    pub expected_seconds: Option<f64>,
    /// The performance score.
    pub score: f64,
    /// Mean regret of the answer after 1, 2, ... evaluations.
    pub curve: Vec<f64>,
}

/// Replays every strategy in every class. The same data and seed give the same rows.
///
/// # Errors
/// [`StudyError::Class`] where a class has a single kernel: there is nothing to search.
pub fn replay(data: &Data, replay: &Replay) -> Result<Vec<Row>, StudyError> {
    let mut rows = Vec::new();
    for class in &data.classes {
        if class.kernels.len() < 2 {
            return Err(StudyError::Class {
                class: class.span.to_string(),
                why: "a single kernel is nothing to search".to_owned(),
            });
        }
        let evaluations = replay.evaluations.unwrap_or_else(|| default_budget(&times(class)));
        for &strategy in &replay.strategies {
            let run = |repeat| one(class, strategy, replay.noise, evaluations, replay.seed.wrapping_add(repeat));
            let runs: Vec<Run> = (0..replay.repeats as u64).map(run).collect();
            rows.push(summed(class, strategy.to_string(), evaluations, &runs));
        }
    }
    Ok(rows)
}

/// The times of a class's kernels relative to the reference's.
pub(super) fn times(class: &Class) -> Vec<f64> {
    class.kernels.iter().map(|kernel| kernel.truth.exp()).collect()
}

/// What one run did.
pub(super) struct Run {
    /// Relative time of the answer after 1, 2, ... evaluations; `None` before there is one.
    pub answers: Vec<Option<f64>>,
    /// Relative time of what was chosen in the end; `None` where nothing was.
    pub chosen: Option<f64>,
}

fn one(class: &Class, strategy: Strategy, noise: Noise, evaluations: usize, seed: u64) -> Run {
    let rules = if class.noise_floor.is_finite() { Rules::with_floor(class.noise_floor) } else { Rules::default() };
    let budget = Budget { evaluations: (evaluations * rules.first) as u64, blocks: BLOCKS };
    // Whoever needs what the recorded machine lacks is not in the data, and so is refused.
    let features = Features { isa: Isa::Avx512, prefetchw: true };
    let settings = Settings { strategy, features, rules, budget, seed, starts: Vec::new() };
    let mut judge = RecordedJudge::new(class, noise, seed);
    let truths: BTreeMap<&Recipe, f64> = class.kernels.iter().map(|kernel| (&kernel.recipe, kernel.truth)).collect();
    let mut admit = |recipe: &Recipe| match truths.contains_key(recipe) {
        true => Ok(()),
        false => Err("not in the data".to_owned()),
    };
    let mut track = Track::new(&truths, rules.first, evaluations);
    let Ok(found) = search(&mut judge, &class.recipes(), &settings, &mut track, &mut admit);
    let floor = if class.noise_floor.is_finite() { class.noise_floor } else { 0.0 };
    let winner = chosen(&found, floor, &relive::code_bytes, [None, None]);
    let chosen = winner.and_then(|(winner, _)| truths.get(&winner.leaves()[0]).map(|truth| truth.exp()));
    Run { answers: track.finished(), chosen }
}

/// Watches a search and notes what it would answer after each evaluation.
struct Track<'a> {
    truths: &'a BTreeMap<&'a Recipe, f64>,
    first: usize,
    samples: BTreeMap<Recipe, Vec<f64>>,
    means: BTreeMap<Recipe, f64>,
    spent: usize,
    answers: Vec<Option<f64>>,
    answer: Option<f64>,
}

impl<'a> Track<'a> {
    fn new(truths: &'a BTreeMap<&'a Recipe, f64>, first: usize, evaluations: usize) -> Track<'a> {
        let (samples, means) = (BTreeMap::new(), BTreeMap::new());
        Track { truths, first, samples, means, spent: 0, answers: vec![None; evaluations], answer: None }
    }

    /// The answers, the last one held to the end.
    fn finished(mut self) -> Vec<Option<f64>> {
        let spent = self.spent.div_ceil(self.first).min(self.answers.len());
        self.answers[spent..].fill(self.answer);
        self.answers
    }
}

impl Watch for Track<'_> {
    fn block(&mut self, progress: &Progress<'_>) {
        let before = self.spent / self.first;
        self.spent += progress.samples.len();
        for (routine, sample) in progress.contestants.iter().zip(progress.samples) {
            let Sample::LogRatio(ratio) = sample else { continue };
            let recipe = &routine.leaves()[0];
            let samples = self.samples.entry(recipe.clone()).or_default();
            samples.push(*ratio);
            if samples.len() >= FEWEST {
                self.means.insert(recipe.clone(), trimmed_mean(samples));
            }
        }
        // What was known before these samples is the answer while they are taken.
        let after = (self.spent / self.first).min(self.answers.len());
        self.answers[before.min(after)..after].fill(self.answer);
        let best = self.means.iter().min_by(|a, b| a.1.total_cmp(b.1));
        self.answer = best.and_then(|(recipe, _)| self.truths.get(recipe).map(|truth| truth.exp())).or(self.answer);
        if self.spent.is_multiple_of(self.first) && after > 0 {
            self.answers[after - 1] = self.answer;
        }
    }
}

/// The row of many runs.
pub(super) fn summed(class: &Class, strategy: String, evaluations: usize, runs: &[Run]) -> Row {
    let all = times(class);
    let best = all.iter().copied().fold(f64::INFINITY, f64::min);
    let blind = all.iter().sum::<f64>() / all.len() as f64;
    let regret = |time: f64| time / best - 1.0;
    let chosen: Vec<f64> = runs.iter().map(|run| regret(run.chosen.unwrap_or(blind))).collect();
    let near = |answer: &Option<f64>| answer.is_some_and(|time| regret(time) <= WITHIN);
    let hits: Vec<Option<usize>> = runs.iter().map(|run| run.answers.iter().position(near).map(|at| at + 1)).collect();
    let reached: Vec<f64> = hits.iter().flatten().map(|&hit| hit as f64).collect();
    let spent: f64 = hits.iter().map(|hit| hit.unwrap_or(evaluations) as f64).sum();
    let expected = (!reached.is_empty()).then(|| spent / reached.len() as f64);
    let mean_at = |at: usize| {
        let answers = runs.iter().map(|run| run.answers.get(at).copied().flatten().unwrap_or(blind));
        answers.sum::<f64>() / runs.len().max(1) as f64
    };
    let found: Vec<f64> = (0..evaluations).map(mean_at).collect();
    let first = Rules::default().first as f64;
    Row {
        class: class.span.to_string(),
        strategy,
        evaluations,
        runs: runs.len(),
        regret: chosen.iter().sum::<f64>() / chosen.len().max(1) as f64,
        worst_regret: chosen.iter().copied().fold(0.0, f64::max),
        success: chosen.iter().filter(|&&regret| regret <= WITHIN).count() as f64 / chosen.len().max(1) as f64,
        to_within: Some(median(&reached)).filter(|_| !reached.is_empty()),
        expected,
        expected_seconds: expected.map(|expected| expected * first * class.sample_seconds),
        score: score(&found, &random_baseline(&all, evaluations), best),
        curve: found.into_iter().map(regret).collect(),
    }
}
