//! How long a tune may take: the ladder of efforts.

use copysmith_kernels::Span;
use copysmith_search::space::{Breadth, UnknownWord};
use copysmith_search::strategy::Budget;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

use super::situations::{seconds_a_sample, timed};
use crate::host::Caches;

/// How much a tune tries, as on FFTW's ladder of planner efforts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// At most a minute: dozens of candidates a class.
    Quick,
    /// At most five minutes: hundreds of candidates a class.
    #[default]
    Normal,
    /// About half an hour: over a thousand candidates a class and longer confirmations.
    Patient,
    /// Hours: every value list of the axes.
    Exhaustive,
}

impl Effort {
    /// Every effort, least first.
    pub const ALL: [Effort; 4] = [Effort::Quick, Effort::Normal, Effort::Patient, Effort::Exhaustive];

    /// How many candidates a class starts with.
    pub const fn breadth(self) -> Breadth {
        match self {
            Effort::Quick => Breadth::Quick,
            Effort::Normal => Breadth::Normal,
            Effort::Patient => Breadth::Patient,
            Effort::Exhaustive => Breadth::All,
        }
    }

    /// About how long the races of one class take, in seconds.
    pub const fn class_seconds(self) -> f64 {
        match self {
            Effort::Quick => 1.5,
            Effort::Normal => 8.0,
            Effort::Patient => 80.0,
            Effort::Exhaustive => 900.0,
        }
    }

    /// About how long a whole tune takes at most, in seconds.
    pub const fn seconds(self) -> f64 {
        match self {
            Effort::Quick => 60.0,
            Effort::Normal => 300.0,
            Effort::Patient => 1800.0,
            Effort::Exhaustive => 14_400.0,
        }
    }

    /// How much may be measured of a class: a fixed number of samples, so that a run that is resumed asks the same questions.
    /// `class_seconds` is how long the races of the class may take.
    pub fn budget(self, span: Span, caches: &Caches, class_seconds: f64) -> Budget {
        let samples = class_seconds / seconds_a_sample(timed(span), caches);
        Budget { evaluations: (samples as u64).max(200), blocks: Budget::of(self.breadth()).blocks }
    }

    /// Most blocks of a confirmation.
    pub const fn confirmation_blocks(self) -> usize {
        match self {
            Effort::Quick => 24,
            Effort::Normal => 60,
            Effort::Patient => 200,
            Effort::Exhaustive => 400,
        }
    }

    /// Blocks of the confirmation of a class that may take so many seconds: fewer of long copies, but never fewer than 12.
    pub fn class_confirmation_blocks(self, span: Span, caches: &Caches, seconds: f64) -> usize {
        const FEWEST: usize = 12;
        // The finalists, the plain loop, the reference twice; and as long again for the relative page offsets.
        const TIMED: f64 = 14.0;
        let affordable = seconds / (TIMED * seconds_a_sample(timed(span), caches));
        self.confirmation_blocks().min(FEWEST.max(affordable as usize))
    }

    /// Blocks at each relative page offset of a confirmation.
    pub const fn offset_blocks(self) -> usize {
        match self {
            Effort::Quick => 3,
            Effort::Normal | Effort::Patient | Effort::Exhaustive => 7,
        }
    }

    /// Blocks at each length at which a threshold between two ways of copying may lie.
    pub const fn threshold_blocks(self) -> usize {
        match self {
            Effort::Quick => 8,
            Effort::Normal => 16,
            Effort::Patient | Effort::Exhaustive => 40,
        }
    }

    /// Blocks in which the reference races its own clone before anything else.
    pub const fn gate_blocks(self) -> usize {
        match self {
            Effort::Quick => 16,
            Effort::Normal => 32,
            Effort::Patient | Effort::Exhaustive => 64,
        }
    }

    /// Most members of a class's tie set that are tried as leaves of the whole routine.
    pub const fn leaves(self) -> usize {
        match self {
            Effort::Quick => 5,
            Effort::Normal => 12,
            Effort::Patient | Effort::Exhaustive => 32,
        }
    }

    /// Most blocks of a race of whole routines, whose differences are small.
    pub const fn tree_blocks(self) -> usize {
        match self {
            Effort::Quick => 24,
            Effort::Normal => 48,
            Effort::Patient | Effort::Exhaustive => 600,
        }
    }

    /// Whether each leaf for longer lengths is raced on its lengths alone.
    pub const fn polishes(self) -> bool {
        match self {
            Effort::Quick => false,
            Effort::Normal | Effort::Patient | Effort::Exhaustive => true,
        }
    }

    /// How often at most the best routine races against those that differ from it in one choice.
    pub const fn tree_rounds(self) -> usize {
        match self {
            Effort::Quick => 0,
            Effort::Normal => 4,
            Effort::Patient | Effort::Exhaustive => 12,
        }
    }

    /// Most routines that get a first look.
    pub const fn trees(self) -> usize {
        match self {
            Effort::Quick => 16,
            Effort::Normal => 160,
            Effort::Patient | Effort::Exhaustive => 800,
        }
    }

    /// How many of them race after it.
    pub const fn kept(self) -> usize {
        match self {
            Effort::Quick => 6,
            Effort::Normal => 16,
            Effort::Patient | Effort::Exhaustive => 100,
        }
    }
}

/// `quick`, `normal`, `patient`, `exhaustive`
impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effort::Quick => "quick",
            Effort::Normal => "normal",
            Effort::Patient => "patient",
            Effort::Exhaustive => "exhaustive",
        })
    }
}

impl FromStr for Effort {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Effort, UnknownWord> {
        UnknownWord::find("effort", text, &Effort::ALL)
    }
}
