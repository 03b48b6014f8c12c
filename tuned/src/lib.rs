//! Memory-copy kernels tuned by measurement, one table a machine, behind a function that picks the right one.
//!
//! ```
//! let src = [7u8; 1000];
//! let mut dst = [0u8; 1000];
//! copysmith_tuned::copy(&mut dst, &src);
//! assert_eq!(dst, src);
//! ```
//!
//! The first copy asks the processor which machine it is. A table made on exactly that vendor, family and model is used
//! from then on, if the processor and the system offer every feature it needs. Without such a table, on systems other
//! than Linux and on processors other than x86-64, copies are [`core::ptr::copy_nonoverlapping`]. A table for a cousin of
//! the same family is not used: it was never timed here.
//!
//! [`machine`] tells which table that is, [`rows`] what is in it and how it was measured, and a single kernel can be
//! called by name:
//!
//! ```
//! println!("table: {}", copysmith_tuned::machine().unwrap_or("none, core::ptr copies"));
//! for row in copysmith_tuned::rows() {
//!     println!("{:>8} {} {:?}", row.first(), row.recipe(), row.evidence());
//! }
//!
//! if let Some(row) = copysmith_tuned::rows().iter().find(|row| row.contains(100)) {
//!     let (src, mut dst) = ([7u8; 100], [0u8; 100]);
//!     // SAFETY: both arrays have 100 bytes and are apart, 100 is a length of the row, and `rows` are for this processor.
//!     unsafe { row.entry()(dst.as_mut_ptr(), src.as_ptr(), 100) };
//!     assert_eq!(dst, src);
//! }
//! ```
//!
//! [`memcpy`], [`memmove`] and [`mempcpy`] have the arguments and the calling convention of C's, each a jump or call through a pointer.
//! [`baseline`] is a table for every x86-64 processor, chosen by rules and never timed; nothing here copies with it, but a library that
//! must not call libc can.
//!
//! Features: `tables` (default) compiles the tables in; `source` offers the text of the modules to the tool.
#![no_std]
#![deny(clippy::undocumented_unsafe_blocks)]

mod baseline;
mod copy;
#[cfg(target_arch = "x86_64")]
pub mod cpu;
#[cfg(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri)))]
mod dispatch;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri))))]
#[path = "portable.rs"]
mod dispatch;
mod here;
mod row;
#[cfg(feature = "source")]
pub mod source;
#[cfg(all(feature = "tables", target_os = "linux", not(miri)))]
mod table;
#[cfg(not(all(feature = "tables", target_os = "linux", not(miri))))]
mod table {
    pub(super) static TABLES: &[&super::row::Table] = &[];
}
#[cfg(test)]
mod tests;

pub use baseline::baseline;
pub use copy::{copy, copy_raw, memcpy, memmove, mempcpy};
pub use here::{machine, rows, table, tables};
pub use row::{Entry, Evidence, Feature, Row, Table};
