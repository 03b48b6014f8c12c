//! What a judge is told before it times anything.

use super::TimeError;
use super::buffers::PageSize;
use super::driver::Entered;
use super::libc_memcpy;
use super::workload::Workload;
use crate::run::Entry;
use copysmith_kernels::{Code, Routine};
use copysmith_search::stats::{tamed, trimmed_mean};
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
    /// How many times more it counts what a routine is slower than the reference by, above 2 % in one situation, at least 0: more than
    /// that, where being slower somewhere is worse than being as much faster elsewhere is good.
    pub loss_aversion: f64,
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
            loss_aversion: 0.0,
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
        match self.loss_aversion {
            aversion if aversion.is_finite() && aversion >= 0.0 => Ok(()),
            aversion => Err(TimeError::LossAversion(aversion)),
        }
    }
}

/// What somebody did in one situation in this block, and before.
pub(super) struct Seen<'a> {
    /// How much the situation counts.
    pub weight: f64,
    /// The log ratios of all blocks so far, this one's last.
    pub log_ratios: &'a [f64],
}

/// Being slower by this much in one situation, in log units, is not told from being no slower.
const TOLERATED: f64 = 0.02;

/// One block's log ratios in all situations, as one: their mean, to which those situations in which somebody is slower than the
/// reference by more than 2 %, over all blocks so far, add `loss_aversion` times what is above it.
///
/// The form is the value function of Kahneman and Tversky 1979 with straight lines for its two branches. A worst case alone would not
/// tell a routine that loses somewhere from one that loses everywhere. Which branch a situation is on must not be asked of one block,
/// whose noise would count many times over (a deviation of 0.25 instead of 0.02); and how much it adds must be, or blocks would agree
/// with each other more than the estimate of their error allows. Outliers are [`tamed`] situation by situation: of fifty, one is
/// disturbed in nearly every block.
pub(super) fn score(situations: &[Seen<'_>], loss_aversion: f64) -> f64 {
    let weights: f64 = situations.iter().map(|seen| seen.weight).sum();
    let counted = situations.iter().map(|Seen { weight, log_ratios }| {
        let last = log_ratios.last().copied().unwrap_or(0.0);
        // A single one is trimmed later, over the blocks.
        let ratio = if situations.len() > 1 { tamed(last, log_ratios) } else { last };
        let loses = loss_aversion > 0.0 && trimmed_mean(log_ratios) > TOLERATED;
        weight * if loses { ratio + loss_aversion * (ratio - TOLERATED) } else { ratio }
    });
    counted.sum::<f64>() / weights
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
        for loss_aversion in [-0.1, f64::INFINITY, f64::NAN] {
            let settings = Settings { loss_aversion, ..Settings::new(vec![Workload::hot(Lengths::Mix).into()]) };
            assert!(matches!(settings.check(), Err(TimeError::LossAversion(_))), "{loss_aversion}");
        }
        let open = Workload::hot(Lengths::Span("7..".parse().unwrap()));
        assert!(matches!(Settings::new(vec![open.into()]).check(), Err(TimeError::Workload(_))));
        assert!(Settings::new(vec![Workload::cold(Lengths::Fixed(9)).into()]).check().is_ok());
    }

    fn scored(situations: &[(f64, &[f64])], loss_aversion: f64) -> f64 {
        let seen: Vec<Seen<'_>> = situations.iter().map(|&(weight, log_ratios)| Seen { weight, log_ratios }).collect();
        score(&seen, loss_aversion)
    }

    fn near(score: f64, expected: f64) {
        assert!((score - expected).abs() < 1e-12, "{score} is not {expected}");
    }

    #[test]
    fn a_score_is_the_mean_and_losses_count_more() {
        for aversion in [0.0, 4.0, 16.0] {
            near(scored(&[(1.0, &[-0.3]), (2.0, &[-0.3])], aversion), -0.3);
            near(scored(&[(3.0, &[0.0, 0.0, 0.1])], aversion), 0.1 + 0.08 * aversion);
            near(scored(&[(1.0, &[0.02])], aversion), 0.02);
            near(scored(&[(3.0, &[-0.3, -0.2, 0.1])], aversion), 0.1);
        }
        let mixed: [(f64, &[f64]); 2] = [(1.0, &[0.1]), (3.0, &[-0.3])];
        near(scored(&mixed, 0.0), -0.2);
        near(scored(&mixed, 8.0), -0.2 + 0.16);
    }

    #[test]
    fn what_disturbed_one_situation_in_one_block_hardly_moves_the_score() {
        let steady: Vec<f64> = (0..12).map(|block| -0.1 + 0.001 * f64::from(block % 3)).collect();
        let disturbed = [&steady[..], &[2.0]].concat();
        let calm = [&steady[..], &[-0.1]].concat();
        let score = |last: &[f64]| scored(&[(1.0, last), (1.0, &steady)], 16.0);
        assert!((score(&disturbed) - score(&calm)).abs() < 0.005, "{} and {}", score(&disturbed), score(&calm));
    }
}
