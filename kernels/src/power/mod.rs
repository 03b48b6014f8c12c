//! PowerPC: 32-bit (System V), 64-bit big endian (ELFv1) and little endian (ELFv2).
//!
//! ```text
//! plan register  result dst    src n  count spare0 spare1 spare2 spare3   for addresses   for constants and masks
//! PowerPC        r3     r3, r6 r4  r5 r7    r8     r9     r10    r11      r12             r0
//! general value                       4     3      2      1      0
//! ```
//! Floating-point value n is fn; of VSX width, n is the even register of a pair, from vs32 up and then from vs0; of AltiVec, n is vn.
//!
//! The destination stays in r3 unless the plan moves its cursor. Only registers that a callee may overwrite are used; of the
//! condition register field 0, and 5 to 7 for bits of the length that a ladder tests, and the counter for loops that count down and for computed jumps.
//!
//! ```text
//! instruction   one table: encode, decode, print
//! processor     what each processor has, and what it must be kept from
//! rules         which recipes that leaves it
//! emit          plan -> code: layout places it, arith, access, merge and fields fill it
//! decode        code -> steps
//! ```
//!
//! Scratch is below the stack pointer where the ABI has a red zone (64-bit ELF ABI supplements: 288 bytes). The 32-bit ABI has none, so
//! a routine that wants scratch makes a frame of its own that holds it.

mod access;
mod arith;
mod decode;
mod emit;
mod fields;
pub mod instruction;
mod layout;
mod merge;
mod processor;
mod registers;
mod rules;
#[cfg(test)]
mod tests;

pub use processor::{Misaligned, Processor, UnknownProcessor};

use crate::code::{Code, Line, Target, Unreadable, Unsupported};
use crate::plan::Plan;
use crate::proof::{Program, Word};
use instruction::Instruction;

/// How a PowerPC program runs: width of registers, byte order and calling convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// 32 bits, big endian, System V ABI.
    Ppc32,
    /// 64 bits, big endian, ELFv1 ABI. A function pointer names a descriptor; the code is entered at its first byte.
    Ppc64,
    /// 64 bits, little endian, ELFv2 ABI.
    Ppc64le,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 3] = [Mode::Ppc32, Mode::Ppc64, Mode::Ppc64le];

    /// The name of the target: `ppc32`, `ppc64`, `ppc64le`.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Ppc32 => "ppc32",
            Mode::Ppc64 => "ppc64",
            Mode::Ppc64le => "ppc64le",
        }
    }

    /// What its integer registers are.
    pub const fn word(self) -> Word {
        match self {
            Mode::Ppc32 => Word::Big32,
            Mode::Ppc64 => Word::Big64,
            Mode::Ppc64le => Word::Little64,
        }
    }

    const fn is_32_bit(self) -> bool {
        matches!(self, Mode::Ppc32)
    }

    const fn bytes(self, word: u32) -> [u8; 4] {
        match self {
            Mode::Ppc32 | Mode::Ppc64 => word.to_be_bytes(),
            Mode::Ppc64le => word.to_le_bytes(),
        }
    }

    const fn word_of(self, bytes: [u8; 4]) -> u32 {
        match self {
            Mode::Ppc32 | Mode::Ppc64 => u32::from_be_bytes(bytes),
            Mode::Ppc64le => u32::from_le_bytes(bytes),
        }
    }
}

/// PowerPC in one of its modes, with only what one processor has.
///
/// ```
/// use copysmith_kernels::Target;
/// use copysmith_kernels::plan::{Op, Plan};
/// use copysmith_kernels::power::{Mode, Power, Processor};
/// let target = Power::new(Mode::Ppc32, Processor::E300c3).unwrap();
/// let code = target.emit(&Plan { body: vec![Op::Return] }).unwrap();
/// assert_eq!(code.bytes, [0x4e, 0x80, 0x00, 0x20]);
/// assert_eq!(target.listing(&code)[0].text, "blr");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Power {
    mode: Mode,
    processor: Processor,
}

impl Power {
    /// The target.
    ///
    /// # Errors
    /// [`Unsupported`] where no programs of that mode are made for the processor.
    pub fn new(mode: Mode, processor: Processor) -> Result<Power, Unsupported> {
        if processor.modes().contains(&mode) {
            return Ok(Power { mode, processor });
        }
        let modes: Vec<&str> = processor.modes().iter().map(|mode| mode.name()).collect();
        Err(Unsupported(format!("{processor} has no {}; it has {}", mode.name(), modes.join(" "))))
    }

    /// Every mode with every processor that has it.
    pub fn all() -> impl Iterator<Item = Power> {
        let processors = Processor::ALL.iter();
        processors.flat_map(|&processor| processor.modes().iter().map(move |&mode| Power { mode, processor }))
    }

    /// How its programs run.
    pub const fn mode(self) -> Mode {
        self.mode
    }

    /// Whose instructions it uses.
    pub const fn processor(self) -> Processor {
        self.processor
    }
}

impl Target for Power {
    fn name(&self) -> &'static str {
        self.mode.name()
    }

    fn emit(&self, plan: &Plan) -> Result<Code, Unsupported> {
        layout::emit(plan, *self)
    }

    fn decode(&self, code: &Code) -> Result<Program, Unreadable> {
        decode::decode(code, *self)
    }

    fn listing(&self, code: &Code) -> Vec<Line> {
        let lines = (0..).step_by(4).zip(code.bytes.chunks(4));
        lines
            .map(|(offset, bytes)| {
                let word = <[u8; 4]>::try_from(bytes).ok().map(|bytes| self.mode.word_of(bytes));
                let text = word.and_then(Instruction::decode).map(|instruction| instruction.text(offset));
                let text = text.unwrap_or_else(|| {
                    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
                    format!(".byte {}", bytes.join(","))
                });
                Line { offset, bytes: bytes.to_vec(), text }
            })
            .collect()
    }
}
