//! The text of the hand-written modules, for the tool that prints them and one table as a self-contained module.
//!
//! The modules name each other by `super::` alone, have no doctest and no test inside, and so work in any module.

/// `copy`: the copy functions.
pub const COPY: &str = include_str!("copy.rs");
/// `cpu`: identity and features of an x86-64 processor.
pub const CPU: &str = include_str!("cpu.rs");
/// `dispatch` where tables can run.
pub const DISPATCH: &str = include_str!("dispatch.rs");
/// `dispatch` where they cannot.
pub const PORTABLE: &str = include_str!("portable.rs");
/// `here`: what is in use.
pub const HERE: &str = include_str!("here.rs");
/// `row`: the types of a table.
pub const ROW: &str = include_str!("row.rs");
