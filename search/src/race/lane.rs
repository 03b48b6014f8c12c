//! What one contestant of a race did, and how races end.

use copysmith_kernels::Routine;
use std::fmt;

/// One contestant: all its samples and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Who.
    pub routine: Routine,
    /// Log ratio to the reference in each block it was in: the first blocks of the race, without a gap.
    pub samples: Vec<f64>,
    /// What became of it.
    pub outcome: Outcome,
}

impl Lane {
    /// A contestant that has not been timed.
    pub fn new(routine: Routine) -> Lane {
        Lane { routine, samples: Vec::new(), outcome: Outcome::Survived }
    }
}

/// What became of a contestant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is still in.
    Survived,
    /// It was told apart from the best.
    Dropped {
        /// After which block, from 1.
        block: usize,
    },
    /// It could not be timed: why.
    Failed(String),
}

/// `survived`, `dropped after block N`, `failed: REASON`
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Survived => f.write_str("survived"),
            Outcome::Dropped { block } => write!(f, "dropped after block {block}"),
            Outcome::Failed(reason) => write!(f, "failed: {reason}"),
        }
    }
}

/// Why a race ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All others were told apart from the best.
    OneLeft,
    /// All that are left are equivalent to the best: a tie.
    Equivalent,
    /// The next block would have gone over the limit.
    Limit,
    /// [`Watch::more`](crate::Watch::more) said no.
    Watch,
    /// Everyone failed, or nobody was in it.
    NobodyLeft,
}

/// A recorded block that does not belong to the race it is said to be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Number of the block in the race, from 1.
    pub block: usize,
    /// How many contestants were still in.
    pub expected: usize,
    /// How many samples the record has.
    pub found: usize,
}

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Torn { block, expected, found } = self;
        write!(f, "recorded block {block} has {found} samples; the race has {expected} contestants there")
    }
}

impl std::error::Error for Torn {}
