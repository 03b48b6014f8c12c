//! Loads, stores and prefetches: which form of which instruction reaches an address.

use super::emit::Emitter;
use super::instruction::{Facility, Mnemonic as M, Operand};
use super::processor::Processor;
use super::registers::{ADDRESS, SPARE, data};
use crate::code::Unsupported;
use crate::plan::{Addr, Expr, Hint, Locality, Mask, Op, Reg, Val, Width};
use Operand::{Imm, Zero};

/// The forms of an access.
#[derive(Clone, Copy)]
struct Forms {
    /// With a displacement; VSX had none before POWER9.
    displaced: Option<M>,
    /// With an index.
    indexed: M,
    /// What displacements are multiples of.
    step: i32,
}

const fn forms(displaced: M, indexed: M, step: i32) -> Forms {
    Forms { displaced: Some(displaced), indexed, step }
}

/// The natural accesses of POWER9 keep memory order on every machine; those before it exchange doublewords on a little-endian one, which a
/// store undoes. Both kinds are never mixed: a processor has one or the other.
fn loads(width: Width, processor: Processor) -> Forms {
    match width {
        Width::B1 => forms(M::Lbz, M::Lbzx, 1),
        Width::B2 => forms(M::Lhz, M::Lhzx, 1),
        Width::B4 => forms(M::Lwz, M::Lwzx, 1),
        Width::Fp8 => forms(M::Lfd, M::Lfdx, 1),
        Width::Vsx16 if processor.has(Facility::Vsx3) => forms(M::Lxv, M::Lxvx, 16),
        Width::Vsx16 => Forms { displaced: None, indexed: M::Lxvd2x, step: 1 },
        Width::Altivec16 => Forms { displaced: None, indexed: M::Lvx, step: 1 },
        Width::Vsx32 => forms(M::Lxvp, M::Lxvpx, 16),
        _ => forms(M::Ld, M::Ldx, 4),
    }
}

fn stores(width: Width, processor: Processor) -> Forms {
    match width {
        Width::B1 => forms(M::Stb, M::Stbx, 1),
        Width::B2 => forms(M::Sth, M::Sthx, 1),
        Width::B4 => forms(M::Stw, M::Stwx, 1),
        Width::Fp8 => forms(M::Stfd, M::Stfdx, 1),
        Width::Vsx16 if processor.has(Facility::Vsx3) => forms(M::Stxv, M::Stxvx, 16),
        Width::Vsx16 => Forms { displaced: None, indexed: M::Stxvd2x, step: 1 },
        Width::Altivec16 => Forms { displaced: None, indexed: M::Stvx, step: 1 },
        Width::Vsx32 => forms(M::Stxvp, M::Stxvpx, 16),
        _ => forms(M::Std, M::Stdx, 4),
    }
}

/// The load and the store that also set their base to the address, and what displacements are multiples of; vectors have none.
const fn updates(width: Width) -> Option<([M; 2], i32)> {
    match width {
        Width::B1 => Some(([M::Lbzu, M::Stbu], 1)),
        Width::B2 => Some(([M::Lhzu, M::Sthu], 1)),
        Width::B4 => Some(([M::Lwzu, M::Stwu], 1)),
        Width::B8 => Some(([M::Ldu, M::Stdu], 4)),
        Width::Fp8 => Some(([M::Lfdu, M::Stfdu], 1)),
        _ => None,
    }
}

/// The instruction that zeroes so many bytes. `dcbz` zeroes what it zeroes, `dcbzl`, where there is one, always a line.
pub fn zeroing(processor: Processor, bytes: u8) -> Result<M, Unsupported> {
    let bytes = usize::from(bytes);
    if processor.has(Facility::LineZero) && bytes == processor.line() {
        return Ok(M::Dcbzl);
    }
    if bytes == processor.zeroed() {
        return Ok(M::Dcbz);
    }
    Err(Unsupported(format!("{processor} zeroes {} bytes at once, not {bytes}", processor.zeroed())))
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
        self.access(loads(width, self.power.processor()), register, from)
    }

    /// `[to] = val`.
    pub fn store(&mut self, val: Val, width: Width, to: Addr, hint: Hint) -> Result<(), Unsupported> {
        if hint == Hint::NonTemporal {
            return Err(Unsupported(format!("{} has no non-temporal stores", self.name())));
        }
        let register = data(val, width, self.name())?;
        self.access(stores(width, self.power.processor()), register, to)
    }

    /// An access of which the base is then set to the address, as one instruction, where there is one; whether that was so.
    pub fn access_and_update(&mut self, access: &Op, update: &Op) -> Result<bool, Unsupported> {
        let (val, width, at, which) = match *access {
            Op::Load { val, width, from } => (val, width, from, 0),
            Op::Store { val, width, to, hint: Hint::Plain } => (val, width, to, 1),
            _ => return Ok(false),
        };
        let Some((mnemonics, step)) = updates(width) else { return Ok(false) };
        let Op::Set { to, value: Expr::Sum(sum) } = *update else { return Ok(false) };
        let reaches = i16::try_from(at.displacement).is_ok() && at.displacement % step == 0;
        if sum != at || at.index.is_some() || to != at.base || to == Reg::RETURN || at.displacement == 0 || !reaches {
            return Ok(false);
        }
        let (register, base) = (data(val, width, self.name())?, self.integer(to)?);
        if register == base {
            return Ok(false);
        }
        self.put(mnemonics[which], &[register, Imm(at.displacement), base])?;
        self.held = self.held.filter(|&(base, index)| base != to && index != to);
        self.kept = self.kept.filter(|&(reg, _)| reg != to);
        Ok(true)
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
        let [base, index] = self.summands(at)?;
        self.put(mnemonic, &[base, index, Imm(hint)])
    }

    /// Sets a block to zero, of just so many bytes.
    pub fn zero_line(&mut self, at: Addr, bytes: u8) -> Result<(), Unsupported> {
        let mnemonic = zeroing(self.power.processor(), bytes)?;
        let [base, index] = self.summands(at)?;
        self.put(mnemonic, &[base, index])
    }

    /// The address as two registers, or zero and one.
    fn summands(&mut self, at: Addr) -> Result<[Operand; 2], Unsupported> {
        Ok(match self.reach(at, |_| false)? {
            Reach::Displaced(base, _) => [Zero, base],
            Reach::Indexed(base, index) => [base, index],
        })
    }

    /// Makes a mask: its length where partial accesses want it, in the highest byte of a general register (Power ISA 3.0B, I 7.6.3).
    pub fn set_mask(&mut self, mask: Mask, count: Reg, temporary: Option<Reg>) -> Result<(), Unsupported> {
        let no_register = || Unsupported(format!("{} has no register left to make a mask in", self.name()));
        let temporary = temporary.ok_or_else(no_register)?;
        let (length, count) = (self.integer(temporary)?, self.integer(count)?);
        self.put(M::Rldicr, &[length, count, Imm(56), Imm(7)])?;
        self.masks.retain(|&(earlier, _)| earlier != mask);
        self.masks.push((mask, length));
        Ok(())
    }

    /// The first bytes of `[from]`, zero beyond them.
    pub fn load_partial(&mut self, val: Val, width: Width, from: Addr, mask: Mask) -> Result<(), Unsupported> {
        self.partial(M::Lxvl, val, width, from, mask)
    }

    /// The first bytes of `val` to `[to]`.
    pub fn store_partial(&mut self, val: Val, width: Width, to: Addr, mask: Mask) -> Result<(), Unsupported> {
        self.partial(M::Stxvl, val, width, to, mask)
    }

    /// Partial accesses name their address by one register.
    fn partial(&mut self, mnemonic: M, val: Val, width: Width, at: Addr, mask: Mask) -> Result<(), Unsupported> {
        if width != Width::Vsx16 {
            return Err(Unsupported(format!("{} has no partial access of width {width}; vsx16 has", self.name())));
        }
        let length = self.masks.iter().find(|&&(known, _)| known == mask).map(|&(_, length)| length);
        let length = length.ok_or_else(|| Unsupported(format!("{mask} is used before it is set")))?;
        let register = data(val, width, self.name())?;
        let base = match self.reach(at, |_| false)? {
            Reach::Displaced(base, _) => base,
            Reach::Indexed(base, index) => {
                self.held = None;
                self.put(M::Add, &[ADDRESS, base, index])?;
                ADDRESS
            }
        };
        self.put(mnemonic, &[register, base, length])
    }

    fn access(&mut self, forms: Forms, register: Operand, at: Addr) -> Result<(), Unsupported> {
        let holds = |displacement| {
            forms.displaced.is_some() && i16::try_from(displacement).is_ok() && displacement % forms.step == 0
        };
        match (self.reach(at, holds)?, forms.displaced) {
            (Reach::Displaced(base, displacement), Some(displaced)) => {
                self.put(displaced, &[register, Imm(displacement), base])
            }
            (Reach::Displaced(base, _), None) => self.put(forms.indexed, &[register, Zero, base]),
            (Reach::Indexed(base, index), _) => self.put(forms.indexed, &[register, base, index]),
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
    fn sum_held(&mut self, base: Reg, index: Reg) -> Result<Operand, Unsupported> {
        if self.held != Some((base, index)) {
            let (left, right) = (self.integer(base)?, self.integer(index)?);
            self.put(M::Add, &[ADDRESS, left, right])?;
            self.held = Some((base, index));
        }
        Ok(ADDRESS)
    }
}
