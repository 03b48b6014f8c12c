//! One timed pass, and what may be believed of it.

use super::clock::Reading;
use super::usage::Usage;
use std::fmt;

/// What spoiled a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Disturbance {
    /// It ended on another CPU than it began on.
    Migrated,
    /// Another thread ran in between.
    Preempted,
    /// It touched a page that was not there.
    PageFault,
}

/// What a pass took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Ticks a call, the call loop's share included.
    pub ticks: f64,
    /// What spoiled it, if anything did.
    pub disturbance: Option<Disturbance>,
}

/// The clock and the system's counts around one pass, as they were read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    pub start: Reading,
    pub stop: Reading,
    pub before: Usage,
    pub after: Usage,
}

/// No CPU moves more than this in a tick: 64 bytes a cycle, with cycles up to twice as short as the counter's ticks.
const CEILING_BYTES_A_TICK: f64 = 128.0;

impl Around {
    /// Ticks of the whole pass, the clock's own share included.
    pub fn ticks(&self) -> u64 {
        self.stop.ticks.wrapping_sub(self.start.ticks)
    }

    /// What disturbed it, the gravest first.
    pub fn disturbance(&self) -> Option<Disturbance> {
        if self.start.cpu != self.stop.cpu {
            Some(Disturbance::Migrated)
        } else if self.after.preemptions > self.before.preemptions {
            Some(Disturbance::Preempted)
        } else if self.after.page_faults > self.before.page_faults {
            Some(Disturbance::PageFault)
        } else {
            None
        }
    }

    /// The timing of a pass of `calls` calls.
    pub fn timing(&self, calls: usize) -> Timing {
        Timing { ticks: self.ticks() as f64 / calls.max(1) as f64, disturbance: self.disturbance() }
    }
}

/// Whether a copy of `bytes` can take this many ticks.
pub(super) fn is_possible(ticks: f64, bytes: f64) -> bool {
    ticks.is_finite() && ticks > 0.0 && bytes / ticks <= CEILING_BYTES_A_TICK
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Disturbance::Migrated => "moved to another CPU",
            Disturbance::Preempted => "preempted",
            Disturbance::PageFault => "page fault",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(ticks: u64, cpus: (u32, u32), preemptions: i64, page_faults: i64) -> Around {
        Around {
            start: Reading { ticks: 1000, cpu: cpus.0 },
            stop: Reading { ticks: 1000 + ticks, cpu: cpus.1 },
            before: Usage { page_faults: 5, preemptions: 5 },
            after: Usage { page_faults: 5 + page_faults, preemptions: 5 + preemptions },
        }
    }

    #[test]
    fn a_quiet_pass_is_its_ticks_over_its_calls() {
        assert_eq!(around(1600, (1, 1), 0, 0).timing(100), Timing { ticks: 16.0, disturbance: None });
    }

    #[test]
    fn each_disturbance_is_seen() {
        let seen = |around: Around| around.timing(100).disturbance;
        assert_eq!(seen(around(1600, (1, 0), 1, 1)), Some(Disturbance::Migrated));
        assert_eq!(seen(around(1600, (1, 1), 1, 1)), Some(Disturbance::Preempted));
        assert_eq!(seen(around(1600, (1, 1), 0, 1)), Some(Disturbance::PageFault));
    }

    #[test]
    fn times_that_no_copy_can_have_are_impossible() {
        for (ticks, bytes) in
            [(0.0, 0.0), (-1.0, 32.0), (0.0, 32.0), (0.2, 64.0), (f64::INFINITY, 1.0), (f64::NAN, 1.0)]
        {
            assert!(!is_possible(ticks, bytes), "{ticks} ticks for {bytes} bytes");
        }
        assert!(is_possible(0.5, 64.0) && is_possible(1.0, 0.0));
    }
}
