//! How far the numbers of a tune can be trusted, on this machine: measured, not assumed.
//!
//! ```text
//! reference against its clone, many blocks ──> windows as long as a confirmation ──> false positives, planted differences found
//! kernels, many blocks ──────────────────────> windows against all other blocks ───> coverage of the 95 % interval
//! the race of a class again and again ───────> picks and tie sets ─────────────────> agreement, Jaccard, size of tie sets
//!                                              each pick confirmed ────────────────> optimism
//! ```

use super::StudyError;
use crate::host::Host;
use crate::time::{LiveJudge, confirm};
use crate::tune::{self, Admission, Asked, Effort, Observer, Options, Use, chosen, features, situations};
use copysmith_kernels::{Recipe, Routine, Span};
use copysmith_search::space::space;
use copysmith_search::stats::{Estimate, margin, median, noise_floor, trimmed_mean};
use copysmith_search::strategy::search;
use copysmith_search::{Judge, Sample};
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Duration;

/// The difference that is planted: three per cent, in log units.
pub const PLANTED: f64 = 0.029_558_802_241_544_4;

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

/// How alike the races of a class end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stability {
    /// Share of the pairs of races with the same pick.
    pub same: f64,
    /// Share of the pairs in which each pick is the other's, tied with it, or not raced by it.
    pub agree: f64,
    /// Median over the pairs of the Jaccard index of their tie sets.
    pub jaccard: f64,
    /// Median size of a tie set as a share of its candidates.
    pub tied: f64,
}

/// How a race ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// The winner.
    pub winner: String,
    /// Everyone that was not told from it, itself included.
    pub tied: BTreeSet<String>,
    /// Everyone who was timed.
    pub timed: BTreeSet<String>,
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
        tune::timing(host, &admission, situations(span, &host.caches), &class, (seed, cpu), purpose)
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

/// Whether the 95 % interval of a window holds a value.
pub fn holds(window: &[f64], value: f64) -> bool {
    let Estimate { low, high, .. } = Estimate::of(window);
    low <= value && value <= high
}

/// Whether a routine 3 % slower than the reference would be told apart from it in blocks like these.
pub fn finds_planted(window: &[f64]) -> bool {
    let slower: Vec<f64> = window.iter().map(|ratio| ratio + PLANTED).collect();
    let Estimate { mean, low, .. } = Estimate::of(&slower);
    low > 0.0 && mean > margin(0.0)
}

/// For each window of so many blocks, whether its interval holds the mean of all other blocks.
pub fn covered(series: &[f64], blocks: usize) -> Vec<bool> {
    let windows = series.len() / blocks.max(1);
    if windows < 2 {
        return Vec::new();
    }
    let one = |number: usize| {
        let (from, to) = (number * blocks, (number + 1) * blocks);
        let others: Vec<f64> = series[..from].iter().chain(&series[to..]).copied().collect();
        holds(&series[from..to], trimmed_mean(&others))
    };
    (0..windows).map(one).collect()
}

/// How alike races ended; all zero for fewer than two.
pub fn stability(picks: &[Pick]) -> Stability {
    let mut pairs = Vec::new();
    for (at, one) in picks.iter().enumerate() {
        pairs.extend(picks[at + 1..].iter().map(|other| (one, other)));
    }
    if pairs.is_empty() {
        return Stability::default();
    }
    // What a race never timed it cannot have told apart from its pick.
    let allows = |race: &Pick, pick: &String| race.tied.contains(pick) || !race.timed.contains(pick);
    let jaccard = |one: &Pick, other: &Pick| {
        let common = one.tied.intersection(&other.tied).count() as f64;
        common / one.tied.union(&other.tied).count().max(1) as f64
    };
    let tied: Vec<f64> = picks.iter().map(|pick| pick.tied.len() as f64 / pick.timed.len().max(1) as f64).collect();
    Stability {
        same: share(pairs.iter().map(|(one, other)| one.winner == other.winner)),
        agree: share(pairs.iter().map(|(one, other)| allows(one, &other.winner) && allows(other, &one.winner))),
        jaccard: median(&pairs.iter().map(|(one, other)| jaccard(one, other)).collect::<Vec<f64>>()),
        tied: median(&tied),
    }
}

fn share(answers: impl ExactSizeIterator<Item = bool>) -> f64 {
    let count = answers.len();
    answers.filter(|&yes| yes).count() as f64 / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use copysmith_search::simulator::{Noise, Simulator};

    fn series(private: f64, truth: f64, blocks: usize) -> Vec<f64> {
        let mut judge = Simulator::new(1, Noise::private(private), move |_| truth);
        let routine: Vec<Routine> = vec!["copy 17..=32 pairs width=sse16".parse().unwrap()];
        let one = |_| match judge.block(&routine).unwrap()[0] {
            Sample::LogRatio(ratio) => ratio,
            Sample::Failed(_) => unreachable!("nothing fails here"),
        };
        (0..blocks).map(one).collect()
    }

    #[test]
    fn normal_noise_is_covered_nineteen_times_in_twenty_and_three_per_cent_is_found() {
        let noise = series(0.01, 0.0, 24 * 400);
        let wrong = share(noise.chunks_exact(24).map(|window| !holds(window, 0.0)));
        assert!((0.02..0.08).contains(&wrong), "{wrong}");
        assert!(share(noise.chunks_exact(24).map(finds_planted)) > 0.99);
        let held = covered(&series(0.01, -0.3, 24 * 400), 24);
        let held = share(held.into_iter());
        assert!((0.92..0.98).contains(&held), "{held}");
    }

    #[test]
    fn noise_that_drowns_three_per_cent_is_seen_to() {
        let loud = series(0.3, 0.0, 24 * 100);
        assert!(share(loud.chunks_exact(24).map(finds_planted)) < 0.3);
        // A machine whose every second window is another machine holds nothing.
        let jumps: Vec<f64> =
            (0..24 * 20).map(|block| f64::from(block / 24 % 2) + f64::from(block % 7) * 1e-4).collect();
        assert!(covered(&jumps, 24).into_iter().all(|held| !held));
        assert!(covered(&jumps[..30], 24).is_empty());
    }

    #[test]
    fn picks_agree_where_they_tie_and_what_was_not_raced_is_no_disagreement() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        let pick = |winner: &str, tied: &[&str], timed: &[&str]| Pick {
            winner: winner.to_owned(),
            tied: set(tied),
            timed: set(timed),
        };
        let all = ["a", "b", "c", "d"];
        let alike = stability(&[pick("a", &["a", "b"], &all), pick("b", &["a", "b"], &all)]);
        assert_eq!(alike, Stability { same: 0.0, agree: 1.0, jaccard: 1.0, tied: 0.5 });
        let apart = stability(&[pick("a", &["a"], &all), pick("b", &["b"], &all)]);
        assert_eq!(apart, Stability { same: 0.0, agree: 0.0, jaccard: 0.0, tied: 0.25 });
        let unseen = stability(&[pick("a", &["a"], &["a", "c"]), pick("b", &["b"], &["b", "c"])]);
        assert_eq!(unseen.agree, 1.0);
        assert_eq!(stability(&[pick("a", &["a"], &all)]), Stability::default());
    }
}
