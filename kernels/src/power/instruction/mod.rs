//! PowerPC instructions: one table, from which words are encoded and decoded and text is printed.
//!
//! ```text
//! table   the instructions, one a line        field   operand fields: place, range, kind
//! text    as GNU objdump prints it
//! ```
//! ```
//! use copysmith_kernels::power::instruction::{Instruction, Mnemonic, Operand::{Imm, R}};
//! let load = Instruction::new(Mnemonic::Lwz, &[R(9), Imm(-4), R(4)])?;
//! assert_eq!((load.word(), load.text(0)), (0x8124_fffc, "lwz r9,-4(r4)".to_owned()));
//! let error = Instruction::new(Mnemonic::Ld, &[R(9), Imm(6), R(1)]).unwrap_err();
//! assert_eq!(error.to_string(), "Imm(6) is not allowed; multiples of 4 from -32768 to 32764");
//! # Ok::<(), copysmith_kernels::power::instruction::OperandError>(())
//! ```
//! An [`Instruction`] has only operands that fit; nothing is ever cut off. It is held to GNU binutils by the tests.

mod field;
mod table;
#[cfg(test)]
mod tests;
mod text;

use field::Field;
pub use field::{Operand, OperandError};
pub use table::{Facility, Mnemonic};

/// The most operands an instruction has.
const MOST: usize = 5;

/// A mnemonic with operands that it can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    mnemonic: Mnemonic,
    operands: [Operand; MOST],
    word: u32,
}

impl Instruction {
    /// The instruction with these operands, in the order of the table.
    ///
    /// # Errors
    /// [`OperandError`] names the operand that does not fit and what would.
    pub fn new(mnemonic: Mnemonic, operands: &[Operand]) -> Result<Instruction, OperandError> {
        let fields = mnemonic.entry().fields;
        if operands.len() != fields.len() {
            return Err(OperandError::Count { given: operands.len(), needed: fields.len() });
        }
        let mut held = [Operand::Zero; MOST];
        let mut word = mnemonic.entry().bits;
        for (number, (field, &operand)) in fields.iter().zip(operands).enumerate() {
            word |= field.encode(operand)?;
            held[number] = operand;
            match (field, operand, operands[0]) {
                (Field::Moved, Operand::R(base), Operand::R(loaded)) if base == loaded => {
                    return Err(OperandError::LoadsBase(base));
                }
                _ => {}
            }
        }
        Ok(Instruction { mnemonic, operands: held, word })
    }

    /// The instruction that a word is, if it is one of the table with operands that it can have.
    pub fn decode(word: u32) -> Option<Instruction> {
        // Several lines may fit, as `blr` and `bclr` do: the one with the most fixed bits says most.
        let fitting = Mnemonic::ALL.iter().filter(|mnemonic| word & mnemonic.fixed() == mnemonic.entry().bits);
        let mnemonic = *fitting.max_by_key(|mnemonic| mnemonic.fixed().count_ones())?;
        let fields = mnemonic.entry().fields;
        let mut operands = [Operand::Zero; MOST];
        for (operand, field) in operands.iter_mut().zip(fields) {
            *operand = field.decode(word);
        }
        Instruction::new(mnemonic, &operands[..fields.len()]).ok()
    }

    /// Which instruction.
    pub const fn mnemonic(&self) -> Mnemonic {
        self.mnemonic
    }

    /// Its operands, in the order of the table.
    pub fn operands(&self) -> &[Operand] {
        &self.operands[..self.mnemonic.entry().fields.len()]
    }

    /// The word, to be stored in the byte order of the processor.
    pub const fn word(&self) -> u32 {
        self.word
    }
}

impl Mnemonic {
    /// What a processor must have for it.
    pub fn facility(self) -> Facility {
        self.entry().facility
    }

    /// Where the manual defines it: book and section of Power ISA 3.0B, unless another is named.
    pub fn manual(self) -> &'static str {
        self.entry().manual
    }

    /// The bits that no operand changes.
    fn fixed(self) -> u32 {
        !self.entry().fields.iter().fold(0, |mask, field| mask | field.mask())
    }
}
