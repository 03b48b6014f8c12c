//! Which routine copies and which moves: two pointers that start at functions that ask the processor and replace them.
//!
//! ```text
//! run ──> ROUTINE ──> detect        the first time
//!                 └─> a table's routine, or fallback, from then on
//!         MOVE ─────> detect_move   the first time
//!                 └─> a table's routine if it moves, or fallback_move, from then on
//! ```

use super::cpu::Cpu;
use super::row::{Entry, Evidence, Table};
use super::table::TABLES;
use core::mem::transmute;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Always an [`Entry`]. Relaxed order is enough: each value it takes is code that was there from the start, and nothing
/// else is published through it. Threads that race through `detect` store the same answer.
pub(super) static ROUTINE: AtomicPtr<()> = AtomicPtr::new(detect as *mut ());

/// As [`ROUTINE`], for regions that may overlap.
pub(super) static MOVE: AtomicPtr<()> = AtomicPtr::new(detect_move as *mut ());

/// Copies `n` bytes with the routine in use, and returns `dst`.
///
/// # Safety
/// As [`core::ptr::copy_nonoverlapping`].
#[inline]
pub(super) unsafe fn run(src: *const u8, dst: *mut u8, n: usize) -> *mut u8 {
    let routine = ROUTINE.load(Relaxed);
    // SAFETY: only values of type `Entry` are ever stored.
    let routine = unsafe { transmute::<*mut (), Entry>(routine) };
    // SAFETY: the caller's obligations are those of an entry, and `detect` stores only what this processor can run.
    unsafe { routine(dst, src, n) }
}

/// The table in use: made for exactly this machine, all it needs is there, and its routine was measured.
pub(super) fn chosen() -> Option<&'static Table> {
    let cpu = Cpu::here();
    TABLES.iter().copied().find(|table| fits(table, &cpu))
}

/// Whether copies on this processor may go through the table.
pub(super) fn fits(table: &Table, cpu: &Cpu) -> bool {
    let measured = matches!(table.routine().evidence(), Evidence::Measured { .. });
    measured && cpu.is(table.machine()) && table.needs().iter().all(|&feature| cpu.has(feature))
}

#[cold]
unsafe extern "sysv64" fn detect(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    let routine = chosen().map_or(fallback as Entry, |table| table.routine().entry());
    ROUTINE.store(routine as *mut (), Relaxed);
    // SAFETY: the caller's obligations are those of an entry, and the choice suits this processor.
    unsafe { routine(dst, src, n) }
}

#[cold]
unsafe extern "sysv64" fn detect_move(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    let moving = chosen().map(Table::routine).filter(|routine| routine.moves());
    let routine = moving.map_or(fallback_move as Entry, |routine| routine.entry());
    MOVE.store(routine as *mut (), Relaxed);
    // SAFETY: the caller's obligations are those of an entry that moves, and the choice suits this processor.
    unsafe { routine(dst, src, n) }
}

unsafe extern "sysv64" fn fallback(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's obligations are the same.
    unsafe { core::ptr::copy_nonoverlapping(src, dst, n) };
    dst
}

unsafe extern "sysv64" fn fallback_move(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the caller's obligations are the same.
    unsafe { core::ptr::copy(src, dst, n) };
    dst
}
