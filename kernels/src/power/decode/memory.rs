//! Loads, stores and prefetches as steps.

use super::super::instruction::{Mnemonic as M, Operand};
use super::{Reader, general};
use crate::proof::{Base, Place, Slot, Step};
use Operand::{Imm, Zero};

/// The steps of an access through a general register.
pub fn read(reader: Reader, mnemonic: M, operands: &[Operand]) -> Option<Vec<Step>> {
    match mnemonic {
        M::Dcbz | M::Dcbzl => {
            let processor = reader.power.processor();
            let bytes = if mnemonic == M::Dcbz { processor.zeroed() } else { processor.line() };
            let &[base, index] = operands else { return None };
            return Some(vec![Step::ZeroLine { at: indexed(base, index)?, bytes: u8::try_from(bytes).ok()? }]);
        }
        M::Dcbt | M::Dcbtst => return prefetch(operands).map(|step| vec![step]),
        _ => {}
    }
    if let Some(steps) = updating(reader, mnemonic, operands) {
        return Some(steps);
    }
    let [register, second, third] = *operands else { return None };
    let at = match second {
        Imm(displacement) => reader.place(third, displacement)?,
        _ => indexed(second, third)?,
    };
    let step = match mnemonic {
        M::Lbz | M::Lbzx => load(register, 1, at)?,
        M::Lhz | M::Lhzx => load(register, 2, at)?,
        M::Lwz | M::Lwzx => load(register, 4, at)?,
        M::Ld | M::Ldx => load(register, 8, at)?,
        M::Stb | M::Stbx => store(register, 1, at)?,
        M::Sth | M::Sthx => store(register, 2, at)?,
        M::Stw | M::Stwx => store(register, 4, at)?,
        M::Std | M::Stdx => store(register, 8, at)?,
        _ => return None,
    };
    Some(vec![step])
}

/// An access that sets its base to the address afterwards; the encoding rules out that the base is what is loaded. One that leaves the base as
/// it was is none that was emitted.
fn updating(reader: Reader, mnemonic: M, operands: &[Operand]) -> Option<Vec<Step>> {
    let [register, Imm(displacement), base] = *operands else { return None };
    if displacement == 0 {
        return None;
    }
    let at = reader.place(base, displacement)?;
    let access = match mnemonic {
        M::Lbzu => load(register, 1, at)?,
        M::Lhzu => load(register, 2, at)?,
        M::Lwzu => load(register, 4, at)?,
        M::Ldu => load(register, 8, at)?,
        M::Stbu => store(register, 1, at)?,
        M::Sthu => store(register, 2, at)?,
        M::Stwu => store(register, 4, at)?,
        M::Stdu => store(register, 8, at)?,
        _ => return None,
    };
    Some(vec![access, updated(base, at)?])
}

/// The base of an access becomes its address.
pub fn updated(base: Operand, at: Place) -> Option<Step> {
    Some(Step::Address { to: general(base)?, place: at })
}

/// Loads that are narrower than the register clear the rest of it (Power ISA 3.0B, I 3.3.2).
fn load(register: Operand, bytes: u8, from: Place) -> Option<Step> {
    Some(Step::Load { to: Slot::Int(general(register)?), bytes, from, align: 1 })
}

fn store(register: Operand, bytes: u8, to: Place) -> Option<Step> {
    Some(Step::Store { from: Slot::Int(general(register)?), bytes, to, non_temporal: false, align: 1 })
}

/// Hint 0 asks for the line, hint 16 for a line needed once; others start streams or name no line.
fn prefetch(operands: &[Operand]) -> Option<Step> {
    match *operands {
        [base, index, Imm(0 | 16)] => Some(Step::Prefetch { at: indexed(base, index)? }),
        _ => None,
    }
}

pub fn indexed(base: Operand, index: Operand) -> Option<Place> {
    let index = general(index)?;
    Some(match base {
        Zero => Place { base: Some(Base::Reg(index)), index: None, displacement: 0 },
        base => Place { base: Some(Base::Reg(general(base)?)), index: Some((index, 0)), displacement: 0 },
    })
}
