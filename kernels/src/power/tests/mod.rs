//! What is emitted is what was asked for, in each mode and for each processor, and is read back as what it is.

mod access;
mod arith;
mod faults;
mod layout;
mod machine;
mod processors;
mod refusals;
mod vectors;

use super::instruction::{Instruction, Mnemonic, Operand};
use super::{Mode, Power, Processor};
use crate::code::{Code, Target, Unsupported};
use crate::plan::{Addr, Cond, Expr, Op, Plan, Reg};
use crate::proof::Program;

/// The number of a plan register's PowerPC register, from the picture in the module's head, in a routine that moves its destination.
fn number(reg: Reg) -> u8 {
    [3, 6, 4, 5, 7, 8, 9, 10, 11][usize::from(reg.0)]
}

/// One processor for each way in which code differs: with and without select, in each mode.
fn targets() -> [Power; 5] {
    let target = |mode, processor| Power::new(mode, processor).expect("it has that mode");
    [
        target(Mode::Ppc32, Processor::P405),
        target(Mode::Ppc32, Processor::E500mc),
        target(Mode::Ppc64, Processor::P970),
        target(Mode::Ppc64, Processor::Power7),
        target(Mode::Ppc64le, Processor::Power8),
    ]
}

fn emit(target: Power, body: Vec<Op>) -> Result<Code, Unsupported> {
    target.emit(&Plan { body })
}

fn emitted(target: Power, body: Vec<Op>) -> Code {
    emit(target, body).expect("a plan that PowerPC can express")
}

fn program(target: Power, code: &Code) -> Program {
    target.decode(code).unwrap_or_else(|error| panic!("{error}\n{}", text(target, code)))
}

fn text(target: Power, code: &Code) -> String {
    target.listing(code).iter().map(|line| format!("{:4x} {}\n", line.offset, line.text)).collect()
}

/// How often a mnemonic, as it is listed, is there.
fn count(target: Power, code: &Code, mnemonic: &str) -> usize {
    target.listing(code).iter().filter(|line| line.text.split(' ').next() == Some(mnemonic)).count()
}

/// Code of these instructions.
fn assembled(target: Power, instructions: &[(Mnemonic, &[Operand])]) -> Code {
    let word = |&(mnemonic, operands): &(Mnemonic, &[Operand])| {
        Instruction::new(mnemonic, operands).unwrap_or_else(|error| panic!("{mnemonic:?}: {error}")).word()
    };
    let bytes = instructions.iter().flat_map(|instruction| target.mode().bytes(word(instruction))).collect();
    Code { bytes, align: 64, switches: Vec::new() }
}

/// `reg = value`.
fn constant(reg: Reg, value: i32) -> Op {
    Op::Set { to: reg, value: Expr::Const(value) }
}

/// `reg += by`.
fn step(reg: Reg, by: i32) -> Op {
    Op::Set { to: reg, value: Expr::Sum(Addr::at(reg, by)) }
}

fn when(cond: Cond, then: Vec<Op>, otherwise: Vec<Op>) -> Op {
    Op::If { cond, then, otherwise, align: 1 }
}
