//! The plan: a routine as target-neutral structured operations, with nested bodies and no labels.
//!
//! All arithmetic about overlap, tails and alignment happens on the way from routine to plan, once for every
//! instruction set. A target turns a plan into bytes; the [`proof`](crate::proof) interprets it.
//!
//! On entry [`Reg::DST`] and [`Reg::RETURN`] hold the destination, [`Reg::SRC`] the source and [`Reg::N`] the length.
//! [`Reg::RETURN`] must still hold the destination at every [`Op::Return`]; no operation may set it.

mod display;
#[cfg(test)]
pub(crate) mod drawn;
mod width;

pub use width::Width;

/// An integer register: an address or a length.
///
/// Registers are few and fixed so that a plan reads like the code that comes of it: four that hold the arguments and
/// the result, and [`Reg::SPARE`] for everything else. General-register loads of data draw on the same physical
/// registers from the other end, see [`Val`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u8);

impl Reg {
    /// The result: the destination as it was passed. Never set by a plan.
    pub const RETURN: Reg = Reg(0);
    /// The destination cursor.
    pub const DST: Reg = Reg(1);
    /// The source cursor.
    pub const SRC: Reg = Reg(2);
    /// The length, or what is left of it.
    pub const N: Reg = Reg(3);
    /// The count of a [`Op::Repeat`], otherwise a spare register like [`Reg::SPARE`].
    pub const COUNT: Reg = Reg(4);
    /// Registers without a fixed role, in the order in which a plan should use them.
    pub const SPARE: [Reg; 4] = [Reg(5), Reg(6), Reg(7), Reg(8)];
    /// How many integer registers there are.
    pub const ALL: u8 = 9;
}

/// A data register: what a load put there, to be stored and nothing else.
///
/// Numbered from 0. Values of a vector width live in the target's vector registers. Values of a general width (1, 2, 4 or 8
/// bytes) live in the integer registers that the plan leaves free, counted from the last spare one downward: value 0
/// is where [`Reg`] 8 would be, value 1 where 7 would be, and so on. A target refuses a plan in which the two meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Val(pub u8);

/// A mask register: how many of a vector's bytes a partial access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask(pub u8);

/// The address `base + index + displacement`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Addr {
    /// The first summand.
    pub base: Reg,
    /// The second summand, if any.
    pub index: Option<Reg>,
    /// The constant summand, in bytes.
    pub displacement: i32,
}

impl Addr {
    /// `base + displacement`.
    pub const fn at(base: Reg, displacement: i32) -> Addr {
        Addr { base, index: None, displacement }
    }

    /// `base + index + displacement`.
    pub const fn indexed(base: Reg, index: Reg, displacement: i32) -> Addr {
        Addr { base, index: Some(index), displacement }
    }
}

/// A register or a constant (sign-extended to the width of a register).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register's value.
    Reg(Reg),
    /// A constant.
    Imm(i32),
}

/// An unsigned comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    BelowOrEqual,
    /// `>`
    Above,
    /// `>=`
    AboveOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

impl Relation {
    /// The relation that holds exactly when this one does not.
    pub const fn negated(self) -> Relation {
        match self {
            Relation::Below => Relation::AboveOrEqual,
            Relation::BelowOrEqual => Relation::Above,
            Relation::Above => Relation::BelowOrEqual,
            Relation::AboveOrEqual => Relation::Below,
            Relation::Equal => Relation::NotEqual,
            Relation::NotEqual => Relation::Equal,
        }
    }

    /// Whether `left` stands in this relation to `right`.
    pub const fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Relation::Below => left < right,
            Relation::BelowOrEqual => left <= right,
            Relation::Above => left > right,
            Relation::AboveOrEqual => left >= right,
            Relation::Equal => left == right,
            Relation::NotEqual => left != right,
        }
    }
}

/// A condition on registers. There are no signed comparisons: lengths above half the address space are lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    /// `left` stands in `relation` to `right`.
    Compare {
        /// The left side.
        left: Reg,
        /// What must hold.
        relation: Relation,
        /// The right side.
        right: Operand,
    },
    /// At least one bit of `mask` is set in `reg`.
    AnyBit {
        /// The register looked at.
        reg: Reg,
        /// The bits looked at.
        mask: i32,
    },
    /// No bit of `mask` is set in `reg`.
    NoBit {
        /// The register looked at.
        reg: Reg,
        /// The bits looked at.
        mask: i32,
    },
}

impl Cond {
    /// `left relation constant`.
    pub const fn imm(left: Reg, relation: Relation, right: i32) -> Cond {
        Cond::Compare { left, relation, right: Operand::Imm(right) }
    }

    /// `left relation right`.
    pub const fn reg(left: Reg, relation: Relation, right: Reg) -> Cond {
        Cond::Compare { left, relation, right: Operand::Reg(right) }
    }

    /// The condition that holds exactly when this one does not.
    pub const fn negated(self) -> Cond {
        match self {
            Cond::Compare { left, relation, right } => Cond::Compare { left, relation: relation.negated(), right },
            Cond::AnyBit { reg, mask } => Cond::NoBit { reg, mask },
            Cond::NoBit { reg, mask } => Cond::AnyBit { reg, mask },
        }
    }
}

/// What a register is set to. Each form is one or two instructions on every target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// `base + index + displacement`, or with neither index nor displacement a plain copy.
    Sum(Addr),
    /// `left - right`. Where `right` is a register it may not be the register being set.
    Difference(Reg, Operand),
    /// The bits of the register that are set in the constant too.
    And(Reg, i32),
    /// The register shifted right by 1 to 63 bits; zeros come in.
    ShiftRight(Reg, u8),
    /// The register shifted left by 1 to 63 bits.
    ShiftLeft(Reg, u8),
    /// Zero minus the register.
    Negated(Reg),
    /// `yes` where the condition holds, otherwise `no`; never a branch.
    Select {
        /// What decides.
        cond: Cond,
        /// The value where it holds.
        yes: Reg,
        /// The value where it does not.
        no: Reg,
    },
    /// The address of byte `0..SCRATCH_BYTES` of the scratch: memory below the stack pointer that belongs to the routine.
    /// Redirected accesses go there; what is loaded from it is nobody's data.
    Scratch(u8),
}

/// How many bytes of scratch there are. The red zone of the System V ABI for x86-64 (section 3.2.2) has 128.
pub const SCRATCH_BYTES: u8 = 128;

/// How a store treats the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// An ordinary store.
    Plain,
    /// A non-temporal store: widths of 16 bytes and more need an address that is a multiple of the width, and a [`Op::Fence`] must follow
    /// before every return.
    NonTemporal,
}

/// Which cache a prefetch aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Locality {
    /// All cache levels.
    T0,
    /// The second level and beyond.
    T1,
    /// The third level and beyond.
    T2,
    /// Close to the processor, with as little pollution as possible.
    Nta,
    /// For a write: exclusive ownership of the line.
    Write,
}

/// Which way a string move or a loop walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Addresses rise.
    Forward,
    /// Addresses fall.
    Backward,
}

/// Whether a place inside a routine can be aligned to so many bytes: to a power of two, and to no more than the entry is.
pub(crate) fn is_alignment(align: u8) -> bool {
    align.is_power_of_two() && align <= 64
}

/// One operation of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Sets a register.
    Set {
        /// The register set; never [`Reg::RETURN`].
        to: Reg,
        /// Its new value.
        value: Expr,
    },
    /// Loads a value.
    Load {
        /// Where the data goes.
        val: Val,
        /// How much.
        width: Width,
        /// From where.
        from: Addr,
    },
    /// Stores a value that a load of the same width put there.
    Store {
        /// The data.
        val: Val,
        /// How much.
        width: Width,
        /// To where.
        to: Addr,
        /// How the caches are treated.
        hint: Hint,
    },
    /// Sets a mask to the first `count` bytes of a vector; `count` is at most the width.
    SetMask {
        /// The mask set.
        mask: Mask,
        /// How many bytes.
        count: Reg,
        /// Of which vector width.
        width: Width,
    },
    /// Loads the masked bytes and nothing beyond them; the others become zero.
    LoadPartial {
        /// Where the data goes.
        val: Val,
        /// The vector width.
        width: Width,
        /// From where.
        from: Addr,
        /// Which bytes.
        mask: Mask,
    },
    /// Stores the masked bytes and nothing beyond them.
    StorePartial {
        /// The data.
        val: Val,
        /// The vector width.
        width: Width,
        /// To where.
        to: Addr,
        /// Which bytes.
        mask: Mask,
    },
    /// Loads the aligned bytes around an address that is a multiple of the width. At least one of them is the source's; those beside the
    /// source, which are in the same page, are nobody's data.
    LoadAround {
        /// Where the data goes.
        val: Val,
        /// How much.
        width: Width,
        /// From where.
        from: Addr,
    },
    /// Says how far an operand is off what [`Op::Merge`] puts together. With values of general width [`Reg::COUNT`] and the first of
    /// [`Reg::SPARE`] hold it, and are lost.
    SetShift {
        /// The width of the values that are merged.
        width: Width,
        /// How many bytes the aligned cursor was moved on in walking direction: 0 to the width less 1.
        by: Reg,
        /// Which way the aligned cursor was moved, and the copy walks.
        walk: Direction,
    },
    /// Puts together, of two values that follow each other in memory, as many bytes as one has: forward they end as many bytes before the
    /// end of the second, backward they start as many bytes after the start of the first, as the last [`Op::SetShift`] said.
    Merge {
        /// Where the bytes go; may be one of the two.
        to: Val,
        /// What comes first in memory.
        first: Val,
        /// What follows it.
        second: Val,
        /// How much each has.
        width: Width,
    },
    /// Asks for a cache line; may name any address.
    Prefetch {
        /// Which cache.
        locality: Locality,
        /// Which line.
        at: Addr,
    },
    /// Sets all bytes of the block in which an address lies to zero, and takes its line into the cache without reading it. Memory must be
    /// cacheable.
    ZeroLine {
        /// Where.
        at: Addr,
        /// Bytes of the block, a power of two; blocks lie at multiples of that. What the processor does must be exactly this.
        bytes: u8,
    },
    /// Loads one byte and forgets it, which brings its line near on any processor. Unlike a prefetch it must stay inside the source
    /// or the destination.
    Touch {
        /// Which byte.
        at: Addr,
        /// A value register that may be overwritten; of general width.
        val: Val,
    },
    /// Until the register is set again, tests of one of these bits may look at a copy of them.
    KeepBits {
        /// The register.
        reg: Reg,
        /// The bits: of the lowest 12.
        mask: i32,
    },
    /// One of two bodies. `then` is laid out first: it is what falls through.
    If {
        /// What decides.
        cond: Cond,
        /// Done where it holds.
        then: Vec<Op>,
        /// Done where it does not.
        otherwise: Vec<Op>,
        /// The alignment of `otherwise` in bytes, a power of two up to 64; 1 is none. Where `then` returns only a jump leads there, and
        /// nobody falls through the padding.
        align: u8,
    },
    /// The body once, and again as long as the condition holds after it.
    Turn {
        /// What is repeated.
        body: Vec<Op>,
        /// When it is repeated.
        again: Cond,
        /// The alignment of the loop head in bytes, a power of two up to 64; 1 is none.
        align: u8,
    },
    /// Arm `on`; `on` is below the number of arms. Every arm ends in [`Op::Return`]. `on` and [`Reg::COUNT`] are lost.
    Switch {
        /// Which arm; not [`Reg::COUNT`].
        on: Reg,
        /// The arms.
        arms: Vec<Vec<Op>>,
    },
    /// A string move of [`Reg::COUNT`] units from [`Reg::SRC`] to [`Reg::DST`]. Afterwards the count is zero and both cursors
    /// are past the last unit in walking direction. Backward, the cursors name the first unit to move.
    Repeat {
        /// 1, 2, 4 or 8 bytes: a general width.
        unit: Width,
        /// Which way; the direction flag is clear again afterwards.
        direction: Direction,
    },
    /// Orders earlier non-temporal stores before later stores.
    Fence,
    /// Clears the upper halves of the vector registers.
    ClearUpper,
    /// Gives the MMX registers back to the floating-point unit.
    EndMmx,
    /// Returns the destination.
    Return,
}

/// A routine as operations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The operations, the last of which (in every branch) is [`Op::Return`].
    pub body: Vec<Op>,
}
