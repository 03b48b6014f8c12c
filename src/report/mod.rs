//! Records as one page that anyone can look at: a single HTML file that needs no network and fits a phone.
//!
//! ```text
//! record directory ──> Record (winners, host, confirmed figures, journal) ──> sections ──> page
//! ```
//!
//! What a record lacks, its page leaves out and says so: the journal of a race is not kept in version control, so a record from there
//! has winners and confirmed figures, and no race.

mod error;
mod heat;
mod html;
mod lengths;
mod machine;
mod page;
mod race;
mod record;
mod sides;
mod winners;

pub use error::ReportError;
pub use page::page;
pub use record::Record;
