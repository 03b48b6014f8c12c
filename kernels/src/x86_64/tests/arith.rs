//! Expressions and conditions, against their definitions in the plan.

use super::machine::{STACK, run};
use super::{NUMBERS, constant, emit, emitted, mnemonics, number, program, step, text, when};
use crate::code::Code;
use crate::plan::drawn::{RELATIONS, conditions, contents, expressions, holds, worth};
use crate::plan::{Addr, Cond, Expr, Op, Operand, Reg, Relation};
use proptest::prelude::*;

/// Around every change of form.
const EDGES: [i32; 15] =
    [0, 1, -1, 127, 128, 129, -127, -128, -129, 255, 256, 0x7fff_ffff, i32::MIN, i32::MIN + 1, -256];

/// The registers as the plan finds them: the entry has copied the destination into the result.
fn entered(mut registers: [u64; 16]) -> [u64; 16] {
    registers[usize::from(number(Reg::RETURN))] = registers[usize::from(number(Reg::DST))];
    registers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_set_register_is_worth_its_expression_and_no_other_register_changes(
        to in 1..Reg::ALL, value in expressions(&EDGES), registers in contents::<16>(&EDGES)
    ) {
        let to = Reg(to);
        let refused = matches!(value, Expr::Difference(left, Operand::Reg(right)) if right == to && left != to);
        let code = emit(vec![Op::Set { to, value }, Op::Return]);
        prop_assert_eq!(code.is_err(), refused);
        if let Ok(code) = code {
            let before = entered(registers);
            let mut expected = before;
            expected[usize::from(number(to))] = worth(value, &|reg| before[usize::from(number(reg))], STACK);
            prop_assert_eq!(run(&program(&code), registers), expected, "{} = {}\n{}", to, value, text(&code));
        }
    }

    #[test]
    fn a_condition_chooses_the_body_it_should(cond in conditions(&EDGES), registers in contents::<16>(&EDGES), empty in any::<bool>()) {
        let mark = Reg::SPARE[3];
        let then = if empty { vec![] } else { vec![constant(mark, 1)] };
        let code = emitted(vec![constant(Reg::N, 3), when(cond, then, vec![constant(mark, 2)]), Op::Return]);
        let mut before = entered(registers);
        before[usize::from(number(Reg::N))] = 3;
        let mut expected = before;
        if !holds(cond, &|reg| before[usize::from(number(reg))], u64::MAX) {
            expected[usize::from(number(mark))] = 2;
        } else if !empty {
            expected[usize::from(number(mark))] = 1;
        }
        prop_assert_eq!(run(&program(&code), registers), expected, "{}\n{}", cond, text(&code));
    }
}

#[test]
fn comparisons_turn_exactly_at_their_constant() {
    for bound in [0, 1, 127, 128, 129, 255, 256, i32::MAX, -1, -127, -128, -129, i32::MIN] {
        for relation in RELATIONS {
            let cond = Cond::imm(Reg::SRC, relation, bound);
            let then = vec![constant(Reg::N, 1), Op::Return];
            let program = program(&emitted(vec![when(cond, then, vec![constant(Reg::N, 2), Op::Return])]));
            for off in [-1, 0, 1] {
                let left = i64::from(bound).wrapping_add(off) as u64;
                let mut registers = [0; 16];
                registers[6] = left;
                let expected = if relation.holds(left, i64::from(bound) as u64) { 1 } else { 2 };
                assert_eq!(run(&program, registers)[2], expected, "{left:#x} {relation:?} {bound}");
            }
        }
    }
}

#[test]
fn clearing_a_register_is_known_to_set_the_flags() {
    // cmp rdi, rsi; xor ecx, ecx; je to the return; mov edx, 1; ret
    let bytes = vec![0x48, 0x39, 0xf7, 0x31, 0xc9, 0x74, 0x05, 0xba, 1, 0, 0, 0, 0xc3];
    let program = program(&Code { bytes, align: 1, switches: vec![] });
    let mut registers = [0; 16];
    registers[7] = 1;
    assert_eq!(run(&program, registers)[2], 0);
}

#[test]
fn a_loop_that_ends_in_its_own_count_needs_no_comparison() {
    for value in [
        Expr::Sum(Addr::at(Reg::N, -1)),
        Expr::Difference(Reg::N, Operand::Imm(1)),
        Expr::Sum(Addr::at(Reg::N, 128)),
        Expr::Difference(Reg::N, Operand::Imm(128)),
    ] {
        let body = vec![step(Reg::SRC, 5), Op::Set { to: Reg::N, value }];
        let again = Cond::imm(Reg::N, Relation::NotEqual, 0);
        let code = emitted(vec![Op::Turn { body, again, align: 1 }, Op::Return]);
        assert!(!mnemonics(&code).iter().any(|name| name == "cmp" || name == "test"), "{}", text(&code));
        let by = worth(value, &|_| 0, STACK);
        let mut registers = [0; 16];
        registers[2] = by.wrapping_mul(7).wrapping_neg();
        assert_eq!(run(&program(&code), registers)[6], 7 * 5, "{}", text(&code));
    }
}

#[test]
fn a_loop_whose_last_operation_says_nothing_about_its_condition_compares() {
    let again = Cond::imm(Reg::N, Relation::NotEqual, 0);
    for last in [
        step(Reg::N, 0),
        step(Reg::SRC, 4),
        constant(Reg::SRC, 0),
        Op::Set { to: Reg::N, value: Expr::Negated(Reg::N) },
    ] {
        let body = vec![step(Reg::N, -1), last];
        let code = emitted(vec![Op::Turn { body, again, align: 1 }, Op::Return]);
        assert!(mnemonics(&code).iter().any(|name| name == "test"), "{}", text(&code));
    }
    let body = vec![step(Reg::N, -1)];
    let above = Cond::imm(Reg::N, Relation::Above, 0);
    let code = emitted(vec![Op::Turn { body, again: above, align: 1 }, Op::Return]);
    assert!(mnemonics(&code).iter().any(|name| name == "cmp"), "{}", text(&code));
}

#[test]
fn each_form_is_the_shortest_there_is() {
    let length = |op: Op| emitted(vec![op, Op::Return]).bytes.len() - 4;
    let set = |to, value| Op::Set { to, value };
    assert_eq!(length(constant(Reg::COUNT, 0)), 2);
    assert_eq!(length(constant(Reg::COUNT, 1)), 5);
    assert_eq!(length(constant(Reg::COUNT, -1)), 7);
    assert_eq!(length(step(Reg::DST, 0)), 0);
    assert_eq!(length(step(Reg::DST, 127)), 4);
    assert_eq!(length(step(Reg::DST, 128)), 4);
    assert_eq!(length(step(Reg::DST, 129)), 7);
    assert_eq!(length(set(Reg::DST, Expr::Sum(Addr::indexed(Reg::DST, Reg::N, 0)))), 3);
    assert_eq!(length(set(Reg::COUNT, Expr::Sum(Addr::indexed(Reg::DST, Reg::N, -1)))), 5);
    assert_eq!(length(set(Reg::COUNT, Expr::And(Reg::COUNT, 31))), 3);
    assert_eq!(length(set(Reg::COUNT, Expr::And(Reg::COUNT, -32))), 4);
    let condition = |cond| emitted(vec![when(cond, vec![Op::Return], vec![]), Op::Return]).bytes.len() - 3 - 2 - 2;
    assert_eq!(condition(Cond::imm(Reg::N, Relation::Below, 128)), 4);
    assert_eq!(condition(Cond::imm(Reg::N, Relation::AboveOrEqual, 128)), 4);
    assert_eq!(condition(Cond::imm(Reg::N, Relation::Above, 128)), 7);
    assert_eq!(condition(Cond::imm(Reg::N, Relation::Equal, 0)), 3);
    assert_eq!(condition(Cond::AnyBit { reg: Reg::N, mask: 31 }), 3);
    assert_eq!(condition(Cond::AnyBit { reg: Reg::N, mask: 256 }), 6);
    assert_eq!(condition(Cond::AnyBit { reg: Reg::N, mask: -256 }), 7);
}

#[test]
fn register_numbers_are_those_of_the_program() {
    let program = program(&emitted(vec![Op::Return]));
    let numbers = [program.result, program.dst, program.src, program.n];
    assert_eq!(numbers, NUMBERS[..4]);
    assert!(NUMBERS.iter().all(|number| !program.preserved.contains(number)));
    assert_eq!(program.preserved.len(), 16 - NUMBERS.len());
}
