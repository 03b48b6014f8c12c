//! What can be wrong with a call, and how it is told.

use super::input::Input;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One fault of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Fault {
    /// No length of the span is short enough to be tried.
    NothingTried {
        /// The longest length that is tried.
        longest: usize,
    },
    /// A byte of the destination is not the source's.
    Dst {
        /// The first such byte, counted from the start of the run.
        at: usize,
        /// The source's byte.
        expected: u8,
        /// What is there; 251 and above was there before the call.
        found: u8,
    },
    /// Bytes before the destination were written.
    BeforeDst {
        /// How far before it, at most.
        distance: usize,
    },
    /// Bytes after the destination were written.
    AfterDst {
        /// How far after its last byte, at least.
        distance: usize,
    },
    /// The source or what lies beside it was written.
    SourceChanged {
        /// The first such byte, counted from the start of the run.
        at: isize,
    },
    /// The result is not the destination.
    Returned {
        /// The result minus the destination.
        off_by: isize,
    },
    /// A register that belongs to the caller changed.
    Register {
        /// Its name.
        name: String,
    },
    /// The stack pointer came back elsewhere.
    StackPointer {
        /// Its value minus what it should be.
        off_by: isize,
    },
    /// The caller's part of the stack was written.
    CallerStack {
        /// The first such byte, counted from the stack pointer after the return.
        at: usize,
    },
    /// String instructions run backward after the call.
    DirectionFlag,
    /// The x87 registers hold MMX data: `emms` is missing.
    MmxState,
    /// The upper halves of vector registers are in use: `vzeroupper` is missing.
    UpperHalves,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NothingTried { longest } => {
                write!(
                    f,
                    "not tried: the span starts above {longest}, the longest length there is memory to try; give a lower span"
                )
            }
            Fault::Dst { at, expected, found: found @ 251.. } => {
                write!(f, "byte {at} was not copied: it is still {found:#04x}, not {expected:#04x}")
            }
            Fault::Dst { at, expected, found } => write!(f, "byte {at} is {found:#04x}, not {expected:#04x}"),
            Fault::BeforeDst { distance } => write!(f, "wrote {distance} before dst"),
            Fault::AfterDst { distance } => write!(f, "wrote {distance} past the end of dst"),
            Fault::SourceChanged { at } => write!(f, "changed byte {at} of src"),
            Fault::Returned { off_by } => write!(f, "returned dst{off_by:+}, not dst"),
            Fault::Register { name } => write!(f, "did not preserve {name}"),
            Fault::StackPointer { off_by } => write!(f, "returned with the stack pointer off by {off_by}"),
            Fault::CallerStack { at } => write!(f, "wrote byte {at} of its caller's stack"),
            Fault::DirectionFlag => f.write_str("left the direction flag set"),
            Fault::MmxState => f.write_str("left MMX data in the x87 registers (emms is missing)"),
            Fault::UpperHalves => f.write_str("left the upper halves of vectors in use (vzeroupper is missing)"),
        }
    }
}

/// A routine that failed, and the call that showed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// The call.
    pub input: Input,
    /// What was wrong after it.
    pub fault: Fault,
}

/// One line: `n=33 dst=page+515 src=before-guard: byte 32 was not copied: ...`.
impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.input, self.fault)
    }
}

impl std::error::Error for Rejection {}
