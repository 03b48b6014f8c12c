//! What is in use on this processor, and what else there is.

use super::dispatch;
use super::row::{Row, Table};
use super::table::TABLES;

/// The machine whose table copies on this processor, as `amd-1ah-02h`; `None` where copies are
/// [`core::ptr::copy_nonoverlapping`]. Asks the processor on every call.
pub fn machine() -> Option<&'static str> {
    dispatch::chosen().map(Table::machine)
}

/// The table in use, which fits this processor; `None` where copies are [`core::ptr::copy_nonoverlapping`]. Asks the processor on
/// every call.
pub fn table() -> Option<&'static Table> {
    dispatch::chosen()
}

/// The kernels of the table in use, in order of their lengths; empty where there is none. Asks the processor on every call.
pub fn rows() -> &'static [Row] {
    dispatch::chosen().map_or(&[], Table::rows)
}

/// Every table that is compiled in, for whatever machine, modelled ones too.
pub fn tables() -> &'static [&'static Table] {
    TABLES
}
