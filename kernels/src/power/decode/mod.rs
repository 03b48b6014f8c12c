//! Machine code read back: words become instructions of the table, and a short list of those becomes steps.
//!
//! What is not on the list is refused, however harmless: a step must say exactly what the processor does. Signed comparisons are not on
//! it, and of condition fields other than 0 only what a register put there into 5 to 7. Where a sequence is read as one, none of its inner instructions may be jumped to.
//!
//! ```text
//! integer register   0..32 r0 to r31   32 counter   33 carry   34 written for its flags only   40..48 condition fields, in place
//! vector register    0..64 vs0 to vs63, of which 32..64 are v0 to v31   64..96 f0 to f31   96 between two instructions
//! ```

mod flow;
mod integer;
mod memory;
mod vector;

use super::instruction::{Instruction, Mnemonic as M, Operand};
use super::{Mode, Power};
use crate::code::{Code, Unreadable};
use crate::proof::{Arith, Base, Flags, IntReg, Place, Program, Right, Slot, Step};
use flow::Frame;

/// Registers that the caller wants back, the stack pointer among them, and those reserved for tables and threads.
const PRESERVED: [IntReg; 21] = [1, 2, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31];
const COUNTER: IntReg = 32;
const CARRY: IntReg = 33;
const NOWHERE: IntReg = 34;
const FIELDS: IntReg = 40;

/// What the code does.
pub fn decode(code: &Code, power: Power) -> Result<Program, Unreadable> {
    let instructions = instructions(code, power.mode())?;
    let frame = Frame::of(&instructions);
    let mut program = Program {
        steps: Vec::new(),
        offsets: Vec::new(),
        dst: 3,
        src: 4,
        n: 5,
        result: 3,
        result_is_passed: false,
        word: power.mode().word(),
        upper_below: 0,
        mmx_from: u8::MAX,
        preserved: PRESERVED.to_vec(),
    };
    // For each instruction the step it starts with; none inside a sequence.
    let mut step_at = vec![None; instructions.len()];
    let mut at = 0;
    while let Some(instruction) = instructions.get(at) {
        step_at[at] = Some(program.steps.len());
        let read = Reader { power, frame, at };
        let (steps, length) = read
            .sequence(&instructions[at..])
            .or_else(|| Some((read.alone(instruction)?, 1)))
            .ok_or_else(|| unreadable(at, instruction.text(4 * at)))?;
        program.steps.extend(steps);
        program.offsets.resize(program.steps.len(), 4 * at);
        at += length;
    }
    land(&mut program, &step_at, code)?;
    around(&mut program.steps);
    Ok(program)
}

fn instructions(code: &Code, mode: Mode) -> Result<Vec<Instruction>, Unreadable> {
    let words = code.bytes.chunks(4).enumerate();
    words
        .map(|(at, bytes)| {
            let word = <[u8; 4]>::try_from(bytes).map_err(|_| unreadable(at, "an instruction cut short".to_owned()))?;
            let word = mode.word_of(word);
            Instruction::decode(word).ok_or_else(|| unreadable(at, format!("{word:#010x}")))
        })
        .collect()
}

/// Code that shifts data loads it aligned, from around the source: which of its loads are for that, shows where their bytes go.
fn around(steps: &mut [Step]) {
    if !steps.iter().any(|step| matches!(step, Step::ShiftData { .. })) {
        return;
    }
    for step in steps {
        if let Step::Load { to: to @ Slot::Int(0..32), bytes: bytes @ (4 | 8), from, align } = *step {
            *step = Step::LoadAround { to, bytes, from, align };
        }
    }
}

/// Turns the targets of jumps from code offsets into steps, and gives computed jumps theirs.
fn land(program: &mut Program, step_at: &[Option<usize>], code: &Code) -> Result<(), Unreadable> {
    for (at, &offset) in program.offsets.iter().enumerate() {
        let first = |offset: usize| step_at.get(offset / 4).copied().flatten();
        let step = |target: usize| match usize::MAX - target {
            inner @ 0..8 => first(offset).map(|first| first + inner),
            _ => target.is_multiple_of(4).then(|| first(target)).flatten(),
        };
        let astray =
            |target: usize| Unreadable { offset, text: format!("a jump to {target:#x}, where no instruction starts") };
        match &mut program.steps[at] {
            Step::Jump { to } | Step::JumpIf { to, .. } => *to = step(*to).ok_or_else(|| astray(*to))?,
            Step::JumpTo { targets, .. } => {
                // Which switch it belongs to, its slots say: they come next. The interpreter sees where it really goes.
                let slots = code.switches.iter().filter(|slots| slots.start > offset).min_by_key(|slots| slots.start);
                let slots = slots.ok_or_else(|| unreadable(offset / 4, "a computed jump without slots".to_owned()))?;
                let places = (0..slots.count).map(|slot| slots.start + slot * slots.stride);
                let landed = places.map(|target| Ok((target as u64, step(target).ok_or_else(|| astray(target))?)));
                *targets = landed.collect::<Result<_, Unreadable>>()?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The target of a jump to one of the steps, at most 7, of the same instruction.
const fn inner(step: usize) -> usize {
    usize::MAX - step
}

fn unreadable(at: usize, text: String) -> Unreadable {
    Unreadable { offset: 4 * at, text }
}

/// Reads the instruction at one place of the code.
#[derive(Clone, Copy)]
struct Reader {
    power: Power,
    frame: Frame,
    at: usize,
}

impl Reader {
    /// The steps of an instruction that means something by itself. Targets of jumps are offsets in the code, or [`inner`].
    fn alone(self, instruction: &Instruction) -> Option<Vec<Step>> {
        let (mnemonic, operands) = (instruction.mnemonic(), instruction.operands());
        integer::read(self, mnemonic, operands)
            .or_else(|| memory::read(self, mnemonic, operands))
            .or_else(|| vector::read(self, mnemonic, operands))
            .or_else(|| flow::read(self, mnemonic, operands))
    }

    /// A base register and a displacement.
    fn place(self, base: Operand, displacement: i32) -> Option<Place> {
        let (base, above) = match base {
            Operand::R(1) => (Base::Stack, self.frame.below_entry()),
            base => (Base::Reg(general(base)?), 0),
        };
        Some(Place { base: Some(base), index: None, displacement: i64::from(displacement) - above })
    }
}

/// The number of a general register; the stack pointer is none, so that nothing can set it.
fn general(operand: Operand) -> Option<IntReg> {
    match operand {
        Operand::R(1) => None,
        Operand::R(number) => Some(number),
        _ => None,
    }
}

/// Makes a register useless: what is read from it is neither a number nor anybody's data.
fn useless(to: IntReg) -> Step {
    let scratch = Place { base: Some(Base::Stack), index: None, displacement: -1 };
    Step::Load { to: Slot::Int(to), bytes: 1, from: scratch, align: 1 }
}

/// Makes the flags useless.
fn flags_lost() -> [Step; 2] {
    let right = Right::Imm(0);
    let zero = Step::Const { to: NOWHERE, value: 0 };
    [zero, Step::Arith { to: NOWHERE, op: Arith::Add, left: NOWHERE, right, flags: Flags::Lost }]
}

/// Whether an instruction is this one with these operands.
fn is(instruction: &Instruction, mnemonic: M, operands: &[Operand]) -> bool {
    instruction.mnemonic() == mnemonic && instruction.operands() == operands
}
