//! copysmith writes memory-copy routines, proves them, times them on this machine, and checks the best one per
//! size class into a library as Rust source.

pub mod record;
