//! The record of a tune, begun or gone on with.

use super::{Begin, Observer, Options, TuneError, deadline};
use crate::record::{Entry, Header, Journal, Lock, Mismatch, Opened};

/// Opens the journal of the locked directory, and tells the observer what is worth knowing of what is in it.
pub(super) fn open(
    options: &Options,
    lock: &Lock,
    header: &Header,
    observer: &mut dyn Observer,
) -> Result<Opened, TuneError> {
    if options.begin == Begin::Anew
        && let Some(aside) = Journal::set_aside(lock)?
    {
        observer.note(&format!("the earlier record is now {}", aside.display()));
    }
    let opened = Journal::open(lock, header)?;
    if let Some(torn) = &opened.torn {
        observer.note(&format!("{torn}"));
    }
    for Mismatch { field, recorded, now } in &opened.changed {
        observer.note(&format!("since the record was begun {field} went from {recorded} to {now}"));
    }
    if opened.entries.iter().any(|entry| matches!(entry, Entry::Block(_))) {
        observer.note(&format!("going on with {}", opened.journal.path().display()));
    }
    if let Some(budget) = options.budget.filter(|&budget| budget < deadline::LEAST) {
        let (asked, least) = (budget.as_secs(), deadline::LEAST.as_secs());
        observer.note(&format!("{asked} s are less than proofs and trials take; the budget counts as {least} s"));
    }
    Ok(opened)
}
