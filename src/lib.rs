//! copysmith writes memory-copy routines, proves them, times them on this machine, and checks the best one per
//! size class into a library as Rust source.
//!
//! Choosing is noisy and happens on one machine; printing is pure and is checked on every machine.
//!
//! ```text
//!                       host   run ─────> proofs ──┐
//!                        │      └──> time ─────────┼──> tune ──> (the command)
//!                        └──────────── record ─────┤
//!                                      print ──────┤
//!                                    profile ──────┘
//! ```
//!
//! - [`host`]: what machine this is, and what to distrust about it
//! - [`run`]: executable memory, and the battery that tries code out in a forked process
//! - [`proofs`]: the three proofs that come before a clock
//! - [`time`]: clocks, call loops, workloads, and the judge that races routines
//! - [`record`]: the journal of everything measured, which survives being killed
//! - [`tune`]: the main job: classes, races, confirmations, the whole routine
//! - [`profile`]: the copies that real programs make, in order: recorded, imported, shipped
//! - [`mod@bench`]: the checked-in table against the system's memcpy
//! - [`mod@print`]: from winners to Rust source, and the equalities that hold the two together
//! - [`study`]: offline research on recorded samples: replays, exchange with other tuners, what matters, how far to trust it
//! - [`report`]: records as a page to look at
//! - [`export`]: from a routine to assembly, an ELF object and a header for C
//!
//! [`regular`] opens files for all of them: none that would be waited for.
//!
//! What a copy routine is stands in `copysmith_kernels`, which recipe to try next in `copysmith_search`, and the answer in
//! `copysmith_tuned`.

pub mod bench;
pub mod export;
pub mod host;
pub mod print;
pub mod profile;
pub mod proofs;
pub mod record;
pub mod regular;
pub mod report;
pub mod run;
pub mod study;
pub mod time;
pub mod tune;
