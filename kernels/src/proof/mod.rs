//! Proofs without a processor: tokens instead of bytes, bounds instead of luck.

mod step;

pub use step::*;
