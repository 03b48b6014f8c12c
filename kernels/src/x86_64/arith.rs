//! Integer expressions and conditions.

use super::emit::Emitter;
use super::registers::{low8, low32, operand, set, whole};
use crate::code::Unsupported;
use crate::plan::{Addr, Cond, Expr, Operand, Reg, Relation, SCRATCH_BYTES};
use iced_x86::{Code, Instruction, Register};

impl Emitter<'_> {
    /// `to = value`.
    pub fn set_to(&mut self, to: Reg, value: Expr) -> Result<(), Unsupported> {
        set(to)?;
        match value {
            Expr::Const(value) => self.constant(to, value),
            Expr::Sum(addr) => self.sum(to, addr),
            Expr::Difference(left, Operand::Imm(imm)) => self.less(to, left, imm),
            Expr::Difference(left, Operand::Reg(right)) => {
                if to == right && to != left {
                    return Err(Unsupported(format!("x86-64 cannot set {to} to {left} - {right} in two instructions")));
                }
                self.copy(to, left)?;
                self.both(Code::Sub_rm64_r64, to, right)
            }
            Expr::And(from, mask) => {
                self.copy(to, from)?;
                self.and(to, mask)
            }
            Expr::ShiftRight(from, bits) => self.shift(Code::Shr_rm64_imm8, to, from, bits),
            Expr::ShiftLeft(from, bits) => self.shift(Code::Shl_rm64_imm8, to, from, bits),
            Expr::Negated(from) => {
                self.copy(to, from)?;
                self.put(Instruction::with1(Code::Neg_rm64, whole(to)?))
            }
            Expr::Select { cond, yes, no } => self.select(to, cond, yes, no),
            Expr::Scratch(byte) if byte < SCRATCH_BYTES => {
                let place = operand(Register::RSP, Register::None, i64::from(byte) - i64::from(SCRATCH_BYTES));
                self.put(Instruction::with2(Code::Lea_r64_m, whole(to)?, place))
            }
            Expr::Scratch(byte) => {
                Err(Unsupported(format!("there is no byte {byte} of scratch; there are {SCRATCH_BYTES} bytes")))
            }
        }
    }

    /// Sets the flags for a condition, and says which relation of theirs is the condition.
    pub fn flags(&mut self, cond: Cond) -> Result<Relation, Unsupported> {
        match cond {
            Cond::Compare { left, relation, right: Operand::Reg(right) } => {
                self.both(Code::Cmp_rm64_r64, left, right)?;
                Ok(relation)
            }
            Cond::Compare {
                left,
                relation: relation @ (Relation::Equal | Relation::NotEqual),
                right: Operand::Imm(0),
            } => {
                self.both(Code::Test_rm64_r64, left, left)?;
                Ok(relation)
            }
            // 128 is the first constant that needs four bytes; 127 says the same in one.
            Cond::Compare { left, relation: Relation::Below, right: Operand::Imm(128) } => {
                self.compare(left, 127)?;
                Ok(Relation::BelowOrEqual)
            }
            Cond::Compare { left, relation: Relation::AboveOrEqual, right: Operand::Imm(128) } => {
                self.compare(left, 127)?;
                Ok(Relation::Above)
            }
            Cond::Compare { left, relation, right: Operand::Imm(right) } => {
                self.compare(left, right)?;
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

    fn constant(&mut self, to: Reg, value: i32) -> Result<(), Unsupported> {
        self.put(match value {
            0 => Instruction::with2(Code::Xor_rm32_r32, low32(to)?, low32(to)?),
            1.. => Instruction::with2(Code::Mov_r32_imm32, low32(to)?, value),
            _ => Instruction::with2(Code::Mov_rm64_imm32, whole(to)?, value),
        })
    }

    /// `to = from`; nothing where they are the same.
    fn copy(&mut self, to: Reg, from: Reg) -> Result<(), Unsupported> {
        if to == from { Ok(()) } else { self.both(Code::Mov_rm64_r64, to, from) }
    }

    fn both(&mut self, code: Code, to: Reg, from: Reg) -> Result<(), Unsupported> {
        self.put(Instruction::with2(code, whole(to)?, whole(from)?))
    }

    /// An instruction on a register and a constant, in the form for one byte where that is enough.
    fn immediate(&mut self, [imm8, imm32]: [Code; 2], to: Register, imm: i32) -> Result<(), Unsupported> {
        let code = if i8::try_from(imm).is_ok() { imm8 } else { imm32 };
        self.put(Instruction::with2(code, to, imm))
    }

    fn compare(&mut self, left: Reg, right: i32) -> Result<(), Unsupported> {
        self.immediate([Code::Cmp_rm64_imm8, Code::Cmp_rm64_imm32], whole(left)?, right)
    }

    fn sum(&mut self, to: Reg, addr: Addr) -> Result<(), Unsupported> {
        match addr {
            Addr { base, index: None, displacement: 0 } => self.copy(to, base),
            Addr { base, index: None, displacement } if base == to => self.add(to, displacement),
            Addr { base, index: Some(index), displacement: 0 } if base == to => {
                self.both(Code::Add_rm64_r64, to, index)
            }
            Addr { base, index: Some(index), displacement: 0 } if index == to => {
                self.both(Code::Add_rm64_r64, to, base)
            }
            _ => self.put(Instruction::with2(Code::Lea_r64_m, whole(to)?, super::registers::memory(addr)?)),
        }
    }

    /// `to += imm`; 128 is subtracted as -128, which is shorter.
    fn add(&mut self, to: Reg, imm: i32) -> Result<(), Unsupported> {
        match imm {
            128 => self.put(Instruction::with2(Code::Sub_rm64_imm8, whole(to)?, -128)),
            _ => self.immediate([Code::Add_rm64_imm8, Code::Add_rm64_imm32], whole(to)?, imm),
        }
    }

    /// `to = left - imm`.
    fn less(&mut self, to: Reg, left: Reg, imm: i32) -> Result<(), Unsupported> {
        match imm.checked_neg() {
            Some(negated) if to != left => self.sum(to, Addr::at(left, negated)),
            _ => {
                self.copy(to, left)?;
                match imm {
                    128 => self.put(Instruction::with2(Code::Add_rm64_imm8, whole(to)?, -128)),
                    _ => self.immediate([Code::Sub_rm64_imm8, Code::Sub_rm64_imm32], whole(to)?, imm),
                }
            }
        }
    }

    /// A mask that is not negative clears the upper half, and so does the 32-bit form.
    fn and(&mut self, to: Reg, mask: i32) -> Result<(), Unsupported> {
        if mask < 0 {
            self.immediate([Code::And_rm64_imm8, Code::And_rm64_imm32], whole(to)?, mask)
        } else {
            self.immediate([Code::And_rm32_imm8, Code::And_rm32_imm32], low32(to)?, mask)
        }
    }

    fn shift(&mut self, code: Code, to: Reg, from: Reg, bits: u8) -> Result<(), Unsupported> {
        if !(1..=63).contains(&bits) {
            return Err(Unsupported(format!("x86-64 cannot shift by {bits} bits; 1 to 63 are possible")));
        }
        self.copy(to, from)?;
        self.put(Instruction::with2(code, whole(to)?, u32::from(bits)))
    }

    /// `mov` leaves the flags alone, so that the condition may look at `to` before it is overwritten.
    fn select(&mut self, to: Reg, cond: Cond, yes: Reg, no: Reg) -> Result<(), Unsupported> {
        if yes == no {
            return self.copy(to, yes);
        }
        let relation = self.flags(cond)?;
        let (relation, from) = if to == yes { (relation.negated(), no) } else { (relation, yes) };
        if to != yes {
            self.copy(to, no)?;
        }
        let code = match relation {
            Relation::Below => Code::Cmovb_r64_rm64,
            Relation::BelowOrEqual => Code::Cmovbe_r64_rm64,
            Relation::Above => Code::Cmova_r64_rm64,
            Relation::AboveOrEqual => Code::Cmovae_r64_rm64,
            Relation::Equal => Code::Cmove_r64_rm64,
            Relation::NotEqual => Code::Cmovne_r64_rm64,
        };
        self.both(code, to, from)
    }

    /// Whether any bit of the mask is set, in the shortest form that looks at all of them.
    fn bits(&mut self, reg: Reg, mask: i32) -> Result<(), Unsupported> {
        self.put(match mask {
            0..=0xff => Instruction::with2(Code::Test_rm8_imm8, low8(reg)?, mask),
            0x100.. => Instruction::with2(Code::Test_rm32_imm32, low32(reg)?, mask),
            _ => Instruction::with2(Code::Test_rm64_imm32, whole(reg)?, mask),
        })
    }
}
