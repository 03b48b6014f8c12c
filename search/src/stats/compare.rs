//! The verdict on two contestants of the same blocks.

use super::Estimate;
use std::fmt;

/// What is known about one contestant against another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Its 95 % interval lies below the other.
    Faster,
    /// The interval holds zero: it is not told apart. A result, not a failure.
    Tie,
    /// Its 95 % interval lies above the other.
    Slower,
}

/// `faster`, `tie`, `slower`
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Faster => "faster",
            Verdict::Tie => "tie",
            Verdict::Slower => "slower",
        })
    }
}

/// One contestant against another over the blocks that both were in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Of ln(time of the first / time of the second).
    pub estimate: Estimate,
    /// What the interval says.
    pub verdict: Verdict,
    /// Blocks that both were in.
    pub blocks: usize,
}

/// Compares two contestants by their log ratios to the reference, one for each block of the same race, first block
/// first. One that left early is compared over the blocks it was in.
///
/// Formula: [`Estimate::of`] the differences `a[i] - b[i]`. The reference's time in a block is in both and cancels.
///
/// ```
/// use copysmith_search::stats::{Verdict, compare};
/// let a = [0.10, 0.31, -0.05, 0.12, 0.08, 0.20];
/// let b = [0.13, 0.33, -0.02, 0.15, 0.12, 0.23];
/// assert_eq!(compare(&a, &b).verdict, Verdict::Faster);
/// assert_eq!(compare(&b, &a).verdict, Verdict::Slower);
/// assert_eq!(compare(&a[..2], &b).verdict, Verdict::Tie);
/// ```
pub fn compare(a: &[f64], b: &[f64]) -> Comparison {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let estimate = Estimate::of(&differences);
    let verdict = if estimate.high < 0.0 {
        Verdict::Faster
    } else if estimate.low > 0.0 {
        Verdict::Slower
    } else {
        Verdict::Tie
    };
    Comparison { estimate, verdict, blocks: differences.len() }
}
