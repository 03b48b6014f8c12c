//! What a routine did wrong, in words that name the byte.

use super::memory::{BESIDE, JUNK, OLD, Token, ZERO};
use super::step::{IntReg, MaskReg, Slot, VectorReg};
use std::fmt;

/// The first thing a routine did wrong on one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The offset of the instruction in the code, or of the step in a flattened plan; for wrong contents that of the return.
    pub offset: usize,
    /// What it did.
    pub wrong: Wrong,
}

/// Which memory an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The bytes to copy.
    Source,
    /// Where they go.
    Destination,
    /// The bytes below the stack pointer.
    Scratch,
}

/// An address, relative to the region it was probably meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// In or near a region.
    Near {
        /// The region.
        region: Region,
        /// Bytes from the region's start.
        offset: i64,
        /// How many bytes the region has.
        size: usize,
    },
    /// Near no region.
    Address(u64),
}

/// Whether memory is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Load,
    /// It is written.
    Store,
}

/// The kinds of wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrong {
    /// An access that is not wholly inside a region it may touch.
    Outside {
        /// Read or write.
        access: Access,
        /// How many bytes.
        bytes: usize,
        /// From where.
        at: Spot,
    },
    /// A load of more than one byte from the destination of a copy. (One byte is how a line is touched.)
    ReadsDestination {
        /// How many bytes.
        bytes: usize,
        /// From where.
        at: Spot,
    },
    /// A store into the source of a copy.
    WritesSource {
        /// How many bytes.
        bytes: usize,
        /// To where.
        at: Spot,
    },
    /// An access that needs an aligned address and has none.
    Misaligned {
        /// Read or write.
        access: Access,
        /// How many bytes.
        bytes: usize,
        /// What the address must be a multiple of.
        align: u8,
        /// By how much it misses the multiple below.
        past: u8,
        /// To where.
        at: Spot,
    },
    /// More steps than any copy of this length needs: a hang.
    TooManySteps {
        /// How many were allowed.
        limit: u64,
    },
    /// A condition read flags that nothing set, or not for this relation.
    FlagsLost,
    /// An integer was read from a register that nothing set.
    Unset(IntReg),
    /// An integer was read from a register that holds data.
    DataAsInteger(IntReg),
    /// Data was stored from a register that holds an integer.
    IntegerAsData(IntReg),
    /// More bytes were stored from a register than were loaded into it.
    StoresUnloaded {
        /// The register.
        from: Slot,
        /// How many bytes it holds.
        held: u8,
        /// How many were stored.
        bytes: u8,
    },
    /// An access of more bytes than its register has.
    TooWide {
        /// How many bytes.
        bytes: u8,
    },
    /// A masked access before its mask was set.
    MaskUnset(MaskReg),
    /// A mask of more bytes than the vector has.
    MaskTooLong {
        /// How many bytes the mask asks for.
        count: u64,
        /// How many there are.
        bytes: u8,
    },
    /// Values are merged, and nothing said how they are shifted.
    ShiftUnset(VectorReg),
    /// Data is shifted by no whole number of bytes.
    SplitsBytes(u64),
    /// Two parts are put together that both have data for a byte, or not as much of it.
    Joins(IntReg, IntReg),
    /// A shift by 64 bits or more, on which instruction sets differ.
    Shift(u64),
    /// A computed jump to none of its targets.
    JumpsAstray {
        /// The code offset it went to.
        to: u64,
    },
    /// Execution ran past the last step.
    RunsOff,
    /// A destination byte has the wrong content at return.
    Content {
        /// Which byte, from 0.
        index: usize,
        /// The token it holds.
        found: Token,
    },
    /// The result is not the destination.
    Result {
        /// What was returned, where it is an integer.
        found: Option<Spot>,
    },
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Region::Source => "src",
            Region::Destination => "dst",
            Region::Scratch => "scratch",
        })
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::Near { region, offset, .. } => write!(f, "{region}{offset:+}"),
            Spot::Address(address) => write!(f, "address {address:#x}"),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Load => "loads",
            Access::Store => "stores",
        })
    }
}

struct Bytes(usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {:#x} {}", self.offset, self.wrong)
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Outside { access, bytes, at } => {
                write!(f, "{access} {} at {at}", Bytes(*bytes))?;
                outside(f, *bytes, *at)
            }
            Wrong::ReadsDestination { bytes, at } => write!(f, "loads {} at {at}, from the destination", Bytes(*bytes)),
            Wrong::WritesSource { bytes, at } => write!(f, "stores {} at {at}, into the source", Bytes(*bytes)),
            Wrong::Misaligned { access, bytes, align, past, at } => {
                write!(f, "{access} {} at {at}, {past} past a multiple of {align}; it must be one", Bytes(*bytes))
            }
            Wrong::TooManySteps { limit } => write!(f, "hangs: it has not returned after {limit} steps"),
            Wrong::FlagsLost => f.write_str("decides on flags that nothing set for that"),
            Wrong::Unset(reg) => write!(f, "reads integer register {reg}, which nothing set"),
            Wrong::DataAsInteger(reg) => write!(f, "reads integer register {reg} as a number, but it holds data"),
            Wrong::IntegerAsData(reg) => write!(f, "stores integer register {reg}, which holds no data"),
            Wrong::StoresUnloaded { from, held, bytes } => {
                let (file, number) = match from {
                    Slot::Int(number) => ("integer", number),
                    Slot::Vector(number) => ("vector", number),
                };
                write!(f, "stores {bytes} bytes of {file} register {number}, which holds {held}")
            }
            Wrong::TooWide { bytes } => write!(f, "moves {bytes} bytes at once, more than the register has"),
            Wrong::MaskUnset(mask) => write!(f, "uses mask {mask}, which nothing set"),
            Wrong::MaskTooLong { count, bytes } => write!(f, "masks {count} bytes of a vector of {bytes}"),
            Wrong::ShiftUnset(reg) => write!(f, "merges by vector register {reg}, which holds no shift"),
            Wrong::SplitsBytes(bits) => write!(f, "shifts data by {bits} bits, which is no whole number of bytes"),
            Wrong::Joins(left, right) => {
                write!(f, "puts integer registers {left} and {right} together, which are not each other's rest")
            }
            Wrong::Shift(bits) => write!(f, "shifts by {bits} bits; at most 63 are allowed"),
            Wrong::JumpsAstray { to } => write!(f, "jumps to code offset {to:#x}, which is none of its targets"),
            Wrong::RunsOff => f.write_str("runs off the end of the code"),
            Wrong::Content { index, found } => match *found {
                OLD => write!(f, "returns while dst+{index} still holds its old content"),
                JUNK => write!(f, "returns while dst+{index} holds what scratch held"),
                ZERO => write!(f, "returns while dst+{index} holds a zero, of a mask or a block"),
                BESIDE => write!(f, "returns while dst+{index} holds what lies beside src"),
                other => write!(f, "returns while dst+{index} holds src+{other}"),
            },
            Wrong::Result { found: Some(spot) } => write!(f, "returns {spot} instead of dst"),
            Wrong::Result { found: None } => f.write_str("returns no address"),
        }
    }
}

/// How far an access is off its region, where it is near one.
fn outside(f: &mut fmt::Formatter<'_>, bytes: usize, at: Spot) -> fmt::Result {
    let Spot::Near { offset, size, .. } = at else { return Ok(()) };
    let past = offset.saturating_add_unsigned(bytes as u64).saturating_sub_unsigned(size as u64);
    match (offset < 0, past > 0) {
        (true, false) => write!(f, ", {} before the start", -offset),
        (true, true) => write!(f, ", {} before the start and {past} past the end", -offset),
        (false, true) => write!(f, ", {past} past the end"),
        (false, false) => Ok(()),
    }
}

impl std::error::Error for Fault {}
