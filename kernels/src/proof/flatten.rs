//! A plan as flat steps over virtual registers, so that the interpreter and the walks need to know steps only.
//!
//! Integer registers keep their numbers. Values become vector registers whatever their width, each file in a range of its own: how
//! a target shares its registers out is the target's affair, and proven on its code.
//!
//! ```text
//! vector register   0..32 SSE and AVX   32..64 EVEX   64..96 general   96..128 floating point   128..160 VSX
//!                   160..192 AltiVec   192..224 MMX   255 the shift of a merge
//! ```

use super::check::{PlanError, VALS, check};
use super::step::*;
use crate::plan::{
    Addr, Cond, Direction, Expr, Hint, Mask, Op, Operand, Plan, Reg, Relation, SCRATCH_BYTES, Val, Width,
};

/// The plan as steps, ready to be proven.
///
/// ```
/// use copysmith_kernels::plan::{Op, Plan};
/// assert_eq!(copysmith_kernels::proof::flatten(&Plan { body: vec![Op::Return] }).unwrap().steps.len(), 1);
/// ```
///
/// # Errors
/// [`PlanError`] names the rule of the plan vocabulary that the plan breaks.
pub fn flatten(plan: &Plan) -> Result<Program, PlanError> {
    check(plan)?;
    let mut steps = Steps(Vec::new());
    steps.body(&plan.body);
    Ok(Program {
        offsets: (0..steps.0.len()).collect(),
        steps: steps.0,
        dst: Reg::DST.0,
        src: Reg::SRC.0,
        n: Reg::N.0,
        result: Reg::RETURN.0,
        result_is_passed: true,
        word: Word::Little64,
        upper_below: VALS,
        mmx_from: 6 * VALS,
        preserved: Vec::new(),
    })
}

/// Holds the shift of a merge.
const SHIFT: VectorReg = VectorReg::MAX;

struct Steps(Vec<Step>);

impl Steps {
    fn body(&mut self, ops: &[Op]) {
        ops.iter().for_each(|op| self.op(op));
    }

    fn op(&mut self, op: &Op) {
        let step = match op {
            Op::Set { to, value } => return self.set(to.0, value),
            Op::Load { val, width, from } => {
                Step::Load { to: slot(*val, *width), bytes: bytes(*width), from: place(from), align: whole(*width) }
            }
            Op::LoadAround { val, width, from } => {
                let bytes = bytes(*width);
                Step::LoadAround { to: slot(*val, *width), bytes, from: place(from), align: bytes }
            }
            Op::SetShift { width, by, walk } => {
                Step::SetShift { to: SHIFT, by: by.0, bytes: bytes(*width), walk: *walk }
            }
            Op::Merge { to, first, second, width } => {
                let [to, first, second] = [to, first, second].map(|val| vector(*val, *width));
                Step::Merge { to, first, second, shift: SHIFT, bytes: bytes(*width) }
            }
            Op::Store { val, width, to, hint } => {
                let non_temporal = *hint == Hint::NonTemporal;
                // Vectors fault on a misaligned address; MOVNTI and MOVNTQ take any (Intel SDM volume 2).
                let align = if non_temporal && width.bytes() >= 16 { bytes(*width) } else { whole(*width) };
                Step::Store { from: slot(*val, *width), bytes: bytes(*width), to: place(to), non_temporal, align }
            }
            Op::SetMask { mask: Mask(mask), count, .. } => {
                Step::SetMask { to: *mask, from: MaskSource::Count(count.0) }
            }
            Op::LoadPartial { val, width, from, mask: Mask(mask) } => {
                Step::LoadMasked { to: vector(*val, *width), bytes: bytes(*width), from: place(from), mask: *mask }
            }
            Op::StorePartial { val, width, to, mask: Mask(mask) } => {
                Step::StoreMasked { from: vector(*val, *width), bytes: bytes(*width), to: place(to), mask: *mask }
            }
            Op::Prefetch { at, .. } => Step::Prefetch { at: place(at) },
            Op::ZeroLine { at, bytes } => Step::ZeroLine { at: place(at), bytes: *bytes },
            Op::Touch { at, val } => Step::Load { to: slot(*val, Width::B1), bytes: 1, from: place(at), align: 1 },
            Op::KeepBits { .. } => Step::Nothing,
            Op::If { cond, then, otherwise, .. } => return self.choice(cond, then, otherwise),
            Op::Turn { body, again, .. } => {
                let head = self.0.len();
                self.body(body);
                let relation = self.test(again);
                Step::JumpIf { relation, to: head }
            }
            Op::Switch { on, arms } => return self.switch(on.0, arms),
            Op::Repeat { unit, direction } => return self.repeat(bytes(*unit), *direction),
            Op::Fence => Step::Fence,
            Op::ClearUpper => Step::ClearUpper,
            Op::EndMmx => Step::EndMmx,
            Op::Return => Step::Return,
        };
        self.0.push(step);
    }

    fn set(&mut self, to: IntReg, value: &Expr) {
        let arith = |op, left: Reg, right| Step::Arith { to, op, left: left.0, right, flags: Flags::Lost };
        let step = match *value {
            Expr::Const(value) => Step::Const { to, value: extended(value) },
            Expr::Sum(addr) => Step::Address { to, place: place(&addr) },
            Expr::Difference(left, operand) => arith(Arith::Sub, left, right(operand)),
            Expr::And(reg, mask) => arith(Arith::And, reg, Right::Imm(extended(mask))),
            Expr::ShiftRight(reg, bits) => arith(Arith::Shr, reg, Right::Imm(bits.into())),
            Expr::ShiftLeft(reg, bits) => arith(Arith::Shl, reg, Right::Imm(bits.into())),
            Expr::Negated(reg) => Step::Negate { to, from: reg.0, flags: Flags::Lost },
            Expr::Select { cond, yes, no } => {
                // Tested before anything is set: the condition may read the register that is about to change.
                let relation = self.test(&cond);
                if to == yes.0 {
                    Step::MoveIf { to, from: no.0, relation: relation.negated() }
                } else {
                    self.0.push(Step::Address { to, place: place(&Addr::at(no, 0)) });
                    Step::MoveIf { to, from: yes.0, relation }
                }
            }
            Expr::Scratch(byte) => {
                let displacement = i64::from(byte) - i64::from(SCRATCH_BYTES);
                Step::Address { to, place: Place { base: Some(Base::Stack), index: None, displacement } }
            }
        };
        self.0.push(step);
    }

    /// Sets the flags for a condition; it holds where they satisfy the relation.
    fn test(&mut self, cond: &Cond) -> Relation {
        let (test, left, right, relation) = match *cond {
            Cond::Compare { left, relation, right: operand } => (Test::Compare, left, right(operand), relation),
            Cond::AnyBit { reg, mask } => (Test::Bits, reg, Right::Imm(extended(mask)), Relation::NotEqual),
            Cond::NoBit { reg, mask } => (Test::Bits, reg, Right::Imm(extended(mask)), Relation::Equal),
        };
        self.0.push(Step::Test { test, left: left.0, right });
        relation
    }

    fn choice(&mut self, cond: &Cond, then: &[Op], otherwise: &[Op]) {
        let relation = self.test(cond).negated();
        let skip = self.0.len();
        self.0.push(Step::Nothing);
        self.body(then);
        let mut start = self.0.len();
        if !otherwise.is_empty() {
            let leave = start;
            self.0.push(Step::Nothing);
            start += 1;
            self.body(otherwise);
            self.0[leave] = Step::Jump { to: self.0.len() };
        }
        self.0[skip] = Step::JumpIf { relation, to: start };
    }

    /// Arm k stands at code address k: the layout of code is the target's affair.
    fn switch(&mut self, on: IntReg, arms: &[Vec<Op>]) {
        let address = Reg::COUNT.0;
        let place = Place { base: Some(Base::Code), index: Some((on, 0)), displacement: 0 };
        self.0.push(Step::Address { to: address, place });
        let jump = self.0.len();
        self.0.push(Step::Nothing);
        let mut targets = Vec::with_capacity(arms.len());
        for (number, arm) in (0..).zip(arms) {
            targets.push((number, self.0.len()));
            self.body(arm);
        }
        self.0[jump] = Step::JumpTo { address, targets };
    }

    fn repeat(&mut self, bytes: u8, direction: Direction) {
        let repeat = Step::Repeat { bytes, dst: Reg::DST.0, src: Reg::SRC.0, count: Reg::COUNT.0 };
        match direction {
            Direction::Forward => self.0.push(repeat),
            Direction::Backward => {
                let direction = |backward| Step::SetDirection { backward };
                self.0.extend([direction(true), repeat, direction(false)]);
            }
        }
    }
}

/// What every address of a width must be a multiple of.
fn whole(width: Width) -> u8 {
    if width == Width::Altivec16 { bytes(width) } else { 1 }
}

fn bytes(width: Width) -> u8 {
    width.bytes() as u8
}

fn vector(Val(number): Val, width: Width) -> VectorReg {
    match width {
        Width::Sse4 | Width::Sse8 | Width::Sse16 | Width::Avx32 => number,
        Width::Evex16 | Width::Evex32 | Width::Evex64 => VALS + number,
        Width::B1 | Width::B2 | Width::B4 | Width::B8 => 2 * VALS + number,
        Width::Fp8 => 3 * VALS + number,
        Width::Vsx16 | Width::Vsx32 => 4 * VALS + number,
        Width::Altivec16 => 5 * VALS + number,
        Width::Mmx8 => 6 * VALS + number,
    }
}

fn slot(val: Val, width: Width) -> Slot {
    Slot::Vector(vector(val, width))
}

fn place(addr: &Addr) -> Place {
    Place {
        base: Some(Base::Reg(addr.base.0)),
        index: addr.index.map(|index| (index.0, 0)),
        displacement: addr.displacement.into(),
    }
}

fn right(operand: Operand) -> Right {
    match operand {
        Operand::Reg(reg) => Right::Reg(reg.0),
        Operand::Imm(value) => Right::Imm(extended(value)),
    }
}

fn extended(value: i32) -> u64 {
    i64::from(value).cast_unsigned()
}
