//! Machine code read back: iced decodes, and a short list of known forms becomes steps.
//!
//! What is not on the list is refused, however harmless: a step must say exactly what the processor does. Signed conditions
//! are not on it, so every comparison that is read is unsigned.

mod flow;
mod integer;
mod memory;
mod vector;

use super::listing::text;
use crate::code::{Code, Unreadable};
use crate::proof::{Base, IntReg, Place, Program, Step, Word};
use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind, Register};

/// Registers that the caller wants back (System V ABI for x86-64, section 3.2.1), by x86 number.
const PRESERVED: [IntReg; 7] = [3, 4, 5, 12, 13, 14, 15];
/// The vector registers that VEX code can name; legacy SSE slows down while their upper halves are dirty.
const UPPER_BELOW: u8 = 16;
/// MMX registers come after the 32 vector registers.
const MMX_FROM: u8 = 32;

/// What the code does.
pub fn decode(code: &Code) -> Result<Program, Unreadable> {
    let mut steps = Vec::new();
    let mut offsets = Vec::new();
    let mut step_at = vec![None; code.bytes.len()];
    let mut slots = None;
    for instruction in Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE).iter() {
        let offset = instruction.ip() as usize;
        step_at[offset] = Some(steps.len());
        steps.extend(read(&instruction).ok_or_else(|| unreadable(offset, text(&instruction)))?);
        match steps.last_mut() {
            Some(Step::Address { place: Place { base: Some(Base::Code), index: None, displacement }, .. }) => {
                slots = Some(*displacement);
            }
            // The offsets only: which steps stand there is known when all have been read.
            Some(Step::JumpTo { targets, .. }) => {
                let switch = code.switches.iter().find(|switch| i64::try_from(switch.start).ok() == slots);
                let switch = switch.ok_or_else(|| unreadable(offset, "a computed jump without slots".to_owned()))?;
                let offsets = (0..switch.count).map(|slot| switch.start + slot * switch.stride);
                *targets = offsets.map(|target| (target as u64, target)).collect();
            }
            _ => {}
        }
        offsets.resize(steps.len(), offset);
    }
    for (step, &offset) in steps.iter_mut().zip(&offsets) {
        let land = |target: &mut usize| match step_at.get(*target) {
            Some(&Some(step)) => {
                *target = step;
                Ok(())
            }
            _ => Err(unreadable(offset, format!("a jump to {target:#x}, where no instruction starts"))),
        };
        match step {
            Step::Jump { to } | Step::JumpIf { to, .. } => land(to)?,
            Step::JumpTo { targets, .. } => targets.iter_mut().map(|(_, to)| to).try_for_each(land)?,
            _ => {}
        }
    }
    Ok(Program {
        steps,
        offsets,
        dst: 7,
        src: 6,
        n: 2,
        result: 0,
        result_is_passed: false,
        word: Word::Little64,
        upper_below: UPPER_BELOW,
        mmx_from: MMX_FROM,
        preserved: PRESERVED.to_vec(),
    })
}

fn unreadable(offset: usize, text: String) -> Unreadable {
    Unreadable { offset, text }
}

/// The steps of one instruction; targets of jumps are offsets in the code.
fn read(instruction: &Instruction) -> Option<Vec<Step>> {
    let repeated = instruction.has_rep_prefix() && !instruction.is_string_instruction();
    if repeated
        || instruction.has_repne_prefix()
        || instruction.has_lock_prefix()
        || instruction.segment_prefix() != Register::None
    {
        return None;
    }
    if let Some(cleared) = integer::cleared(instruction) {
        return Some(cleared.to_vec());
    }
    integer::read(instruction)
        .or_else(|| memory::read(instruction))
        .or_else(|| vector::read(instruction))
        .or_else(|| flow::read(instruction))
        .map(|step| vec![step])
}

/// Operand `number`, if it is a 64-bit general register. The stack pointer is none: nothing may set it, so that it is always as
/// it was on entry.
fn general(instruction: &Instruction, number: u32) -> Option<IntReg> {
    register(instruction, number).filter(|register| register.is_gpr64()).and_then(numbered)
}

/// Operand `number`, if it is a 32-bit general register.
fn half(instruction: &Instruction, number: u32) -> Option<IntReg> {
    register(instruction, number).filter(|register| register.is_gpr32()).and_then(numbered)
}

/// Operand `number`, if it is a register.
fn register(instruction: &Instruction, number: u32) -> Option<Register> {
    (instruction.op_kind(number) == OpKind::Register).then(|| instruction.op_register(number))
}

/// The number of the general register that a register is (the low part of).
fn numbered(register: Register) -> Option<IntReg> {
    let is_high_byte = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
    let whole = register.full_register();
    if is_high_byte || !whole.is_gpr64() || whole == Register::RSP { None } else { u8::try_from(whole.number()).ok() }
}

/// The memory operand of an instruction that has one.
fn place(instruction: &Instruction) -> Option<Place> {
    let base = match instruction.memory_base() {
        Register::None => None,
        Register::RIP => Some(Base::Code),
        Register::RSP => Some(Base::Stack),
        base if base.is_gpr64() => Some(Base::Reg(numbered(base)?)),
        _ => return None,
    };
    let index = match instruction.memory_index() {
        Register::None => None,
        index if index.is_gpr64() => Some((numbered(index)?, instruction.memory_index_scale().trailing_zeros() as u8)),
        _ => return None,
    };
    Some(Place { base, index, displacement: instruction.memory_displacement64() as i64 })
}

/// The memory operand, if operand `number` is one.
fn place_at(instruction: &Instruction, number: u32) -> Option<Place> {
    if instruction.op_kind(number) == OpKind::Memory { place(instruction) } else { None }
}
