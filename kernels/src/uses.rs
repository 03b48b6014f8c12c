//! Where integer registers and general-width values would meet, which register a mask may be made in, and where aligned code goes on: for
//! every target.
//!
//! Both draw on the same physical registers (see [`Val`]), so a plan is refused when, on some path from the entry to a return, a
//! register is used as both. Paths are told apart where a body returns: what a leaf of the dispatch uses does not
//! burden the next leaf.

use crate::code::Unsupported;
use crate::plan::{Addr, Cond, Expr, Op, Operand, Plan, Reg, Val, Width, is_alignment};
use std::fmt;

/// How many values of general width there are: the registers that hold neither an argument nor the result.
pub const GENERAL_VALUES: u8 = 5;

/// The integer register that a value of general width lives in; `None` where there are too many.
pub fn home(val: Val) -> Option<Reg> {
    (val.0 < GENERAL_VALUES).then(|| Reg(Reg::ALL - 1 - val.0))
}

/// Sets of plan registers, a bit each: used as integers, and used as homes of values.
#[derive(Clone, Copy, Default)]
struct Uses {
    integers: u16,
    values: u16,
}

/// What there is no register for.
enum Lacking {
    ForBoth(Reg),
    ForMask,
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lacking::ForBoth(reg) => write!(f, "for both {reg} and a general-width value"),
            Lacking::ForMask => f.write_str("left to make a mask in"),
        }
    }
}

/// Checks a plan and picks a free register for each [`Op::SetMask`], in the order in which they stand. `target` is named where it
/// has too few registers.
pub fn mask_temporaries(plan: &Plan, target: &str) -> Result<Vec<Reg>, Unsupported> {
    let arguments = Uses::default().reg(Reg::RETURN).reg(Reg::DST).reg(Reg::SRC).reg(Reg::N);
    let mut temporaries = Vec::new();
    let lacking = |lacking: Lacking| Unsupported(format!("{target} has no register {lacking}"));
    walk(&plan.body, arguments, Uses::default(), &mut temporaries).map_err(lacking)?;
    Ok(temporaries)
}

/// The first offset from this one on with the alignment.
pub fn aligned(offset: usize, align: u8) -> Result<usize, Unsupported> {
    if !is_alignment(align) {
        return Err(Unsupported(format!("code cannot be aligned to {align} bytes; 1, 2, 4, ... 64 are possible")));
    }
    Ok(offset.next_multiple_of(usize::from(align)))
}

/// Whether no path leaves the body at its end.
pub fn returns(ops: &[Op]) -> bool {
    match ops.last() {
        Some(Op::Return | Op::Switch { .. }) => true,
        Some(Op::If { then, otherwise, .. }) => returns(then) && returns(otherwise),
        _ => false,
    }
}

/// Walks all paths with what they used `before`; `after` is what may follow the body. Gives what paths that leave it used.
fn walk(ops: &[Op], mut before: Uses, after: Uses, temporaries: &mut Vec<Reg>) -> Result<Uses, Lacking> {
    for (number, op) in ops.iter().enumerate() {
        before = before.or(own(op));
        let rest = || ops[number + 1..].iter().fold(after, |uses, op| uses.or(all(op)));
        match op {
            Op::If { then, otherwise, .. } => {
                let rest = rest();
                let mut out = Uses::default();
                for body in [then, otherwise] {
                    let ends = returns(body);
                    let used = walk(body, before, if ends { Uses::default() } else { rest }, temporaries)?;
                    out = if ends { out } else { out.or(used) };
                }
                before = before.or(out);
            }
            // The body may come round again: what stands at its end is also used before its beginning.
            Op::Turn { body, .. } => before = walk(body, before.or(all(op)), rest(), temporaries)?,
            Op::Switch { arms, .. } => {
                for arm in arms {
                    walk(arm, before, Uses::default(), temporaries)?;
                }
            }
            Op::SetMask { .. } => temporaries.push(free(before.or(rest()))?),
            Op::Return => before.meet()?,
            _ => {}
        }
    }
    Ok(before)
}

fn free(used: Uses) -> Result<Reg, Lacking> {
    (Reg::COUNT.0..Reg::ALL)
        .rev()
        .map(Reg)
        .find(|reg| (used.integers | used.values) & bit(*reg) == 0)
        .ok_or(Lacking::ForMask)
}

/// A register outside the table has no bit: emission refuses it by name.
fn bit(reg: Reg) -> u16 {
    if reg.0 < Reg::ALL { 1 << reg.0 } else { 0 }
}

impl Uses {
    fn or(self, other: Uses) -> Uses {
        Uses { integers: self.integers | other.integers, values: self.values | other.values }
    }

    fn meet(self) -> Result<(), Lacking> {
        match self.integers & self.values {
            0 => Ok(()),
            both => Err(Lacking::ForBoth(Reg(both.trailing_zeros() as u8))),
        }
    }

    fn reg(self, reg: Reg) -> Uses {
        Uses { integers: self.integers | bit(reg), ..self }
    }

    fn addr(self, addr: Addr) -> Uses {
        addr.index.map_or(self, |index| self.reg(index)).reg(addr.base)
    }

    fn operand(self, operand: Operand) -> Uses {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Imm(_) => self,
        }
    }

    fn val(self, val: Val, width: Width) -> Uses {
        match home(val) {
            Some(reg) if width.is_general() => Uses { values: self.values | bit(reg), ..self },
            _ => self,
        }
    }

    /// What holds the shift of values of general width.
    fn shift(self, width: Width) -> Uses {
        if width.is_general() { self.reg(Reg::COUNT).reg(Reg::SPARE[0]) } else { self }
    }

    fn cond(self, cond: Cond) -> Uses {
        match cond {
            Cond::Compare { left, right, .. } => self.reg(left).operand(right),
            Cond::AnyBit { reg, .. } | Cond::NoBit { reg, .. } => self.reg(reg),
        }
    }

    fn expr(self, expr: Expr) -> Uses {
        match expr {
            Expr::Const(_) | Expr::Scratch(_) => self,
            Expr::Sum(addr) => self.addr(addr),
            Expr::Difference(left, right) => self.reg(left).operand(right),
            Expr::And(reg, _) | Expr::ShiftRight(reg, _) | Expr::ShiftLeft(reg, _) | Expr::Negated(reg) => {
                self.reg(reg)
            }
            Expr::Select { cond, yes, no } => self.cond(cond).reg(yes).reg(no),
        }
    }
}

/// What an operation itself uses, its bodies left out.
fn own(op: &Op) -> Uses {
    let none = Uses::default();
    match *op {
        Op::Set { to, value } => none.reg(to).expr(value),
        Op::Load { val, width, from: addr }
        | Op::LoadAround { val, width, from: addr }
        | Op::Store { val, width, to: addr, .. } => none.addr(addr).val(val, width),
        Op::SetShift { width, by, .. } => none.reg(by).shift(width),
        Op::Merge { to, first, second, width } => none.val(to, width).val(first, width).val(second, width).shift(width),
        Op::SetMask { count, .. } => none.reg(count),
        Op::LoadPartial { from: addr, .. }
        | Op::StorePartial { to: addr, .. }
        | Op::Prefetch { at: addr, .. }
        | Op::ZeroLine { at: addr, .. } => none.addr(addr),
        Op::Touch { at, val } => none.addr(at).val(val, Width::B1),
        Op::KeepBits { reg, .. } => none.reg(reg),
        Op::If { cond, .. } => none.cond(cond),
        Op::Turn { again, .. } => none.cond(again),
        Op::Switch { on, .. } => none.reg(on).reg(Reg::COUNT),
        Op::Repeat { .. } => none.reg(Reg::DST).reg(Reg::SRC).reg(Reg::COUNT),
        Op::Fence | Op::ClearUpper | Op::EndMmx | Op::Return => none,
    }
}

/// What an operation and everything inside it use.
fn all(op: &Op) -> Uses {
    let inside = |uses: Uses, body: &Vec<Op>| body.iter().fold(uses, |uses, op| uses.or(all(op)));
    match op {
        Op::If { then, otherwise, .. } => [then, otherwise].into_iter().fold(own(op), inside),
        Op::Turn { body, .. } => inside(own(op), body),
        Op::Switch { arms, .. } => arms.iter().fold(own(op), inside),
        _ => own(op),
    }
}

/// Whether an operation or anything inside it names a register as an integer.
pub fn mentions(op: &Op, reg: Reg) -> bool {
    all(op).integers & bit(reg) != 0
}
