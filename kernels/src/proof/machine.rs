//! The interpreter: runs a program step by step over tokens, and stops at the first thing that is wrong.

use super::fault::{Access, Fault, Wrong};
use super::memory::{Memory, Token, ZERO};
use super::registers::Registers;
use super::step::*;
use crate::plan::{Direction, Relation};

/// How many steps a copy of `n` bytes may take. A byte at a time takes fewer than ten steps a byte; dispatch takes hundreds.
pub const fn step_limit(n: usize) -> u64 {
    64 * n as u64 + 10_000
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// What the result register held at return, where it was a number.
    pub result: Option<u64>,
    /// The offset of the return.
    pub returned_at: usize,
    /// How many steps were taken.
    pub steps: u64,
}

/// What the last step that set flags left for the next that reads them.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    Compared(u64, u64),
    Zero(bool),
}

impl Known {
    fn satisfy(self, relation: Relation) -> Result<bool, Wrong> {
        match (self, relation) {
            (Known::Compared(left, right), _) => Ok(relation.holds(left, right)),
            (Known::Zero(zero), Relation::Equal) => Ok(zero),
            (Known::Zero(zero), Relation::NotEqual) => Ok(!zero),
            _ => Err(Wrong::FlagsLost),
        }
    }
}

/// Registers and flags. Reused from run to run.
pub struct Machine {
    pub(super) registers: Registers,
    flags: Known,
    walk: Direction,
    pub(super) word: Word,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}

/// Where execution goes after a step.
enum Next {
    Following,
    Step(usize),
    Caller,
}

impl Machine {
    /// A machine whose registers hold nothing.
    pub fn new() -> Machine {
        Machine { registers: Registers::new(), flags: Known::Nothing, walk: Direction::Forward, word: Word::Little64 }
    }

    /// Calls the program with the addresses and the length of `memory`, and lets it change the memory.
    ///
    /// # Errors
    /// The first wrong step. Whether the right bytes were written is for the caller to look at.
    pub fn run(&mut self, program: &Program, memory: &mut Memory) -> Result<Run, Fault> {
        self.enter(program, memory);
        let limit = step_limit(memory.n());
        let (mut at, mut steps) = (0, 0);
        loop {
            let offset = program.offsets.get(at).copied().unwrap_or(at);
            let fault = |wrong| Fault { offset, wrong };
            let step = program.steps.get(at).ok_or(fault(Wrong::RunsOff))?;
            if steps == limit {
                return Err(fault(Wrong::TooManySteps { limit }));
            }
            steps += 1;
            match self.step(step, program, memory).map_err(fault)? {
                Next::Following => at += 1,
                Next::Step(to) => at = to,
                Next::Caller => {
                    let result = self.registers.number(program.result).ok();
                    return Ok(Run { result, returned_at: offset, steps });
                }
            }
        }
    }

    fn enter(&mut self, program: &Program, memory: &Memory) {
        self.registers.clear(program.word);
        self.word = program.word;
        (self.flags, self.walk) = (Known::Nothing, Direction::Forward);
        if program.result_is_passed {
            self.registers.set_number(program.result, memory.dst());
        }
        self.registers.set_number(program.dst, memory.dst());
        self.registers.set_number(program.src, memory.src());
        self.registers.set_number(program.n, memory.n() as u64);
    }

    #[inline]
    fn step(&mut self, step: &Step, program: &Program, memory: &mut Memory) -> Result<Next, Wrong> {
        match *step {
            Step::Arith { to, op, left, right, flags } => self.arith(to, op, left, right, flags)?,
            Step::Const { to, value } => self.registers.set_number(to, value),
            Step::Address { to, place } => {
                let address = self.place(place, memory)?;
                self.registers.set_number(to, address);
            }
            Step::Negate { to, from, flags } => {
                let from = self.registers.number(from)?;
                self.registers.set_number(to, from.wrapping_neg());
                self.set_flags(flags, 0, from, self.word.cut(from.wrapping_neg()));
            }
            Step::Test { test, left, right } => {
                let (left, right) = (self.registers.number(left)?, self.right(right)?);
                self.flags = match test {
                    Test::Compare => Known::Compared(left, right),
                    Test::Bits => Known::Zero(left & right == 0),
                };
            }
            Step::MoveIf { to, from, relation } => {
                // Both are read whatever the flags say: a select between something and nothing is not a select.
                let (_, from) = (self.registers.number(to)?, self.registers.number(from)?);
                if self.flags.satisfy(relation)? {
                    self.registers.set_number(to, from);
                }
            }
            Step::Load { to, bytes, from, align } => {
                let from = self.place(from, memory)?;
                aligned(from, bytes, align, memory, Access::Load)?;
                self.registers.set_data(to, memory.load(from, usize::from(bytes))?)?;
            }
            Step::Store { from, bytes, to, align, .. } => {
                let to = self.place(to, memory)?;
                aligned(to, bytes, align, memory, Access::Store)?;
                memory.store(to, self.registers.data(from, bytes)?)?;
            }
            Step::LoadAround { to, bytes, from, align } => {
                let from = self.place(from, memory)?;
                aligned(from, bytes, align, memory, Access::Load)?;
                self.load_around(to, bytes, from, memory)?;
            }
            Step::SetShift { to, by, bytes, walk } => self.set_shift(to, by, bytes, walk)?,
            Step::Merge { to, first, second, shift, bytes } => self.merge(to, [first, second], shift, bytes)?,
            Step::ShiftData { to, from, by, bytes, walk } => self.shift_data(to, from, by, bytes, walk)?,
            Step::JoinData { to, left, right } => self.join_data(to, left, right)?,
            Step::Halves { to, from } => {
                let data = self.registers.data(Slot::Vector(from), 16)?;
                let swapped: [Token; 16] = std::array::from_fn(|at| data[at ^ 8]);
                self.registers.set_data(Slot::Vector(to), &swapped)?;
            }
            Step::SetMask { to, from } => self.set_mask(to, from)?,
            Step::LoadMasked { to, bytes, from, mask } => self.load_masked(to, bytes, from, mask, memory)?,
            Step::StoreMasked { from, bytes, to, mask } => self.store_masked(from, bytes, to, mask, memory)?,
            Step::Prefetch { at } => _ = self.place(at, memory)?,
            Step::ZeroLine { at, bytes } => {
                let at = self.place(at, memory)? & !(u64::from(bytes) - 1);
                memory.store(at, &[ZERO; 128][..usize::from(bytes).min(128)])?;
            }
            Step::SetDirection { backward } => {
                self.walk = if backward { Direction::Backward } else { Direction::Forward };
            }
            Step::Repeat { bytes, dst, src, count } => self.repeat(bytes, dst, src, count, memory)?,
            Step::ClearUpper => self.registers.clear_upper(program.upper_below),
            Step::EndMmx => self.registers.end_mmx(program.mmx_from),
            // What a fence promises holds on every path or not at all: the static walk looks after it.
            Step::Fence | Step::Nothing => {}
            Step::Jump { to } => return Ok(Next::Step(to)),
            Step::JumpIf { relation, to } => {
                return Ok(if self.flags.satisfy(relation)? { Next::Step(to) } else { Next::Following });
            }
            Step::JumpTo { address, ref targets } => {
                let to = self.registers.number(address)?.wrapping_sub(memory.code());
                let target = targets.iter().find(|&&(offset, _)| offset == to);
                return target.map(|&(_, step)| Next::Step(step)).ok_or(Wrong::JumpsAstray { to });
            }
            Step::Return => return Ok(Next::Caller),
        }
        Ok(Next::Following)
    }

    #[inline]
    fn place(&self, place: Place, memory: &Memory) -> Result<u64, Wrong> {
        let base = match place.base {
            Some(Base::Reg(reg)) => self.registers.number(reg)?,
            Some(Base::Stack) => memory.stack(),
            Some(Base::Code) => memory.code(),
            None => 0,
        };
        let index = match place.index {
            Some((reg, scale)) => self.registers.number(reg)?.wrapping_shl(scale.into()),
            None => 0,
        };
        Ok(self.word.cut(base.wrapping_add(index).wrapping_add_signed(place.displacement)))
    }

    fn right(&self, right: Right) -> Result<u64, Wrong> {
        match right {
            Right::Reg(reg) => self.registers.number(reg),
            Right::Imm(value) => Ok(self.word.cut(value)),
        }
    }

    fn arith(&mut self, to: IntReg, op: Arith, left: IntReg, right: Right, flags: Flags) -> Result<(), Wrong> {
        let (left, right) = (self.registers.number(left)?, self.right(right)?);
        let result = match op {
            Arith::Add => left.wrapping_add(right),
            Arith::Sub => left.wrapping_sub(right),
            Arith::And => left & right,
            Arith::Or => left | right,
            Arith::Shr | Arith::Shl if right >= u64::from(self.word.bits()) => return Err(Wrong::Shift(right)),
            Arith::Shr => left >> right,
            Arith::Shl => left << right,
            // BZHI looks at the low eight bits of its index (Intel SDM volume 2, BZHI).
            Arith::LowBits => low_bits(right & 0xff) & left,
        };
        self.registers.set_number(to, result);
        self.set_flags(flags, left, right, self.word.cut(result));
        Ok(())
    }

    fn set_flags(&mut self, flags: Flags, left: u64, right: u64, result: u64) {
        match flags {
            Flags::Kept => {}
            Flags::Lost => self.flags = Known::Nothing,
            Flags::Compared => self.flags = Known::Compared(left, right),
            Flags::ResultZero => self.flags = Known::Zero(result == 0),
        }
    }

    fn set_mask(&mut self, to: MaskReg, from: MaskSource) -> Result<(), Wrong> {
        let bits = match from {
            MaskSource::Bits(reg) => self.registers.number(reg)?,
            MaskSource::Count(reg) => match self.registers.number(reg)? {
                count @ 0..=64 => low_bits(count),
                count => return Err(Wrong::MaskTooLong { count, bytes: 64 }),
            },
        };
        self.registers.set_mask(to, bits);
        Ok(())
    }

    /// The mask as runs of bytes that move.
    fn runs(&self, mask: MaskReg, bytes: u8) -> Result<impl Iterator<Item = (usize, usize)> + use<>, Wrong> {
        let mut bits = self.registers.mask(mask)?;
        let count = u64::from(64 - bits.leading_zeros());
        if count > u64::from(bytes) {
            return Err(Wrong::MaskTooLong { count, bytes });
        }
        let mut start = 0;
        Ok(std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let skipped = bits.trailing_zeros();
            bits >>= skipped;
            let length = bits.trailing_ones();
            bits = bits.checked_shr(length).unwrap_or(0);
            let run = (start + skipped as usize, length as usize);
            start = run.0 + run.1;
            Some(run)
        }))
    }

    fn load_masked(
        &mut self,
        to: VectorReg,
        bytes: u8,
        from: Place,
        mask: MaskReg,
        memory: &Memory,
    ) -> Result<(), Wrong> {
        let from = self.place(from, memory)?;
        let mut vector: [Token; 64] = [ZERO; 64];
        for (start, length) in self.runs(mask, bytes)? {
            vector[start..start + length].copy_from_slice(memory.load(from.wrapping_add(start as u64), length)?);
        }
        let data = vector.get(..usize::from(bytes)).ok_or(Wrong::TooWide { bytes })?;
        self.registers.set_data(Slot::Vector(to), data)
    }

    fn store_masked(
        &mut self,
        from: VectorReg,
        bytes: u8,
        to: Place,
        mask: MaskReg,
        memory: &mut Memory,
    ) -> Result<(), Wrong> {
        let to = self.place(to, memory)?;
        let data = self.registers.data(Slot::Vector(from), bytes)?;
        for (start, length) in self.runs(mask, bytes)? {
            memory.store(to.wrapping_add(start as u64), &data[start..start + length])?;
        }
        Ok(())
    }

    fn repeat(&mut self, bytes: u8, dst: IntReg, src: IntReg, count: IntReg, memory: &mut Memory) -> Result<(), Wrong> {
        let numbers = &mut self.registers;
        let (to, from, units) = (numbers.number(dst)?, numbers.number(src)?, numbers.number(count)?);
        memory.string_move(to, from, units, bytes, self.walk)?;
        let length = units.wrapping_mul(u64::from(bytes));
        let walked = if self.walk == Direction::Backward { length.wrapping_neg() } else { length };
        numbers.set_number(dst, to.wrapping_add(walked));
        numbers.set_number(src, from.wrapping_add(walked));
        numbers.set_number(count, 0);
        Ok(())
    }
}

/// Refuses an address that is no multiple of `align`.
fn aligned(address: u64, bytes: u8, align: u8, memory: &Memory, access: Access) -> Result<(), Wrong> {
    match address % u64::from(align.max(1)) {
        0 => Ok(()),
        past => {
            let at = memory.spot(address, access);
            Err(Wrong::Misaligned { access, bytes: bytes.into(), align, past: past as u8, at })
        }
    }
}

fn low_bits(count: u64) -> u64 {
    if count < 64 { (1 << count) - 1 } else { u64::MAX }
}
