//! Integer instructions as steps.

use super::{general, half, numbered, place_at, register};
use crate::plan::Relation;
use crate::proof::{Arith, Base, Flags, Place, Right, Step, Test};
use iced_x86::{Code, Instruction, OpKind, Register};

/// `xor r, r`: the constant zero, and flags that say so. The second step is what sets them.
pub fn cleared(instruction: &Instruction) -> Option<[Step; 2]> {
    if !matches!(instruction.code(), Code::Xor_rm32_r32 | Code::Xor_r32_rm32) {
        return None;
    }
    let to = half(instruction, 0).filter(|&to| half(instruction, 1) == Some(to))?;
    let flags = Step::Arith { to, op: Arith::And, left: to, right: Right::Imm(0), flags: Flags::ResultZero };
    Some([Step::Const { to, value: 0 }, flags])
}

/// The step of an integer instruction.
pub fn read(instruction: &Instruction) -> Option<Step> {
    match instruction.code() {
        Code::Mov_r32_imm32 => {
            Some(Step::Const { to: half(instruction, 0)?, value: u64::from(instruction.immediate32()) })
        }
        Code::Mov_rm64_imm32 => {
            Some(Step::Const { to: general(instruction, 0)?, value: instruction.immediate32to64() as u64 })
        }
        Code::Mov_rm64_r64 | Code::Mov_r64_rm64 => {
            let (to, from) = (general(instruction, 0)?, general(instruction, 1)?);
            Some(Step::Address { to, place: Place { base: Some(Base::Reg(from)), index: None, displacement: 0 } })
        }
        Code::Lea_r64_m => Some(Step::Address { to: general(instruction, 0)?, place: place_at(instruction, 1)? }),
        Code::Add_rm64_r64 | Code::Add_r64_rm64 | Code::Add_rm64_imm8 | Code::Add_rm64_imm32 => {
            in_place(instruction, Arith::Add, Flags::ResultZero)
        }
        Code::Sub_rm64_r64 | Code::Sub_r64_rm64 | Code::Sub_rm64_imm8 | Code::Sub_rm64_imm32 => {
            in_place(instruction, Arith::Sub, Flags::Compared)
        }
        Code::And_rm64_imm8 | Code::And_rm64_imm32 => in_place(instruction, Arith::And, Flags::ResultZero),
        // The upper half becomes zero, as it does under a mask whose upper half is zero.
        Code::And_rm32_imm8 | Code::And_rm32_imm32 => {
            let (to, mask) = (half(instruction, 0)?, instruction.immediate(1) as u32);
            let right = Right::Imm(u64::from(mask));
            Some(Step::Arith { to, op: Arith::And, left: to, right, flags: Flags::ResultZero })
        }
        Code::Shr_rm64_imm8 => shift(instruction, Arith::Shr),
        Code::Shl_rm64_imm8 => shift(instruction, Arith::Shl),
        Code::Neg_rm64 => {
            let to = general(instruction, 0)?;
            Some(Step::Negate { to, from: to, flags: Flags::Lost })
        }
        Code::VEX_Bzhi_r64_rm64_r64 => {
            let (to, left, right) = (general(instruction, 0)?, general(instruction, 1)?, general(instruction, 2)?);
            Some(Step::Arith { to, op: Arith::LowBits, left, right: Right::Reg(right), flags: Flags::Lost })
        }
        Code::Cmp_rm64_r64 | Code::Cmp_r64_rm64 | Code::Cmp_rm64_imm8 | Code::Cmp_rm64_imm32 => {
            Some(Step::Test { test: Test::Compare, left: general(instruction, 0)?, right: right(instruction)? })
        }
        Code::Test_rm64_r64 | Code::Test_rm64_imm32 | Code::Test_RAX_imm32 => {
            Some(Step::Test { test: Test::Bits, left: general(instruction, 0)?, right: right(instruction)? })
        }
        // Only bits inside the narrow operand count, so the mask is not sign-extended.
        Code::Test_rm32_imm32 | Code::Test_EAX_imm32 | Code::Test_rm8_imm8 | Code::Test_AL_imm8 => {
            let left = register(instruction, 0).and_then(numbered)?;
            Some(Step::Test { test: Test::Bits, left, right: Right::Imm(instruction.immediate(1)) })
        }
        code => Some(Step::MoveIf {
            relation: moves_if(code)?,
            to: general(instruction, 0)?,
            from: general(instruction, 1)?,
        }),
    }
}

fn moves_if(code: Code) -> Option<Relation> {
    Some(match code {
        Code::Cmovb_r64_rm64 => Relation::Below,
        Code::Cmovbe_r64_rm64 => Relation::BelowOrEqual,
        Code::Cmova_r64_rm64 => Relation::Above,
        Code::Cmovae_r64_rm64 => Relation::AboveOrEqual,
        Code::Cmove_r64_rm64 => Relation::Equal,
        Code::Cmovne_r64_rm64 => Relation::NotEqual,
        _ => return None,
    })
}

fn in_place(instruction: &Instruction, op: Arith, flags: Flags) -> Option<Step> {
    let to = general(instruction, 0)?;
    Some(Step::Arith { to, op, left: to, right: right(instruction)?, flags })
}

/// Other counts than 1 to 63 are taken modulo 64, and zero leaves the flags alone.
fn shift(instruction: &Instruction, op: Arith) -> Option<Step> {
    let (to, bits) = (general(instruction, 0)?, instruction.immediate8());
    let right = Right::Imm(u64::from(bits));
    (1..=63).contains(&bits).then_some(Step::Arith { to, op, left: to, right, flags: Flags::Lost })
}

/// The second operand of a 64-bit instruction.
fn right(instruction: &Instruction) -> Option<Right> {
    match instruction.op_kind(1) {
        OpKind::Register if instruction.op_register(1) != Register::RSP => general(instruction, 1).map(Right::Reg),
        OpKind::Immediate8to64 | OpKind::Immediate32to64 => Some(Right::Imm(instruction.immediate(1))),
        _ => None,
    }
}
