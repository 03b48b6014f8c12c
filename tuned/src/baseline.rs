//! The table for processors that nobody timed: chosen by rules, right on every x86-64.
//!
//! Its routine moves, with SSE2 alone, so it is what a libc's `memcpy` and `memmove` can be from the first instruction on. The rules,
//! for any width of loads and stores: up to 8 vectors from each end, all loaded before the first is stored, because that needs no loop;
//! above, a loop over four vectors with stores on vector boundaries, since a store that crosses lines costs more than such a load.
//! No string moves and no stores around the caches: where those pay is what differs most between processors.

use super::row::Table;
use super::table::TABLES;

/// What stands for the machine in the table.
const MACHINE: &str = "x86-64";

/// The table that runs on every x86-64 processor; `None` where tables are not compiled in. [`copy`](super::copy()) never uses it:
/// [`core::ptr`]'s copies are made for the processor at hand.
pub const fn baseline() -> Option<&'static Table> {
    let mut at = 0;
    while at < TABLES.len() {
        if same(TABLES[at].machine(), MACHINE) {
            return Some(TABLES[at]);
        }
        at += 1;
    }
    None
}

/// Whether the texts are equal; `==` is for run time.
const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
