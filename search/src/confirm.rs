//! The held-out confirmation: the only numbers that are published.
//!
//! Whoever wins a race was, besides fast, lucky in it (the winner's curse). So at most [`FINALISTS`] run again later, in
//! a fresh process with fresh buffers, and the race's own figure is kept only to say how lucky it was.

use crate::stats::{Estimate, trimmed_mean};

/// Most members of a tie set that are confirmed, beside the incumbent and the reference.
pub const FINALISTS: usize = 4;

/// What is published of one routine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confirmed {
    /// Its time divided by the reference's: below 1 is faster.
    pub ratio: f64,
    /// Lower end of the ratio's 95 % interval.
    pub low: f64,
    /// Upper end of the ratio's 95 % interval.
    pub high: f64,
    /// Blocks it rests on.
    pub blocks: usize,
    /// Log speed-up at selection minus log speed-up at confirmation: positive when the race promised too much.
    pub optimism: f64,
}

/// The published figures of one finalist, from its log ratios to the reference in the race that selected it and in the
/// confirmation, one for each block. `None` when the confirmation has fewer than 3 blocks.
///
/// Formula: ratio = exp of the 20 % trimmed mean ([`Estimate::of`]), and its ends likewise;
/// optimism = mean(confirmation) - mean(selection), both trimmed, since a speed-up is a negative log ratio.
///
/// ```
/// let confirmed = copysmith_search::confirm::confirm(&[-0.22, -0.21, -0.23], &[-0.20, -0.20, -0.20]).unwrap();
/// assert!((confirmed.ratio - 0.8187).abs() < 1e-4);
/// assert!((confirmed.optimism - 0.02).abs() < 1e-12);
/// ```
pub fn confirm(selection: &[f64], confirmation: &[f64]) -> Option<Confirmed> {
    let Estimate { mean, se, low, high, .. } = Estimate::of(confirmation);
    se.is_finite().then(|| Confirmed {
        ratio: mean.exp(),
        low: low.exp(),
        high: high.exp(),
        blocks: confirmation.len(),
        optimism: mean - trimmed_mean(selection),
    })
}
