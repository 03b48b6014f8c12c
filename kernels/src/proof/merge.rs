//! Steps that put misaligned data together from aligned loads, token by token.

use super::fault::Wrong;
use super::machine::Machine;
use super::memory::{Memory, Token, ZERO};
use super::step::{IntReg, Slot, VectorReg};
use crate::plan::Direction;

impl Machine {
    /// Loads what lies around an address, where that is a multiple of `bytes`.
    pub(super) fn load_around(&mut self, to: Slot, bytes: u8, from: u64, memory: &Memory) -> Result<(), Wrong> {
        let count = usize::from(bytes);
        if !(1..=16).contains(&count) || !from.is_multiple_of(u64::from(bytes)) {
            return self.registers.set_data(to, memory.load(from, count)?);
        }
        self.registers.set_data(to, &memory.load_around(from, count)?[..count])
    }

    pub(super) fn set_shift(&mut self, to: VectorReg, by: IntReg, bytes: u8, walk: Direction) -> Result<(), Wrong> {
        let by = (self.registers.number(by)? % u64::from(bytes.max(1))) as u8;
        self.registers.set_shift(to, if walk == Direction::Forward { bytes - by } else { by });
        Ok(())
    }

    pub(super) fn merge(
        &mut self,
        to: VectorReg,
        values: [VectorReg; 2],
        shift: VectorReg,
        bytes: u8,
    ) -> Result<(), Wrong> {
        let start = self.registers.shift(shift)?;
        let mut both = Vec::with_capacity(32);
        for value in values {
            both.extend_from_slice(self.registers.data(Slot::Vector(value), bytes)?);
        }
        let merged = both.get(start..start + usize::from(bytes)).ok_or(Wrong::ShiftUnset(shift))?;
        self.registers.set_data(Slot::Vector(to), merged)
    }

    pub(super) fn shift_data(
        &mut self,
        to: IntReg,
        from: IntReg,
        by: IntReg,
        bytes: u8,
        walk: Direction,
    ) -> Result<(), Wrong> {
        let count = usize::from(bytes);
        let bits = self.registers.number(by)? % (16 * u64::from(bytes));
        if !bits.is_multiple_of(8) {
            return Err(Wrong::SplitsBytes(bits));
        }
        let by = count.min(bits as usize / 8);
        let data = self.registers.data(Slot::Int(from), bytes)?;
        let mut shifted: [Token; 8] = [ZERO; 8];
        match walk {
            Direction::Forward => shifted[by..count].copy_from_slice(&data[..count - by]),
            Direction::Backward => shifted[..count - by].copy_from_slice(&data[by..]),
        }
        self.registers.set_data(Slot::Int(to), &shifted[..count])
    }

    pub(super) fn join_data(&mut self, to: IntReg, left: IntReg, right: IntReg) -> Result<(), Wrong> {
        let bytes = self.registers.held(left);
        if bytes == 0 || bytes != self.registers.held(right) {
            return Err(Wrong::Joins(left, right));
        }
        let other = self.registers.data(Slot::Int(right), bytes)?;
        let one = self.registers.data(Slot::Int(left), bytes)?;
        let mut joined: [Token; 8] = [ZERO; 8];
        for (to, pair) in joined.iter_mut().zip(one.iter().zip(other)) {
            *to = match pair {
                (&ZERO, &token) | (&token, &ZERO) => token,
                _ => return Err(Wrong::Joins(left, right)),
            };
        }
        self.registers.set_data(Slot::Int(to), &joined[..usize::from(bytes)])
    }
}
