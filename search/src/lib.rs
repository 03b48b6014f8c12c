//! Which recipe to try next, and when to stop. Knows recipes, verdicts and dimensionless log ratios; never a clock.
#![forbid(unsafe_code)]

mod judge;

pub use judge::{Judge, Sample};
