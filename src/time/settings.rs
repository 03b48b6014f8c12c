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
    /// How many times a log ratio above 0 counts in that mean: 1 for a plain mean; more, where being slower than the reference
    /// somewhere is worse than being as much faster elsewhere is good. At least 1.
    pub loss_weight: f64,
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
            loss_weight: 1.0,
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
        match self.loss_weight {
            weight if weight.is_finite() && weight >= 1.0 => Ok(()),
            weight => Err(TimeError::LossWeight(weight)),
        }
    }
}

/// What a situation's log ratio counts in the mean.
pub(super) fn score(loss_weight: f64, log_ratio: f64) -> f64 {
    if log_ratio > 0.0 { loss_weight * log_ratio } else { log_ratio }
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
        for loss_weight in [0.5, -1.0, f64::NAN, f64::INFINITY] {
            let settings = Settings { loss_weight, ..Settings::new(vec![Workload::hot(Lengths::Mix).into()]) };
            assert!(matches!(settings.check(), Err(TimeError::LossWeight(_))), "{loss_weight}");
        }
        let open = Workload::hot(Lengths::Span("7..".parse().unwrap()));
        assert!(matches!(Settings::new(vec![open.into()]).check(), Err(TimeError::Workload(_))));
        assert!(Settings::new(vec![Workload::cold(Lengths::Fixed(9)).into()]).check().is_ok());
    }

    #[test]
    fn with_a_loss_weight_a_gain_does_not_make_up_for_an_equal_loss() {
        assert_eq!(score(1.0, 0.1) + score(1.0, -0.1), 0.0);
        assert!(score(4.0, 0.1) + score(4.0, -0.3) > 0.0);
        assert_eq!(score(4.0, -0.3), -0.3);
    }
}
