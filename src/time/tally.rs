//! What was dropped, and why: part of every result.

use super::block::Block;
use super::sample::Disturbance;
use std::fmt;

/// How many blocks counted, how many did not, and what was wrong with those.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Blocks that count, one for each situation.
    pub blocks: u64,
    /// Attempts that were repeated.
    pub discarded: u64,
    /// Blocks that count although every attempt was disturbed.
    pub disturbed: u64,
    /// Passes that ended on another CPU.
    pub migrated: u64,
    /// Passes in which another thread ran.
    pub preempted: u64,
    /// Passes with page faults.
    pub page_faults: u64,
    /// Passes with times no copy can have.
    pub impossible: u64,
    /// Attempts in which the reference moved by more than 5 %, and nothing else was wrong.
    pub reference_moved: u64,
}

impl Tally {
    pub(super) fn note_attempt(&mut self, block: &Block) {
        let disturbances: Vec<Disturbance> = block.timings().filter_map(|timing| timing.disturbance).collect();
        for disturbance in &disturbances {
            *match disturbance {
                Disturbance::Migrated => &mut self.migrated,
                Disturbance::Preempted => &mut self.preempted,
                Disturbance::PageFault => &mut self.page_faults,
            } += 1;
        }
        let impossible = block.impossible();
        self.impossible += impossible as u64;
        self.discarded += 1;
        self.reference_moved += u64::from(disturbances.is_empty() && impossible == 0);
    }

    pub(super) fn note_settled(&mut self, block: &Block) {
        self.blocks += 1;
        if block.is_disturbed() {
            // The last attempt was kept after all.
            self.disturbed += 1;
            self.discarded -= 1;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} blocks, {} of them disturbed; {} attempts repeated (reference moved {}; passes: preempted {}, migrated {}, \
             page faults {}, impossible {})",
            self.blocks,
            self.disturbed,
            self.discarded,
            self.reference_moved,
            self.preempted,
            self.migrated,
            self.page_faults,
            self.impossible
        )
    }
}
