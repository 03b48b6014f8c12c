//! The statistics of block-paired timing: pure functions of log ratios, with no clock and no random numbers.
//!
//! Every quantity is in log units: 0.01 is one per cent, negative is faster. Two contestants are only ever compared by
//! the differences of their samples in the same blocks, so that whatever moved a whole block cancels:
//!
//! ```text
//! block          1      2      3      4
//! a           -0.10  +0.30  -0.11  -0.09     ln(time / reference) of the same block
//! b           -0.08  +0.32  -0.08  -0.07
//! d = a - b   -0.02  -0.02  -0.03  -0.02     a is about 2 % faster, though each alone varies by 40 %
//! ```

mod compare;
mod estimate;
mod floor;
mod student;

pub use compare::{Comparison, Verdict, compare};
pub use estimate::{Estimate, trimmed_mean};
pub use floor::{MARGIN, mad_sigma, margin, median, noise_floor, tamed};
pub use student::quantile;
