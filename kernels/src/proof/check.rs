//! What a plan must obey before it is worth running: every register set before it is read, every path ending in one return,
//! every store fed by a load of its width.

use crate::plan::{Addr, Cond, Expr, Hint, Mask, Op, Operand, Plan, Reg, SCRATCH_BYTES, Val, Width, is_alignment};
use std::fmt;

/// How many values a plan may number, of each register file.
pub(super) const VALS: u8 = 32;
/// How many masks a plan may number.
const MASKS: u8 = 8;

/// Why a plan is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// There is no operation in it.
    Empty,
    /// A path ends without a return.
    NoReturn,
    /// This operation can never be reached.
    Unreachable(&'static str),
    /// [`Reg::RETURN`] is set.
    SetsReturn,
    /// A register number of [`Reg::ALL`] or above.
    Register(Reg),
    /// A value number above 31.
    Value(Val),
    /// A mask number above 7.
    Mask(Mask),
    /// A register that may be read before it is set (or after a switch lost it).
    Unset(Reg),
    /// A value is stored with another width than it was loaded with on every path.
    Stores {
        /// The value.
        val: Val,
        /// The one width it was loaded with, if there is one.
        loaded: Option<Width>,
        /// The width of the store.
        stored: Width,
    },
    /// A mask is used with another width than it was set for on every path.
    Masks {
        /// The mask.
        mask: Mask,
        /// The one width it was set for, if there is one.
        set: Option<Width>,
        /// The width of the access.
        used: Width,
    },
    /// Values are merged with another width than the shift was set for on every path.
    Shifts {
        /// The one width it was set for, if there is one.
        set: Option<Width>,
        /// The width of the merge.
        used: Width,
    },
    /// A difference whose right side is the register it sets.
    DifferenceInPlace(Reg),
    /// A shift by no bits or by more than 63.
    Shift(u8),
    /// A block that is zeroed has a length that is no power of two.
    Block(u8),
    /// Bits are kept that are not among the lowest 12.
    Bits(i32),
    /// A scratch byte that does not exist.
    Scratch(u8),
    /// A general width was needed.
    NotGeneral(Width),
    /// A vector width was needed.
    NotVector(Width),
    /// A loop head, or the other side of a branch, aligned to something else than a power of two up to 64.
    Alignment(u8),
    /// A switch on [`Reg::COUNT`], which it needs itself.
    SwitchOnCount,
    /// A switch without arms.
    NoArms,
    /// An arm that does not return.
    ArmFallsThrough(usize),
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Empty => f.write_str("a plan needs at least a return"),
            PlanError::NoReturn => f.write_str("a path ends without a return"),
            PlanError::Unreachable(what) => write!(f, "{what} can never be reached"),
            PlanError::SetsReturn => {
                f.write_str("the result register is set; it holds the destination from entry to return")
            }
            PlanError::Register(reg) => write!(f, "register {} does not exist; there are {}", reg.0, Reg::ALL),
            PlanError::Value(val) => write!(f, "{val} does not exist; there are {VALS} values"),
            PlanError::Mask(mask) => write!(f, "{mask} does not exist; there are {MASKS} masks"),
            PlanError::Unset(reg) => write!(f, "{reg} is read on a path that has not set it"),
            PlanError::Stores { val, loaded: Some(loaded), stored } => {
                write!(f, "{val} is stored as {stored} but was loaded as {loaded}")
            }
            PlanError::Stores { val, loaded: None, stored } => {
                write!(f, "{val} is stored as {stored} but not every path has loaded it as that")
            }
            PlanError::Masks { mask, set: Some(set), used } => {
                write!(f, "{mask} is used for {used} but was set for {set}")
            }
            PlanError::Masks { mask, set: None, used } => {
                write!(f, "{mask} is used for {used} but not every path has set it for that")
            }
            PlanError::Shifts { set: Some(set), used } => {
                write!(f, "the shift of a merge of {used} was set for {set}")
            }
            PlanError::Shifts { set: None, used } => {
                write!(f, "the shift of a merge of {used} is not set on every path, or its registers are set since")
            }
            PlanError::DifferenceInPlace(reg) => write!(f, "a difference sets {reg}, its own right side"),
            PlanError::Shift(bits) => write!(f, "a shift by {bits} bits; 1 to 63 are allowed"),
            PlanError::Block(bytes) => write!(f, "a block of {bytes} bytes is zeroed; powers of two are"),
            PlanError::Bits(mask) => write!(f, "the bits {mask} are kept; of the lowest 12 they can be"),
            PlanError::Scratch(byte) => write!(f, "scratch byte {byte} does not exist; there are {SCRATCH_BYTES}"),
            PlanError::NotGeneral(width) => write!(f, "{width} is not a general width, which is needed here"),
            PlanError::NotVector(width) => write!(f, "{width} is not a vector width, which is needed here"),
            PlanError::Alignment(align) => {
                write!(f, "a place in the code aligned to {align}; powers of two from 1 to 64 are allowed")
            }
            PlanError::SwitchOnCount => f.write_str("a switch on the count register, which it needs itself"),
            PlanError::NoArms => f.write_str("a switch without arms"),
            PlanError::ArmFallsThrough(arm) => write!(f, "arm {arm} of a switch does not return"),
        }
    }
}

impl std::error::Error for PlanError {}

/// Checks a plan.
pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    if plan.body.is_empty() {
        return Err(PlanError::Empty);
    }
    let entry = Known { regs: 0b1111, widths: [None; VALS as usize], masks: [None; MASKS as usize], shift: None };
    match entry.body(&plan.body)? {
        None => Ok(()),
        Some(_) => Err(PlanError::NoReturn),
    }
}

/// What is known on every path that leads to a place.
#[derive(Clone, Copy, PartialEq)]
struct Known {
    /// The registers that are set, a bit each.
    regs: u16,
    widths: [Option<Width>; VALS as usize],
    masks: [Option<Width>; MASKS as usize],
    /// The width that values can be merged with.
    shift: Option<Width>,
}

impl Known {
    /// What is known after the operations, or `None` where they never get to their end.
    fn body(mut self, ops: &[Op]) -> Result<Option<Known>, PlanError> {
        for (at, op) in ops.iter().enumerate() {
            match self.op(op)? {
                Some(known) => self = known,
                None => match ops.get(at + 1) {
                    Some(_) => return Err(PlanError::Unreachable("what follows a return")),
                    None => return Ok(None),
                },
            }
        }
        Ok(Some(self))
    }

    fn op(mut self, op: &Op) -> Result<Option<Known>, PlanError> {
        match op {
            Op::Set { to, value } => {
                self.expr(*to, value)?;
                self.set(*to)?;
            }
            Op::Load { val, width, from } | Op::LoadAround { val, width, from } => {
                self.addr(from)?;
                *self.val(*val)? = Some(*width);
            }
            Op::Store { val, width, to, hint: Hint::Plain | Hint::NonTemporal } => {
                self.addr(to)?;
                self.stored(*val, *width)?;
            }
            Op::SetMask { mask, count, width } => {
                self.read(*count)?;
                vector(*width)?;
                *self.masks.get_mut(usize::from(mask.0)).ok_or(PlanError::Mask(*mask))? = Some(*width);
            }
            Op::LoadPartial { val, width, from, mask } => {
                self.addr(from)?;
                self.masked(*mask, *width)?;
                *self.val(*val)? = Some(*width);
            }
            Op::StorePartial { val, width, to, mask } => {
                self.addr(to)?;
                self.masked(*mask, *width)?;
                self.stored(*val, *width)?;
            }
            Op::SetShift { width, by, .. } => {
                self.read(*by)?;
                self.shift = Some(*width);
                if width.is_general() {
                    self.regs &= !(1 << Reg::COUNT.0 | 1 << Reg::SPARE[0].0);
                }
            }
            Op::Merge { to, first, second, width } => {
                self.stored(*first, *width)?;
                self.stored(*second, *width)?;
                if self.shift != Some(*width) {
                    return Err(PlanError::Shifts { set: self.shift, used: *width });
                }
                *self.val(*to)? = Some(*width);
            }
            Op::Prefetch { at, .. } => self.addr(at)?,
            Op::ZeroLine { bytes, .. } if !bytes.is_power_of_two() => return Err(PlanError::Block(*bytes)),
            Op::ZeroLine { at, .. } => self.addr(at)?,
            Op::Touch { at, val } => {
                self.addr(at)?;
                *self.val(*val)? = None;
            }
            Op::KeepBits { mask, .. } if !(0..1 << 12).contains(mask) => return Err(PlanError::Bits(*mask)),
            Op::KeepBits { reg, .. } => self.read(*reg)?,
            Op::If { cond, then, otherwise, align } => {
                alignment(*align)?;
                self.cond(cond)?;
                return Ok(match (self.body(then)?, self.body(otherwise)?) {
                    (Some(one), Some(other)) => Some(one.common(&other)),
                    (one, other) => one.or(other),
                });
            }
            Op::Turn { body, again, align } => return self.turn(body, again, *align),
            Op::Switch { on, arms } => return self.switch(*on, arms),
            Op::Repeat { unit, .. } => {
                if !unit.is_general() {
                    return Err(PlanError::NotGeneral(*unit));
                }
                [Reg::COUNT, Reg::SRC, Reg::DST].into_iter().try_for_each(|reg| self.read(reg))?;
            }
            Op::Fence | Op::ClearUpper | Op::EndMmx => {}
            Op::Return => return Ok(None),
        }
        Ok(Some(self))
    }

    /// The body may be entered again with what its own end knows; that is less each time until it is the same.
    fn turn(mut self, body: &[Op], again: &Cond, align: u8) -> Result<Option<Known>, PlanError> {
        alignment(align)?;
        loop {
            let end = self.body(body)?.ok_or(PlanError::Unreachable("the condition of a loop"))?;
            end.cond(again)?;
            let head = self.common(&end);
            if head == self {
                return Ok(Some(end));
            }
            self = head;
        }
    }

    fn switch(mut self, on: Reg, arms: &[Vec<Op>]) -> Result<Option<Known>, PlanError> {
        self.read(on)?;
        if on == Reg::COUNT {
            return Err(PlanError::SwitchOnCount);
        }
        if arms.is_empty() {
            return Err(PlanError::NoArms);
        }
        self.regs &= !(1 << on.0 | 1 << Reg::COUNT.0);
        for (number, arm) in arms.iter().enumerate() {
            if self.body(arm)?.is_some() {
                return Err(PlanError::ArmFallsThrough(number));
            }
        }
        Ok(None)
    }

    fn common(mut self, other: &Known) -> Known {
        self.regs &= other.regs;
        let widths = self.widths.iter_mut().zip(other.widths);
        for (one, other) in widths.chain(self.masks.iter_mut().zip(other.masks)) {
            if *one != other {
                *one = None;
            }
        }
        if self.shift != other.shift {
            self.shift = None;
        }
        self
    }

    fn read(&self, reg: Reg) -> Result<(), PlanError> {
        match exists(reg)? {
            bit if self.regs & bit != 0 => Ok(()),
            _ => Err(PlanError::Unset(reg)),
        }
    }

    fn set(&mut self, reg: Reg) -> Result<(), PlanError> {
        self.regs |= exists(reg)?;
        let lost = reg == Reg::COUNT || reg == Reg::SPARE[0];
        self.shift = self.shift.filter(|width| !(lost && width.is_general()));
        if reg == Reg::RETURN { Err(PlanError::SetsReturn) } else { Ok(()) }
    }

    fn val(&mut self, val: Val) -> Result<&mut Option<Width>, PlanError> {
        self.widths.get_mut(usize::from(val.0)).ok_or(PlanError::Value(val))
    }

    fn stored(&mut self, val: Val, stored: Width) -> Result<(), PlanError> {
        match *self.val(val)? {
            Some(loaded) if loaded == stored => Ok(()),
            loaded => Err(PlanError::Stores { val, loaded, stored }),
        }
    }

    fn masked(&self, mask: Mask, used: Width) -> Result<(), PlanError> {
        vector(used)?;
        match *self.masks.get(usize::from(mask.0)).ok_or(PlanError::Mask(mask))? {
            Some(set) if set == used => Ok(()),
            set => Err(PlanError::Masks { mask, set, used }),
        }
    }

    fn addr(&self, addr: &Addr) -> Result<(), PlanError> {
        self.read(addr.base)?;
        addr.index.map_or(Ok(()), |index| self.read(index))
    }

    fn operand(&self, operand: Operand) -> Result<(), PlanError> {
        match operand {
            Operand::Reg(reg) => self.read(reg),
            Operand::Imm(_) => Ok(()),
        }
    }

    fn cond(&self, cond: &Cond) -> Result<(), PlanError> {
        match *cond {
            Cond::Compare { left, right, .. } => {
                self.read(left)?;
                self.operand(right)
            }
            Cond::AnyBit { reg, .. } | Cond::NoBit { reg, .. } => self.read(reg),
        }
    }

    fn expr(&self, to: Reg, value: &Expr) -> Result<(), PlanError> {
        match *value {
            Expr::Const(_) => Ok(()),
            Expr::Sum(addr) => self.addr(&addr),
            Expr::Difference(_, Operand::Reg(right)) if right == to => Err(PlanError::DifferenceInPlace(to)),
            Expr::Difference(left, right) => {
                self.read(left)?;
                self.operand(right)
            }
            Expr::ShiftRight(_, bits) | Expr::ShiftLeft(_, bits) if !(1..=63).contains(&bits) => {
                Err(PlanError::Shift(bits))
            }
            Expr::And(reg, _) | Expr::ShiftRight(reg, _) | Expr::ShiftLeft(reg, _) | Expr::Negated(reg) => {
                self.read(reg)
            }
            Expr::Select { cond, yes, no } => {
                self.cond(&cond)?;
                self.read(yes)?;
                self.read(no)
            }
            Expr::Scratch(byte) if byte >= SCRATCH_BYTES => Err(PlanError::Scratch(byte)),
            Expr::Scratch(_) => Ok(()),
        }
    }
}

/// The bit of a register that exists.
fn exists(reg: Reg) -> Result<u16, PlanError> {
    if reg.0 < Reg::ALL { Ok(1 << reg.0) } else { Err(PlanError::Register(reg)) }
}

fn vector(width: Width) -> Result<(), PlanError> {
    if width.is_general() { Err(PlanError::NotVector(width)) } else { Ok(()) }
}

/// A place in code can have no other alignments.
fn alignment(align: u8) -> Result<(), PlanError> {
    if is_alignment(align) { Ok(()) } else { Err(PlanError::Alignment(align)) }
}
