//! Integer instructions as steps.
//!
//! The carry is a register of its own here, 0 or 1. An instruction that leaves a carry nobody needs makes it useless.

use super::super::Mode;
use super::super::arith::{EQUAL, GREATER, LESS};
use super::super::instruction::{Mnemonic as M, Operand};
use super::{CARRY, NOWHERE, Reader, flags_lost, general, useless};
use crate::plan::{Direction, Relation};
use crate::proof::{Arith, Base, Flags, IntReg, Place, Right, Step, Test};
use Operand::{Bit, Cr, Imm, R, Zero};

/// The steps of an instruction on integer registers.
pub fn read(reader: Reader, mnemonic: M, operands: &[Operand]) -> Option<Vec<Step>> {
    let narrow = reader.power.mode().is_32_bit();
    let one = match (mnemonic, operands) {
        (M::Ori, [R(0), R(0), Imm(0)]) => Step::Nothing,
        (M::Addi, &[to, Zero, Imm(value)]) => Step::Const { to: general(to)?, value: i64::from(value) as u64 },
        (M::Addis, &[to, Zero, Imm(value)]) => Step::Const { to: general(to)?, value: (i64::from(value) << 16) as u64 },
        (M::Addi, &[to, from, Imm(by)]) => Step::Address { to: general(to)?, place: reader.place(from, by)? },
        (M::Add, &[to, left, right]) => {
            let place =
                Place { base: Some(Base::Reg(general(left)?)), index: Some((general(right)?, 0)), displacement: 0 };
            Step::Address { to: general(to)?, place }
        }
        (M::Subf, &[to, right, left]) => arith(to, Arith::Sub, left, right, Flags::Kept)?,
        (M::Neg, &[to, from]) => Step::Negate { to: general(to)?, from: general(from)?, flags: Flags::Kept },
        (M::Or, &[to, from, again]) if from == again => {
            let place = Place { base: Some(Base::Reg(general(from)?)), index: None, displacement: 0 };
            Step::Address { to: general(to)?, place }
        }
        (M::Or, &[to, left, right]) => {
            Step::JoinData { to: general(to)?, left: general(left)?, right: general(right)? }
        }
        (M::Slw, &[to, from, by]) => reader.shifted(to, from, by, 4, Way::Left)?,
        (M::Srw, &[to, from, by]) => reader.shifted(to, from, by, 4, Way::Right)?,
        (M::Sld, &[to, from, by]) => reader.shifted(to, from, by, 8, Way::Left)?,
        (M::Srd, &[to, from, by]) => reader.shifted(to, from, by, 8, Way::Right)?,
        (M::And, &[to, left, right]) => arith(to, Arith::And, left, right, Flags::Kept)?,
        (M::AndRc, &[to, left, right]) => arith(to, Arith::And, left, right, Flags::ResultZero)?,
        (M::AndiRc, &[to, from, Imm(mask)]) => with(to, Arith::And, from, mask as u64, Flags::ResultZero)?,
        (M::AndisRc, &[to, from, Imm(mask)]) => with(to, Arith::And, from, (mask as u64) << 16, Flags::ResultZero)?,
        (M::Ori, &[to, from, Imm(bits)]) => with(to, Arith::Or, from, bits as u64, Flags::Kept)?,
        (M::Rlwinm, _) => rotated_word(operands, narrow, Flags::Kept)?,
        (M::RlwinmRc, _) => rotated_word(operands, narrow, Flags::ResultZero)?,
        (M::Rldicl, &[to, from, Imm(0), Imm(first)]) => with(to, Arith::And, from, u64::MAX >> first, Flags::Kept)?,
        (M::Rldicl, &[to, from, Imm(by), Imm(first)]) if by == 64 - first => {
            with(to, Arith::Shr, from, first as u64, Flags::Kept)?
        }
        (M::Rldicr, &[to, from, Imm(0), Imm(last)]) => with(to, Arith::And, from, from_top(last), Flags::Kept)?,
        (M::RldicrRc, &[to, from, Imm(0), Imm(last)]) => with(to, Arith::And, from, from_top(last), Flags::ResultZero)?,
        (M::Rldicr, &[to, from, Imm(by), Imm(last)]) if last == 63 - by => {
            with(to, Arith::Shl, from, by as u64, Flags::Kept)?
        }
        (M::Cmplwi, &[Cr(0), left, Imm(right)]) if narrow => compare(left, Right::Imm(right as u64))?,
        (M::Cmplw, &[Cr(0), left, right]) if narrow => compare(left, Right::Reg(general(right)?))?,
        (M::Cmpldi, &[Cr(0), left, Imm(right)]) if !narrow => compare(left, Right::Imm(right as u64))?,
        (M::Cmpld, &[Cr(0), left, right]) if !narrow => compare(left, Right::Reg(general(right)?))?,
        _ => return several(mnemonic, operands),
    };
    Some(vec![one])
}

/// To the highest bit or to the lowest.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Left,
    Right,
}

impl Reader {
    /// A shift of data. To the left is to lower addresses where the highest byte comes first in memory.
    fn shifted(self, to: Operand, from: Operand, by: Operand, bytes: u8, way: Way) -> Option<Step> {
        let to_lower = (self.power.mode() == Mode::Ppc64le) == (way == Way::Right);
        let walk = if to_lower { Direction::Backward } else { Direction::Forward };
        Some(Step::ShiftData { to: general(to)?, from: general(from)?, by: general(by)?, bytes, walk })
    }
}

/// Instructions that do more than one thing.
fn several(mnemonic: M, operands: &[Operand]) -> Option<Vec<Step>> {
    Some(match (mnemonic, operands) {
        (M::Isel, &[to, yes, no, Bit(bit)]) => select(general(to)?, general(yes)?, general(no)?, bit)?,
        (M::AddicRc, &[to, from, Imm(by)]) => {
            vec![with(to, Arith::Add, from, i64::from(by) as u64, Flags::ResultZero)?, useless(CARRY)]
        }
        // A sum carries where the left side is not below what is missing to the next power.
        (M::Addic, &[to, from, Imm(by @ ..0)]) => {
            let missing = i64::from(by).unsigned_abs();
            let sum = with(to, Arith::Add, from, i64::from(by) as u64, Flags::Kept)?;
            carried(general(from)?, Right::Imm(missing), sum)
        }
        (M::Subfc, &[to, right, left]) => {
            let difference = arith(to, Arith::Sub, left, right, Flags::Kept)?;
            carried(general(left)?, Right::Reg(general(right)?), difference)
        }
        // x - x - 1 + carry; the carry stays what it was.
        (M::Subfe, &[to, right, left]) if left == right => {
            let (to, right) = (general(to)?, Right::Imm(1));
            vec![Step::Arith { to, op: Arith::Sub, left: CARRY, right, flags: Flags::Kept }]
        }
        _ => return None,
    })
}

/// The operation, and a carry of 1 where left is at least right, as for a difference. The flags of the processor stay, those of the
/// interpreter do not.
fn carried(left: IntReg, right: Right, operation: Step) -> Vec<Step> {
    let mut steps = vec![
        Step::Test { test: Test::Compare, left, right },
        Step::Const { to: CARRY, value: 0 },
        Step::Const { to: NOWHERE, value: 1 },
        Step::MoveIf { to: CARRY, from: NOWHERE, relation: Relation::AboveOrEqual },
    ];
    steps.extend(flags_lost());
    steps.push(operation);
    steps
}

fn select(to: IntReg, yes: IntReg, no: IntReg, bit: u8) -> Option<Vec<Step>> {
    let relation = match bit {
        LESS => Relation::Below,
        GREATER => Relation::Above,
        EQUAL => Relation::Equal,
        _ => return None,
    };
    if to == yes {
        return Some(vec![Step::MoveIf { to, from: no, relation: relation.negated() }]);
    }
    let place = Place { base: Some(Base::Reg(no)), index: None, displacement: 0 };
    Some(vec![Step::Address { to, place }, Step::MoveIf { to, from: yes, relation }])
}

fn arith(to: Operand, op: Arith, left: Operand, right: Operand, flags: Flags) -> Option<Step> {
    Some(Step::Arith { to: general(to)?, op, left: general(left)?, right: Right::Reg(general(right)?), flags })
}

fn with(to: Operand, op: Arith, left: Operand, right: u64, flags: Flags) -> Option<Step> {
    Some(Step::Arith { to: general(to)?, op, left: general(left)?, right: Right::Imm(right), flags })
}

fn compare(left: Operand, right: Right) -> Option<Step> {
    Some(Step::Test { test: Test::Compare, left: general(left)?, right })
}

/// Ones from bit 0, the highest, to bit `last`.
fn from_top(last: i32) -> u64 {
    u64::MAX << (63 - last)
}

/// A rotation of the low word that is a mask, or where registers are words, a shift. In 64 bits the word is doubled before the mask
/// is applied, so masks that wrap would let upper bits through (Power ISA 3.0B, I 3.3.14.1).
fn rotated_word(operands: &[Operand], narrow: bool, flags: Flags) -> Option<Step> {
    let &[to, from, Imm(by), Imm(first), Imm(last)] = operands else { return None };
    match (by, first, last) {
        (0, _, _) if first <= last => with(to, Arith::And, from, word_mask(first, last), flags),
        (0, _, _) if narrow => with(to, Arith::And, from, word_mask(first, 31) | word_mask(0, last), flags),
        (_, 0, _) if narrow && last == 31 - by => with(to, Arith::Shl, from, by as u64, flags),
        (_, _, 31) if narrow && by == 32 - first => with(to, Arith::Shr, from, first as u64, flags),
        _ => None,
    }
}

/// Ones from bit `first` to bit `last` of a word, counted from the highest.
fn word_mask(first: i32, last: i32) -> u64 {
    u64::from(u32::MAX >> first) & u64::from(u32::MAX << (31 - last))
}
