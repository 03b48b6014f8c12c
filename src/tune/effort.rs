//! How long a tune may take: the ladder of efforts.

use copysmith_search::Breadth;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How much a tune tries, as on FFTW's ladder of planner efforts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// At most a minute: a few dozen candidates a class.
    Quick,
    /// At most five minutes: hundreds of candidates a class. The default.
    Normal,
    /// About half an hour: over a thousand candidates a class and longer confirmations.
    Patient,
    /// Hours: every value list of the axes.
    Exhaustive,
}

impl Effort {
    /// The time a whole tune gets, confirmations included.
    pub const fn budget(self) -> Duration {
        Duration::from_secs(match self {
            Effort::Quick => 55,
            Effort::Normal => 285,
            Effort::Patient => 1800,
            Effort::Exhaustive => 4 * 3600,
        })
    }

    /// How many candidates a class starts with.
    pub const fn breadth(self) -> Breadth {
        match self {
            Effort::Quick => Breadth::Quick,
            Effort::Normal => Breadth::Normal,
            Effort::Patient => Breadth::Patient,
            Effort::Exhaustive => Breadth::All,
        }
    }
}

/// `quick`, `normal`, `patient`, `exhaustive`
impl std::fmt::Display for Effort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Effort::Quick => "quick",
            Effort::Normal => "normal",
            Effort::Patient => "patient",
            Effort::Exhaustive => "exhaustive",
        })
    }
}
