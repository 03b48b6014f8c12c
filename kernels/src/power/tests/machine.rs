//! Runs the steps of decoded code without any memory: what registers hold at the return, and which accesses were made.

use crate::plan::Relation;
use crate::proof::{Arith, Base, Flags, IntReg, Place, Program, Right, Slot, Step, Test};

/// Where the code and the top of the stack are taken to be.
pub const CODE: u64 = 0x1234_5000;
pub const STACK: u64 = 0x7ffd_1000;

/// All integer registers, by the decoder's numbers.
pub type Registers = [u64; 64];

/// An access as it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    Load { to: Slot, bytes: u8, at: u64 },
    Store { from: Slot, bytes: u8, at: u64 },
    Prefetch { at: u64 },
}

#[derive(Clone, Copy)]
enum Known {
    Nothing,
    Compared(u64, u64),
    Zero(bool),
}

/// The registers at the return and the accesses on the way.
pub fn run(program: &Program, mut registers: Registers) -> (Registers, Vec<Made>) {
    let cut = |value: u64| program.word.cut(value);
    let (mut at, mut known, mut made) = (0, Known::Nothing, Vec::new());
    for _ in 0..200_000 {
        let step = &program.steps[at];
        at += 1;
        let of = |reg: IntReg| registers[usize::from(reg)];
        let right = |right: Right| match right {
            Right::Reg(reg) => of(reg),
            Right::Imm(value) => cut(value),
        };
        let address = |place: Place| {
            let base = match place.base {
                None => 0,
                Some(Base::Reg(reg)) => of(reg),
                Some(Base::Stack) => STACK,
                Some(Base::Code) => CODE,
            };
            let index = place.index.map_or(0, |(reg, scale)| of(reg) << scale);
            cut(base.wrapping_add(index).wrapping_add(place.displacement as u64))
        };
        match *step {
            Step::Const { to, value } => registers[usize::from(to)] = cut(value),
            Step::Address { to, place } => registers[usize::from(to)] = address(place),
            Step::Arith { to, op, left, right: by, flags } => {
                let (left, by) = (of(left), right(by));
                let result = cut(match op {
                    Arith::Add => left.wrapping_add(by),
                    Arith::Sub => left.wrapping_sub(by),
                    Arith::And => left & by,
                    Arith::Or => left | by,
                    Arith::Shr => left >> by,
                    Arith::Shl => left << by,
                    Arith::LowBits => panic!("PowerPC has no such instruction"),
                });
                registers[usize::from(to)] = result;
                known = match flags {
                    Flags::Kept => known,
                    Flags::Lost => Known::Nothing,
                    Flags::Compared => panic!("PowerPC compares with zero only, and signed"),
                    Flags::ResultZero => Known::Zero(result == 0),
                };
            }
            Step::Negate { to, from, flags: Flags::Kept } => {
                registers[usize::from(to)] = cut(of(from).wrapping_neg());
            }
            Step::Test { test: Test::Bits, left, right: by } => known = Known::Zero(of(left) & right(by) == 0),
            Step::Test { test: Test::Compare, left, right: by } => known = Known::Compared(of(left), right(by)),
            Step::MoveIf { to, from, relation } => {
                if holds(known, relation) {
                    registers[usize::from(to)] = of(from);
                }
            }
            Step::Load { to, bytes, from, .. } => made.push(Made::Load { to, bytes, at: address(from) }),
            Step::Store { from, bytes, to, .. } => made.push(Made::Store { from, bytes, at: address(to) }),
            Step::Prefetch { at } => made.push(Made::Prefetch { at: address(at) }),
            Step::Jump { to } => at = to,
            Step::JumpIf { relation, to } => at = if holds(known, relation) { to } else { at },
            Step::JumpTo { address, ref targets } => {
                let offset = of(address).wrapping_sub(CODE);
                let target = targets.iter().find(|target| target.0 == offset);
                at = target.unwrap_or_else(|| panic!("a jump to offset {offset:#x}, not one of {targets:?}")).1;
            }
            Step::Nothing | Step::Fence => {}
            Step::Return => return (registers, made),
            ref other => panic!("PowerPC code has no such step: {other:?}"),
        }
    }
    panic!("no return after 200000 steps");
}

fn holds(known: Known, relation: Relation) -> bool {
    match (known, relation) {
        (Known::Compared(left, right), relation) => relation.holds(left, right),
        (Known::Zero(zero), Relation::Equal) => zero,
        (Known::Zero(zero), Relation::NotEqual) => !zero,
        (Known::Zero(_) | Known::Nothing, _) => panic!("flags that say nothing about {relation:?} are read"),
    }
}
