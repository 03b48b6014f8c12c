//! Offline research: measure a space once, then work on the data.
//!
//! ```text
//!               plan ──> measure ──> shards (journals) ──> merge ──> data.jsonl.zst
//!                                          └──────────┬─────────────────┘
//!                                                   Data ──> replay (every strategy through the Judge seam) ──> score, plot
//!                                                     ├────> exchange (Kernel Tuner cache, T4, CSV)
//!                                                     └────> importance, transfer
//!                       live clock ──> calibrate
//! ```
//!
//! The lines are those of [`record`](crate::record): a tune's journal is a data set too, of those that its races timed. Nothing here
//! chooses what goes into a table.

mod calibrate;
pub mod compare;
mod data;
mod error;
pub mod exchange;
mod file;
mod importance;
mod measure;
mod merge;
mod plan;
pub mod plot;
mod recorded;
mod relive;
mod replay;
pub mod score;
mod transfer;

pub use calibrate::{
    Amount, Calibration, PLANTED, Pick, Stability, calibrate, covered, finds_planted, holds, stability,
};
pub use data::{Class, Data, Kernel};
pub use error::StudyError;
pub use file::{Stored, load, store};
pub use importance::{Importance, Minimal, importance, minimal};
pub use measure::{Measured, measure};
pub use merge::{Merged, merge};
pub use plan::{Choice, Plan, Shard};
pub use recorded::{Noise, RecordedJudge};
pub use relive::{Relived, relive};
pub use replay::{Replay, Row, WITHIN, replay};
pub use transfer::{Transfer, transfer};
