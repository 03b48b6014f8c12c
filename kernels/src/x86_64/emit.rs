//! The walk over a plan: structure, branches, loops, switches and everything that has no register chosen at run time.

use super::layout::{Jump, Layout};
use super::registers::whole;
use crate::code::{Slots, Unsupported};
use crate::plan::{Cond, Direction, Expr, Op, Operand, Plan, Reg, Relation, Width};
use crate::uses::{aligned, returns};
use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use iced_x86::{Code, Encoder, IcedError, Instruction};

/// Padding of 1 to 9 bytes in one instruction each (Intel SDM volume 2, NOP, "Recommended Multi-Byte Sequence"), so that falling
/// through it into a loop costs as little as can be.
const NOPS: [&[u8]; 9] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

/// Slots start at a multiple of their stride, up to a cache line.
const MOST_SLOT_ALIGN: usize = 64;

/// One pass over a plan under some guesses about its layout.
pub struct Emitter<'g> {
    /// The code so far.
    pub asm: VecAssembler<X64Relocation>,
    /// Every jump emitted.
    pub jumps: Vec<Jump>,
    /// For each switch the bytes of its longest arm.
    pub longest_arms: Vec<usize>,
    /// For each switch where its slots are, in order of their offsets.
    pub switches: Vec<Slots>,
    encoder: Encoder,
    layout: &'g Layout,
    mask_temporaries: std::slice::Iter<'g, Reg>,
}

/// A jump instruction to a label, short unless known to be far.
macro_rules! jump {
    ($asm:expr, $far:expr, $mnemonic:ident, $label:expr) => {
        if $far {
            dynasm!($asm ; .arch x64 ; $mnemonic =>$label)
        } else {
            dynasm!($asm ; .arch x64 ; $mnemonic BYTE =>$label)
        }
    };
}

impl<'g> Emitter<'g> {
    /// Nothing emitted yet.
    pub fn new(layout: &'g Layout, mask_temporaries: &'g [Reg]) -> Emitter<'g> {
        Emitter {
            asm: VecAssembler::new_with_capacity(0, 256, 0, 0, 8, 0, 8),
            jumps: Vec::new(),
            longest_arms: Vec::new(),
            switches: Vec::new(),
            encoder: Encoder::new(64),
            layout,
            mask_temporaries: mask_temporaries.iter(),
        }
    }

    /// The whole routine.
    pub fn routine(&mut self, plan: &Plan) -> Result<(), Unsupported> {
        dynasm!(self.asm ; .arch x64 ; mov rax, rdi);
        self.body(&plan.body)
    }

    fn body(&mut self, ops: &[Op]) -> Result<(), Unsupported> {
        ops.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op) -> Result<(), Unsupported> {
        match op {
            Op::Set { to, value } => self.set_to(*to, *value),
            Op::Load { val, width, from } => self.load(*val, *width, *from),
            Op::Store { val, width, to, hint } => self.store(*val, *width, *to, *hint),
            Op::SetMask { mask, count, width } => {
                let temporary = self.mask_temporaries.next().copied();
                self.set_mask(*mask, *count, *width, temporary)
            }
            Op::LoadPartial { val, width, from, mask } => self.load_partial(*val, *width, *from, *mask),
            Op::StorePartial { val, width, to, mask } => self.store_partial(*val, *width, *to, *mask),
            Op::LoadAround { .. } | Op::SetShift { .. } | Op::Merge { .. } => {
                Err(Unsupported("x86-64 has no merge of aligned loads".to_owned()))
            }
            Op::KeepBits { .. } => Err(Unsupported("x86-64 has no condition fields to keep bits in".to_owned())),
            Op::ZeroLine { .. } => Err(Unsupported("x86-64 has no zeroing of a line".to_owned())),
            Op::Prefetch { locality, at } => self.prefetch(*locality, *at),
            Op::Touch { at, val } => self.load(*val, Width::B1, *at),
            Op::If { cond, then, otherwise, align } => self.choose(*cond, then, otherwise, *align),
            Op::Turn { body, again, align } => self.turn(body, *again, *align),
            Op::Switch { on, arms } => self.switch(*on, arms),
            Op::Repeat { unit, direction } => self.repeat(*unit, *direction),
            Op::Fence => self.fixed(|asm| dynasm!(asm ; .arch x64 ; sfence)),
            Op::ClearUpper => self.fixed(|asm| dynasm!(asm ; .arch x64 ; vzeroupper)),
            Op::EndMmx => self.fixed(|asm| dynasm!(asm ; .arch x64 ; emms)),
            Op::Return => self.fixed(|asm| dynasm!(asm ; .arch x64 ; ret)),
        }
    }

    fn fixed(&mut self, emit: impl FnOnce(&mut VecAssembler<X64Relocation>)) -> Result<(), Unsupported> {
        emit(&mut self.asm);
        Ok(())
    }

    /// Appends one instruction of the other assembler.
    pub fn put(&mut self, instruction: Result<Instruction, IcedError>) -> Result<(), Unsupported> {
        let encoded = instruction.and_then(|instruction| self.encoder.encode(&instruction, 0));
        encoded.map_err(|error| Unsupported(format!("x86-64 cannot encode this: {error}")))?;
        let mut bytes = self.encoder.take_buffer();
        self.asm.extend(bytes.iter());
        bytes.clear();
        self.encoder.set_buffer(bytes);
        Ok(())
    }

    fn here(&self) -> usize {
        self.asm.offset().0
    }

    fn pad_to(&mut self, offset: usize) {
        while let Some(left) = offset.checked_sub(self.here()).filter(|&left| left > 0) {
            self.asm.extend(NOPS[left.min(NOPS.len()) - 1]);
        }
    }

    /// Pads to a place that is aligned as the entry is, or less.
    fn pad_to_multiple(&mut self, align: u8) -> Result<(), Unsupported> {
        self.pad_to(aligned(self.here(), align)?);
        Ok(())
    }

    /// Jumps where the flags satisfy the relation, or in any case.
    fn jump(&mut self, relation: Option<Relation>, label: DynamicLabel) {
        let far = self.layout.is_far(self.jumps.len());
        match relation {
            None => jump!(self.asm, far, jmp, label),
            Some(Relation::Below) => jump!(self.asm, far, jb, label),
            Some(Relation::BelowOrEqual) => jump!(self.asm, far, jbe, label),
            Some(Relation::Above) => jump!(self.asm, far, ja, label),
            Some(Relation::AboveOrEqual) => jump!(self.asm, far, jae, label),
            Some(Relation::Equal) => jump!(self.asm, far, je, label),
            Some(Relation::NotEqual) => jump!(self.asm, far, jne, label),
        }
        self.jumps.push(Jump { end: self.here(), to: label });
    }

    fn label(&mut self, label: DynamicLabel) {
        dynasm!(self.asm ; .arch x64 ; =>label);
    }

    fn choose(&mut self, cond: Cond, then: &[Op], otherwise: &[Op], align: u8) -> Result<(), Unsupported> {
        if then.is_empty() && !otherwise.is_empty() {
            return self.choose(cond.negated(), otherwise, then, 1);
        }
        let (else_, end) = (self.asm.new_dynamic_label(), self.asm.new_dynamic_label());
        let relation = self.flags(cond.negated())?;
        self.jump(Some(relation), else_);
        self.body(then)?;
        if !otherwise.is_empty() && !returns(then) {
            self.jump(None, end);
        }
        self.pad_to_multiple(align)?;
        self.label(else_);
        self.body(otherwise)?;
        self.label(end);
        Ok(())
    }

    fn turn(&mut self, body: &[Op], again: Cond, align: u8) -> Result<(), Unsupported> {
        self.pad_to_multiple(align)?;
        let head = self.asm.new_dynamic_label();
        self.label(head);
        self.body(body)?;
        let relation = if decided_by(body.last(), again) { Relation::NotEqual } else { self.flags(again)? };
        self.jump(Some(relation), head);
        Ok(())
    }

    fn switch(&mut self, on: Reg, arms: &[Vec<Op>]) -> Result<(), Unsupported> {
        if on == Reg::COUNT || on == Reg::RETURN {
            return Err(Unsupported(format!("a switch on {on} would lose it")));
        }
        if arms.is_empty() || !arms.iter().all(|arm| returns(arm)) {
            return Err(Unsupported("every arm of a switch must end in a return, and there must be one".to_owned()));
        }
        let number = self.longest_arms.len();
        let stride = self.layout.stride(number);
        let on = whole(on)?;
        let slots = self.asm.new_dynamic_label();
        dynasm!(self.asm ; .arch x64 ; lea rcx, [=>slots]);
        self.put(Instruction::with2(Code::Shl_rm64_imm8, on, stride.trailing_zeros()))?;
        self.put(Instruction::with2(Code::Add_rm64_r64, on, iced_x86::Register::RCX))?;
        self.put(Instruction::with1(Code::Jmp_rm64, on))?;
        self.pad_to(self.here().next_multiple_of(stride.min(MOST_SLOT_ALIGN)));
        self.label(slots);
        self.longest_arms.push(0);
        self.switches.push(Slots { start: self.here(), stride, count: arms.len() });
        for (arm, ops) in arms.iter().enumerate() {
            let start = self.here();
            self.body(ops)?;
            self.longest_arms[number] = self.longest_arms[number].max(self.here() - start);
            if arm + 1 < arms.len() {
                self.pad_to(start + stride);
            }
        }
        Ok(())
    }

    fn repeat(&mut self, unit: Width, direction: Direction) -> Result<(), Unsupported> {
        let asm = &mut self.asm;
        if direction == Direction::Backward {
            dynasm!(asm ; .arch x64 ; std);
        }
        match unit {
            Width::B1 => dynasm!(asm ; .arch x64 ; rep movsb),
            Width::B2 => dynasm!(asm ; .arch x64 ; rep movsw),
            Width::B4 => dynasm!(asm ; .arch x64 ; rep movsd),
            Width::B8 => dynasm!(asm ; .arch x64 ; rep movsq),
            _ => return Err(Unsupported(format!("x86-64 has no string move of unit {unit}; there are 1, 2, 4, 8"))),
        }
        if direction == Direction::Backward {
            dynasm!(asm ; .arch x64 ; cld);
        }
        Ok(())
    }
}

/// Whether the flags of the last operation already answer `again`: an `add` or `sub` in place says whether its result is zero.
fn decided_by(last: Option<&Op>, again: Cond) -> bool {
    let Some(&Op::Set { to, value }) = last else { return false };
    let in_place = match value {
        // Adding zero emits nothing.
        Expr::Sum(addr) => addr.base == to && addr.index.is_none() && addr.displacement != 0,
        Expr::Difference(left, Operand::Imm(_)) => left == to,
        _ => false,
    };
    in_place && again == Cond::imm(to, Relation::NotEqual, 0)
}
