//! The registers of a run: each knows whether it holds a number or data, and how much data.

use super::fault::Wrong;
use super::memory::Token;
use super::step::{IntReg, MaskReg, Slot, VectorReg, Word};

/// Register numbers are bytes; a place for each means that no program can name one that is not there.
const FILE: usize = 256;

/// What an integer register holds.
#[derive(Clone, Copy)]
enum Content {
    Nothing,
    Number(u64),
    Data { tokens: [Token; 8], held: u8 },
}

/// All registers.
pub(super) struct Registers {
    ints: [Content; FILE],
    vectors: Box<[[Token; 64]; FILE]>,
    /// How many bytes of each vector register were loaded; only those may be stored.
    held: [u8; FILE],
    masks: [Option<u64>; FILE],
    /// By how many bytes a vector register says that values are shifted.
    shifts: [Option<u8>; FILE],
    word: Word,
}

impl Registers {
    /// Registers that hold nothing.
    pub(super) fn new() -> Registers {
        Registers {
            ints: [Content::Nothing; FILE],
            vectors: Box::new([[0; 64]; FILE]),
            held: [0; FILE],
            masks: [None; FILE],
            shifts: [None; FILE],
            word: Word::Little64,
        }
    }

    /// Forgets everything; from here on integer registers are `word`.
    pub(super) fn clear(&mut self, word: Word) {
        self.word = word;
        self.ints.fill(Content::Nothing);
        self.held.fill(0);
        self.masks.fill(None);
        self.shifts.fill(None);
    }

    /// The number in a register.
    #[inline]
    pub(super) fn number(&self, reg: IntReg) -> Result<u64, Wrong> {
        match self.ints[usize::from(reg)] {
            Content::Number(number) => Ok(number),
            Content::Nothing => Err(Wrong::Unset(reg)),
            Content::Data { .. } => Err(Wrong::DataAsInteger(reg)),
        }
    }

    /// Puts a number into a register, cut to what the register has room for.
    #[inline]
    pub(super) fn set_number(&mut self, reg: IntReg, number: u64) {
        self.ints[usize::from(reg)] = Content::Number(self.word.cut(number));
    }

    /// Puts data into a register.
    #[inline]
    pub(super) fn set_data(&mut self, slot: Slot, data: &[Token]) -> Result<(), Wrong> {
        let too_wide = Wrong::TooWide { bytes: data.len() as u8 };
        match slot {
            Slot::Int(reg) => {
                let mut tokens = [0; 8];
                tokens.get_mut(..data.len()).ok_or(too_wide)?.copy_from_slice(data);
                self.ints[usize::from(reg)] = Content::Data { tokens, held: data.len() as u8 };
            }
            Slot::Vector(reg) => {
                let vector = self.vectors[usize::from(reg)].get_mut(..data.len()).ok_or(too_wide)?;
                vector.copy_from_slice(data);
                self.held[usize::from(reg)] = data.len() as u8;
                self.shifts[usize::from(reg)] = None;
            }
        }
        Ok(())
    }

    /// The `bytes` bytes of the data in a register that a store of that width takes.
    #[inline]
    pub(super) fn data(&self, slot: Slot, bytes: u8) -> Result<&[Token], Wrong> {
        let (tokens, held): (&[Token], u8) = match slot {
            Slot::Int(reg) => match &self.ints[usize::from(reg)] {
                Content::Data { tokens, held } if self.word.is_big_endian() => {
                    (&tokens[usize::from(held.saturating_sub(bytes))..], *held)
                }
                Content::Data { tokens, held } => (tokens, *held),
                Content::Nothing => (&[], 0),
                Content::Number(_) => return Err(Wrong::IntegerAsData(reg)),
            },
            Slot::Vector(reg) => (&self.vectors[usize::from(reg)], self.held[usize::from(reg)]),
        };
        match tokens.get(..usize::from(bytes)) {
            Some(data) if bytes <= held => Ok(data),
            _ => Err(Wrong::StoresUnloaded { from: slot, held, bytes }),
        }
    }

    /// How many bytes of data an integer register holds.
    pub(super) fn held(&self, reg: IntReg) -> u8 {
        match self.ints[usize::from(reg)] {
            Content::Data { held, .. } => held,
            Content::Nothing | Content::Number(_) => 0,
        }
    }

    /// By how many bytes values are shifted.
    pub(super) fn shift(&self, reg: VectorReg) -> Result<usize, Wrong> {
        self.shifts[usize::from(reg)].map(usize::from).ok_or(Wrong::ShiftUnset(reg))
    }

    /// Makes a vector register say by how many bytes values are shifted.
    pub(super) fn set_shift(&mut self, reg: VectorReg, bytes: u8) {
        self.shifts[usize::from(reg)] = Some(bytes);
        self.held[usize::from(reg)] = 0;
    }

    /// The bits of a mask.
    pub(super) fn mask(&self, mask: MaskReg) -> Result<u64, Wrong> {
        self.masks[usize::from(mask)].ok_or(Wrong::MaskUnset(mask))
    }

    /// Sets a mask.
    pub(super) fn set_mask(&mut self, mask: MaskReg, bits: u64) {
        self.masks[usize::from(mask)] = Some(bits);
    }

    /// Cuts the vector registers below `upper_below` to their low 16 bytes.
    pub(super) fn clear_upper(&mut self, upper_below: VectorReg) {
        for held in &mut self.held[..usize::from(upper_below)] {
            *held = (*held).min(16);
        }
    }

    /// Empties the MMX registers.
    pub(super) fn end_mmx(&mut self, mmx_from: VectorReg) {
        self.held[usize::from(mmx_from)..].fill(0);
    }
}
