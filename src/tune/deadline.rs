//! When a race has to end, and how long a confirmation may be, so that a tune ends about when it said it would.
//!
//! How much is measured is counted in samples, and how long a sample takes is only reckoned: on a machine that others slow down it takes
//! twice as long. So a race also has a time by which it stops, with what it has. What earlier races left over the later ones may use.
//!
//! ```text
//! begin                          0.4               0.6            0.9         end
//! |--class--|--class--|-- ... ----|--confirmations--|--routines----|--confirm--|
//! ```

use super::Options;
use std::time::{Duration, Instant};

/// The share of the time by which the races of the classes have ended.
pub(super) const CLASSES: f64 = 0.4;
/// The share of the time by which the classes are to be confirmed.
const CONFIRMATIONS: f64 = 0.6;
/// The share of the time by which the races of whole routines have ended.
const ROUTINES: f64 = 0.9;

/// The clock ends no race of a tune that may take less than this: what is fixed, proofs and trials, takes most of it.
pub(super) const LEAST: Duration = Duration::from_secs(30);

/// How long a tune may take, since when.
pub(super) struct Allowance {
    began: Instant,
    whole: Duration,
    of_a_class: Duration,
    classes: usize,
}

impl Allowance {
    /// What these options allow from now on for a tune of so many classes.
    pub fn from_now(options: &Options, classes: usize) -> Allowance {
        let whole = options.budget.unwrap_or(Duration::from_secs_f64(options.effort.seconds())).max(LEAST);
        let of_a_class = Duration::from_secs_f64(options.class_seconds(classes));
        Allowance { began: Instant::now(), whole, of_a_class, classes }
    }

    /// How long the races of one class may take by their reckoning, in seconds.
    pub fn class_seconds(&self) -> f64 {
        self.of_a_class.as_secs_f64()
    }

    /// When the race of the class with this number has to end: not before it had what each class is allowed.
    pub fn class(&self, number: usize) -> Deadline {
        let share = CLASSES * (number + 1) as f64 / self.classes.max(1) as f64;
        Deadline { at: (self.began + self.whole.mul_f64(share)).max(Instant::now() + self.of_a_class), blocks: 0 }
    }

    /// How long the confirmation of the class with this number may take, in seconds: its part of what is left for all of them.
    pub fn confirmation_seconds(&self, number: usize) -> f64 {
        let left = (self.began + self.whole.mul_f64(CONFIRMATIONS)).saturating_duration_since(Instant::now());
        left.as_secs_f64() / self.classes.saturating_sub(number).max(1) as f64
    }

    /// When races of whole routines have to end.
    pub fn routines(&self) -> Deadline {
        Deadline { at: self.began + self.whole.mul_f64(ROUTINES), blocks: 0 }
    }
}

/// A time at which a race ends, once it has seen enough to be judged by.
pub(super) struct Deadline {
    at: Instant,
    blocks: usize,
}

/// Blocks that a race has however late it is: enough for a first look.
const FEWEST: usize = 12;

impl Deadline {
    /// One block more has been timed.
    pub fn block(&mut self) {
        self.blocks += 1;
    }

    /// Whether the race is to end now.
    pub fn is_over(&self) -> bool {
        self.blocks >= FEWEST && self.has_passed()
    }

    /// Whether it is too late for another race.
    pub fn has_passed(&self) -> bool {
        Instant::now() >= self.at
    }
}

#[cfg(test)]
mod tests {
    use super::super::Effort;
    use super::*;

    #[test]
    fn a_race_that_is_late_still_has_its_first_look() {
        let options = Options { effort: Effort::Quick, budget: Some(Duration::ZERO), ..Options::default() };
        let mut allowance = Allowance::from_now(&options, 3);
        allowance.whole = Duration::ZERO;
        for mut deadline in [allowance.class(2), allowance.routines()] {
            for _ in 0..FEWEST {
                assert!(!deadline.is_over());
                deadline.block();
            }
            assert!(deadline.is_over() && deadline.has_passed());
        }
    }

    #[test]
    fn time_that_is_not_used_is_for_those_who_come_later() {
        let allowance = Allowance::from_now(&Options::default(), 4);
        let ends: Vec<Instant> = (0..4).map(|number| allowance.class(number).at).collect();
        assert!(ends.is_sorted() && ends[3] - ends[0] > Duration::from_secs(80), "{ends:?}");
        assert!(allowance.routines().at > ends[3]);
    }
}
