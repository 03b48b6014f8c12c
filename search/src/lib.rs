//! Which recipe to try next, and when to stop. Knows recipes, verdicts and dimensionless log ratios; never a clock.
//!
//! ```text
//! space ──> strategy ──> race ──> ties ──> (a later process) confirm
//!              ^           |
//!              └─ Watch    └─ Judge: the live clock, a replay, or the simulator
//! ```
//!
//! - [`space`]: the recipes of a span, and the neighbours of one recipe
//! - [`strategy`]: which of them are raced, and in which order
//! - [`race`]: interleaved blocks until the slow ones are told apart from the best
//! - [`ties`]: what was not told apart, and which of it is taken
//! - [`confirm`]: the only numbers that are published
//! - [`forest`]: predictions for what has not been timed
//! - [`stats`]: the estimator under all of it
//! - [`simulator`]: a judge with known answers
#![forbid(unsafe_code)]

pub mod confirm;
pub mod forest;
mod judge;
pub mod race;
pub mod simulator;
pub mod space;
pub mod stats;
pub mod strategy;
pub mod ties;
mod watch;

pub use judge::{Judge, Sample};
pub use watch::{Progress, Watch};
