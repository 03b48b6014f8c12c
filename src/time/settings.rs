//! What a judge is told before it times anything.

use super::TimeError;
use super::buffers::PageSize;
use super::driver::Entered;
use super::libc_memcpy;
use super::workload::Workload;
use crate::run::Entry;
use copysmith_kernels::{Code, Routine};
use std::fmt;
use std::rc::Rc;

/// A workload, and how much it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Situation {
    /// What is timed.
    pub workload: Workload,
    /// Its share of the mean of log ratios, relative to the other situations': above 0.
    pub weight: f64,
}

impl From<Workload> for Situation {
    /// The workload with weight 1.
    fn from(workload: Workload) -> Situation {
        Situation { workload, weight: 1.0 }
    }
}

/// What makes code of routines, vouched to be correct.
#[derive(Clone)]
pub struct Emitter(Rc<Emit>);

/// A routine's code, or why there is none.
type Emit = dyn Fn(&Routine) -> Result<Code, String>;

impl Emitter {
    /// An emitter whose code may be called.
    ///
    /// # Safety
    /// - All code that `emit` returns has passed the battery (as by [`try_out`](crate::run::try_out)) for its routine's span.
    /// - It has only instructions of this CPU.
    pub unsafe fn vouched(emit: impl Fn(&Routine) -> Result<Code, String> + 'static) -> Emitter {
        Emitter(Rc::new(emit))
    }

    /// The code of a routine.
    pub(super) fn emit(&self, routine: &Routine) -> Result<Code, String> {
        (self.0)(routine)
    }
}

impl Default for Emitter {
    /// Code for no routine: enough to time the reference against itself.
    fn default() -> Emitter {
        Emitter(Rc::new(|_| Err("no emitter was given".to_owned())))
    }
}

impl fmt::Debug for Emitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Emitter")
    }
}

/// Everything that decides what is timed and how.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The situations whose log ratios are averaged.
    pub situations: Vec<Situation>,
    /// How much of the score is the worst of the situations instead of their mean, from 0 to 1: more, where being slower than the
    /// reference somewhere is worse than being as much faster elsewhere is good.
    pub worst_share: f64,
    /// Where code comes from.
    pub emitter: Emitter,
    /// What everything is measured against.
    pub reference: Entry<'static>,
    /// How calls reach the contestants and the reference.
    pub entered: Entered,
    /// Where lengths, places and orders are drawn from.
    pub seed: u64,
    /// The CPU to stay on; the highest-numbered one allowed by default.
    pub cpu: Option<usize>,
    /// The bytes of the last-level cache: cold buffers are several times larger. Below 16 MiB it counts as 16 MiB, since too
    /// small a figure would make cold copies hot.
    pub last_level_cache: usize,
    /// The pages of the buffers.
    pub page_size: PageSize,
}

impl Settings {
    /// These situations against the C library's `memcpy`, with no emitter yet.
    pub fn new(situations: Vec<Situation>) -> Settings {
        Settings {
            situations,
            worst_share: 0.0,
            emitter: Emitter::default(),
            reference: libc_memcpy(),
            entered: Entered::ByJump,
            seed: 0,
            cpu: None,
            last_level_cache: 0,
            page_size: PageSize::Usual,
        }
    }

    /// Whether all of it can be timed.
    pub(super) fn check(&self) -> Result<(), TimeError> {
        if self.situations.is_empty() {
            return Err(TimeError::NoSituation);
        }
        for Situation { workload, weight } in &self.situations {
            workload.check().map_err(TimeError::Workload)?;
            if !(weight.is_finite() && *weight > 0.0) {
                return Err(TimeError::Weight(*weight));
            }
        }
        match self.worst_share {
            share if (0.0..=1.0).contains(&share) => Ok(()),
            share => Err(TimeError::WorstShare(share)),
        }
    }
}

/// How sharply the soft maximum prefers the worst: ratios count by this power of themselves.
const SHARPNESS: f64 = 8.0;

/// The log ratios of all situations, with their weights, as one: their mean, and by `worst_share` the log of their power mean with
/// exponent [`SHARPNESS`], which is close to the largest and, unlike it, no more than the mean is a matter of one noisy sample.
pub(super) fn score(log_ratios: &[(f64, f64)], worst_share: f64) -> f64 {
    let weights: f64 = log_ratios.iter().map(|(weight, _)| weight).sum();
    let mean =
        |of: &dyn Fn(f64) -> f64| log_ratios.iter().map(|&(weight, ratio)| weight * of(ratio)).sum::<f64>() / weights;
    let worst = mean(&|ratio| (SHARPNESS * ratio).exp()).ln() / SHARPNESS;
    (1.0 - worst_share) * mean(&|ratio| ratio) + worst_share * worst
}

#[cfg(test)]
mod tests {
    use super::super::lengths::Lengths;
    use super::*;

    #[test]
    fn settings_that_mean_nothing_are_refused() {
        assert!(matches!(Settings::new(Vec::new()).check(), Err(TimeError::NoSituation)));
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut situation = Situation::from(Workload::hot(Lengths::Mix));
            situation.weight = weight;
            assert!(matches!(Settings::new(vec![situation]).check(), Err(TimeError::Weight(_))), "{weight}");
        }
        for worst_share in [-0.1, 1.1, f64::NAN] {
            let settings = Settings { worst_share, ..Settings::new(vec![Workload::hot(Lengths::Mix).into()]) };
            assert!(matches!(settings.check(), Err(TimeError::WorstShare(_))), "{worst_share}");
        }
        let open = Workload::hot(Lengths::Span("7..".parse().unwrap()));
        assert!(matches!(Settings::new(vec![open.into()]).check(), Err(TimeError::Workload(_))));
        assert!(Settings::new(vec![Workload::cold(Lengths::Fixed(9)).into()]).check().is_ok());
    }

    #[test]
    fn a_score_of_equal_ratios_is_that_ratio_and_the_worst_pulls_it_up() {
        let near = |score: f64, expected: f64| assert!((score - expected).abs() < 1e-12, "{score} is not {expected}");
        for share in [0.0, 0.5, 1.0] {
            near(score(&[(1.0, -0.3), (2.0, -0.3)], share), -0.3);
        }
        let mixed = [(1.0, 0.1), (3.0, -0.3)];
        near(score(&mixed, 0.0), -0.2);
        // ln((e^0.8 + 3 e^-2.4) / 4) / 8
        near(score(&mixed, 1.0), -0.058_865_767_410_377_7);
        near(score(&mixed, 0.5), (score(&mixed, 0.0) + score(&mixed, 1.0)) / 2.0);
    }
}
