//! From winners to Rust source and back: printing is pure, and what was printed can be held against what it says.
//!
//! ```text
//! tuned/record/<machine>/winners ──table──> tuned/src/table/<machine>.rs ──rustc──> linked code
//!                 │      └──────standalone──> one self-contained module                 │
//!                 └──────────────────────────────check──────────────────────────────────┘
//! ```
//!
//! Nothing here looks at a clock, at the environment or at this machine, and no formatter runs afterwards: the same winners
//! give the same bytes everywhere.

pub mod check;
mod error;
mod function;
pub(crate) mod instructions;
mod standalone;
mod table;
mod tables;
mod text;
pub mod winners;
pub mod write;

pub use error::PrintError;
pub use standalone::standalone;
pub use table::{module, table};
pub use tables::tables;
pub use winners::Winners;
