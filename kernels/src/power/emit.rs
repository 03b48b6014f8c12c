//! The walk over a plan: structure, branches, loops and switches.

use super::Power;
use super::arith::decides;
use super::instruction::{Facility, Instruction, Mnemonic as M, Operand};
use super::layout::{Branch, Label, Layout};
use super::registers::{ADDRESS, Cursor, STACK, integer};
use crate::code::{Slots, Unsupported};
use crate::plan::{Addr, Cond, Expr, Mask, Op, Plan, Reg, Relation, Width};
use crate::uses::{aligned, mentions, returns};
use Operand::{Bit, Imm, To};

/// Bytes of the frame that holds the scratch where there is no red zone: 128, and back chain and link word below them, rounded up to a
/// multiple of 16 (System V ABI PowerPC Processor Supplement, "The Stack Frame").
pub const FRAME: i32 = 144;
/// Slots start at a multiple of their stride, up to half a cache line.
const MOST_SLOT_ALIGN: usize = 64;
/// Operations in a counted loop: each is at most sixteen instructions, and the branch back reaches over 8192.
const MOST_COUNTED: usize = 400;

/// One pass over a plan under some guesses about its layout.
pub struct Emitter<'g> {
    /// Whose code it is.
    pub power: Power,
    /// The code so far; branches are filled in when everything has its place.
    pub words: Vec<u32>,
    /// Where each label is, in words.
    pub labels: Vec<Option<usize>>,
    /// Every branch to a label.
    pub branches: Vec<Branch>,
    /// For each switch the bytes of its longest arm.
    pub longest_arms: Vec<usize>,
    /// For each switch where its slots are.
    pub switches: Vec<Slots>,
    /// The two registers whose sum is in [`ADDRESS`].
    pub held: Option<(Reg, Reg)>,
    /// The register that holds the length of each mask.
    pub masks: Vec<(Mask, Operand)>,
    /// The register whose bits are in condition fields, and which.
    pub kept: Option<(Reg, i32)>,
    /// Whether there is a frame.
    pub framed: bool,
    cursor: Cursor,
    layout: &'g Layout,
    mask_temporaries: std::slice::Iter<'g, Reg>,
}

impl<'g> Emitter<'g> {
    /// Nothing emitted yet.
    pub fn new(power: Power, layout: &'g Layout, mask_temporaries: &'g [Reg], plan: &Plan) -> Emitter<'g> {
        let moves = |op: &Op| matches!(op, Op::Set { to: Reg::DST, .. });
        let scratches = |op: &Op| matches!(op, Op::Set { value: Expr::Scratch(_), .. });
        Emitter {
            power,
            words: Vec::new(),
            labels: Vec::new(),
            branches: Vec::new(),
            longest_arms: Vec::new(),
            switches: Vec::new(),
            held: None,
            masks: Vec::new(),
            kept: None,
            framed: power.mode().is_32_bit() && any(&plan.body, &scratches),
            cursor: if any(&plan.body, &moves) { Cursor::Apart } else { Cursor::AsPassed },
            layout,
            mask_temporaries: mask_temporaries.iter(),
        }
    }

    /// The name of the target, for messages.
    pub fn name(&self) -> &'static str {
        self.power.mode().name()
    }

    /// The register of a plan's register.
    pub fn integer(&self, reg: Reg) -> Result<Operand, Unsupported> {
        integer(reg, self.cursor, self.name())
    }

    /// The whole routine.
    pub fn routine(&mut self, plan: &Plan) -> Result<(), Unsupported> {
        if self.framed {
            self.put(M::Stwu, &[STACK, Imm(-FRAME), STACK])?;
        }
        if self.cursor == Cursor::Apart {
            let (cursor, passed) = (self.integer(Reg::DST)?, self.integer(Reg::RETURN)?);
            self.put(M::Or, &[cursor, passed, passed])?;
        }
        self.body(&plan.body)
    }

    /// Appends an instruction, if the processor has it.
    pub fn put(&mut self, mnemonic: M, operands: &[Operand]) -> Result<(), Unsupported> {
        let instruction = Instruction::new(mnemonic, operands)
            .map_err(|error| Unsupported(format!("{} cannot encode this: {error}", self.name())))?;
        let processor = self.power.processor();
        if !processor.has(mnemonic.facility()) {
            return Err(Unsupported(format!("{processor} has no {}", instruction.text(self.here()))));
        }
        self.words.push(instruction.word());
        Ok(())
    }

    fn body(&mut self, mut ops: &[Op]) -> Result<(), Unsupported> {
        while let Some((op, rest)) = ops.split_first() {
            ops = match rest.split_first() {
                Some((next, after)) if self.access_and_update(op, next)? => after,
                _ => {
                    self.op(op)?;
                    rest
                }
            };
        }
        Ok(())
    }

    fn op(&mut self, op: &Op) -> Result<(), Unsupported> {
        match op {
            Op::Set { to, value } => self.set_to(*to, *value),
            Op::Load { val, width, from } => self.load(*val, *width, *from),
            Op::Store { val, width, to, hint } => self.store(*val, *width, *to, *hint),
            Op::LoadAround { val, width, from } => self.load(*val, *width, *from),
            Op::SetShift { width, by, walk } => self.set_shift(*width, *by, *walk),
            Op::Merge { to, first, second, width } => self.merge(*to, [*first, *second], *width),
            Op::KeepBits { reg, mask } => self.keep_bits(*reg, *mask),
            Op::ZeroLine { at, bytes } => self.zero_line(*at, *bytes),
            Op::Prefetch { locality, at } => self.prefetch(*locality, *at),
            Op::Touch { at, val } => self.load(*val, Width::B1, *at),
            Op::If { cond, then, otherwise, align } => self.choose(*cond, then, otherwise, *align),
            Op::Turn { body, again, align } => self.turn(body, *again, *align),
            Op::Switch { on, arms } => self.switch(*on, arms),
            Op::Fence => self.put(M::Sync, &[]),
            Op::Return => {
                if self.framed {
                    self.put(M::Addi, &[STACK, STACK, Imm(FRAME)])?;
                }
                self.put(M::Blr, &[])
            }
            Op::SetMask { width, .. } if *width != Width::Vsx16 => {
                self.lacks(&format!("partial access of width {width}"))
            }
            Op::SetMask { .. } if !self.power.processor().has(Facility::Vsx3) => {
                Err(Unsupported(format!("{} has no partial accesses", self.power.processor())))
            }
            Op::SetMask { mask, count, .. } => {
                let temporary = self.mask_temporaries.next().copied();
                self.set_mask(*mask, *count, temporary)
            }
            Op::LoadPartial { val, width, from, mask } => self.load_partial(*val, *width, *from, *mask),
            Op::StorePartial { val, width, to, mask } => self.store_partial(*val, *width, *to, *mask),
            Op::Repeat { .. } => self.lacks("string moves"),
            Op::ClearUpper => self.lacks("upper halves to clear"),
            Op::EndMmx => self.lacks("MMX registers"),
        }
    }

    fn lacks(&self, what: &str) -> Result<(), Unsupported> {
        Err(Unsupported(format!("{} has no {what}", self.name())))
    }

    fn here(&self) -> usize {
        4 * self.words.len()
    }

    fn pad_to(&mut self, offset: usize) -> Result<(), Unsupported> {
        while self.here() < offset {
            self.put(M::Ori, &[Operand::R(0), Operand::R(0), Imm(0)])?;
        }
        Ok(())
    }

    /// Pads to a place that is aligned as the entry is, or less.
    fn pad_to_multiple(&mut self, align: u8) -> Result<(), Unsupported> {
        self.pad_to(aligned(self.here(), align)?)
    }

    fn new_label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label is here. Other paths lead here too, which may hold another sum.
    fn label(&mut self, label: Label) {
        self.labels[label.0] = Some(self.words.len());
        self.held = None;
    }

    /// Branches where condition field 0 satisfies the relation, or in any case.
    fn jump(&mut self, relation: Option<Relation>, to: Label) -> Result<(), Unsupported> {
        match relation {
            Some(relation) => self.jump_if(decides(relation), to),
            None => self.branch(M::B, &[], to),
        }
    }

    /// Branches where a bit of the condition register is set, or where it is not.
    fn jump_if(&mut self, (bit, set): (u8, bool), to: Label) -> Result<(), Unsupported> {
        let when = |set| [Imm(if set { 12 } else { 4 }), Bit(bit)];
        if !self.layout.is_far(self.branches.len()) {
            return self.branch(M::Bc, &when(set), to);
        }
        // Round the branch that reaches further.
        let [unless, bit] = when(!set);
        self.put(M::Bc, &[unless, bit, To(8)])?;
        self.branch(M::B, &[], to)
    }

    fn branch(&mut self, mnemonic: M, operands: &[Operand], to: Label) -> Result<(), Unsupported> {
        let mut known = [Imm(0); 2];
        known[..operands.len()].copy_from_slice(operands);
        self.branches.push(Branch { at: self.words.len(), mnemonic, known, operands: operands.len(), to });
        self.words.push(0);
        Ok(())
    }

    fn choose(&mut self, cond: Cond, then: &[Op], otherwise: &[Op], align: u8) -> Result<(), Unsupported> {
        if then.is_empty() && !otherwise.is_empty() {
            return self.choose(cond.negated(), otherwise, then, 1);
        }
        let (else_, end) = (self.new_label(), self.new_label());
        match self.kept_bit(cond.negated()) {
            Some(decided) => self.jump_if(decided, else_)?,
            None => {
                let relation = self.flags(cond.negated())?;
                self.jump(Some(relation), else_)?;
            }
        }
        let kept = self.kept;
        self.body(then)?;
        if !otherwise.is_empty() && !returns(then) {
            self.jump(None, end)?;
        }
        self.pad_to_multiple(align)?;
        self.label(else_);
        // What only one way keeps, nobody may look at who came the other.
        self.kept = self.kept.filter(|_| self.kept == kept);
        self.body(otherwise)?;
        self.label(end);
        self.kept = self.kept.filter(|_| self.kept == kept);
        Ok(())
    }

    fn turn(&mut self, body: &[Op], again: Cond, align: u8) -> Result<(), Unsupported> {
        let counted = counted(body, again);
        if let Some((count, _)) = counted {
            let count = self.integer(count)?;
            self.put(M::Mtctr, &[count])?;
        }
        // The body may set the register, and comes round again.
        self.kept = None;
        self.pad_to_multiple(align)?;
        let head = self.new_label();
        self.label(head);
        if let Some((count, body)) = counted {
            self.body(body)?;
            self.branch(M::Bdnz, &[], head)?;
            let count = self.integer(count)?;
            return self.constant(count, 0);
        }
        let relation = match decided_by(body, again) {
            Some((reg, by, rest)) => {
                self.body(rest)?;
                self.held = self.held.filter(|&(base, index)| base != reg && index != reg);
                self.kept = None;
                let reg = self.integer(reg)?;
                self.put(M::AddicRc, &[reg, reg, Imm(by)])?;
                Relation::NotEqual
            }
            None => {
                self.body(body)?;
                self.flags(again)?
            }
        };
        self.jump(Some(relation), head)
    }

    /// Where the code is, is known only by a call to the next instruction; the link register is saved meanwhile. Such a call is not
    /// taken for one by what predicts returns (Power ISA 3.0B, I 2.4).
    fn switch(&mut self, on: Reg, arms: &[Vec<Op>]) -> Result<(), Unsupported> {
        if on == Reg::COUNT || on == Reg::RETURN {
            return Err(Unsupported(format!("a switch on {on} would lose it")));
        }
        if arms.is_empty() || !arms.iter().all(|arm| returns(arm)) {
            return Err(Unsupported("every arm of a switch must end in a return, and there must be one".to_owned()));
        }
        let number = self.longest_arms.len();
        let stride = self.layout.stride(number);
        let (saved, arm) = (self.integer(Reg::COUNT)?, on);
        let on = self.integer(on)?;
        self.held = None;
        self.put(M::Mflr, &[saved])?;
        self.put(M::Bcl, &[To(4)])?;
        let known = self.here();
        self.put(M::Mflr, &[ADDRESS])?;
        self.put(M::Mtlr, &[saved])?;
        self.set_to(arm, Expr::ShiftLeft(arm, stride.trailing_zeros() as u8))?;
        self.put(M::Add, &[ADDRESS, ADDRESS, on])?;
        // Three more instructions, and what aligns the slots.
        let slots = (self.here() + 12).next_multiple_of(stride.min(MOST_SLOT_ALIGN));
        self.put(M::Addi, &[ADDRESS, ADDRESS, Imm((slots - known) as i32)])?;
        self.put(M::Mtctr, &[ADDRESS])?;
        self.put(M::Bctr, &[])?;
        self.pad_to(slots)?;
        self.longest_arms.push(0);
        self.switches.push(Slots { start: slots, stride, count: arms.len() });
        for (arm, ops) in arms.iter().enumerate() {
            let start = self.here();
            (self.held, self.kept) = (None, None);
            self.body(ops)?;
            self.longest_arms[number] = self.longest_arms[number].max(self.here() - start);
            if arm + 1 < arms.len() {
                self.pad_to(start + stride)?;
            }
        }
        Ok(())
    }
}

/// Whether an operation inside satisfies this.
fn any(ops: &[Op], is: &impl Fn(&Op) -> bool) -> bool {
    ops.iter().any(|op| {
        is(op)
            || match op {
                Op::If { then, otherwise, .. } => any(then, is) || any(otherwise, is),
                Op::Turn { body, .. } => any(body, is),
                Op::Switch { arms, .. } => arms.iter().any(|arm| any(arm, is)),
                _ => false,
            }
    })
}

/// The register that a loop's last operation adds a constant to, the constant, and what comes before it, where `again` asks only whether
/// the sum is zero.
fn decided_by(body: &[Op], again: Cond) -> Option<(Reg, i32, &[Op])> {
    let (&Op::Set { to, value: Expr::Sum(Addr { base, index: None, displacement }) }, rest) = body.split_last()? else {
        return None;
    };
    let in_place = base == to && to != Reg::RETURN && i16::try_from(displacement).is_ok();
    (in_place && again == Cond::imm(to, Relation::NotEqual, 0)).then_some((to, displacement, rest))
}

/// The register that counts a loop's turns down to zero and nothing else, and the rest of the body: the counter register can do that. It
/// must not be needed inside, and the branch must reach the head.
fn counted(body: &[Op], again: Cond) -> Option<(Reg, &[Op])> {
    let (count, by, rest) = decided_by(body, again)?;
    let needs = |op: &Op| matches!(op, Op::Turn { .. } | Op::Switch { .. });
    let fits = by == -1 && operations(rest) <= MOST_COUNTED;
    (fits && !any(rest, &needs) && !rest.iter().any(|op| mentions(op, count))).then_some((count, rest))
}

/// How many operations there are, with those inside.
fn operations(ops: &[Op]) -> usize {
    let inside = |op: &Op| match op {
        Op::If { then, otherwise, .. } => operations(then) + operations(otherwise),
        _ => 0,
    };
    ops.iter().map(|op| 1 + inside(op)).sum()
}
