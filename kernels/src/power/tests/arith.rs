//! Expressions and conditions, against their definitions in the plan.

use super::machine::{Registers, STACK, run};
use super::*;
use crate::plan::{Operand as Side, Relation, SCRATCH_BYTES};
use proptest::prelude::*;

/// What an expression is worth, as the plan's documentation says.
fn worth(expr: Expr, of: &dyn Fn(Reg) -> u64) -> u64 {
    match expr {
        Expr::Const(value) => i64::from(value) as u64,
        Expr::Sum(Addr { base, index, displacement }) => {
            of(base).wrapping_add(index.map_or(0, of)).wrapping_add(i64::from(displacement) as u64)
        }
        Expr::Difference(left, right) => of(left).wrapping_sub(side(right, of)),
        Expr::And(reg, mask) => of(reg) & i64::from(mask) as u64,
        Expr::ShiftRight(reg, bits) => of(reg) >> bits,
        Expr::ShiftLeft(reg, bits) => of(reg) << bits,
        Expr::Negated(reg) => 0u64.wrapping_sub(of(reg)),
        Expr::Select { cond, yes, no } => of(if holds(cond, of, u64::MAX) { yes } else { no }),
        Expr::Scratch(byte) => STACK - u64::from(SCRATCH_BYTES) + u64::from(byte),
    }
}

fn side(side: Side, of: &dyn Fn(Reg) -> u64) -> u64 {
    match side {
        Side::Reg(reg) => of(reg),
        Side::Imm(imm) => i64::from(imm) as u64,
    }
}

/// Whether a condition holds in registers that have the bits of `word`.
fn holds(cond: Cond, of: &dyn Fn(Reg) -> u64, word: u64) -> bool {
    match cond {
        Cond::Compare { left, relation, right } => relation.holds(of(left), side(right, of) & word),
        Cond::AnyBit { reg, mask } => of(reg) & i64::from(mask) as u64 != 0,
        Cond::NoBit { reg, mask } => of(reg) & i64::from(mask) as u64 == 0,
    }
}

const RELATIONS: [Relation; 6] = [
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

/// Constants around every change of form: signs of both halves, one half alone, runs of ones.
fn constants() -> impl Strategy<Value = i32> {
    let edges = [
        0,
        1,
        -1,
        2,
        4,
        127,
        128,
        255,
        256,
        -128,
        0x7fff,
        0x8000,
        0x8001,
        0xffff,
        0x1_0000,
        0x1_7fff,
        0x1_8000,
        -0x7fff,
        -0x8000,
        -0x8001,
        -0xffff,
        -0x1_0000,
        -0x1_8000,
        0x1234_8000,
        0x1234_0000,
        0x7fff_0000,
        0x7fff_7fff,
        0x7fff_8000,
        0x7fff_ffff,
        i32::MIN,
        i32::MIN + 1,
        0xff0,
        0xf_f000,
        0x7f_ff00,
        -16,
        -4096,
        -0xf_fff1,
        0x5555,
    ];
    prop_oneof![4 => prop::sample::select(edges.to_vec()), 1 => any::<i32>()]
}

/// Register contents, many of them near a constant so that comparisons go both ways.
fn contents() -> impl Strategy<Value = Registers> {
    let near = (constants(), -1i64..=1).prop_map(|(constant, off)| i64::from(constant).wrapping_add(off) as u64);
    let one = prop_oneof![3 => near, 1 => any::<u64>(), 1 => 0u64..4];
    prop::collection::vec(one, 64).prop_map(|all| all.try_into().expect("64 of them"))
}

fn conditions() -> impl Strategy<Value = Cond> {
    let right = prop_oneof![regs().prop_map(Side::Reg), constants().prop_map(Side::Imm)];
    let relation = prop::sample::select(RELATIONS.to_vec());
    prop_oneof![
        3 => (regs(), relation, right).prop_map(|(left, relation, right)| Cond::Compare { left, relation, right }),
        1 => (regs(), constants()).prop_map(|(reg, mask)| Cond::AnyBit { reg, mask }),
        1 => (regs(), constants()).prop_map(|(reg, mask)| Cond::NoBit { reg, mask }),
    ]
}

fn expressions() -> impl Strategy<Value = Expr> {
    let addr = (regs(), prop::option::of(regs()), constants());
    prop_oneof![
        constants().prop_map(Expr::Const),
        addr.prop_map(|(base, index, displacement)| Expr::Sum(Addr { base, index, displacement })),
        (regs(), constants()).prop_map(|(left, imm)| Expr::Difference(left, Side::Imm(imm))),
        (regs(), regs()).prop_map(|(left, right)| Expr::Difference(left, Side::Reg(right))),
        (regs(), constants()).prop_map(|(reg, mask)| Expr::And(reg, mask)),
        (regs(), 1u8..64).prop_map(|(reg, bits)| Expr::ShiftRight(reg, bits)),
        (regs(), 1u8..64).prop_map(|(reg, bits)| Expr::ShiftLeft(reg, bits)),
        regs().prop_map(Expr::Negated),
        (conditions(), regs(), regs()).prop_map(|(cond, yes, no)| Expr::Select { cond, yes, no }),
        (0..SCRATCH_BYTES).prop_map(Expr::Scratch),
    ]
}

fn target() -> impl Strategy<Value = Power> {
    prop::sample::select(targets().to_vec())
}

/// The registers as the plan finds them: cut to the width of the machine, and the destination cursor copied from where it is passed.
fn entered(mut registers: Registers, target: Power) -> Registers {
    registers.iter_mut().for_each(|register| *register = target.mode().word().cut(*register));
    registers[6] = registers[3];
    registers
}

/// What a plan knows the registers by; the others are the routine's own.
fn visible(registers: &Registers) -> Vec<u64> {
    (0..Reg::ALL).map(|reg| registers[usize::from(number(Reg(reg)))]).collect()
}

/// Has the cursor in a register of its own, wherever the plan puts it.
fn moved_cursor() -> Op {
    step(Reg::DST, 0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_set_register_is_worth_its_expression_and_no_other_register_changes(
        target in target(), to in 1..Reg::ALL, value in expressions(), registers in contents()
    ) {
        let (to, word) = (Reg(to), target.mode().word());
        let too_far = matches!(value, Expr::ShiftLeft(_, bits) | Expr::ShiftRight(_, bits) if u32::from(bits) >= word.bits());
        let code = emit(target, vec![moved_cursor(), Op::Set { to, value }, Op::Return]);
        prop_assert_eq!(code.is_err(), too_far);
        if let Ok(code) = code {
            let before = entered(registers, target);
            let of = |reg| before[usize::from(number(reg))];
            let mut expected = before;
            let value_in_word = match value {
                Expr::Select { cond, yes, no } => of(if holds(cond, &of, word.cut(u64::MAX)) { yes } else { no }),
                _ => worth(value, &of),
            };
            expected[usize::from(number(to))] = word.cut(value_in_word);
            let (after, _) = run(&program(target, &code), before);
            prop_assert_eq!(visible(&after), visible(&expected), "{} = {}\n{}", to, value, text(target, &code));
        }
    }

    #[test]
    fn a_condition_chooses_the_body_it_should(
        target in target(), cond in conditions(), registers in contents(), empty in any::<bool>()
    ) {
        let mark = Reg::SPARE[3];
        let then = if empty { vec![] } else { vec![constant(mark, 1)] };
        let code = emitted(target, vec![moved_cursor(), constant(Reg::N, 3), when(cond, then, vec![constant(mark, 2)]), Op::Return]);
        let mut before = entered(registers, target);
        before[usize::from(number(Reg::N))] = 3;
        let of = |reg| before[usize::from(number(reg))];
        let taken = holds(cond, &of, target.mode().word().cut(u64::MAX));
        let mut expected = before;
        match (taken, empty) {
            (true, true) => {}
            (true, false) => expected[usize::from(number(mark))] = 1,
            (false, _) => expected[usize::from(number(mark))] = 2,
        }
        let (after, _) = run(&program(target, &code), before);
        prop_assert_eq!(visible(&after), visible(&expected), "{}\n{}", cond, text(target, &code));
    }
}

#[test]
fn common_expressions_are_as_short_as_they_can_be() {
    let lines = |target: Power, value| {
        let code = emitted(target, vec![Op::Set { to: Reg::SPARE[0], value }, Op::Return]);
        let lines: Vec<String> = target.listing(&code).into_iter().map(|line| line.text).collect();
        lines[..lines.len() - 1].to_vec()
    };
    let [p405, e500mc, p970, power7, _] = targets();
    let both =
        |value, expected: &[&str]| [p405, p970].iter().for_each(|&target| assert_eq!(lines(target, value), expected));
    both(Expr::Const(-0x8000), &["li r8,-32768"]);
    both(Expr::Const(0x8000), &["lis r8,0", "ori r8,r8,32768"]);
    both(Expr::Const(0x1234_0000), &["lis r8,4660"]);
    both(Expr::Sum(Addr::at(Reg::N, 4)), &["addi r8,r5,4"]);
    both(Expr::Sum(Addr::indexed(Reg::SRC, Reg::N, -16)), &["add r8,r4,r5", "addi r8,r8,-16"]);
    both(Expr::And(Reg::N, 15), &["clrlwi r8,r5,28"]);
    assert_eq!(lines(p405, Expr::And(Reg::N, -16)), ["clrrwi r8,r5,4"]);
    assert_eq!(lines(p970, Expr::And(Reg::N, -16)), ["clrrdi r8,r5,4"]);
    assert_eq!(lines(p405, Expr::ShiftRight(Reg::N, 3)), ["srwi r8,r5,3"]);
    assert_eq!(lines(p970, Expr::ShiftRight(Reg::N, 3)), ["srdi r8,r5,3"]);
    let select = Expr::Select { cond: Cond::imm(Reg::N, Relation::AboveOrEqual, 8), yes: Reg::SRC, no: Reg::COUNT };
    assert_eq!(lines(e500mc, select), ["cmplwi r5,8", "isellt r8,r7,r4"]);
    assert_eq!(lines(power7, select), ["cmpldi r5,8", "isellt r8,r7,r4"]);
    both(select, &["li r0,8", "subfc r0,r0,r5", "subfe r0,r0,r0", "subf r12,r4,r7", "and r12,r12,r0", "add r8,r4,r12"]);
}
