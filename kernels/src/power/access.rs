//! Loads, stores and prefetches: which form of which instruction reaches an address.

use super::emit::Emitter;
use super::instruction::{Facility, Mnemonic as M, Operand};
use super::registers::{ADDRESS, SPARE, data};
use crate::code::Unsupported;
use crate::plan::{Addr, Hint, Locality, Val, Width};
use Operand::{Imm, Zero};

/// The displacement form and the indexed form of an access.
type Forms = [M; 2];

const fn loads(width: Width) -> Forms {
    match width {
        Width::B1 => [M::Lbz, M::Lbzx],
        Width::B2 => [M::Lhz, M::Lhzx],
        Width::B4 => [M::Lwz, M::Lwzx],
        _ => [M::Ld, M::Ldx],
    }
}

const fn stores(width: Width) -> Forms {
    match width {
        Width::B1 => [M::Stb, M::Stbx],
        Width::B2 => [M::Sth, M::Sthx],
        Width::B4 => [M::Stw, M::Stwx],
        _ => [M::Std, M::Stdx],
    }
}

/// An address as instructions can name it.
enum Reach {
    Displaced(Operand, i32),
    Indexed(Operand, Operand),
}

impl Emitter<'_> {
    /// `val = [from]`.
    pub fn load(&mut self, val: Val, width: Width, from: Addr) -> Result<(), Unsupported> {
        let register = data(val, width, self.name())?;
        self.access(loads(width), register, from)
    }

    /// `[to] = val`.
    pub fn store(&mut self, val: Val, width: Width, to: Addr, hint: Hint) -> Result<(), Unsupported> {
        if hint == Hint::NonTemporal {
            return Err(Unsupported(format!("{} has no non-temporal stores", self.name())));
        }
        let register = data(val, width, self.name())?;
        self.access(stores(width), register, to)
    }

    /// Asks for the line at an address.
    pub fn prefetch(&mut self, locality: Locality, at: Addr) -> Result<(), Unsupported> {
        let (mnemonic, hint) = match locality {
            Locality::T0 => (M::Dcbt, 0),
            Locality::Write => (M::Dcbtst, 0),
            Locality::Nta if self.power.processor().has(Facility::Transient) => (M::Dcbt, 16),
            Locality::Nta => {
                return Err(Unsupported(format!("{} has no prefetch of a line needed once", self.power.processor())));
            }
            Locality::T1 | Locality::T2 => {
                return Err(Unsupported(format!("{} has no prefetch into a farther cache", self.name())));
            }
        };
        let (base, index) = match self.reach(at, |_| false)? {
            Reach::Displaced(base, _) => (Zero, base),
            Reach::Indexed(base, index) => (base, index),
        };
        self.put(mnemonic, &[base, index, Imm(hint)])
    }

    fn access(&mut self, [displaced, indexed]: Forms, register: Operand, at: Addr) -> Result<(), Unsupported> {
        // Displacements of doublewords are multiples of four.
        let step = if matches!(displaced, M::Ld | M::Std) { 4 } else { 1 };
        match self.reach(at, |displacement| i16::try_from(displacement).is_ok() && displacement % step == 0)? {
            Reach::Displaced(base, displacement) => self.put(displaced, &[register, Imm(displacement), base]),
            Reach::Indexed(base, index) => self.put(indexed, &[register, base, index]),
        }
    }

    /// The address, given which displacements the instruction can hold besides none. A sum of two registers that has a displacement
    /// too is kept in a register: it is mostly the end of an operand, and used again.
    fn reach(&mut self, at: Addr, holds: impl Fn(i32) -> bool) -> Result<Reach, Unsupported> {
        let (base, displacement) = (self.integer(at.base)?, at.displacement);
        let base = match at.index {
            None => base,
            Some(index) if displacement == 0 => return Ok(Reach::Indexed(base, self.integer(index)?)),
            Some(index) => self.sum_held(at.base, index)?,
        };
        if displacement == 0 || holds(displacement) {
            return Ok(Reach::Displaced(base, displacement));
        }
        self.constant(SPARE, displacement)?;
        Ok(Reach::Indexed(base, SPARE))
    }

    /// A register that holds the sum of two.
    fn sum_held(&mut self, base: crate::plan::Reg, index: crate::plan::Reg) -> Result<Operand, Unsupported> {
        if self.held != Some((base, index)) {
            let (left, right) = (self.integer(base)?, self.integer(index)?);
            self.put(M::Add, &[ADDRESS, left, right])?;
            self.held = Some((base, index));
        }
        Ok(ADDRESS)
    }
}
