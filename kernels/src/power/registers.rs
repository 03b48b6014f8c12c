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

/// How many floating-point registers a callee may overwrite: f0 to f13 (all three ABIs).
const FLOATS: u8 = 14;
/// Values of VSX width: each has the even register of a pair, so that pairs and single registers never meet. Of vs32 to vs51, which are v0
/// to v19, a callee may overwrite all; of the others vs0 to vs13.
const VECTORS: u8 = 16;
const PAIRS_ABOVE: u8 = 10;
/// AltiVec values: v0 to v18. A callee may overwrite v19 too, see [`SHIFT`].
const ALTIVEC: u8 = 19;
/// Says how vectors are merged.
pub const SHIFT: Operand = Operand::V(19);

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

/// The register that a value lives in.
pub fn data(val: Val, width: Width, target: &str) -> Result<Operand, Unsupported> {
    let Val(number) = val;
    let (count, register) = match width {
        Width::B1 | Width::B2 | Width::B4 | Width::B8 => {
            let home = home(val).map(|home| integer(home, Cursor::Apart, target)).transpose()?;
            (GENERAL_VALUES, home)
        }
        Width::Fp8 => (FLOATS, (number < FLOATS).then_some(Operand::F(number))),
        Width::Altivec16 => (ALTIVEC, (number < ALTIVEC).then_some(Operand::V(number))),
        Width::Vsx16 | Width::Vsx32 => {
            let pair = if number < PAIRS_ABOVE { 16 + number } else { number.wrapping_sub(PAIRS_ABOVE) };
            (VECTORS, (number < VECTORS).then_some(Operand::X(pair.wrapping_mul(2))))
        }
        _ => return Err(Unsupported(format!("{target} has no width {width}"))),
    };
    register
        .ok_or_else(|| Unsupported(format!("{target} has no register for {val} of width {width}; there are {count}")))
}
