//! Branches that reach, loops that count, slots of switches, frames.

use super::machine::{Registers, run};
use super::*;
use crate::plan::Relation;

/// The marker register of these tests.
const MARK: Reg = Reg::SPARE[0];

/// So many instructions that change no register but the source cursor.
fn filler(instructions: usize) -> Vec<Op> {
    vec![step(Reg::SRC, 1); instructions]
}

fn n_is(value: i32) -> Cond {
    Cond::imm(Reg::N, Relation::Equal, value)
}

fn mark_after(target: Power, code: &Code, n: u64) -> u64 {
    let mut registers: Registers = [0; 64];
    registers[usize::from(number(Reg::N))] = n;
    run(&program(target, code), registers).0[usize::from(number(MARK))]
}

#[test]
fn a_forward_branch_reaches_32764_bytes_and_goes_round_a_longer_one_beyond() {
    for target in targets() {
        // The branch, the body with its return, then the target.
        for (body, branches) in [(8189, 0), (8190, 0), (8191, 1), (8192, 1)] {
            let then = [filler(body - 1), vec![Op::Return]].concat();
            let code =
                emitted(target, vec![constant(MARK, 1), when(n_is(5), then, vec![]), constant(MARK, 2), Op::Return]);
            assert_eq!(count(target, &code, "b"), branches, "{body}");
            assert_eq!((mark_after(target, &code, 5), mark_after(target, &code, 6)), (1, 2), "{body}");
        }
    }
}

#[test]
fn a_backward_branch_reaches_32768_bytes() {
    let target = targets()[0];
    // A body of two instructions more than the filler, a compare, and the branch.
    for (fill, branches) in [(8188, 0), (8189, 0), (8190, 1), (8191, 1)] {
        let body = [filler(fill), vec![step(MARK, 1), step(Reg::N, -1)]].concat();
        let turn = Op::Turn { body, again: Cond::imm(Reg::N, Relation::Above, 1), align: 1 };
        let code = emitted(target, vec![constant(MARK, 0), turn, Op::Return]);
        assert_eq!(count(target, &code, "b"), branches, "{fill}");
        assert_eq!(mark_after(target, &code, 3), 2, "{fill}");
    }
}

#[test]
fn a_branch_that_grows_pushes_the_branch_around_it_over_its_reach() {
    let target = targets()[2];
    for inner in 8183..8193 {
        let body = |size: usize| [filler(size - 1), vec![Op::Return]].concat();
        let nested = vec![when(n_is(1), body(inner), vec![]), constant(MARK, 7), Op::Return];
        let code = emitted(target, vec![constant(MARK, 1), when(n_is(2), vec![constant(MARK, 3), Op::Return], nested)]);
        assert_eq!([1, 2, 3].map(|n| mark_after(target, &code, n)), [1, 3, 7], "{inner}");
        let far = vec![when(Cond::imm(Reg::N, Relation::Above, 1), body(inner), vec![]), Op::Return];
        let code = emitted(target, vec![when(Cond::imm(Reg::N, Relation::Above, 0), far, vec![]), Op::Return]);
        // A compare and a branch, the inner body, a return.
        let outer = inner + 3 + usize::from(inner > 8190);
        let expected = usize::from(inner > 8190) + usize::from(outer > 8190);
        assert_eq!(count(target, &code, "b"), expected, "{inner}");
    }
}

#[test]
fn a_loop_that_only_counts_uses_the_counter() {
    for target in targets() {
        let turn = |body, again| Op::Turn { body, again, align: 1 };
        let nonzero = Cond::imm(Reg::N, Relation::NotEqual, 0);
        let counts = |op: Op| {
            let code = emitted(target, vec![constant(MARK, 0), op, Op::Return]);
            let mut registers: Registers = [0; 64];
            registers[usize::from(number(Reg::N))] = 5;
            let (after, _) = run(&program(target, &code), registers);
            let left = after[usize::from(number(Reg::N))];
            (count(target, &code, "bdnz"), after[usize::from(number(MARK))], left)
        };
        assert_eq!(counts(turn(vec![step(MARK, 1), step(Reg::N, -1)], nonzero)), (1, 5, 0));
        // Where the count is looked at inside, a register counts.
        let looked_at = Op::Set { to: MARK, value: Expr::Sum(Addr::indexed(MARK, Reg::N, 0)) };
        assert_eq!(counts(turn(vec![looked_at, step(Reg::N, -1)], nonzero)), (0, 15, 0));
        assert_eq!(counts(turn(vec![step(MARK, 1), step(Reg::N, -5)], nonzero)), (0, 1, 0));
        let above = Cond::imm(Reg::N, Relation::Above, 2);
        assert_eq!(counts(turn(vec![step(MARK, 1), step(Reg::N, -1)], above)), (0, 3, 2));
        // A loop inside has the counter.
        let inner = [
            constant(Reg::COUNT, 2),
            turn(vec![step(MARK, 1), step(Reg::COUNT, -1)], Cond::imm(Reg::COUNT, Relation::NotEqual, 0)),
        ];
        assert_eq!(counts(turn([inner.to_vec(), vec![step(Reg::N, -1)]].concat(), nonzero)), (1, 10, 0));
    }
}

#[test]
fn a_sum_of_zero_is_seen_by_the_sum_itself() {
    let target = targets()[0];
    let body = vec![Op::Set { to: MARK, value: Expr::Sum(Addr::at(Reg::N, 0)) }, step(Reg::N, -2)];
    let turn = Op::Turn { body, again: Cond::imm(Reg::N, Relation::NotEqual, 0), align: 1 };
    let code = emitted(target, vec![turn, Op::Return]);
    assert_eq!((count(target, &code, "addic."), count(target, &code, "cmplwi")), (1, 0), "{}", text(target, &code));
    assert_eq!(mark_after(target, &code, 6), 2);
}

#[test]
fn loop_heads_stand_where_they_are_asked_to() {
    let target = targets()[3];
    for align in [1u8, 2, 4, 8, 16, 32, 64] {
        for before in [0, 1, 2, 3, 6, 7, 14, 15] {
            let turn = Op::Turn {
                body: vec![step(MARK, 1), step(Reg::N, -1)],
                again: Cond::imm(Reg::N, Relation::Above, 1),
                align,
            };
            let code = emitted(target, [filler(before), vec![constant(MARK, 0), turn, Op::Return]].concat());
            let head = target.listing(&code).into_iter().find(|line| line.text == "addi r8,r8,1").expect("the loop");
            assert!(head.offset.is_multiple_of(usize::from(align)), "{}", text(target, &code));
            assert!(code.align.is_multiple_of(usize::from(align)));
            assert_eq!(count(target, &code, "nop"), (head.offset - 4 * (before + 1)) / 4);
            assert_eq!(mark_after(target, &code, 4), 3);
        }
    }
}

#[test]
fn a_switch_takes_the_arm_it_is_told() {
    for target in targets() {
        for longest in [2, 3, 4, 5, 16, 17, 40] {
            for arms in [1usize, 2, 3, 7] {
                for before in [0, 1, 5] {
                    let arm = |number: usize| {
                        let fill = if number + 1 == arms { filler(longest - 2) } else { vec![] };
                        [vec![constant(MARK, 10 + number as i32)], fill, vec![Op::Return]].concat()
                    };
                    let switch = Op::Switch { on: Reg::N, arms: (0..arms).map(arm).collect() };
                    let code = emitted(target, [filler(before), vec![switch]].concat());
                    let [slots] = code.switches[..] else { panic!("{:?}", code.switches) };
                    assert!(slots.stride.is_power_of_two() && slots.count == arms);
                    assert!(slots.start.is_multiple_of(slots.stride.min(64)), "{slots:?}");
                    for number in 0..arms {
                        assert_eq!(
                            mark_after(target, &code, number as u64),
                            10 + number as u64,
                            "{}",
                            text(target, &code)
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn only_a_routine_that_wants_scratch_and_has_no_red_zone_makes_a_frame() {
    let scratch = vec![Op::Set { to: MARK, value: Expr::Scratch(5) }, Op::Return];
    for target in targets() {
        let code = emitted(target, vec![when(n_is(3), vec![Op::Return], vec![]), constant(MARK, 1), Op::Return]);
        assert_eq!(count(target, &code, "stwu"), 0);
        let code = emitted(target, vec![when(n_is(3), vec![Op::Return], scratch.clone())]);
        let (made, taken_away) = (count(target, &code, "stwu"), count(target, &code, "addi"));
        assert_eq!(
            (made, taken_away),
            if target.mode() == Mode::Ppc32 { (1, 3) } else { (0, 1) },
            "{}",
            text(target, &code)
        );
        assert_eq!(mark_after(target, &code, 4), machine::STACK - 123);
    }
}

#[test]
fn the_destination_stays_where_it_was_passed_unless_it_is_moved() {
    let target = targets()[0];
    assert_eq!(emitted(target, vec![Op::Return]).bytes.len(), 4);
    let code = emitted(target, vec![step(Reg::DST, 4), Op::Return]);
    assert_eq!(text(target, &code), "   0 mr r6,r3\n   4 addi r6,r6,4\n   8 blr\n");
}

#[test]
fn a_listing_has_every_byte_once_and_in_order() {
    for target in targets() {
        let mut code = emitted(target, vec![when(n_is(9), vec![Op::Return], vec![constant(MARK, 1), Op::Return])]);
        // A word that is no instruction, and one cut short.
        code.bytes.extend([0, 0, 0, 0, 0x4e, 0x80]);
        let lines = target.listing(&code);
        let joined: Vec<u8> = lines.iter().flat_map(|line| line.bytes.clone()).collect();
        assert_eq!(joined, code.bytes);
        let texts: Vec<&str> = lines.iter().rev().take(2).map(|line| line.text.as_str()).collect();
        assert_eq!(texts, [".byte 0x4e,0x80", ".byte 0x00,0x00,0x00,0x00"]);
    }
}

/// The loop of history's 32-bit PowerPC copies: per 16 bytes three plain loads and one that moves its pointer on, then as many stores, and the
/// counter decides.
#[test]
fn the_last_access_of_a_group_moves_its_pointer_on_and_the_counter_decides() {
    let recipe = "copy 0.. loop width=4 unroll=8 order=group:4 form=update tail=bytes";
    let plan = recipe.parse::<crate::Routine>().expect("a recipe").plan();
    let target = targets()[0];
    let code = target.emit(&plan).expect("words");
    let lines: Vec<String> = target.listing(&code).into_iter().map(|line| line.text).collect();
    let first = lines.iter().position(|line| line.starts_with("lwz ")).expect("a load");
    let group = [
        "lwz r11,4(r4)",
        "lwz r10,8(r4)",
        "lwz r9,12(r4)",
        "lwzu r8,16(r4)",
        "stw r11,4(r6)",
        "stw r10,8(r6)",
        "stw r9,12(r6)",
        "stwu r8,16(r6)",
    ];
    assert_eq!(lines[first..first + 16], [group, group].concat());
    assert!(lines[first + 16].starts_with("bdnz "), "{}", lines[first + 16]);
}

#[test]
fn a_ladder_of_kept_bits_tests_nothing_until_the_register_is_set() {
    let recipe = "copy 0.. loop width=4 unroll=4 tail=bits".parse::<crate::Routine>().expect("a recipe");
    for target in targets() {
        let code = target.emit(&recipe.plan()).expect("words");
        let lines: Vec<String> = target.listing(&code).into_iter().map(|line| line.text).collect();
        let moves = lines.iter().position(|line| line.starts_with("mtcrf") || line.starts_with("mtocrf"));
        let after = &lines[moves.expect("a move to condition fields")..];
        let branches: Vec<&str> = after.iter().filter_map(|line| line.strip_prefix('b')?.split(',').next()).collect();
        // Eight, four, two and one byte are left over; bits 28 to 31 of the condition register say so.
        assert_eq!(branches[..4], ["ge cr7", "le cr7", "ne cr7", "ns cr7"], "{target:?} {lines:#?}");
        assert!(!after.iter().any(|line| line.starts_with("andi.") || line.starts_with("cmp")), "{lines:#?}");
    }
    // Set again, and in a loop, a bit is tested where it is.
    let keep = Op::KeepBits { reg: Reg::N, mask: 1 };
    let odd = |body| when(Cond::AnyBit { reg: Reg::N, mask: 1 }, body, vec![]);
    let tests = |ops: Vec<Op>| count(targets()[0], &emitted(targets()[0], ops), "andi.");
    let set = || step(Reg::SRC, 1);
    assert_eq!(tests(vec![keep.clone(), odd(vec![set()]), odd(vec![set()]), Op::Return]), 0);
    assert_eq!(tests(vec![keep.clone(), step(Reg::N, 1), odd(vec![set()]), Op::Return]), 1);
    assert_eq!(tests(vec![keep.clone(), odd(vec![step(Reg::N, 1)]), odd(vec![set()]), Op::Return]), 1);
    assert_eq!(tests(vec![odd(vec![keep]), odd(vec![set()]), Op::Return]), 2);
}

/// What history's copy to user space does a line: a prefetch four lines on while that is inside, a block zeroed, two groups.
#[test]
fn a_line_of_the_32_bit_kernel_copy_is_a_prefetch_a_zeroed_block_and_two_groups() {
    let recipe = "copy 32.. loop width=4 unroll=8 order=group:4 prefetch=t0:src:128:clamp line=32 align=dst:32:bytes zero=32 form=update tail=ladder";
    let plan = recipe.parse::<crate::Routine>().expect("a recipe").plan();
    let target = Power::new(Mode::Ppc32, Processor::E300c3).expect("it has that mode");
    let code = target.emit(&plan).expect("blocks of 32 bytes");
    let lines: Vec<String> = target.listing(&code).into_iter().map(|line| line.text).collect();
    // The lines with a prefetch, then those without; a loop of single bytes comes before both.
    let ends = lines.iter().enumerate().filter(|(_, line)| line.starts_with("bdnz ")).map(|(at, _)| at);
    let loops: Vec<&[String]> = ends.map(|end| &lines[..end]).skip(1).collect();
    let counts = |lines: &[String]| {
        let from = lines.iter().rposition(|line| line.starts_with("mtctr")).expect("the counter is set");
        ["dcbt ", "dcbz ", "lwz ", "lwzu ", "stw ", "stwu "]
            .map(|mnemonic| lines[from..].iter().filter(|line| line.starts_with(mnemonic)).count())
    };
    assert_eq!(loops.iter().map(|lines| counts(lines)).collect::<Vec<_>>(), [[1, 1, 6, 2, 6, 2], [0, 1, 6, 2, 6, 2]]);
}
