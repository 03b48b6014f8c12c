//! Emitted machine code: bytes and what must be known to place and to read them. Nothing in this crate can run it.

use crate::plan::Plan;
use crate::proof::Program;
use std::fmt;

/// Position-independent machine code of one routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The instructions; the entry is the first byte.
    pub bytes: Vec<u8>,
    /// The alignment of the first byte on which inner alignments count, a power of two.
    pub align: usize,
    /// The slots of computed jumps, in order of their offsets.
    pub switches: Vec<Slots>,
}

/// Equal-sized slots of code that one computed jump chooses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    /// Offset of the first slot in bytes.
    pub start: usize,
    /// Bytes between slots, a power of two.
    pub stride: usize,
    /// How many slots there are.
    pub count: usize,
}

/// One line of a listing: an instruction, its bytes and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where the instruction starts, in bytes from the entry.
    pub offset: usize,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its disassembly.
    pub text: String,
}

/// An instruction set: plans become bytes, and bytes become readable again.
pub trait Target {
    /// The name in records and on the command line, as `x86-64`.
    fn name(&self) -> &'static str;

    /// The code of a plan.
    ///
    /// # Errors
    /// [`Unsupported`] names what this instruction set lacks or where the plan needs more registers than it has.
    fn emit(&self, plan: &Plan) -> Result<Code, Unsupported>;

    /// What the code does, read back from its bytes alone.
    ///
    /// # Errors
    /// [`Unreadable`] names the first instruction that is not understood; code nobody can read proves nothing.
    fn decode(&self, code: &Code) -> Result<Program, Unreadable>;

    /// The disassembly.
    fn listing(&self, code: &Code) -> Vec<Line>;
}

/// A plan that an instruction set cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(
    /// What is missing, as a clause: `x86-64 has no ...`.
    pub String,
);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}

/// Bytes that are not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where, in bytes from the entry.
    pub offset: usize,
    /// The disassembly, or what is wrong.
    pub text: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the instruction at offset {:#x} is not understood: {}", self.offset, self.text)
    }
}

impl std::error::Error for Unreadable {}
