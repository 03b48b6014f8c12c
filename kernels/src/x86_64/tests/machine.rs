//! Runs the integer steps of decoded code: enough to see what registers hold at the return.

use crate::plan::Relation;
use crate::proof::{Arith, Base, Flags, IntReg, Place, Program, Right, Step, Test};

/// Where the code and the top of the stack are taken to be.
pub const CODE: u64 = 0x7f12_3456_7000;
pub const STACK: u64 = 0x7ffd_0000_1000;

enum Known {
    Nothing,
    Compared(u64, u64),
    Zero(bool),
}

/// The registers at the return, by x86 number.
pub fn run(program: &Program, mut registers: [u64; 16]) -> [u64; 16] {
    let (mut at, mut known) = (0, Known::Nothing);
    for _ in 0..100_000 {
        let step = &program.steps[at];
        at += 1;
        match *step {
            Step::Const { to, value } => registers[usize::from(to)] = value,
            Step::Address { to, place } => registers[usize::from(to)] = address(&registers, place),
            Step::Arith { to, op, left, right, flags } => {
                let (left, right) = (registers[usize::from(left)], value(&registers, right));
                let result = match op {
                    Arith::Add => left.wrapping_add(right),
                    Arith::Sub => left.wrapping_sub(right),
                    Arith::And => left & right,
                    Arith::Or => left | right,
                    Arith::Shr => left >> right,
                    Arith::Shl => left << right,
                    Arith::LowBits => left & 1u64.checked_shl(right as u32).map_or(!0, |bit| bit - 1),
                };
                registers[usize::from(to)] = result;
                match flags {
                    Flags::Kept => {}
                    Flags::Lost => known = Known::Nothing,
                    Flags::Compared => known = Known::Compared(left, right),
                    Flags::ResultZero => known = Known::Zero(result == 0),
                }
            }
            Step::Negate { to, from, .. } => {
                registers[usize::from(to)] = registers[usize::from(from)].wrapping_neg();
                known = Known::Nothing;
            }
            Step::Test { test, left, right } => {
                let (left, right) = (registers[usize::from(left)], value(&registers, right));
                known = match test {
                    Test::Compare => Known::Compared(left, right),
                    Test::Bits => Known::Zero(left & right == 0),
                };
            }
            Step::MoveIf { to, from, relation } => {
                if holds(&known, relation) {
                    registers[usize::from(to)] = registers[usize::from(from)];
                }
            }
            Step::Jump { to } => at = to,
            Step::JumpIf { relation, to } => at = if holds(&known, relation) { to } else { at },
            Step::JumpTo { address, ref targets } => {
                let offset = registers[usize::from(address)].wrapping_sub(CODE);
                let target = targets.iter().find(|target| target.0 == offset);
                at = target.unwrap_or_else(|| panic!("a jump to offset {offset:#x}, not one of {targets:?}")).1;
            }
            Step::Nothing | Step::Fence | Step::EndMmx => {}
            Step::Return => return registers,
            ref other => panic!("this machine has no memory: {other:?}"),
        }
    }
    panic!("no return after 100000 steps");
}

fn holds(known: &Known, relation: Relation) -> bool {
    match (known, relation) {
        (Known::Compared(left, right), relation) => relation.holds(*left, *right),
        (Known::Zero(zero), Relation::Equal) => *zero,
        (Known::Zero(zero), Relation::NotEqual) => !zero,
        (Known::Zero(_) | Known::Nothing, _) => panic!("flags that say nothing about {relation:?} are read"),
    }
}

fn value(registers: &[u64; 16], right: Right) -> u64 {
    match right {
        Right::Reg(reg) => registers[usize::from(reg)],
        Right::Imm(value) => value,
    }
}

fn address(registers: &[u64; 16], place: Place) -> u64 {
    let of = |reg: IntReg| registers[usize::from(reg)];
    let base = match place.base {
        None => 0,
        Some(Base::Reg(reg)) => of(reg),
        Some(Base::Stack) => STACK,
        Some(Base::Code) => CODE,
    };
    let index = place.index.map_or(0, |(reg, scale)| of(reg) << scale);
    base.wrapping_add(index).wrapping_add(place.displacement as u64)
}
