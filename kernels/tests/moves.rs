//! Moves: what can be said proves under every overlap, what would lose bytes is refused by name, and what is almost right is found out by
//! an overlap that shows it.

mod plans;

use copysmith_kernels::plan::*;
use copysmith_kernels::proof::{Depth, Failure, Overlap, Residues, flatten, overlap, prove, prove_operation};
use copysmith_kernels::recipe::Operation;
use copysmith_kernels::{Recipe, Routine, Target, X86_64};
use plans::{load_last, store};

fn routine(text: &str) -> Routine {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

const WANTED: [&str; 25] = [
    "move 0..=3 branch-free width=1",
    "move 0..=7 branch-free width=4",
    "move 4..=15 branch-free width=8",
    "move 4..=15 branch-free width=sse8",
    "move 0..=64 branch-free width=avx32",
    "move 0..=64 branch-free width=evex32",
    "move 0..=16 branch-free width=mmx8",
    "move 0..=64 chain width=avx32 bottom=three",
    "move 8..=32 computed width=8 moves=4 last=head",
    "move 32..=256 computed width=avx32 moves=8",
    "move 256..=512 pairs width=avx32 moves=8",
    "move 0..=64 jump-table width=sse16",
    "move 257.. loop width=avx32 unroll=4 align=dst:32:early tail=early",
    "move 64.. loop width=sse16 unroll=4 order=ahead align=src:64:early form=index tail=early",
    "move 8.. loop width=8 unroll=1 align=dst:8:early tail=early",
    "move 512.. loop width=evex64 unroll=8 order=group:4 align=dst:64:early tail=early",
    "move 0.. loop width=avx32 unroll=2 tail=ladder",
    "move 31.. loop width=sse16 unroll=2 align=dst:32:bytes prefetch=t0:src:512:clamp tail=bytes",
    "move 1024.. loop width=avx32 unroll=4 prefetch=block:src:2048:clamp tail=early",
    "move 64.. loop width=avx32 unroll=2 align=dst:32:overlap stores=nt",
    "move 16384.. loop width=sse16 unroll=4 align=dst:16:overlap stores=nt:4 tail=overlap",
    "move 9000.. loop width=evex64 unroll=2 stores=plain:2 tail=mask",
    "move 0.. string unit=1",
    "move 0.. string unit=1 guard=32",
    "move 100.. string unit=8 align=dst:8:overlap tail=overlap",
];

#[test]
fn every_kind_of_move_proves_in_full_as_plan_and_as_code() {
    for text in WANTED {
        let (plan, span) = (routine(text).plan(), routine(text).span());
        let code = X86_64.emit(&plan).unwrap_or_else(|error| panic!("{text}: {error}"));
        for program in [flatten(&plan).unwrap(), X86_64.decode(&code).unwrap()] {
            prove_operation(Operation::Move, &program, span, Residues::both(64, 64), Depth::Full)
                .unwrap_or_else(|failure| panic!("{text}: {failure}\n{plan}"));
        }
    }
}

#[test]
fn what_is_early_is_as_right_in_a_copy() {
    for text in [
        "copy 257.. loop width=avx32 unroll=4 align=dst:32:early tail=early",
        "copy 257.. loop width=avx32 unroll=4 align=src:64:early direction=backward tail=overlap",
        "copy 64.. loop width=evex64 align=dst:64:mask tail=early",
        "copy 64.. loop width=evex64 align=dst:64:early tail=mask",
        "copy 64.. loop width=avx32 unroll=2 align=dst:32:early stores=nt tail=early",
        "copy 8.. loop width=mmx8 unroll=1 align=dst:8:early tail=ladder",
    ] {
        let plan = routine(text).plan();
        let program = X86_64.decode(&X86_64.emit(&plan).unwrap()).unwrap();
        prove(&program, routine(text).span(), Residues::both(64, 64), Depth::Full)
            .unwrap_or_else(|failure| panic!("{text}: {failure}\n{plan}"));
    }
}

#[test]
fn what_would_lose_bytes_is_refused_with_the_value_that_would() {
    for (text, parts) in [
        ("move 64.. loop width=avx32 unroll=2", vec!["tail=block", "a move", "early, ladder"]),
        ("move 64.. loop width=avx32 unroll=2 tail=overlap", vec!["tail=overlap", "a move"]),
        ("move 64.. loop width=evex64 tail=mask", vec!["tail=mask", "no backward form"]),
        (
            "move 64.. loop width=avx32 unroll=2 align=dst:32:overlap tail=early",
            vec!["align=dst:32:overlap", "HEAD early"],
        ),
        ("move 64.. loop width=evex64 align=dst:32:mask tail=early", vec!["align=dst:32:mask", "no backward form"]),
        ("move 64.. loop width=avx32 direction=backward tail=early", vec!["direction=backward", "at run time"]),
        ("move 0.. string unit=1 direction=backward", vec!["direction=backward", "at run time"]),
        ("move 0..=64 jump-table width=8", vec!["jump-table width=8", "0..=64", "8 values", "for 4"]),
        ("move 16.. loop width=8 unroll=2 align=dst:8:early tail=early", vec!["5 values", "for 4"]),
        ("move 63.. loop width=avx32 unroll=2 tail=early", vec!["63..", "tail=early", "64 bytes"]),
        ("copy 512.. loop width=avx32 unroll=16 tail=early", vec!["17 values", "for 16"]),
        ("copy 512.. loop width=sse16 unroll=12 align=dst:64:early tail=early", vec!["17 values", "for 16"]),
        ("copy 64.. loop width=avx32 align=dst:32:early tail=ladder", vec!["tail=ladder", "early head"]),
        ("copy 8.. loop width=8 prefetch=touch:src:64:clamp tail=early", vec!["prefetch=touch", "no register"]),
        ("copy 64.. string unit=8 tail=early", vec!["tail=early", "string"]),
        ("copy 64.. string unit=8 align=dst:8:early", vec!["head early", "string"]),
    ] {
        let message = text.parse::<Recipe>().unwrap_err().to_string();
        assert!(!message.contains('\n'), "{message}");
        for part in parts {
            assert!(message.contains(part), "{text:?} gave {message:?}, without {part:?}");
        }
    }
}

#[test]
fn a_routine_is_one_operation_and_a_leaf_of_another_is_named() {
    let text = "cuts=7 | move 0..=7 branch-free width=4 | move 8.. string unit=1";
    assert_eq!((routine(text).operation(), routine(text).to_string().as_str()), (Operation::Move, text));
    let mixed = text.replace("move 8..", "copy 8..").parse::<Routine>().unwrap_err().to_string();
    assert_eq!(
        mixed,
        "leaf 'copy 8.. string unit=1' must be a move like the first one; a routine is the same for every length"
    );
    let leaf: Recipe = "move 8.. string unit=1".parse().unwrap();
    assert_eq!(leaf.with_span("9..".parse().unwrap()).unwrap().operation(), Operation::Move);
}

#[test]
fn a_move_with_a_loop_costs_a_copy_one_compare_and_a_bounded_one_nothing() {
    let lines = |text: &str| X86_64.listing(&X86_64.emit(&routine(text).plan()).unwrap());
    let text = "move 256.. loop width=avx32 unroll=4 tail=early";
    let (moved, copied) = (lines(text), lines(&text.replacen("move", "copy", 1)));
    let start: Vec<&str> = moved[1..5].iter().map(|line| line.text.as_str()).collect();
    assert_eq!(start[..3], ["mov rcx, rdi", "sub rcx, rsi", "cmp rcx, rdx"]);
    assert!(start[3].starts_with("jb "), "{start:?}");
    // The forward way falls through and is the copy's, but for what pads its loop head.
    let unpadded = |lines: &[copysmith_kernels::Line]| -> Vec<String> {
        let texts = lines.iter().map(|line| line.text.split(" 0x").next().unwrap_or("").to_owned());
        texts.filter(|text| !text.contains("nop") && text != "xchg ax, ax").collect()
    };
    let (moved, copied) = (unpadded(&moved[5..]), unpadded(&copied[1..]));
    assert_eq!(moved[..copied.len()], copied);
    for text in [
        "move 8..=32 computed width=8 moves=4",
        "move 33..=64 pairs width=sse16 moves=2",
        "move 0..=32 chain width=sse16",
    ] {
        assert_eq!(lines(text), lines(&text.replacen("move", "copy", 1)));
    }
}

/// The plan of a move with something done to it, as plan and as code: both are still copies, and both lose bytes in the same way. The
/// words of the failure without the offset.
fn lost(text: &str, change: impl FnOnce(&mut Vec<Op>)) -> String {
    let right = routine(text);
    let mut plan = right.plan();
    change(&mut plan.body);
    assert_ne!(plan, right.plan(), "{text}: the fault finds no place");
    let code = X86_64.emit(&plan).unwrap();
    let words = [flatten(&plan).unwrap(), X86_64.decode(&code).unwrap()].map(|program| {
        let residues = Residues::both(64, 64);
        prove(&program, right.span(), residues, Depth::Gate).unwrap_or_else(|failure| panic!("{failure}\n{plan}"));
        let [gate, full] = [Depth::Gate, Depth::Full]
            .map(|depth| prove_operation(Operation::Move, &program, right.span(), residues, depth));
        let failure = gate.expect_err("the gate lets it pass");
        assert_eq!(full, Err(failure), "both depths find the same");
        assert!(matches!(failure, Failure::Overlap(_)), "{failure}");
        let words = failure.to_string();
        let (input, rest) = words.split_once(" at 0x").expect("an offset");
        format!("{input} {}", rest.split_once(' ').expect("and what happens there").1)
    });
    assert_eq!(words[0], words[1]);
    words[0].clone()
}

/// The two ways of a move with a loop, below and above.
fn ways(body: &mut [Op]) -> [&mut Vec<Op>; 2] {
    match body.last_mut() {
        Some(Op::If { then, otherwise, .. }) => [then, otherwise],
        other => panic!("{other:?} is no choice of ways"),
    }
}

fn is_store(op: &Op) -> bool {
    matches!(op, Op::Store { .. })
}

fn take(ops: &mut Vec<Op>, which: impl FnMut(&Op) -> bool) -> Op {
    let at = ops.iter().position(which).expect("there is one");
    ops.remove(at)
}

#[test]
fn a_load_after_the_first_store_of_a_bounded_leaf() {
    let late = |body: &mut Vec<Op>| {
        let first_store = body.iter().position(is_store).unwrap();
        body.swap(first_store - 1, first_store);
    };
    assert_eq!(
        lost("move 16..=32 pairs width=sse16", late),
        "no move: n 17, dst = src-1: returns while dst+1 holds src+2"
    );
    let words = lost("move 8..=32 computed width=8 moves=4", late);
    assert!(words.starts_with("no move: n 9, dst = src"), "{words}");
}

#[test]
fn a_branch_free_leaf_that_stores_a_level_before_the_next_is_loaded() {
    // What a copy does.
    let level_by_level = |body: &mut Vec<Op>| *body = routine("copy 4..=16 branch-free width=8").plan().body;
    let words = lost("move 4..=16 branch-free width=8", level_by_level);
    assert_eq!(words, "no move: n 8, dst = src-1: returns while dst+0 holds src+1");
}

#[test]
fn the_wrong_direction() {
    let words = lost("move 64.. loop width=sse16 unroll=2 tail=ladder", |body| {
        let [below, above] = ways(body);
        std::mem::swap(below, above);
    });
    assert!(words.starts_with("no move: n 65, dst = src-1: returns while dst+"), "{words}");
    // Only one of the two: the other was right already.
    let words = lost("move 64.. loop width=sse16 unroll=2 tail=ladder", |body| {
        let [below, above] = ways(body);
        *above = below.clone();
    });
    assert!(words.starts_with("no move: n 65, dst = src+1: returns while dst+"), "{words}");
}

#[test]
fn a_head_stored_before_the_loop_in_either_way() {
    let text = "move 128.. loop width=avx32 unroll=2 align=dst:32:early tail=early";
    for (way, sign) in [(0, '-'), (1, '+')] {
        let words = lost(text, |body| {
            let ops = &mut *ways(body)[way];
            // The last store is the head's; before the loop the cursors still name where it goes.
            let at = ops.iter().rposition(is_store).unwrap();
            let store = ops.remove(at);
            let first = ops.iter().rposition(|op| matches!(op, Op::Load { .. })).unwrap();
            let remembered = usize::from(way == 1);
            ops.insert(first + 1 + remembered, store);
        });
        assert!(words.starts_with(&format!("no move: n 129, dst = src{sign}1: returns while dst+")), "{words}");
    }
}

#[test]
fn a_tail_loaded_after_the_loop() {
    let words = lost("move 64.. loop width=sse16 unroll=1 tail=early", |body| {
        let ops = &mut *ways(body)[0];
        take(ops, |op| matches!(op, Op::Load { .. }));
        let at = ops.iter().position(is_store).unwrap();
        let Op::Store { val, .. } = ops[at] else { panic!() };
        ops.insert(at, load_last(val.0, Width::Sse16, Reg::SRC));
    });
    assert!(words.starts_with("no move: n 65, dst = src-1: returns while dst+"), "{words}");
}

#[test]
fn a_guard_that_is_one_byte_off() {
    let words = lost("move 64.. loop width=sse16 unroll=2 tail=ladder", |body| {
        let [short, ..] = Reg::SPARE;
        body.insert(0, Op::Set { to: short, value: Expr::Sum(Addr::at(Reg::N, -1)) });
        let Some(Op::If { cond: Cond::Compare { right, .. }, .. }) = body.last_mut() else { panic!() };
        *right = Operand::Reg(short);
    });
    assert!(words.starts_with("no move: n 64, dst = src+63: returns while dst+63 holds src+0"), "{words}");
}

#[test]
fn a_guard_that_is_strict_is_right_too() {
    // Exactly n apart, operands share no byte: the backward way is as right as the forward one, and no proof may refuse it.
    let right = routine("move 64.. loop width=sse16 unroll=2 tail=ladder");
    let mut plan = right.plan();
    let Some(Op::If { cond: Cond::Compare { relation, .. }, .. }) = plan.body.last_mut() else { panic!("{plan}") };
    *relation = Relation::Above;
    assert_eq!(overlap(&flatten(&plan).unwrap(), right.span(), Depth::Full), Ok(Overlap::Safe));
}

#[test]
fn a_guard_that_looks_at_one_side_only_where_operands_must_be_disjoint() {
    for text in [
        "move 64.. loop width=avx32 unroll=2 align=dst:32:overlap stores=nt",
        "move 9000.. loop width=sse16 unroll=4 stores=plain:2 tail=ladder",
    ] {
        let words = lost(text, |body| {
            let below = &mut *ways(body)[0];
            let [as_said, _] = ways(below);
            *below = as_said.clone();
        });
        assert!(words.contains("dst = src-1: returns while dst+"), "{text}: {words}");
    }
}

#[test]
fn a_compare_turned_round_in_the_bytes_of_the_code() {
    let right = routine("move 64.. loop width=sse16 unroll=2 tail=ladder");
    let mut code = X86_64.emit(&right.plan()).unwrap();
    // jb becomes jae: bit 0 of a condition negates it (Intel SDM volume 2, appendix B).
    let guard = X86_64.listing(&code).into_iter().find(|line| line.text.starts_with("jb ")).unwrap();
    let opcode = guard.offset + usize::from(guard.bytes[0] == 0x0f);
    code.bytes[opcode] ^= 1;
    let program = X86_64.decode(&code).unwrap();
    let failure = prove_operation(Operation::Move, &program, right.span(), Residues::one(), Depth::Gate).unwrap_err();
    assert!(failure.to_string().starts_with("no move: n 65, dst = src-1: at 0x"), "{failure}");
}

#[test]
fn an_unsafe_copy_is_still_a_copy() {
    let mut late = plans::bump_loop();
    late.0.body.insert(0, store(0, Width::Avx32, Reg::DST, 0));
    late.0.body.insert(0, plans::load(0, Width::Avx32, Reg::SRC, 0));
    let program = flatten(&late.0).unwrap();
    prove_operation(Operation::Copy, &program, late.1, Residues::one(), Depth::Gate).unwrap();
    prove_operation(Operation::Move, &program, late.1, Residues::one(), Depth::Gate).unwrap_err();
}

/// Steps of one copy of 4 KiB, the destination at this residue modulo 64 and the source at another.
fn steps(text: &str, dst: u16, src: u16) -> u64 {
    let program = X86_64.decode(&X86_64.emit(&routine(text).plan()).unwrap()).unwrap();
    let span = "4096..=4096".parse().unwrap();
    let of = |residues| prove(&program, span, residues, Depth::Full).unwrap().steps;
    match (dst, src) {
        (0, 0) => of(Residues::one()),
        (0, src) => of(Residues::source(src + 1)) - of(Residues::source(src)),
        (dst, 0) => of(Residues::destination(dst + 1)) - of(Residues::destination(dst)),
        both => unreachable!("{both:?}"),
    }
}

#[test]
fn a_guarded_string_move_is_a_loop_just_above_the_source_and_nowhere_else() {
    for (guard, text) in [(16, "copy 100.. string unit=1 guard=16"), (32, "move 0.. string unit=1 guard=32")] {
        let (few, many) = (steps(text, 0, 0), steps(text, 1, 0));
        assert!(many > 4 * few, "{text}: {few} and {many} steps");
        for above in 1..64 {
            let is_loop = steps(text, above, 0) > 4 * few;
            assert_eq!(is_loop, above < guard, "{text}: {above} above the source");
            assert!(steps(text, 0, above) <= 2 * few, "{text}: {above} below the source");
        }
    }
}
