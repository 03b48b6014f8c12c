//! What is refused: plans with no register left, plans x86-64 cannot express, and bytes nobody emitted.

use super::{constant, emit, emitted, number, program, step, when};
use crate::code::{Code, Slots, Target};
use crate::plan::{Addr, Cond, Direction, Expr, Hint, Mask, Op, Operand, Reg, Relation, Val, Width};
use crate::proof::{MaskSource, Step};
use crate::x86_64::X86_64;
use proptest::prelude::*;

const N_IS_0: Cond = Cond::imm(Reg::N, Relation::Equal, 0);

fn load(val: u8, width: Width) -> Op {
    Op::Load { val: Val(val), width, from: Addr::at(Reg::SRC, 0) }
}

fn raw(bytes: &[u8]) -> Code {
    Code { bytes: bytes.to_vec(), align: 64, switches: Vec::new() }
}

#[test]
fn a_value_that_lives_in_a_used_register_is_refused() {
    let last = Reg::SPARE[3];
    let inside = |ops: Vec<Op>| Op::Turn { body: ops, again: N_IS_0, align: 1 };
    let collisions = [
        vec![constant(last, 1), load(0, Width::B8), Op::Return],
        vec![load(0, Width::B1), constant(last, 1), Op::Return],
        vec![Op::Touch { at: Addr::at(last, 0), val: Val(0) }, Op::Return],
        vec![load(4, Width::B8), Op::Repeat { unit: Width::B1, direction: Direction::Forward }, Op::Return],
        vec![load(4, Width::B8), Op::Switch { on: Reg::N, arms: vec![vec![Op::Return]] }],
        vec![constant(last, 1), when(N_IS_0, vec![load(0, Width::B8), Op::Return], vec![]), Op::Return],
        vec![when(N_IS_0, vec![load(0, Width::B8)], vec![]), constant(last, 1), Op::Return],
        vec![when(N_IS_0, vec![load(0, Width::B8)], vec![constant(last, 1)]), Op::Return],
        // Round the loop: the value is loaded after the body that uses its register, and before it.
        vec![inside(vec![when(N_IS_0, vec![constant(last, 1), Op::Return], vec![]), load(0, Width::B8)]), Op::Return],
        vec![Op::Switch {
            on: Reg::N,
            arms: vec![vec![Op::Return], vec![load(0, Width::B2), constant(last, 1), Op::Return]],
        }],
    ];
    for body in collisions {
        let error = emit(body.clone()).expect_err(&format!("{body:?}"));
        assert!(error.0.contains("general-width value"), "{error}");
    }
}

#[test]
fn a_register_used_only_where_the_value_never_comes_is_no_collision() {
    let last = Reg::SPARE[3];
    let integer = vec![constant(last, 1), Op::Return];
    let value = vec![load(0, Width::B8), Op::Return];
    emitted(vec![when(N_IS_0, value.clone(), integer.clone())]);
    emitted([vec![when(N_IS_0, value.clone(), vec![])], integer.clone()].concat());
    emitted(vec![Op::Switch { on: Reg::N, arms: vec![value.clone(), integer.clone()] }]);
    // Vector values have registers of their own.
    emitted([vec![load(0, Width::Sse16), load(0, Width::Mmx8), load(0, Width::Evex64)], integer].concat());
    // All that are left beside the arguments.
    emitted([(0..5).map(|val| load(val, Width::B8)).collect(), vec![Op::Return]].concat());
}

#[test]
fn a_mask_is_made_in_a_register_that_nothing_on_its_path_needs() {
    let mask = Op::SetMask { mask: Mask(0), count: Reg::COUNT, width: Width::Evex32 };
    let temporary = |body: Vec<Op>| {
        let steps = program(&emitted(body)).steps;
        steps.into_iter().find_map(|step| match step {
            Step::SetMask { from: MaskSource::Bits(reg), .. } => Some(reg),
            _ => None,
        })
    };
    let used = |count: usize| Reg::SPARE[4 - count..].iter().map(|&reg| constant(reg, 1)).collect::<Vec<_>>();
    for count in 0..4 {
        let expected = Some(number(Reg::SPARE[3 - count]));
        assert_eq!(temporary([used(count), vec![mask.clone(), Op::Return]].concat()), expected);
        assert_eq!(temporary([vec![mask.clone()], used(count), vec![Op::Return]].concat()), expected);
        let leaf = vec![when(N_IS_0, used(4).into_iter().chain([Op::Return]).collect(), vec![])];
        assert_eq!(temporary([leaf, used(count), vec![mask.clone(), Op::Return]].concat()), expected);
    }
    assert_eq!(temporary(vec![load(0, Width::B8), mask.clone(), Op::Return]), Some(number(Reg::SPARE[2])));
    let error = emit([used(4), vec![mask, Op::Return]].concat()).expect_err("all in use");
    assert!(error.0.contains("make a mask"), "{error}");
}

#[test]
fn what_x86_64_has_not_is_refused_by_name() {
    let at = Addr::at(Reg::DST, 0);
    let set = |to, value| Op::Set { to, value };
    let non_temporal = |width| Op::Store { val: Val(0), width, to: at, hint: Hint::NonTemporal };
    let cases = [
        (non_temporal(Width::B1), "non-temporal store of width 1"),
        (non_temporal(Width::B2), "non-temporal store of width 2"),
        (non_temporal(Width::Sse8), "non-temporal store of width sse8"),
        (load(8, Width::Mmx8), "v8 of width mmx8"),
        (load(16, Width::Sse4), "v16 of width sse4"),
        (load(16, Width::Sse16), "v16 of width sse16"),
        (load(16, Width::Avx32), "v16 of width avx32"),
        (load(16, Width::Evex64), "v16 of width evex64"),
        // The sixth value would be where the length is.
        (load(5, Width::B4), "v5 of width 4; there are 5"),
        (load(255, Width::B1), "v255 of width 1"),
        (Op::SetMask { mask: Mask(7), count: Reg::N, width: Width::Evex16 }, "mask7"),
        (Op::SetMask { mask: Mask(0), count: Reg::N, width: Width::Avx32 }, "partial access of width avx32"),
        (Op::LoadPartial { val: Val(0), width: Width::B8, from: at, mask: Mask(0) }, "partial access of width 8"),
        (Op::Repeat { unit: Width::Sse16, direction: Direction::Forward }, "unit sse16"),
        (Op::Turn { body: vec![], again: N_IS_0, align: 0 }, "aligned to 0"),
        (Op::Turn { body: vec![], again: N_IS_0, align: 128 }, "aligned to 128"),
        (set(Reg::N, Expr::Difference(Reg::SRC, Operand::Reg(Reg::N))), "src - n"),
        (set(Reg::N, Expr::ShiftLeft(Reg::N, 0)), "0 bits"),
        (set(Reg::N, Expr::ShiftRight(Reg::N, 64)), "64 bits"),
        (set(Reg::N, Expr::Scratch(128)), "byte 128"),
        (set(Reg(9), Expr::Const(0)), "r9"),
        (set(Reg::RETURN, Expr::Const(0)), "result register"),
        (Op::Switch { on: Reg::COUNT, arms: vec![vec![Op::Return]] }, "switch on count"),
        (Op::Switch { on: Reg::N, arms: vec![vec![Op::Return], vec![]] }, "every arm"),
        (Op::Switch { on: Reg::N, arms: vec![] }, "every arm"),
    ];
    for (op, part) in cases {
        let error = emit(vec![op.clone(), Op::Return]).expect_err(&format!("{op:?}"));
        assert!(error.0.contains(part), "{op:?}: {error}");
    }
    for body in [vec![], vec![Op::Fence], vec![when(N_IS_0, vec![Op::Return], vec![])]] {
        assert!(emit(body).expect_err("no end").0.contains("has no end"));
    }
}

#[test]
fn the_first_unknown_instruction_is_named_with_its_offset() {
    // Each after `mov rax, rdi`, which is 3 bytes long.
    let unknown: [(&[u8], &str); 26] = [
        (&[0x7c, 0x00], "jl"),
        (&[0x7d, 0x00], "jge"),
        (&[0x7e, 0x00], "jle"),
        (&[0x7f, 0x00], "jg"),
        (&[0x78, 0x00], "js"),
        (&[0x0f, 0x8f, 0, 0, 0, 0], "jg"),
        (&[0x48, 0x0f, 0x4c, 0xc1], "cmovl rax, rcx"),
        (&[0x48, 0xff, 0xc0], "inc rax"),
        (&[0x89, 0xf8], "mov eax, edi"),
        (&[0x83, 0xc0, 0x01], "add eax, 1"),
        (&[0x31, 0xf8], "xor eax, edi"),
        (&[0x48, 0x83, 0xc4, 0x08], "add rsp, 8"),
        (&[0x48, 0x03, 0x06], "add rax, [rsi]"),
        (&[0x88, 0x27], "mov [rdi], ah"),
        (&[0x67, 0x8b, 0x06], "mov eax, [esi]"),
        (&[0x64, 0x48, 0x8b, 0x06], "mov rax, [fs:rsi]"),
        (&[0xf0, 0x48, 0x01, 0x07], "lock add [rdi], rax"),
        (&[0xa4], "movsb"),
        (&[0x67, 0xf3, 0xa4], "rep movsb"),
        (&[0xf3, 0xc3], "rep ret"),
        (&[0xc2, 0x08, 0x00], "ret 8"),
        (&[0x66, 0xe9, 0, 0, 0, 0], "jmp"),
        (&[0x57], "push rdi"),
        (&[0xe8, 0, 0, 0, 0], "call"),
        (&[0x06], "(bad)"),
        (&[0x48, 0xc1, 0xe0, 0x40], "shl rax, 0x40"),
    ];
    for (bytes, name) in unknown {
        let code = raw(&[&[0x48, 0x89, 0xf8], bytes, &[0xc3]].concat());
        let error = X86_64.decode(&code).expect_err(name);
        assert_eq!(error.offset, 3, "{name}: {error}");
        assert!(error.text.contains(name), "{name}: {error}");
    }
    // Merging instead of zeroing: vmovdqu8 zmm16{k1}, [rsi].
    assert!(X86_64.decode(&raw(&[0x62, 0xe1, 0x7f, 0x49, 0x6f, 0x06, 0xc3])).is_err());
}

#[test]
fn a_jump_between_instructions_or_out_of_the_code_is_refused() {
    // jmp +1 lands inside the move that follows.
    assert_eq!(X86_64.decode(&raw(&[0x90, 0xeb, 0x01, 0x48, 0x89, 0xf8, 0xc3])).expect_err("inside").offset, 1);
    assert_eq!(X86_64.decode(&raw(&[0xeb, 0x01, 0xc3])).expect_err("behind").offset, 0);
    assert_eq!(X86_64.decode(&raw(&[0xeb, 0xf0, 0xc3])).expect_err("before").offset, 0);
    assert!(X86_64.decode(&raw(&[0xeb, 0x00, 0xc3])).is_ok());
}

#[test]
fn a_computed_jump_goes_to_recorded_slots_only() {
    let arms = vec![vec![Op::Return], vec![constant(Reg::SPARE[0], 3), Op::Return]];
    let code = emitted(vec![Op::Switch { on: Reg::N, arms }]);
    let [slots] = code.switches[..] else { panic!("{:?}", code.switches) };
    for switches in [
        vec![],
        vec![Slots { start: slots.start + 8, ..slots }],
        // Slots that stand inside an instruction or behind the end.
        vec![Slots { stride: slots.stride + 1, ..slots }],
        vec![Slots { count: 3, ..slots }],
    ] {
        assert!(X86_64.decode(&Code { switches: switches.clone(), ..code.clone() }).is_err(), "{switches:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..64), start in 0usize..64) {
        let switches = vec![Slots { start, stride: 8, count: 3 }];
        let code = Code { bytes: bytes.clone(), align: 64, switches };
        let _ = X86_64.decode(&code);
        prop_assert_eq!(X86_64.listing(&code).into_iter().flat_map(|line| line.bytes).collect::<Vec<u8>>(), bytes);
    }

    #[test]
    fn a_changed_byte_never_reads_as_the_same_program(at in 0usize..64, to in any::<u8>()) {
        let body = vec![load(0, Width::Avx32), step(Reg::SRC, 32), constant(Reg::COUNT, 7), load(1, Width::Evex64), Op::Return];
        let code = emitted(body);
        let mut changed = code.clone();
        let at = at % code.bytes.len();
        prop_assume!(changed.bytes[at] != to);
        changed.bytes[at] = to;
        // A change may only be harmless where the bytes have another spelling of the same instruction.
        if let Ok(read) = X86_64.decode(&changed) {
            let texts = |code: &Code| X86_64.listing(code).into_iter().map(|line| line.text).collect::<Vec<_>>();
            prop_assert!(read != program(&code) || texts(&changed) == texts(&code), "byte {} to {:#x}", at, to);
        }
    }
}

#[test]
fn what_only_powerpc_has_is_refused() {
    let recipe = "copy 8.. loop width=8 unroll=2 align=dst:8:bytes source=merge tail=bytes";
    let plan = recipe.parse::<crate::Routine>().unwrap().plan();
    assert_eq!(X86_64.emit(&plan).unwrap_err().to_string(), "x86-64 has no merge of aligned loads");
    let zeroes = "copy 64.. loop width=8 unroll=8 align=dst:64:bytes zero=64".parse::<crate::Routine>().unwrap().plan();
    assert_eq!(X86_64.emit(&zeroes).unwrap_err().to_string(), "x86-64 has no zeroing of a line");
    let bits = "copy 0.. loop width=8 unroll=2 tail=bits".parse::<crate::Routine>().unwrap().plan();
    assert_eq!(X86_64.emit(&bits).unwrap_err().to_string(), "x86-64 has no condition fields to keep bits in");
}
