//! Branches, and the sequences that are read as one: the frame, and finding out where the code is.

use super::super::arith::{EQUAL, GREATER, LESS};
use super::super::emit::FRAME;
use super::super::instruction::{Instruction, Mnemonic as M, Operand};
use super::super::registers::STACK;
use super::{COUNTER, FIELDS, Reader, flags_lost, general, inner, is, useless};
use crate::plan::Relation;
use crate::proof::{Arith, Base, Flags, IntReg, Place, Right, Step, Test};
use Operand::{Bit, Imm, To};

/// Whether the routine has a frame: then its first instruction makes it, and one right before every return takes it away.
///
/// ```text
/// stack pointer on entry -> |  128 bytes of scratch  | 8 unused | link word | back chain | <- stack pointer inside
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The stack pointer is always as it was on entry.
    None,
    /// It is [`FRAME`] bytes lower.
    Made,
}

impl Frame {
    /// What the first instruction says.
    pub fn of(instructions: &[Instruction]) -> Frame {
        let made = |first: &Instruction| is(first, M::Stwu, &[STACK, Imm(-FRAME), STACK]);
        if instructions.first().is_some_and(made) { Frame::Made } else { Frame::None }
    }

    /// How far the stack pointer is below where it was on entry, in bytes.
    pub const fn below_entry(self) -> i64 {
        match self {
            Frame::None => 0,
            Frame::Made => FRAME as i64,
        }
    }
}

/// The steps of an instruction that decides what runs next. Targets are code offsets.
pub fn read(reader: Reader, mnemonic: M, operands: &[Operand]) -> Option<Vec<Step>> {
    let target =
        |to: i32| usize::try_from(4 * reader.at as i64 + i64::from(to)).ok().filter(|&to| reader.may_enter(to));
    Some(match (mnemonic, operands) {
        (M::B, &[To(to)]) => vec![Step::Jump { to: target(to)? }],
        (M::Bc, &[Imm(when), Bit(bit @ 20..32), To(to)]) => on_kept_bit(bit, when == 12, target(to)?),
        (M::Mtcrf | M::Mtocrf, &[Imm(fields @ 1..8), from]) => {
            let from = general(from)?;
            let moved = (5..8).filter(|field| fields >> (7 - field) & 1 == 1);
            moved.map(|field| kept(field, from)).collect()
        }
        (M::Bc, &[Imm(when), Bit(bit), To(to)]) => {
            let relation = match bit {
                LESS => Relation::Below,
                GREATER => Relation::Above,
                EQUAL => Relation::Equal,
                _ => return None,
            };
            let relation = if when == 12 { relation } else { relation.negated() };
            vec![Step::JumpIf { relation, to: target(to)? }]
        }
        (M::Bctr, []) => vec![Step::JumpTo { address: COUNTER, targets: Vec::new() }],
        (M::Mtctr, &[from]) => {
            let place = Place { base: Some(Base::Reg(general(from)?)), index: None, displacement: 0 };
            vec![Step::Address { to: COUNTER, place }]
        }
        (M::Bdnz, &[To(to)]) => counted(target(to)?),
        (M::Sync, []) => vec![Step::Fence],
        (M::Blr, []) if reader.frame == Frame::None => vec![Step::Return],
        _ => return None,
    })
}

/// A condition field gets its four bits of a register.
fn kept(field: u8, from: IntReg) -> Step {
    let right = Right::Imm(15 << (4 * (7 - field)));
    Step::Arith { to: FIELDS + field, op: Arith::And, left: from, right, flags: Flags::Kept }
}

/// Branches by a bit of a condition field. Field 0 stays as it was, but here the test overwrites it; so it is lost on both ways.
fn on_kept_bit(bit: u8, set: bool, to: usize) -> Vec<Step> {
    let test = Step::Test { test: Test::Bits, left: FIELDS + bit / 4, right: Right::Imm(1 << (31 - bit)) };
    let past = if set { Relation::Equal } else { Relation::NotEqual };
    let [zero, lost] = flags_lost();
    let past = Step::JumpIf { relation: past, to: inner(5) };
    vec![test, past, zero.clone(), lost.clone(), Step::Jump { to }, zero, lost]
}

/// Counts down and branches unless that gave zero. Condition field 0 stays as it was, but here the test overwrites it; so it is lost
/// on both ways, lest a later branch read what is not there.
///
/// ```text
/// counter - 1; if zero: go past the jump; lose flags, jump to the head; lose flags
/// ```
fn counted(head: usize) -> Vec<Step> {
    let right = Right::Imm(1);
    let less = Step::Arith { to: COUNTER, op: Arith::Sub, left: COUNTER, right, flags: Flags::ResultZero };
    let [zero, lost] = flags_lost();
    let past = Step::JumpIf { relation: Relation::Equal, to: inner(5) };
    vec![less, past, zero.clone(), lost.clone(), Step::Jump { to: head }, zero, lost]
}

impl Reader {
    /// Whether a jump may go to an offset: not to where the frame is made, which would make another.
    fn may_enter(self, to: usize) -> bool {
        self.frame == Frame::None || to != 0
    }

    /// The steps of the sequence that starts here, and how many instructions it has.
    pub fn sequence(self, code: &[Instruction]) -> Option<(Vec<Step>, usize)> {
        if self.at == 0 && self.frame == Frame::Made {
            // The back chain goes below the scratch, where nothing of the caller's is.
            return Some((vec![Step::Nothing], 1));
        }
        match *code {
            [first, second, ..] if self.frame == Frame::Made => {
                let taken_away = is(&first, M::Addi, &[STACK, STACK, Imm(FRAME)]) && is(&second, M::Blr, &[]);
                if taken_away { Some((vec![Step::Return], 2)) } else { self.where_code_is(code) }
            }
            _ => self.where_code_is(code),
        }
    }

    /// ```text
    /// mflr saved; bcl 20,31,.+4; mflr here; mtlr saved
    /// ```
    /// The link register is as before; `saved` holds the way back to the caller, which is of no use to anybody.
    fn where_code_is(self, code: &[Instruction]) -> Option<(Vec<Step>, usize)> {
        let [save, call, take, restore, ..] = code else { return None };
        let (&[saved], &[here]) = (save.operands(), take.operands()) else { return None };
        let whole = is(save, M::Mflr, &[saved])
            && is(call, M::Bcl, &[To(4)])
            && is(take, M::Mflr, &[here])
            && is(restore, M::Mtlr, &[saved])
            && saved != here;
        if !whole {
            return None;
        }
        let place = Place { base: Some(Base::Code), index: None, displacement: 4 * self.at as i64 + 8 };
        Some((vec![useless(general(saved)?), Step::Address { to: general(here)?, place }], 4))
    }
}
