//! Bits of a register in condition fields, where a branch looks at one of them without an instruction that tests it.
//!
//! ```text
//! register   ... 11 10  9  8 |  7  6  5  4 |  3  2  1  0
//! bit of CR      20 21 22 23 | 24 25 26 27 | 28 29 30 31
//! field               5      |      6      |      7          all of which a callee may overwrite
//! ```

use super::emit::Emitter;
use super::instruction::{Facility, Mnemonic as M, Operand};
use crate::code::Unsupported;
use crate::plan::{Cond, Reg};
use Operand::Imm;

/// How many bits there is room for.
const BITS: i32 = 12;

impl Emitter<'_> {
    /// Puts bits of a register into the condition fields at the same place. A move of one field is fast where it is known (Power ISA 3.0B,
    /// I 3.3.17); without it there is one of all.
    pub fn keep_bits(&mut self, reg: Reg, mask: i32) -> Result<(), Unsupported> {
        if !(0..1 << BITS).contains(&mask) {
            return Err(Unsupported(format!("{} keeps no bits {mask}; of the lowest {BITS} it can", self.name())));
        }
        let from = self.integer(reg)?;
        let fields = (0..3).filter(|field| mask >> (4 * field) & 15 != 0).map(|field| 1 << field);
        if self.power.processor().has(Facility::OneField) {
            fields.into_iter().try_for_each(|field| self.put(M::Mtocrf, &[Imm(field), from]))?;
        } else {
            self.put(M::Mtcrf, &[Imm(fields.sum()), from])?;
        }
        self.kept = Some((reg, mask));
        Ok(())
    }

    /// The bit of the condition register that decides, and whether it must be set, where the condition is one of what is kept.
    pub fn kept_bit(&self, cond: Cond) -> Option<(u8, bool)> {
        let (reg, bit, set) = match cond {
            Cond::AnyBit { reg, mask } => (reg, mask, true),
            Cond::NoBit { reg, mask } => (reg, mask, false),
            Cond::Compare { .. } => return None,
        };
        let (kept, mask) = self.kept?;
        (kept == reg && bit & mask == bit && bit.count_ones() == 1).then(|| (31 - bit.trailing_zeros() as u8, set))
    }
}
