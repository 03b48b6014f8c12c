//! Expressions and conditions, against their definitions in the plan.

use super::machine::{Registers, STACK, run};
use super::*;
use crate::plan::Relation;
use crate::plan::drawn::{conditions, contents, expressions, holds, worth};
use proptest::prelude::*;

/// Around every change of form: signs of both halves, one half alone, runs of ones.
const EDGES: [i32; 38] = [
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
        target in target(), to in 1..Reg::ALL, value in expressions(&EDGES), registers in contents::<64>(&EDGES)
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
                _ => worth(value, &of, STACK),
            };
            expected[usize::from(number(to))] = word.cut(value_in_word);
            let (after, _) = run(&program(target, &code), before);
            prop_assert_eq!(visible(&after), visible(&expected), "{} = {}\n{}", to, value, text(target, &code));
        }
    }

    #[test]
    fn a_condition_chooses_the_body_it_should(
        target in target(), cond in conditions(&EDGES), registers in contents::<64>(&EDGES), empty in any::<bool>()
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
