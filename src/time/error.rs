//! Why nothing can be timed.

use super::pin::PinError;
use super::workload::WorkloadError;
use crate::run::MapError;
use crate::run::isolate::Signal;
use std::fmt;
use std::io;
use std::time::Duration;

/// Why nothing can be timed, here or any more.
#[derive(Debug)]
#[non_exhaustive]
pub enum TimeError {
    /// Call loops exist for x86-64 only.
    Architecture,
    /// The thread does not stay on one CPU.
    Pin(PinError),
    /// There is no executable memory.
    Code(MapError),
    /// There is no memory for the buffers.
    Memory {
        /// The bytes of one of them.
        bytes: usize,
        /// Why not.
        reason: String,
    },
    /// There is nothing to time.
    NoSituation,
    /// A situation cannot be timed.
    Workload(WorkloadError),
    /// A weight is not a positive number.
    Weight(f64),
    /// A loss aversion that is negative or not finite.
    LossAversion(f64),
    /// The reference itself takes no time that can be told from an empty call's.
    Reference {
        /// What was timed.
        workload: String,
    },
    /// There is no process to confirm in.
    Process(io::Error),
    /// The process that confirms died of a signal.
    Died(Signal),
    /// The process that confirms was still at it after this long.
    TimedOut(Duration),
    /// It was asked to stop.
    Stopped,
    /// The process that confirms gave no results: why.
    Confirmation(String),
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeError::Architecture => {
                write!(f, "timing emitted code is not supported on {}; it is on x86_64", std::env::consts::ARCH)
            }
            TimeError::Pin(error) => error.fmt(f),
            TimeError::Code(error) => error.fmt(f),
            TimeError::Memory { bytes, reason } => write!(f, "no memory for buffers of {bytes} bytes: {reason}"),
            TimeError::NoSituation => f.write_str("there is no situation to time; at least one is needed"),
            TimeError::Workload(error) => error.fmt(f),
            TimeError::Weight(weight) => write!(f, "weight {weight} is not allowed; a positive finite number is"),
            TimeError::LossAversion(aversion) => {
                write!(f, "loss aversion {aversion} is not allowed; finite numbers from 0 on are")
            }
            TimeError::Reference { workload } => {
                write!(f, "the reference cannot be timed on {workload}: no copy can be as fast as it reads")
            }
            TimeError::Process(error) => write!(f, "no process to confirm in: {error}"),
            TimeError::Died(signal) => write!(f, "the confirming process died of {signal}"),
            TimeError::TimedOut(limit) => write!(f, "the confirming process was not done after {limit:?}"),
            TimeError::Stopped => f.write_str("it was asked to stop"),
            TimeError::Confirmation(reason) => write!(f, "nothing was confirmed: {reason}"),
        }
    }
}

impl std::error::Error for TimeError {}
