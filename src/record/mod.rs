//! What was measured, where, with what: an append-only file that survives being killed at any moment.
//!
//! ```text
//! place -> <record>/<machine>/ --lock--> Journal --append--> race.journal
//!                                           |                     |
//!            header: is it from here? <-----+---- entries --------+
//!                                                    |
//!                                 past: what need not be measured again --> Recording (a judge)
//! ```
//!
//! Not here: what the numbers mean (statistics) and which recipe wins (choosing). A record is never edited: what does
//! not belong to this machine and this version is named and left alone.

mod entry;
mod header;
mod interrupt;
mod journal;
mod lock;
mod measurement;
mod past;
mod place;
mod read;
mod recording;

pub use entry::{
    Block, Breakdown, Confirmed, Entry, InSituation, Outcome, Phase, Race, Rejected, Resumed, Stage, Timing, Worst,
};
pub use header::{Caches, Field, Fingerprint, Header, Mismatch, Weight};
pub use interrupt::{EXIT_INTERRUPTED, Interrupt, Interrupted};
pub use journal::{JOURNAL, Journal, Opened};
pub use lock::{Lock, LockError};
pub use past::{Best, ClassPast, Evidence, Past};
pub use place::{Place, PlaceError, Surroundings, Why};
pub use read::{Contents, JournalError, SCHEMA, Torn, read};
pub(crate) use read::{WAY_OUT, parse};
pub use recording::{Recording, RecordingError};
