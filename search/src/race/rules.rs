//! When a race looks, whom it drops, and how long it may take.

use crate::stats::{MARGIN, margin};

/// When a race looks and what it calls equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Blocks before the first look.
    pub first: usize,
    /// Blocks between looks.
    pub every: usize,
    /// Probability, over a whole race, that the fastest is dropped; of several equally fast ones, each.
    pub spend: f64,
    /// Differences up to this are equal, in log units.
    pub margin: f64,
}

impl Default for Rules {
    /// First look after 8 blocks, then every 2; 5 % to spend; one per cent is equal.
    fn default() -> Rules {
        Rules { first: 8, every: 2, spend: 0.05, margin: MARGIN }
    }
}

impl Rules {
    /// The default rules on a machine with this [`noise_floor`](crate::stats::noise_floor), in log units.
    pub fn with_floor(floor: f64) -> Rules {
        Rules { margin: margin(floor), ..Rules::default() }
    }

    /// What look `k`, from 1, may spend: spend * 6 / (pi^2 k^2). The sum over all k is `spend` (Basel series).
    pub fn alpha(&self, look: usize) -> f64 {
        let look = look as f64;
        self.spend * 6.0 / (std::f64::consts::PI * look).powi(2)
    }
}

/// How long one call of [`Race::run`](super::Race::run) may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Blocks of the race, with those before the call.
    pub blocks: usize,
    /// Samples of this call, over all contestants.
    pub evaluations: u64,
}

impl Limit {
    /// So many blocks, whatever the number of contestants.
    pub const fn blocks(blocks: usize) -> Limit {
        Limit { blocks, evaluations: u64::MAX }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_looks_together_spend_what_there_is() {
        let rules = Rules::default();
        let sum: f64 = (1..200_000).map(|look| rules.alpha(look)).sum();
        assert!(sum < 0.05 && sum > 0.04999, "{sum}");
    }
}
