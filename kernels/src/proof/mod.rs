//! Proofs without a processor: tokens instead of bytes, bounds instead of luck.
//!
//! ```text
//! Plan -- flatten --> Program <-- decode -- Code
//!                        |
//!        walk (every path)   machine over memory (many inputs)
//!                        |
//!            prove: is it a copy?   overlap: is it a move?   prove_operation: is it what it is said to be?
//! ```

mod check;
mod cover;
mod fault;
mod flatten;
mod machine;
mod memory;
mod merge;
mod overlap;
mod prove;
mod registers;
mod step;
mod walk;

pub use check::PlanError;
pub use cover::{Depth, Residues};
pub use fault::{Access, Fault, Region, Spot, Wrong};
pub use flatten::flatten;
pub use machine::{Machine, Run, step_limit};
pub use memory::{CODE, JUNK, LONGEST, Memory, OLD, Token, ZERO};
pub use overlap::{Clash, Overlap, overlap, prove_operation};
pub use prove::{Failure, Proof, prove};
pub use step::*;
pub use walk::{Owed, WalkError, walk};
