//! The clock: what a routine takes next to a reference, and nothing about which is better.
//!
//! ```text
//! Workload --batch--> calls        Routine --emit--> Code
//!                       |                             |
//! Buffers ------------> Bench <--- Lanes: each contestant's own driver and code
//!                       |
//!                    Timing --block: reference, contestants in random order, reference--> log ratios --> LiveJudge
//! ```
//!
//! Contestants are never timed one after the other, and never through shared code. Ticks leave this module only for display.

mod batch;
mod bench;
mod block;
mod breakdown;
mod buffers;
mod clock;
mod confirm;
mod driver;
mod entrant;
mod error;
mod lanes;
mod lengths;
mod live;
mod pin;
mod recording;
mod replay;
mod sample;
mod settings;
mod slot;
mod stage;
mod tally;
mod usage;
mod workload;

pub use batch::{Batch, Rotation};
pub use buffers::{Buffers, PageSize};
pub use clock::{Clock, Reading, Source};
pub use confirm::{Confirmation, Series, compare, confirm};
pub use driver::{Call, Driver, Entered, ReadBack, emit, emit_null};
pub use entrant::{Copier, Entrant, Start};
pub use error::TimeError;
pub use lengths::Lengths;
pub use live::{Figures, LiveJudge};
pub use pin::{Pin, PinError};
pub use recording::{FEWEST_RECORDED, Recording};
pub use sample::{Disturbance, Timing};
pub use settings::{Emitter, Settings, Situation};
pub use slot::{SLOTS, Slot};
pub use tally::Tally;
pub use workload::{LONGEST, Placements, Relative, Temperature, Workload, WorkloadError};

use crate::run::{CopyFn, Entry};
use std::ffi::c_void;

/// The C library's `memcpy`, as the dynamic linker chose it for this machine.
pub fn libc_memcpy() -> Entry<'static> {
    let memcpy: unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void = libc::memcpy;
    // SAFETY: the two types differ only in what the pointers point to; on x86-64 Linux the C convention is System V's.
    let memcpy = unsafe {
        std::mem::transmute::<unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void, CopyFn>(memcpy)
    };
    // SAFETY: it is memcpy.
    unsafe { Entry::linked(memcpy) }
}

/// The middle value, or the mean of the two middle ones; NaN of none.
fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}
