//! Plans that are almost right: each is rejected for what is wrong with it, by an input that shows it.

mod plans;

use copysmith_kernels::Span;
use copysmith_kernels::plan::*;
use copysmith_kernels::proof::*;
use plans::*;

fn failure((plan, span): (Plan, Span), residues: Residues) -> Failure {
    let program = flatten(&plan).unwrap_or_else(|error| panic!("{error}\n{plan}"));
    let [gate, full] = [Depth::Gate, Depth::Full].map(|depth| prove(&program, span, residues, depth));
    let failure = gate.expect_err("the gate lets it pass");
    assert_eq!(full, Err(failure), "both depths find the same");
    failure
}

/// The message of the failure with all addresses multiples of 64.
fn message(plan: (Plan, Span)) -> String {
    failure(plan, Residues::one()).to_string()
}

/// A right plan with one operation replaced.
fn with((mut plan, span): (Plan, Span), at: usize, op: Op) -> (Plan, Span) {
    plan.body[at] = op;
    (plan, span)
}

/// A right plan without one operation.
fn without((mut plan, span): (Plan, Span), op: &Op) -> (Plan, Span) {
    let before = plan.body.len();
    plan.body.retain(|other| other != op);
    assert_eq!(plan.body.len() + 1, before);
    (plan, span)
}

#[test]
fn a_copy_that_skips_the_last_byte() {
    let (mut plan, span) = string_move();
    plan.body.insert(2, sum(Reg::N, Reg::N, -1));
    plan.body.insert(0, when(Cond::imm(Reg::N, Below, 1), vec![Op::Return]));
    assert_eq!(
        message((plan, span)),
        "n 1, dst at 64k+0, src at 64k+0: at 0x8 returns while dst+0 still holds its old content"
    );
}

#[test]
fn a_copy_that_is_right_for_multiples_of_32_only() {
    let width = Width::Avx32;
    let body = vec![
        turn(
            vec![
                load(0, width, Reg::SRC, 0),
                store(0, width, Reg::DST, 0),
                sum(Reg::SRC, Reg::SRC, 32),
                sum(Reg::DST, Reg::DST, 32),
                sum(Reg::N, Reg::N, -32),
            ],
            Cond::imm(Reg::N, AboveOrEqual, 32),
        ),
        Op::ClearUpper,
    ];
    for first in [32, 1 << 12, 1 << 20, 1 << 24] {
        let message = message((plan(body.clone()), open(first)));
        assert!(message.starts_with(&format!("n {}, ", first + 1)), "{message}");
        assert!(message.ends_with(&format!("dst+{first} still holds its old content")), "{message}");
    }
}

#[test]
fn a_copy_that_writes_one_byte_past_the_end() {
    let op =
        Op::Store { val: Val(1), width: Width::Sse16, to: Addr::indexed(Reg::DST, Reg::N, -15), hint: Hint::Plain };
    let message = message(with(head_and_tail(), 3, op));
    assert_eq!(message, "n 16, dst at 64k+0, src at 64k+0: at 0x3 stores 16 bytes at dst+1, 1 past the end");
}

#[test]
fn a_copy_that_reads_31_bytes_past_the_end() {
    let width = Width::Avx32;
    let mut body = vec![Op::Touch { at: Addr::at(Reg::SRC, 0), val: Val(1) }];
    body.extend([load(2, width, Reg::SRC, 0), load(0, Width::B1, Reg::SRC, 0), store(0, Width::B1, Reg::DST, 0)]);
    body.push(Op::ClearUpper);
    let message = message((plan(body), span(1, 1)));
    assert_eq!(message, "n 1, dst at 64k+0, src at 64k+0: at 0x1 loads 32 bytes at src+0, 31 past the end");
}

#[test]
fn a_copy_that_reads_before_the_start_or_is_too_wide_for_its_length() {
    let message = message((backward_loop().0, span(3, 3)));
    assert!(message.contains("loads 16 bytes at src+0, 13 past the end"), "{message}");
    let message = self::message(with(head_and_tail(), 0, load(0, Width::Sse16, Reg::SRC, -8)));
    assert!(message.contains("loads 16 bytes at src-8, 8 before the start"), "{message}");
}

#[test]
fn a_copy_that_writes_its_source() {
    let message = message(with(head_and_tail(), 2, store(0, Width::Sse16, Reg::SRC, 0)));
    assert!(message.contains("at 0x2 stores 16 bytes at src+0, into the source"), "{message}");
}

#[test]
fn a_copy_that_does_nothing() {
    let nothing = Plan { body: vec![Op::Return] };
    assert!(
        message((nothing.clone(), open(0)))
            .starts_with("n 1, dst at 64k+0, src at 64k+0: at 0x0 returns while dst+0 still")
    );
    prove(&flatten(&nothing).unwrap(), span(0, 0), Residues::one(), Depth::Full).expect("right for no bytes");
}

#[test]
fn a_copy_that_swaps_its_values() {
    let (mut plan, span) = head_and_tail();
    plan.body[2] = store(1, Width::Sse16, Reg::DST, 0);
    plan.body[3] = store_last(0, Width::Sse16, Reg::DST);
    // At 16 both values are the same bytes.
    assert!(message((plan, span)).contains("n 17, dst at 64k+0, src at 64k+0: at 0x4 returns while dst+0 holds src+1"));
}

#[test]
fn a_copy_with_a_wrong_displacement() {
    let wrong = Op::Load { val: Val(1), width: Width::Sse16, from: Addr::indexed(Reg::SRC, Reg::N, -17) };
    assert!(
        message(with(head_and_tail(), 1, wrong))
            .contains("n 16, dst at 64k+0, src at 64k+0: at 0x1 loads 16 bytes at src-1")
    );
}

#[test]
fn a_copy_that_hangs() {
    let (mut plan, span) = bump_loop();
    let Op::Turn { again, .. } = &mut plan.body[0] else { panic!() };
    *again = Cond::imm(Reg::RETURN, NotEqual, 0);
    let Op::Turn { body, .. } = &mut plan.body[0] else { panic!() };
    body.retain(|op| !matches!(op, Op::Set { .. }));
    assert!(message((plan, span)).contains("hangs: it has not returned after 12112 steps"));
}

#[test]
fn a_copy_that_reads_the_destination() {
    let wide = with(head_and_tail(), 0, load(0, Width::Sse16, Reg::DST, 0));
    assert!(message(wide).contains("at 0x0 loads 16 bytes at dst+0, from the destination"));
    let byte = vec![load(0, Width::B1, Reg::DST, 0), store(0, Width::B1, Reg::DST, 0)];
    assert!(message((plan(byte), span(1, 1))).contains("dst+0 still holds its old content"));
}

#[test]
fn a_copy_that_keeps_what_scratch_held() {
    let [at, ..] = Reg::SPARE;
    let body = vec![set(at, Expr::Scratch(0)), load(0, Width::B1, at, 0), store(0, Width::B1, Reg::DST, 0)];
    assert!(message((plan(body), span(1, 1))).contains("dst+0 holds what scratch held"));
    let body = vec![set(at, Expr::Scratch(127)), load(0, Width::B2, at, 0)];
    assert!(message((plan(body), span(0, 0))).contains("loads 2 bytes at scratch+127, 1 past the end"));
}

#[test]
fn a_mask_that_is_too_long_or_too_short() {
    let (masked, _) = masked();
    assert!(message((masked.clone(), span(65, 65))).contains("masks 65 bytes of a vector of 64"));
    let (mut short, span) = (masked, span(0, 64));
    short.body.insert(0, set(Reg::N, Expr::And(Reg::N, 63)));
    assert!(message((short, span)).starts_with("n 64, "));
}

#[test]
fn a_switch_without_an_arm_for_every_length() {
    assert!(
        message((switch().0, span(0, 16)))
            .contains("n 16, dst at 64k+0, src at 64k+0: at 0x1 jumps to code offset 0x10")
    );
}

#[test]
fn a_misaligned_non_temporal_store_shows_at_the_first_residue_that_has_it() {
    let (mut plan, _) = head_and_tail();
    plan.body.splice(2..4, [stream(0, Width::Sse16, Reg::DST, 0), Op::Fence, store_last(1, Width::Sse16, Reg::DST)]);
    let program = flatten(&plan).unwrap();
    prove(&program, span(16, 32), Residues::one(), Depth::Full).expect("right for an aligned destination");
    let failure = failure((plan, span(16, 32)), Residues::destination(64));
    assert_eq!(
        failure.to_string(),
        "n 16, dst at 64k+1, src at 64k+0: at 0x2 stores 16 bytes at dst+0, 1 past a multiple of 16; it must be one"
    );
}

#[test]
fn a_copy_without_the_clearing_of_upper_halves() {
    let failure = failure(without(bump_loop(), &Op::ClearUpper), Residues::one());
    assert_eq!(failure, Failure::Walk(WalkError::Returns { owed: Owed::ClearUpper, since: 7, at: 9 }));
}

#[test]
fn a_copy_without_its_fence() {
    let failure = failure(without(streamed(), &Op::Fence), Residues::one());
    assert!(matches!(failure, Failure::Walk(WalkError::Returns { owed: Owed::Fence, .. })), "{failure}");
}

#[test]
fn a_fence_on_one_of_two_paths_is_no_fence() {
    let body = vec![
        load(0, Width::B8, Reg::SRC, 0),
        stream(0, Width::B8, Reg::DST, 0),
        when(Cond::imm(Reg::N, Above, 8), vec![Op::Fence]),
    ];
    let failure = failure((plan(body), span(8, 8)), Residues::one());
    assert_eq!(failure, Failure::Walk(WalkError::Returns { owed: Owed::Fence, since: 1, at: 5 }));
}

#[test]
fn an_mmx_copy_that_does_not_end_the_mmx_state() {
    let mut body = vec![load(0, Width::Mmx8, Reg::SRC, 0), store(0, Width::Mmx8, Reg::DST, 0)];
    let failure = failure((plan(body.clone()), span(8, 8)), Residues::one());
    assert_eq!(failure, Failure::Walk(WalkError::Returns { owed: Owed::EndMmx, since: 0, at: 2 }));
    body.push(Op::EndMmx);
    prove(&flatten(&plan(body)).unwrap(), span(8, 8), Residues::one(), Depth::Full).unwrap();
}

#[test]
fn lengths_that_cannot_be_interpreted_are_no_proof() {
    let failure = failure((bump_loop().0, open(1 << 40)), Residues::one());
    assert_eq!(failure, Failure::TooLong { first: 1 << 40 });
}
