//! copysmith writes memory-copy routines, proves them, times them on this machine, and checks the best one per
//! size class into a library as Rust source.

pub mod host;
pub mod print;
pub mod proofs;
pub mod record;
pub mod run;
pub mod time;
pub mod tune;
