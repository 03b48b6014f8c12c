//! What is emitted is what was asked for, is as short as it can be, and is read back as what it is.

mod access;
mod arith;
mod layout;
mod machine;
mod objdump;
mod refusals;

use crate::code::{Code, Target, Unsupported};
use crate::plan::{Addr, Cond, Expr, Op, Plan, Reg};
use crate::proof::{Program, Step};
use crate::x86_64::X86_64;

/// The x86 numbers of the plan registers, from the calling convention and the manual, not from the code under test.
const NUMBERS: [u8; 9] = [0, 7, 6, 2, 1, 8, 9, 10, 11];

fn number(reg: Reg) -> u8 {
    NUMBERS[usize::from(reg.0)]
}

fn emit(body: Vec<Op>) -> Result<Code, Unsupported> {
    X86_64.emit(&Plan { body })
}

fn emitted(body: Vec<Op>) -> Code {
    emit(body).expect("a plan that x86-64 can express")
}

fn program(code: &Code) -> Program {
    X86_64.decode(code).unwrap_or_else(|error| panic!("{error}\n{}", text(code)))
}

/// The steps between the entry's `mov rax, rdi` and the return of a straight plan.
fn steps(ops: Vec<Op>) -> Vec<Step> {
    let mut steps = program(&emitted([ops, vec![Op::Return]].concat())).steps;
    assert_eq!(steps.pop(), Some(Step::Return));
    steps.remove(0);
    steps
}

fn text(code: &Code) -> String {
    X86_64.listing(code).iter().map(|line| format!("{:4x} {}\n", line.offset, line.text)).collect()
}

fn mnemonics(code: &Code) -> Vec<String> {
    X86_64.listing(code).into_iter().map(|line| line.text.split(' ').next().unwrap_or("").to_owned()).collect()
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
