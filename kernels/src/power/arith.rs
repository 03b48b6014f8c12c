//! Integer expressions and conditions.

use super::emit::{Emitter, FRAME};
use super::instruction::{Facility, Mnemonic as M, Operand};
use super::registers::{ADDRESS, SPARE, STACK};
use crate::code::Unsupported;
use crate::plan::{Addr, Cond, Expr, Operand as Right, Reg, Relation, SCRATCH_BYTES};
use Operand::{Bit, Cr, Imm, Zero};

/// The bits of condition field 0.
pub const LESS: u8 = 0;
pub const GREATER: u8 = 1;
pub const EQUAL: u8 = 2;

/// The bit of condition field 0 that decides a relation, and whether it must be set.
pub const fn decides(relation: Relation) -> (u8, bool) {
    match relation {
        Relation::Below => (LESS, true),
        Relation::AboveOrEqual => (LESS, false),
        Relation::Above => (GREATER, true),
        Relation::BelowOrEqual => (GREATER, false),
        Relation::Equal => (EQUAL, true),
        Relation::NotEqual => (EQUAL, false),
    }
}

impl Emitter<'_> {
    /// `to = value`.
    pub fn set_to(&mut self, to: Reg, value: Expr) -> Result<(), Unsupported> {
        if to == Reg::RETURN {
            return Err(Unsupported("a plan may not set the result register".to_owned()));
        }
        let register = self.integer(to)?;
        match value {
            Expr::Const(value) => self.constant(register, value),
            Expr::Sum(addr) => self.sum(register, addr),
            Expr::Difference(left, Right::Imm(imm)) => {
                let left = self.integer(left)?;
                match imm.checked_neg() {
                    Some(negated) => self.plus(register, left, negated),
                    None => {
                        self.constant(SPARE, imm)?;
                        self.put(M::Subf, &[register, SPARE, left])
                    }
                }
            }
            Expr::Difference(left, Right::Reg(right)) => {
                let (left, right) = (self.integer(left)?, self.integer(right)?);
                self.put(M::Subf, &[register, right, left])
            }
            Expr::And(from, mask) => self.and(register, from, mask),
            Expr::ShiftRight(from, bits) => self.shift(register, from, bits, Shift::Right),
            Expr::ShiftLeft(from, bits) => self.shift(register, from, bits, Shift::Left),
            Expr::Negated(from) => {
                let from = self.integer(from)?;
                self.put(M::Neg, &[register, from])
            }
            Expr::Select { cond, yes, no } => self.select(register, cond, yes, no),
            Expr::Scratch(byte) if byte < SCRATCH_BYTES => {
                let above = if self.framed { FRAME } else { 0 };
                self.put(M::Addi, &[register, STACK, Imm(above + i32::from(byte) - i32::from(SCRATCH_BYTES))])
            }
            Expr::Scratch(byte) => {
                Err(Unsupported(format!("there is no byte {byte} of scratch; there are {SCRATCH_BYTES} bytes")))
            }
        }?;
        if self.held.is_some_and(|(base, index)| to == base || to == index) {
            self.held = None;
        }
        self.kept = self.kept.filter(|&(reg, _)| reg != to);
        Ok(())
    }

    /// Sets condition field 0 for a condition, and says which relation of its bits is the condition.
    pub fn flags(&mut self, cond: Cond) -> Result<Relation, Unsupported> {
        match cond {
            Cond::Compare { left, relation, right } => {
                let left = self.integer(left)?;
                let narrow = self.power.mode().is_32_bit();
                match right {
                    Right::Imm(right @ 0..=0xffff) => {
                        self.put(if narrow { M::Cmplwi } else { M::Cmpldi }, &[Cr(0), left, Imm(right)])?;
                    }
                    _ => {
                        let right = self.in_register(right)?;
                        self.put(if narrow { M::Cmplw } else { M::Cmpld }, &[Cr(0), left, right])?;
                    }
                }
                Ok(relation)
            }
            Cond::AnyBit { reg, mask } => {
                self.bits(reg, mask)?;
                Ok(Relation::NotEqual)
            }
            Cond::NoBit { reg, mask } => {
                self.bits(reg, mask)?;
                Ok(Relation::Equal)
            }
        }
    }

    /// `to = value`, sign-extended.
    pub fn constant(&mut self, to: Operand, value: i32) -> Result<(), Unsupported> {
        if let Ok(value) = i16::try_from(value) {
            return self.put(M::Addi, &[to, Zero, Imm(value.into())]);
        }
        self.put(M::Addis, &[to, Zero, Imm(value >> 16)])?;
        match value & 0xffff {
            0 => Ok(()),
            low => self.put(M::Ori, &[to, to, Imm(low)]),
        }
    }

    /// The operand in a register: a constant is put into the spare one.
    fn in_register(&mut self, operand: Right) -> Result<Operand, Unsupported> {
        match operand {
            Right::Reg(reg) => self.integer(reg),
            Right::Imm(imm) => {
                self.constant(SPARE, imm)?;
                Ok(SPARE)
            }
        }
    }

    fn sum(&mut self, to: Operand, addr: Addr) -> Result<(), Unsupported> {
        let base = self.integer(addr.base)?;
        let Some(index) = addr.index else { return self.plus(to, base, addr.displacement) };
        let index = self.integer(index)?;
        self.put(M::Add, &[to, base, index])?;
        self.plus(to, to, addr.displacement)
    }

    /// `to = from + imm`; nothing where that changes nothing.
    fn plus(&mut self, to: Operand, from: Operand, imm: i32) -> Result<(), Unsupported> {
        match imm {
            0 if to == from => Ok(()),
            0 => self.put(M::Or, &[to, from, from]),
            -0x8000..=0x7fff => self.put(M::Addi, &[to, from, Imm(imm)]),
            _ => {
                self.constant(SPARE, imm)?;
                self.put(M::Add, &[to, from, SPARE])
            }
        }
    }

    fn and(&mut self, to: Operand, from: Reg, mask: i32) -> Result<(), Unsupported> {
        let from = self.integer(from)?;
        match self.run_of_ones(mask) {
            Some(Run::Word(first, last)) => self.put(M::Rlwinm, &[to, from, Imm(0), Imm(first), Imm(last)]),
            Some(Run::Top(last)) => self.put(M::Rldicr, &[to, from, Imm(0), Imm(last)]),
            None if mask == 0 => self.constant(to, 0),
            None => self.anded(to, from, mask, SPARE),
        }
    }

    /// Compares the bits of the mask with zero.
    fn bits(&mut self, reg: Reg, mask: i32) -> Result<(), Unsupported> {
        let from = self.integer(reg)?;
        match self.run_of_ones(mask) {
            Some(Run::Word(first, last)) if mask & !0xffff != 0 => {
                self.put(M::RlwinmRc, &[SPARE, from, Imm(0), Imm(first), Imm(last)])
            }
            Some(Run::Top(last)) => self.put(M::RldicrRc, &[SPARE, from, Imm(0), Imm(last)]),
            _ => {
                self.held = self.held.filter(|_| mask & !0xffff == 0);
                self.anded(SPARE, from, mask, ADDRESS)
            }
        }
    }

    /// `to = from & mask`, compared with zero; `temporary` may be needed for the mask.
    fn anded(&mut self, to: Operand, from: Operand, mask: i32, temporary: Operand) -> Result<(), Unsupported> {
        match (mask, mask & 0xffff) {
            (0..=0xffff, _) => self.put(M::AndiRc, &[to, from, Imm(mask)]),
            (1.., 0) => self.put(M::AndisRc, &[to, from, Imm(mask >> 16)]),
            _ => {
                self.constant(temporary, mask)?;
                self.put(M::AndRc, &[to, from, temporary])
            }
        }
    }

    /// The mask as what a rotate instruction can mask with.
    fn run_of_ones(&self, mask: i32) -> Option<Run> {
        let ones = mask as u32;
        if ones == 0 {
            return None;
        }
        let run = |ones: u32| {
            let (first, last) = (ones.leading_zeros(), 31 - ones.trailing_zeros());
            (ones.count_ones() == last + 1 - first).then_some((first as i32, last as i32))
        };
        if mask > 0 || self.power.mode().is_32_bit() {
            let wrapped = || run(!ones).map(|(first, last)| (last + 1, first - 1));
            let found = run(ones).or_else(|| if mask < 0 { wrapped() } else { None });
            return found.map(|(first, last)| Run::Word(first, last));
        }
        // Negative, so that sign extension sets all bits above: ones from the top.
        run(ones).map(|(_, last)| Run::Top(32 + last))
    }

    fn shift(&mut self, to: Operand, from: Reg, bits: u8, way: Shift) -> Result<(), Unsupported> {
        let narrow = self.power.mode().is_32_bit();
        let most = if narrow { 31 } else { 63 };
        if !(1..=most).contains(&bits) {
            let name = self.name();
            return Err(Unsupported(format!("{name} cannot shift by {bits} bits; 1 to {most} are possible")));
        }
        let (from, bits) = (self.integer(from)?, i32::from(bits));
        match (way, narrow) {
            (Shift::Left, true) => self.put(M::Rlwinm, &[to, from, Imm(bits), Imm(0), Imm(31 - bits)]),
            (Shift::Right, true) => self.put(M::Rlwinm, &[to, from, Imm(32 - bits), Imm(bits), Imm(31)]),
            (Shift::Left, false) => self.put(M::Rldicr, &[to, from, Imm(bits), Imm(63 - bits)]),
            (Shift::Right, false) => self.put(M::Rldicl, &[to, from, Imm(64 - bits), Imm(bits)]),
        }
    }

    fn select(&mut self, to: Operand, cond: Cond, yes: Reg, no: Reg) -> Result<(), Unsupported> {
        let (yes, no) = (self.integer(yes)?, self.integer(no)?);
        if yes == no {
            return self.plus(to, yes, 0);
        }
        if self.power.processor().has(Facility::Select) {
            let relation = self.flags(cond)?;
            let (bit, set) = decides(relation);
            let (yes, no) = if set { (yes, no) } else { (no, yes) };
            return self.put(M::Isel, &[to, yes, no, Bit(bit)]);
        }
        let (yes, no) = if self.mask(cond)? { (yes, no) } else { (no, yes) };
        self.held = None;
        self.put(M::Subf, &[ADDRESS, no, yes])?;
        self.put(M::And, &[ADDRESS, ADDRESS, SPARE])?;
        self.put(M::Add, &[to, no, ADDRESS])
    }

    /// Without a select instruction: all ones where the condition holds (or, as the answer says, where it does not), zero
    /// elsewhere, from the carry.
    fn mask(&mut self, cond: Cond) -> Result<bool, Unsupported> {
        let holds = match cond {
            Cond::AnyBit { reg, mask } | Cond::NoBit { reg, mask } => {
                self.and(SPARE, reg, mask)?;
                self.put(M::Addic, &[SPARE, SPARE, Imm(-1)])?;
                matches!(cond, Cond::NoBit { .. })
            }
            Cond::Compare { left, relation: relation @ (Relation::Equal | Relation::NotEqual), right } => {
                let left = self.integer(left)?;
                let right = self.in_register(right)?;
                self.put(M::Subf, &[SPARE, right, left])?;
                self.put(M::Addic, &[SPARE, SPARE, Imm(-1)])?;
                relation == Relation::Equal
            }
            Cond::Compare { left, relation, right } => {
                let left = self.integer(left)?;
                let right = self.in_register(right)?;
                let (from, less, holds) = match relation {
                    Relation::Below => (left, right, true),
                    Relation::AboveOrEqual => (left, right, false),
                    Relation::Above => (right, left, true),
                    _ => (right, left, false),
                };
                self.put(M::Subfc, &[SPARE, less, from])?;
                holds
            }
        };
        // The carry minus one: of a difference that is not below zero it is 1, of `x - 1` where x is not zero.
        self.put(M::Subfe, &[SPARE, SPARE, SPARE])?;
        Ok(holds)
    }
}

/// Which way bits are shifted.
#[derive(Clone, Copy)]
enum Shift {
    Left,
    Right,
}

/// Ones in a row, by the manual's numbers of the first and last bit.
enum Run {
    /// In the low word; the first may come after the last, round the end.
    Word(i32, i32),
    /// From the top of the doubleword.
    Top(i32),
}
