//! Who races beside the reference: functions that are there already, and routines that are emitted.

use super::driver::Entered;
use super::slot::Slot;
use crate::run::Entry;
use copysmith_kernels::Routine;

/// A contestant, and the name its figures are kept under.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// Its name; not empty, and of no other.
    pub name: String,
    /// What it is.
    pub copier: Copier,
    /// The pointer that it is called through, for what is to be reached as adapters reach the others.
    pub slot: Option<Slot>,
}

/// What a contestant is.
#[derive(Clone, Debug)]
pub enum Copier {
    /// A function in this process. It copies every length; where workloads overlap, overlapping regions too.
    Function(Entry<'static>, Entered),
    /// What the settings' emitter makes of a routine; called by a jump, unless there is a slot.
    Routine(Routine),
    /// The same, moved away from where its code asks to be, to see what that costs.
    Moved(Routine, Start),
}

/// Where code begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// This many bytes behind the start of a cache line, below 64; which line is drawn, the same for all who begin so.
    InLine(u8),
    /// This many bytes behind the start of a page, below 4096.
    InPage(u16),
}

impl Entrant {
    /// A function that makes the jump through a pointer itself, as an adapter does.
    pub fn adapter(name: &str, entry: Entry<'static>) -> Entrant {
        Entrant { name: name.to_owned(), copier: Copier::Function(entry, Entered::Directly), slot: None }
    }

    /// Anything else, through a slot of its own where one is free and else by the call loop's jump.
    pub fn behind_slot(name: &str, copier: Copier) -> Entrant {
        Entrant { name: name.to_owned(), copier, slot: Slot::take() }
    }
}
