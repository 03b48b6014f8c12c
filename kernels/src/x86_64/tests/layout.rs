//! Jumps as short as they can be, aligned loop heads, slots of switches.

use super::machine::run;
use super::{constant, emitted, number, program, step, text, when};
use crate::code::{Code, Target};
use crate::plan::{Cond, Op, Reg, Relation};
use crate::x86_64::X86_64;

/// The marker register of these tests.
const MARK: Reg = Reg::SPARE[0];

/// Exactly so many bytes of code that change no register but the source cursor; 1, 2 and 5 are not possible.
fn filler(bytes: usize) -> Vec<Op> {
    let fences = (0..4)
        .find(|fences| bytes >= 3 * fences && (bytes - 3 * fences).is_multiple_of(4))
        .expect("a sum of 3s and 4s");
    let steps = std::iter::repeat_n(step(Reg::SRC, 1), (bytes - 3 * fences) / 4);
    std::iter::repeat_n(Op::Fence, fences).chain(steps).collect()
}

fn jump_lengths(code: &Code) -> Vec<usize> {
    let lines = X86_64.listing(code).into_iter().filter(|line| line.text.starts_with('j'));
    lines.map(|line| line.bytes.len()).collect()
}

fn n_is(value: i32) -> Cond {
    Cond::imm(Reg::N, Relation::Equal, value)
}

fn mark_after(code: &Code, n: u64) -> u64 {
    let mut registers = [0; 16];
    registers[usize::from(number(Reg::N))] = n;
    run(&program(code), registers)[usize::from(number(MARK))]
}

#[test]
fn a_forward_jump_is_short_up_to_127_bytes() {
    for size in 100..=140 {
        let then = [filler(size - 1), vec![Op::Return]].concat();
        let code = emitted(vec![constant(MARK, 1), when(n_is(5), then, vec![]), constant(MARK, 2), Op::Return]);
        assert_eq!(jump_lengths(&code), [if size <= 127 { 2 } else { 6 }], "{size}\n{}", text(&code));
        assert_eq!((mark_after(&code, 5), mark_after(&code, 6)), (1, 2), "{size}");
    }
}

#[test]
fn a_backward_jump_is_short_up_to_128_bytes_with_itself() {
    for size in 100..=140 {
        let body = [filler(size - 8), vec![step(MARK, 1), step(Reg::N, -1)]].concat();
        let turn = Op::Turn { body, again: Cond::imm(Reg::N, Relation::NotEqual, 0), align: 1 };
        let code = emitted(vec![constant(MARK, 0), turn, Op::Return]);
        assert_eq!(jump_lengths(&code), [if size + 2 <= 128 { 2 } else { 6 }], "{size}\n{}", text(&code));
        assert_eq!(mark_after(&code, 3), 3, "{size}");
    }
}

#[test]
fn a_jump_over_the_other_body_is_short_up_to_127_bytes() {
    for size in 100..=140 {
        let choice = when(n_is(5), vec![constant(MARK, 1)], [filler(size - 6), vec![constant(MARK, 2)]].concat());
        let code = emitted(vec![choice, Op::Return]);
        assert_eq!(jump_lengths(&code), [2, if size <= 127 { 2 } else { 5 }], "{size}\n{}", text(&code));
        assert_eq!((mark_after(&code, 5), mark_after(&code, 6)), (1, 2), "{size}");
    }
}

#[test]
fn a_jump_that_grows_pushes_the_jump_around_it_over_its_reach() {
    // The outer body is 127 bytes while the inner jump is short, and 131 when it is not.
    for inner in [119, 120, 121, 122, 123, 124, 130] {
        let body = |size: usize| [filler(size - 1), vec![Op::Return]].concat();
        let nested = vec![when(n_is(1), body(inner), vec![]), constant(MARK, 7), Op::Return];
        let code = emitted(vec![constant(MARK, 1), when(n_is(2), vec![constant(MARK, 3), Op::Return], nested)]);
        assert_eq!([1, 2, 3].map(|n| mark_after(&code, n)), [1, 3, 7], "{inner}");
        let far = vec![when(Cond::imm(Reg::N, Relation::Above, 1), body(inner), vec![]), Op::Return];
        let code = emitted(vec![when(Cond::imm(Reg::N, Relation::Above, 0), far, vec![]), Op::Return]);
        // Compare (4) and jump, the inner body, a return.
        let inner_jump = if inner <= 127 { 2 } else { 6 };
        let outer = 4 + inner_jump + inner + 1;
        assert_eq!(jump_lengths(&code), [if outer <= 127 { 2 } else { 6 }, inner_jump], "{inner}");
    }
}

#[test]
fn loop_heads_stand_where_they_are_asked_to() {
    for align in [1u8, 2, 4, 8, 16, 32, 64] {
        for before in [0, 3, 4, 6, 7, 8, 9, 21, 40, 58, 63, 64] {
            let again = Cond::imm(Reg::N, Relation::NotEqual, 0);
            let turn = Op::Turn { body: vec![step(MARK, 1), step(Reg::N, -1)], again, align };
            let code = emitted([filler(before), vec![constant(MARK, 0), turn, Op::Return]].concat());
            let head = X86_64.listing(&code).into_iter().find(|line| line.text == "add r8, 1").expect("the loop");
            assert_eq!(head.offset % usize::from(align), 0, "{}", text(&code));
            assert!(code.align.is_multiple_of(usize::from(align)));
            assert!(head.offset - (before + 6) < usize::from(align));
            let padding = before + 6..head.offset;
            let nops = X86_64.listing(&code).into_iter().filter(|line| padding.contains(&line.offset)).count();
            assert_eq!(nops, (head.offset - (before + 6)).div_ceil(9), "{}", text(&code));
            assert_eq!(mark_after(&code, 4), 4);
        }
    }
}

#[test]
fn what_a_compare_jumps_to_stands_where_it_is_asked_to_and_nobody_falls_through_the_padding() {
    for align in [1u8, 16, 32, 64] {
        for before in [0, 3, 14, 30, 63, 100] {
            let then = [filler(before), vec![constant(MARK, 1), Op::Return]].concat();
            let otherwise = vec![constant(MARK, 2), Op::Return];
            let code = emitted(vec![Op::If { cond: n_is(9), then, otherwise, align }]);
            let lines = X86_64.listing(&code);
            let returned = lines.iter().position(|line| line.text == "ret").expect("the first return") + 1;
            let padding = lines[returned..].iter().take_while(|line| !line.text.starts_with("mov ")).count();
            assert_eq!(lines[returned + padding].offset % usize::from(align), 0, "{}", text(&code));
            assert!(align > 1 || padding == 0);
            assert_eq!((mark_after(&code, 9), mark_after(&code, 8)), (1, 2));
        }
    }
}

#[test]
fn a_switch_takes_the_arm_it_is_told() {
    for longest in [4, 7, 8, 9, 16, 17, 60, 64, 65, 200] {
        for count in [1usize, 2, 3, 7] {
            for before in [0, 3, 13, 30] {
                let arm = |number: usize| {
                    let size = if number + 1 == count { longest } else { 3 + number };
                    // Arms of different lengths, the last the longest.
                    let fill = if size > 13 { filler(size - 7) } else { vec![] };
                    [vec![constant(MARK, 10 + number as i32)], fill, vec![Op::Return]].concat()
                };
                let switch = Op::Switch { on: Reg::N, arms: (0..count).map(arm).collect() };
                let code = emitted([filler(before), vec![switch]].concat());
                let [slots] = code.switches[..] else { panic!("{:?}", code.switches) };
                assert!(slots.stride.is_power_of_two() && slots.count == count);
                assert!(slots.start.is_multiple_of(slots.stride.min(64)), "{slots:?}");
                assert!(longest <= 13 || slots.stride < 2 * longest.max(5), "{slots:?} for {longest}");
                for number in 0..count {
                    assert_eq!(mark_after(&code, number as u64), 10 + number as u64, "{}", text(&code));
                }
            }
        }
    }
}

#[test]
fn switches_with_loops_and_far_jumps_in_their_arms_settle() {
    let arm = |size: usize| {
        let again = Cond::imm(Reg::SPARE[1], Relation::NotEqual, 0);
        let turn = Op::Turn { body: vec![step(MARK, 1), step(Reg::SPARE[1], -1)], again, align: 32 };
        let set = vec![constant(MARK, 0), constant(Reg::SPARE[1], size as i32)];
        [set, vec![when(n_is(77), [filler(size), vec![Op::Return]].concat(), vec![turn, Op::Return])]].concat()
    };
    let switch = |on| Op::Switch { on, arms: [8, 130, 40, 250].map(arm).to_vec() };
    let choice = when(Cond::imm(Reg::SPARE[2], Relation::Equal, 0), vec![switch(Reg::N)], vec![switch(Reg::N)]);
    let code = emitted(vec![choice]);
    assert_eq!(code.switches.len(), 2);
    assert!(code.switches[0].start < code.switches[1].start);
    for (arm, size) in [8, 130, 40, 250].into_iter().enumerate() {
        for which in [0, 1] {
            let mut registers = [0; 16];
            registers[usize::from(number(Reg::N))] = arm as u64;
            registers[usize::from(number(Reg::SPARE[2]))] = which;
            assert_eq!(run(&program(&code), registers)[usize::from(number(MARK))], size);
        }
    }
}

#[test]
fn a_listing_has_every_byte_once_and_in_order() {
    let switch = Op::Switch { on: Reg::N, arms: vec![vec![Op::Return], vec![constant(MARK, 1), Op::Return]] };
    let mut code = emitted(vec![when(n_is(9), vec![Op::Return], vec![switch])]);
    let joined = |code: &Code| X86_64.listing(code).into_iter().flat_map(|line| line.bytes).collect::<Vec<u8>>();
    assert_eq!(joined(&code), code.bytes);
    // An invalid byte and an instruction cut short are lines too.
    code.bytes.extend([0x06, 0xc3, 0x48, 0x8b]);
    assert_eq!(joined(&code), code.bytes);
    assert!(X86_64.listing(&code).windows(2).all(|pair| pair[0].offset + pair[0].bytes.len() == pair[1].offset));
}
