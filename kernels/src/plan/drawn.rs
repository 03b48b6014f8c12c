//! Expressions and conditions drawn at random, and what they are worth by their definitions: what the code of every target is held to.

use super::{Addr, Cond, Expr, Operand, Reg, Relation, SCRATCH_BYTES};
use proptest::prelude::*;

/// What an expression is worth, as the plan's documentation says. Scratch ends at `stack`.
pub fn worth(expr: Expr, of: &dyn Fn(Reg) -> u64, stack: u64) -> u64 {
    match expr {
        Expr::Const(value) => i64::from(value) as u64,
        Expr::Sum(Addr { base, index, displacement }) => {
            of(base).wrapping_add(index.map_or(0, of)).wrapping_add(i64::from(displacement) as u64)
        }
        Expr::Difference(left, right) => of(left).wrapping_sub(operand(right, of)),
        Expr::And(reg, mask) => of(reg) & i64::from(mask) as u64,
        Expr::ShiftRight(reg, bits) => of(reg) >> bits,
        Expr::ShiftLeft(reg, bits) => of(reg) << bits,
        Expr::Negated(reg) => 0u64.wrapping_sub(of(reg)),
        Expr::Select { cond, yes, no } => of(if holds(cond, of, u64::MAX) { yes } else { no }),
        Expr::Scratch(byte) => stack - u64::from(SCRATCH_BYTES) + u64::from(byte),
    }
}

fn operand(operand: Operand, of: &dyn Fn(Reg) -> u64) -> u64 {
    match operand {
        Operand::Reg(reg) => of(reg),
        Operand::Imm(imm) => i64::from(imm) as u64,
    }
}

/// Whether a condition holds in registers that have the bits of `word`.
pub fn holds(cond: Cond, of: &dyn Fn(Reg) -> u64, word: u64) -> bool {
    match cond {
        Cond::Compare { left, relation, right } => relation.holds(of(left), operand(right, of) & word),
        Cond::AnyBit { reg, mask } => of(reg) & i64::from(mask) as u64 != 0,
        Cond::NoBit { reg, mask } => of(reg) & i64::from(mask) as u64 == 0,
    }
}

/// All of them.
pub const RELATIONS: [Relation; 6] = [
    Relation::Below,
    Relation::BelowOrEqual,
    Relation::Above,
    Relation::AboveOrEqual,
    Relation::Equal,
    Relation::NotEqual,
];

fn regs() -> impl Strategy<Value = Reg> {
    (0..Reg::ALL).prop_map(Reg)
}

/// Constants, most of them those around which a target changes its form.
fn constants(edges: &'static [i32]) -> impl Strategy<Value = i32> {
    prop_oneof![4 => prop::sample::select(edges), 1 => any::<i32>()]
}

/// Register contents, many of them near a constant so that comparisons go both ways.
pub fn contents<const REGISTERS: usize>(edges: &'static [i32]) -> impl Strategy<Value = [u64; REGISTERS]> {
    let near = (constants(edges), -1i64..=1).prop_map(|(constant, off)| i64::from(constant).wrapping_add(off) as u64);
    let one = prop_oneof![3 => near, 1 => any::<u64>(), 1 => 0u64..4];
    prop::collection::vec(one, REGISTERS).prop_map(|all| all.try_into().expect("as many as asked for"))
}

/// Conditions of every kind.
pub fn conditions(edges: &'static [i32]) -> impl Strategy<Value = Cond> {
    let right = prop_oneof![regs().prop_map(Operand::Reg), constants(edges).prop_map(Operand::Imm)];
    let relation = prop::sample::select(RELATIONS.to_vec());
    prop_oneof![
        3 => (regs(), relation, right).prop_map(|(left, relation, right)| Cond::Compare { left, relation, right }),
        1 => (regs(), constants(edges)).prop_map(|(reg, mask)| Cond::AnyBit { reg, mask }),
        1 => (regs(), constants(edges)).prop_map(|(reg, mask)| Cond::NoBit { reg, mask }),
    ]
}

/// Expressions of every kind.
pub fn expressions(edges: &'static [i32]) -> impl Strategy<Value = Expr> {
    let addr = (regs(), prop::option::of(regs()), constants(edges));
    prop_oneof![
        constants(edges).prop_map(Expr::Const),
        addr.prop_map(|(base, index, displacement)| Expr::Sum(Addr { base, index, displacement })),
        (regs(), constants(edges)).prop_map(|(left, imm)| Expr::Difference(left, Operand::Imm(imm))),
        (regs(), regs()).prop_map(|(left, right)| Expr::Difference(left, Operand::Reg(right))),
        (regs(), constants(edges)).prop_map(|(reg, mask)| Expr::And(reg, mask)),
        (regs(), 1u8..64).prop_map(|(reg, bits)| Expr::ShiftRight(reg, bits)),
        (regs(), 1u8..64).prop_map(|(reg, bits)| Expr::ShiftLeft(reg, bits)),
        regs().prop_map(Expr::Negated),
        (conditions(edges), regs(), regs()).prop_map(|(cond, yes, no)| Expr::Select { cond, yes, no }),
        (0..SCRATCH_BYTES).prop_map(Expr::Scratch),
    ]
}
