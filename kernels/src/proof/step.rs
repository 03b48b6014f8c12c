//! The small semantics that plans and decoded machine code share: a flat list of steps over numbered registers.
//!
//! A plan is flattened into steps; machine code is decoded into steps; one interpreter runs both, and the static walks
//! read both.

use crate::plan::{Direction, Relation};

/// An integer register by number (a [`Reg`](crate::plan::Reg) in a flattened plan, a general register in decoded code).
/// It holds an integer or, after a general-width load, data.
pub type IntReg = u8;

/// A vector register by number: vector values in a flattened plan; xmm/ymm/zmm 0 to 31 and MMX 32 to 39 in decoded x86.
/// In decoded PowerPC code 0 to 63 are VSX registers, of which 32 to 63 are AltiVec's, and 64 to 95 floating-point ones.
pub type VectorReg = u8;

/// A mask register by number.
pub type MaskReg = u8;

/// A register that data can be loaded into and stored from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// An integer register.
    Int(IntReg),
    /// A vector register.
    Vector(VectorReg),
}

/// `base + (index << scale) + displacement`; with neither, an absolute address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// First summand.
    pub base: Option<Base>,
    /// Second summand and its left shift in bits.
    pub index: Option<(IntReg, u8)>,
    /// Third summand.
    pub displacement: i64,
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A register.
    Reg(IntReg),
    /// The stack pointer as it was on entry.
    Stack,
    /// The address of the first byte of the code.
    Code,
}

/// The right side of an arithmetic step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// A register.
    Reg(IntReg),
    /// A constant, already sign-extended.
    Imm(u64),
}

/// An integer operation `to = to-like(left, right)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arith {
    /// Wrapping sum.
    Add,
    /// Wrapping difference.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Logical shift right.
    Shr,
    /// Shift left.
    Shl,
    /// Bits of `left` below bit `right` (BZHI).
    LowBits,
}

/// What the interpreter remembers for the next conditional step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// An unsigned comparison of left and right.
    Compare,
    /// Whether `left & right` is zero: only [`Relation::Equal`] (zero) and [`Relation::NotEqual`] may follow.
    Bits,
}

/// How an integer step leaves the condition flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    /// As they were.
    Kept,
    /// Meaningless: a conditional step that reads them fails the proof.
    Lost,
    /// As a comparison of the operands would (x86 `sub`).
    Compared,
    /// As a comparison of the result with zero would; only equality may be read (x86 `and`, `add` for zero).
    ResultZero,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `to = left op right`.
    Arith {
        /// The register set.
        to: IntReg,
        /// The operation.
        op: Arith,
        /// Left operand.
        left: IntReg,
        /// Right operand.
        right: Right,
        /// What happens to the flags.
        flags: Flags,
    },
    /// `to = constant`.
    Const {
        /// The register set.
        to: IntReg,
        /// The value.
        value: u64,
    },
    /// `to = address`.
    Address {
        /// The register set.
        to: IntReg,
        /// The address.
        place: Place,
    },
    /// `to = 0 - from`.
    Negate {
        /// The register set.
        to: IntReg,
        /// The operand.
        from: IntReg,
        /// What happens to the flags.
        flags: Flags,
    },
    /// Sets the flags.
    Test {
        /// How.
        test: Test,
        /// Left operand.
        left: IntReg,
        /// Right operand.
        right: Right,
    },
    /// `to = from` where the flags satisfy the relation.
    MoveIf {
        /// The register set.
        to: IntReg,
        /// The other value.
        from: IntReg,
        /// When.
        relation: Relation,
    },
    /// Loads `bytes` bytes; a general register's other bytes become zero.
    Load {
        /// The register set.
        to: Slot,
        /// How many bytes.
        bytes: u8,
        /// From where.
        from: Place,
        /// The alignment the address must have, in bytes; 1 is any.
        align: u8,
    },
    /// Loads `bytes` bytes. Where the address is a multiple of that, only one of them need be the source's: the others are in the same page,
    /// and nobody's data.
    LoadAround {
        /// The register set.
        to: Slot,
        /// How many bytes.
        bytes: u8,
        /// From where.
        from: Place,
        /// The alignment the address must have, in bytes; 1 is any.
        align: u8,
    },
    /// Remembers by how many bytes values are shifted where they are merged.
    SetShift {
        /// The register that holds it.
        to: VectorReg,
        /// By how many bytes, modulo `bytes`.
        by: IntReg,
        /// Bytes of a value.
        bytes: u8,
        /// Forward so many bytes before the end of the second value, backward after the start of the first.
        walk: Direction,
    },
    /// `bytes` bytes of two values that follow each other, from where the shift says.
    Merge {
        /// The register set.
        to: VectorReg,
        /// The bytes that come first.
        first: VectorReg,
        /// Those that follow.
        second: VectorReg,
        /// Holds the shift.
        shift: VectorReg,
        /// How many bytes each has.
        bytes: u8,
    },
    /// Shifts data in an integer register by whole bytes; zeros come in, and where nothing is left all are.
    ShiftData {
        /// The register set.
        to: IntReg,
        /// The data.
        from: IntReg,
        /// By how many bits, modulo twice those of the data.
        by: IntReg,
        /// How many bytes of data.
        bytes: u8,
        /// Forward to higher addresses, backward to lower ones, as the bytes would lie in memory.
        walk: Direction,
    },
    /// Puts two shifted parts together: for each byte at most one of them has data.
    JoinData {
        /// The register set.
        to: IntReg,
        /// A part.
        left: IntReg,
        /// The other.
        right: IntReg,
    },
    /// Exchanges the two halves of 16 bytes of data.
    Halves {
        /// The register set.
        to: VectorReg,
        /// The data.
        from: VectorReg,
    },
    /// Stores the first `bytes` bytes of a register; of an integer register on a big-endian machine, the last of those loaded.
    Store {
        /// The register.
        from: Slot,
        /// How many bytes.
        bytes: u8,
        /// To where.
        to: Place,
        /// Whether a fence must follow.
        non_temporal: bool,
        /// The alignment the address must have, in bytes; 1 is any.
        align: u8,
    },
    /// Sets a mask of the low bits of an integer.
    SetMask {
        /// The mask.
        to: MaskReg,
        /// Bit i set means byte i moves.
        from: MaskSource,
    },
    /// Loads the masked bytes of a vector, zeroing the others.
    LoadMasked {
        /// The register set.
        to: VectorReg,
        /// Vector width in bytes.
        bytes: u8,
        /// From where.
        from: Place,
        /// Which bytes.
        mask: MaskReg,
    },
    /// Stores the masked bytes of a vector.
    StoreMasked {
        /// The register.
        from: VectorReg,
        /// Vector width in bytes.
        bytes: u8,
        /// To where.
        to: Place,
        /// Which bytes.
        mask: MaskReg,
    },
    /// Names an address and does nothing to it.
    Prefetch {
        /// The address.
        at: Place,
    },
    /// Sets the block of so many bytes in which an address lies to zero.
    ZeroLine {
        /// The address.
        at: Place,
        /// Bytes of the block, a power of two.
        bytes: u8,
    },
    /// Sets or clears the direction flag.
    SetDirection {
        /// Whether string moves walk backward from here on.
        backward: bool,
    },
    /// Moves `count` units of `bytes` bytes from `src` to `dst`, adjusting all three; walks as the direction flag says.
    Repeat {
        /// Unit in bytes.
        bytes: u8,
        /// Destination cursor.
        dst: IntReg,
        /// Source cursor.
        src: IntReg,
        /// Units left.
        count: IntReg,
    },
    /// Orders non-temporal stores.
    Fence,
    /// Clears the upper halves.
    ClearUpper,
    /// Empties the MMX state.
    EndMmx,
    /// Goes to a step.
    Jump {
        /// Index of the step.
        to: usize,
    },
    /// Goes to a step where the flags satisfy the relation.
    JumpIf {
        /// When.
        relation: Relation,
        /// Index of the step.
        to: usize,
    },
    /// Goes to the step that stands at the code address in a register; it must be one of `targets`.
    JumpTo {
        /// Holds a code address.
        address: IntReg,
        /// Code offset and step index of each possible target.
        targets: Vec<(u64, usize)>,
    },
    /// Does nothing (padding).
    Nothing,
    /// Returns to the caller.
    Return,
}

/// Where a mask's bits come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskSource {
    /// The first so many bytes, counted by a register.
    Count(IntReg),
    /// The bits of a register.
    Bits(IntReg),
}

/// What an integer register is: how many bits it has, and which end of it lies at the lower address in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// 64 bits, the lowest byte first.
    Little64,
    /// 32 bits, the highest byte first.
    Big32,
    /// 64 bits, the highest byte first.
    Big64,
}

impl Word {
    /// How many bits numbers and addresses have.
    pub const fn bits(self) -> u32 {
        match self {
            Word::Big32 => 32,
            Word::Little64 | Word::Big64 => 64,
        }
    }

    /// A number cut to so many bits.
    pub const fn cut(self, number: u64) -> u64 {
        number & (u64::MAX >> (64 - self.bits()))
    }

    /// Whether a store of fewer bytes than were loaded stores the last of them instead of the first.
    pub const fn is_big_endian(self) -> bool {
        matches!(self, Word::Big32 | Word::Big64)
    }
}

/// A flat program with the registers its caller fills and looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The steps; the entry is the first.
    pub steps: Vec<Step>,
    /// For each step the offset of its instruction in the code, or its own index in a flattened plan.
    pub offsets: Vec<usize>,
    /// Where the destination is passed.
    pub dst: IntReg,
    /// Where the source is passed.
    pub src: IntReg,
    /// Where the length is passed.
    pub n: IntReg,
    /// Where the destination is returned.
    pub result: IntReg,
    /// Whether the caller fills `result` too (a flattened plan).
    pub result_is_passed: bool,
    /// What its integer registers are.
    pub word: Word,
    /// Vector registers whose upper halves count as dirty once written with more than 16 bytes (x86: 0 to 15).
    pub upper_below: VectorReg,
    /// First register number of the MMX file, if any.
    pub mmx_from: VectorReg,
    /// Integer registers that must keep their value, and the stack pointer.
    pub preserved: Vec<IntReg>,
}
