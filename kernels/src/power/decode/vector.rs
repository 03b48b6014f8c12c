//! Loads and stores of floating-point and vector registers as steps.
//!
//! A floating-point register is half of a VSX one: what is loaded into one makes the other useless. Data is held in the order it has in
//! memory; where an instruction exchanges halves on the way, that is a step of its own, so that a load of one kind and a store of another
//! show.

use super::super::instruction::{Mnemonic as M, Operand};
use super::super::{Misaligned, Mode};
use super::memory::{indexed, updated};
use super::{NOWHERE, Reader, general};
use crate::plan::Direction;
use crate::proof::{Arith, Base, Flags, MaskSource, Place, Right, Slot, Step, VectorReg};
use Operand::{F, Imm, V, X, Zero};

/// Holds what a store exchanges.
const BETWEEN: VectorReg = 96;
/// f0 is this one.
const FLOATS: VectorReg = 64;
/// Partial accesses have a mask for each alone.
const LENGTH: u8 = 0;

/// The steps of an access through a floating-point or vector register.
pub fn read(reader: Reader, mnemonic: M, operands: &[Operand]) -> Option<Vec<Step>> {
    if let (M::Vperm, &[to, left, right, shift]) = (mnemonic, operands) {
        return reader.merged(to, [left, right], shift);
    }
    let [register, second, third] = *operands else { return None };
    let at = || match second {
        Imm(displacement) => reader.place(third, displacement),
        _ => indexed(second, third),
    };
    let [of_floats, of_vectors] = reader.alignments();
    let swaps = reader.power.mode() == Mode::Ppc64le;
    match mnemonic {
        M::Lfd | M::Lfdx => {
            let to = float(register)?;
            let load = Step::Load { to: Slot::Vector(to), bytes: 8, from: at()?, align: of_floats };
            Some(vec![load, forgotten(to - FLOATS)])
        }
        M::Lfdu => {
            let (to, at) = (float(register)?, at()?);
            let load = Step::Load { to: Slot::Vector(to), bytes: 8, from: at, align: of_floats };
            Some(vec![load, forgotten(to - FLOATS), updated(third, at)?])
        }
        M::Stfdu => {
            let at = at()?;
            Some(vec![store(float(register)?, 8, at, of_floats), updated(third, at)?])
        }
        M::Stfd | M::Stfdx => Some(vec![store(float(register)?, 8, at()?, of_floats)]),
        M::Lvx => {
            let (to, from) = (Slot::Vector(altivec(register)?), NOWHERE_ITSELF);
            let load = Step::LoadAround { to, bytes: 16, from, align: 16 };
            Some([whole(at()?), vec![load]].concat())
        }
        M::Stvx => Some([whole(at()?), vec![store(altivec(register)?, 16, NOWHERE_ITSELF, 16)]].concat()),
        M::Lvsl | M::Lvsr if second == Zero => {
            let walk = if swaps == (mnemonic == M::Lvsl) { Direction::Forward } else { Direction::Backward };
            Some(vec![Step::SetShift { to: altivec(register)?, by: general(third)?, bytes: 16, walk }])
        }
        M::Lxv | M::Lxvx => Some(loads(vector(register)?, at()?, of_vectors)),
        M::Stxv | M::Stxvx => Some(vec![store(vector(register)?, 16, at()?, of_vectors)]),
        M::Lxvd2x => {
            let to = vector(register)?;
            let mut steps = loads(to, at()?, of_vectors);
            steps.extend(swaps.then_some(Step::Halves { to, from: to }));
            Some(steps)
        }
        M::Stxvd2x if swaps => {
            let from = vector(register)?;
            Some(vec![Step::Halves { to: BETWEEN, from }, store(BETWEEN, 16, at()?, of_vectors)])
        }
        M::Stxvd2x => Some(vec![store(vector(register)?, 16, at()?, of_vectors)]),
        M::Lxvp | M::Lxvpx => {
            let halves = reader.pair(register, at()?)?;
            Some(halves.into_iter().flat_map(|(to, from)| loads(to, from, of_vectors)).collect())
        }
        M::Stxvp | M::Stxvpx => {
            let halves = reader.pair(register, at()?)?;
            Some(halves.into_iter().map(|(from, to)| store(from, 16, to, of_vectors)).collect())
        }
        M::Lxvl => {
            let (to, from) = (vector(register)?, alone(second)?);
            let [shift, mask] = length(third)?;
            let load = Step::LoadMasked { to, bytes: 16, from, mask: LENGTH };
            Some([shift, mask, load].into_iter().chain(overwritten(to)).collect())
        }
        M::Stxvl => {
            let (from, to) = (vector(register)?, alone(second)?);
            let [shift, mask] = length(third)?;
            Some(vec![shift, mask, Step::StoreMasked { from, bytes: 16, to, mask: LENGTH }])
        }
        _ => None,
    }
}

impl Reader {
    /// Two registers that follow each other in memory order as `vperm` takes them, which numbers bytes from the highest; the shift is made for
    /// that order.
    fn merged(self, to: Operand, [left, right]: [Operand; 2], shift: Operand) -> Option<Vec<Step>> {
        let (first, second) = if self.power.mode() == Mode::Ppc64le { (right, left) } else { (left, right) };
        let (first, second) = (altivec(first)?, altivec(second)?);
        Some(vec![Step::Merge { to: altivec(to)?, first, second, shift: altivec(shift)?, bytes: 16 }])
    }

    /// What addresses of floating-point and vector accesses must be multiples of, so that the processor does not trap.
    fn alignments(self) -> [u8; 2] {
        let processor = self.power.processor();
        [processor.misaligned_floats(), processor.misaligned_vectors()]
            .map(|misaligned| if misaligned == Misaligned::Traps { 4 } else { 1 })
    }

    /// The two registers of a pair and where each is loaded from. The pair is one number of 32 bytes: the register named second has its
    /// low half, which on a little-endian machine comes first (Power ISA 3.1, I 7.6.3).
    fn pair(self, register: Operand, at: Place) -> Option<[(VectorReg, Place); 2]> {
        let first = vector(register)?;
        let further = Place { displacement: at.displacement + 16, ..at };
        let (low, high) = if self.power.mode() == Mode::Ppc64le { (first + 1, first) } else { (first, first + 1) };
        Some([(low, at), (high, further)])
    }
}

const NOWHERE_ITSELF: Place = Place { base: Some(Base::Reg(NOWHERE)), index: None, displacement: 0 };

/// An address with its low four bits cleared.
fn whole(at: Place) -> Vec<Step> {
    let right = Right::Imm(!15);
    vec![
        Step::Address { to: NOWHERE, place: at },
        Step::Arith { to: NOWHERE, op: Arith::And, left: NOWHERE, right, flags: Flags::Kept },
    ]
}

fn loads(to: VectorReg, from: Place, align: u8) -> Vec<Step> {
    let load = Step::Load { to: Slot::Vector(to), bytes: 16, from, align };
    std::iter::once(load).chain(overwritten(to)).collect()
}

fn store(from: VectorReg, bytes: u8, to: Place, align: u8) -> Step {
    Step::Store { from: Slot::Vector(from), bytes, to, non_temporal: false, align }
}

/// The floating-point register that a write of a VSX register overwrites, if it is half of it.
fn overwritten(register: VectorReg) -> Option<Step> {
    (register < 32).then(|| forgotten(FLOATS + register))
}

/// Leaves no data in a register.
fn forgotten(register: VectorReg) -> Step {
    let scratch = Place { base: Some(Base::Stack), index: None, displacement: -1 };
    Step::Load { to: Slot::Vector(register), bytes: 0, from: scratch, align: 1 }
}

/// The length of a partial access: the highest byte of a register.
fn length(register: Operand) -> Option<[Step; 2]> {
    let (left, right) = (general(register)?, Right::Imm(56));
    let shift = Step::Arith { to: NOWHERE, op: Arith::Shr, left, right, flags: Flags::Kept };
    Some([shift, Step::SetMask { to: LENGTH, from: MaskSource::Count(NOWHERE) }])
}

/// The address in a register.
fn alone(base: Operand) -> Option<Place> {
    Some(Place { base: Some(Base::Reg(general(base)?)), index: None, displacement: 0 })
}

/// The number of a floating-point register that is not the caller's.
fn float(operand: Operand) -> Option<VectorReg> {
    match operand {
        F(number @ 0..14) => Some(FLOATS + number),
        _ => None,
    }
}

/// The number of an AltiVec register that is not the caller's.
fn altivec(operand: Operand) -> Option<VectorReg> {
    match operand {
        V(number @ 0..20) => Some(32 + number),
        _ => None,
    }
}

/// The number of a VSX register that is not the caller's.
fn vector(operand: Operand) -> Option<VectorReg> {
    match operand {
        X(number @ (0..14 | 32..52)) => Some(number),
        _ => None,
    }
}
