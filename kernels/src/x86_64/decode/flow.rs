//! Jumps, string moves and what has no operand, as steps.

use super::general;
use crate::plan::Relation;
use crate::proof::Step;
use iced_x86::{Code, Instruction};

/// The registers a string move works on, by x86 number.
const RDI: u8 = 7;
const RSI: u8 = 6;
const RCX: u8 = 1;

/// The step of an instruction that decides what runs next or touches no register by name. Targets are code offsets.
pub fn read(instruction: &Instruction) -> Option<Step> {
    let to = || usize::try_from(instruction.near_branch64()).ok();
    Some(match instruction.code() {
        // The lengths rule out prefixes: Intel ignores an operand-size prefix here, AMD cuts the target to 16 bits.
        Code::Jmp_rel8_64 if instruction.len() == 2 => Step::Jump { to: to()? },
        Code::Jmp_rel32_64 if instruction.len() == 5 => Step::Jump { to: to()? },
        Code::Jmp_rm64 => {
            let address = general(instruction, 0)?;
            let length = if address < 8 { 2 } else { 3 };
            (instruction.len() == length).then_some(Step::JumpTo { address, targets: Vec::new() })?
        }
        Code::Retnq if instruction.len() == 1 => Step::Return,
        Code::Movsb_m8_m8 => repeat(instruction, 1)?,
        Code::Movsw_m16_m16 => repeat(instruction, 2)?,
        Code::Movsd_m32_m32 => repeat(instruction, 4)?,
        Code::Movsq_m64_m64 => repeat(instruction, 8)?,
        Code::Std => Step::SetDirection { backward: true },
        Code::Cld => Step::SetDirection { backward: false },
        Code::Sfence => Step::Fence,
        Code::VEX_Vzeroupper => Step::ClearUpper,
        Code::Emms => Step::EndMmx,
        Code::Nopd | Code::Nopw | Code::Nop_rm16 | Code::Nop_rm32 => Step::Nothing,
        code => {
            let (relation, length) = jumps_if(code)?;
            (instruction.len() == length).then_some(Step::JumpIf { relation, to: to()? })?
        }
    })
}

/// The relation of an unsigned conditional jump, and the bytes it has without prefixes.
fn jumps_if(code: Code) -> Option<(Relation, usize)> {
    Some(match code {
        Code::Jb_rel8_64 => (Relation::Below, 2),
        Code::Jbe_rel8_64 => (Relation::BelowOrEqual, 2),
        Code::Ja_rel8_64 => (Relation::Above, 2),
        Code::Jae_rel8_64 => (Relation::AboveOrEqual, 2),
        Code::Je_rel8_64 => (Relation::Equal, 2),
        Code::Jne_rel8_64 => (Relation::NotEqual, 2),
        Code::Jb_rel32_64 => (Relation::Below, 6),
        Code::Jbe_rel32_64 => (Relation::BelowOrEqual, 6),
        Code::Ja_rel32_64 => (Relation::Above, 6),
        Code::Jae_rel32_64 => (Relation::AboveOrEqual, 6),
        Code::Je_rel32_64 => (Relation::Equal, 6),
        Code::Jne_rel32_64 => (Relation::NotEqual, 6),
        _ => return None,
    })
}

/// A string move without a repeat prefix moves one unit and leaves the count alone: not a form that is emitted. With 32-bit
/// addresses (a prefix) the count would be 32 bits wide.
fn repeat(instruction: &Instruction, bytes: u8) -> Option<Step> {
    let addresses_are_whole = instruction.op_kind(0) == iced_x86::OpKind::MemoryESRDI
        && instruction.op_kind(1) == iced_x86::OpKind::MemorySegRSI;
    (instruction.has_rep_prefix() && addresses_are_whole).then_some(Step::Repeat {
        bytes,
        dst: RDI,
        src: RSI,
        count: RCX,
    })
}
