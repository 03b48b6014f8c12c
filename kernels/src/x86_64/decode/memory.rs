//! Loads and stores of general registers, and prefetches, as steps.

use super::{numbered, place_at, register};
use crate::proof::{Slot, Step};
use iced_x86::{Code, Instruction};

/// The step of an access through a general register.
pub fn read(instruction: &Instruction) -> Option<Step> {
    match instruction.code() {
        Code::Movzx_r32_rm8 => load(instruction, 1),
        Code::Movzx_r32_rm16 => load(instruction, 2),
        Code::Mov_r32_rm32 => load(instruction, 4),
        Code::Mov_r64_rm64 => load(instruction, 8),
        Code::Mov_rm8_r8 => store(instruction, 1, false),
        Code::Mov_rm16_r16 => store(instruction, 2, false),
        Code::Mov_rm32_r32 => store(instruction, 4, false),
        Code::Mov_rm64_r64 => store(instruction, 8, false),
        Code::Movnti_m32_r32 => store(instruction, 4, true),
        Code::Movnti_m64_r64 => store(instruction, 8, true),
        Code::Prefetcht0_m8 | Code::Prefetcht1_m8 | Code::Prefetcht2_m8 | Code::Prefetchnta_m8 | Code::Prefetchw_m8 => {
            Some(Step::Prefetch { at: place_at(instruction, 0)? })
        }
        _ => None,
    }
}

/// All of these clear what they do not load: a write to a 32-bit register clears the upper half (Intel SDM volume 1, 3.4.1.1).
fn load(instruction: &Instruction, bytes: u8) -> Option<Step> {
    let to = register(instruction, 0).and_then(numbered)?;
    Some(Step::Load { to: Slot::Int(to), bytes, from: place_at(instruction, 1)?, align: 1 })
}

fn store(instruction: &Instruction, bytes: u8, non_temporal: bool) -> Option<Step> {
    let from = register(instruction, 1).and_then(numbered)?;
    Some(Step::Store { from: Slot::Int(from), bytes, to: place_at(instruction, 0)?, non_temporal, align: 1 })
}
