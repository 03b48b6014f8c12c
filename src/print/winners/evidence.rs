//! Why a winner is believed to be one.

use serde::{Deserialize, Serialize};

/// Why a winner is believed to be one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Evidence {
    /// Timed on the machine it is for, in a run after the one that chose it.
    Measured {
        /// Its time divided by that of the reference; below 1 is faster.
        ratio: f64,
        /// The lower end of the ratio's confidence interval.
        low: f64,
        /// The upper end of the ratio's confidence interval.
        high: f64,
        /// How many interleaved blocks that rests on.
        blocks: u32,
    },
    /// Chosen by a written rule and never timed on the machine it is for.
    Modelled,
}

impl Evidence {
    /// Whether the numbers can be what they are said to be.
    pub fn is_sound(&self) -> bool {
        match *self {
            Evidence::Measured { ratio, low, high, blocks } => {
                // A NaN fails every comparison.
                0.0 < low && low <= ratio && ratio <= high && high < f64::INFINITY && blocks > 0
            }
            Evidence::Modelled => true,
        }
    }
}
