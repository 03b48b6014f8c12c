//! Which PowerPC register each register of a plan is.

use super::instruction::Operand;
use crate::code::Unsupported;
use crate::plan::{Reg, Val, Width};
use crate::uses::{GENERAL_VALUES, home};

/// The stack pointer.
pub const STACK: Operand = Operand::R(1);
/// Holds addresses that no instruction can hold.
pub const ADDRESS: Operand = Operand::R(12);
/// Holds constants and masks; never a base.
pub const SPARE: Operand = Operand::R(0);

/// Where the destination cursor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Where it was passed, which is also the result: the plan never moves it.
    AsPassed,
    /// In a register of its own.
    Apart,
}

/// The register.
pub fn integer(reg: Reg, cursor: Cursor, target: &str) -> Result<Operand, Unsupported> {
    Ok(Operand::R(match reg {
        Reg::RETURN => 3,
        Reg::DST if cursor == Cursor::AsPassed => 3,
        Reg::DST => 6,
        Reg::SRC => 4,
        Reg::N => 5,
        Reg(number @ 4..=8) => 3 + number,
        _ => return Err(Unsupported(format!("{target} has no register for {reg}; there are {}", Reg::ALL))),
    }))
}

/// The register that a value of general width lives in.
pub fn data(val: Val, width: Width, target: &str) -> Result<Operand, Unsupported> {
    if !width.is_general() {
        return Err(Unsupported(format!("{target} has no width {width}; there are 1, 2, 4 and on 64-bit targets 8")));
    }
    let home = home(val).ok_or_else(|| {
        Unsupported(format!("{target} has no register for {val} of width {width}; there are {GENERAL_VALUES}"))
    })?;
    integer(home, Cursor::Apart, target)
}
