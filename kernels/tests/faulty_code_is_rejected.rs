//! What no plan can express but decoded code can do: each is rejected for what it is.

use copysmith_kernels::Span;
use copysmith_kernels::plan::Relation;
use copysmith_kernels::proof::*;

const RESULT: IntReg = 0;
const KEPT: IntReg = 3;
const DST: IntReg = 7;
const SRC: IntReg = 6;
const N: IntReg = 2;

/// A program with the registers of the System V ABI for x86-64, four bytes of code a step.
fn program(steps: Vec<Step>) -> Program {
    Program {
        offsets: (0..steps.len()).map(|at| 4 * at).collect(),
        steps,
        dst: DST,
        src: SRC,
        n: N,
        result: RESULT,
        result_is_passed: false,
        word: Word::Little64,
        upper_below: 16,
        mmx_from: 32,
        preserved: vec![KEPT, 4, 5, 12, 13, 14, 15],
    }
}

fn at(reg: IntReg) -> Place {
    Place { base: Some(Base::Reg(reg)), index: None, displacement: 0 }
}

fn load(to: Slot, bytes: u8) -> Step {
    Step::Load { to, bytes, from: at(SRC), align: 1 }
}

fn store(from: Slot, bytes: u8) -> Step {
    Step::Store { from, bytes, to: at(DST), non_temporal: false, align: 1 }
}

fn moved(to: IntReg, from: IntReg) -> Step {
    Step::Address { to, place: at(from) }
}

/// The program's failure for copies of eight bytes.
fn failure(steps: Vec<Step>) -> Failure {
    prove(&program(steps), Span::new(8, 8).unwrap(), Residues::one(), Depth::Full).expect_err("it is wrong")
}

fn wrong(steps: Vec<Step>) -> (usize, Wrong) {
    match failure(steps) {
        Failure::Input { fault: Fault { offset, wrong }, .. } => (offset, wrong),
        other => panic!("{other}"),
    }
}

#[test]
fn eight_bytes_through_a_general_register_are_a_copy() {
    let steps = vec![load(Slot::Int(8), 8), store(Slot::Int(8), 8), moved(RESULT, DST), Step::Return];
    let proof = prove(&program(steps), Span::new(8, 8).unwrap(), Residues::both(64, 64), Depth::Full).unwrap();
    assert_eq!((proof.runs, proof.steps), (4096, 4 * 4096));
}

#[test]
fn the_source_or_nothing_is_returned() {
    let copied = || vec![load(Slot::Int(8), 8), store(Slot::Int(8), 8)];
    let source = copied().into_iter().chain([moved(RESULT, SRC), Step::Return]).collect();
    assert_eq!(failure(source).to_string(), "n 8, dst at 64k+0, src at 64k+0: at 0xc returns src+0 instead of dst");
    let nothing = copied().into_iter().chain([Step::Return]).collect();
    assert_eq!(wrong(nothing), (8, Wrong::Result { found: None }));
}

#[test]
fn a_register_of_the_caller_is_written() {
    let steps = vec![load(Slot::Int(KEPT), 8), store(Slot::Int(KEPT), 8), moved(RESULT, DST), Step::Return];
    assert_eq!(failure(steps), Failure::Walk(WalkError::Preserved { reg: KEPT, at: 0 }));
}

#[test]
fn the_direction_flag_stays_set() {
    let repeat = Step::Repeat { bytes: 1, dst: DST, src: SRC, count: N };
    let set = Step::SetDirection { backward: true };
    let steps = vec![moved(RESULT, DST), set, repeat, Step::Return];
    let owed = Owed::ClearDirection;
    assert_eq!(failure(steps), Failure::Walk(WalkError::Returns { owed, since: 4, at: 12 }));
}

#[test]
fn a_string_move_walks_the_way_the_flag_says() {
    let repeat = Step::Repeat { bytes: 1, dst: DST, src: SRC, count: N };
    let (set, clear) = (Step::SetDirection { backward: true }, Step::SetDirection { backward: false });
    let (offset, wrong) = wrong(vec![moved(RESULT, DST), set, repeat, clear, Step::Return]);
    assert_eq!((offset, wrong.to_string().as_str()), (8, "loads 8 bytes at src-7, 7 before the start"));
}

#[test]
fn a_decision_on_flags_that_are_lost() {
    let jump = Step::JumpIf { relation: Relation::Equal, to: 1 };
    assert_eq!(wrong(vec![jump.clone(), Step::Return]), (0, Wrong::FlagsLost));
    let arith = |flags| Step::Arith { to: N, op: Arith::Sub, left: N, right: Right::Imm(8), flags };
    assert_eq!(
        wrong(vec![arith(Flags::Lost), Step::JumpIf { relation: Relation::Equal, to: 2 }, Step::Return]).1,
        Wrong::FlagsLost
    );
    // What was compared before is forgotten.
    let compare = Step::Test { test: Test::Compare, left: N, right: Right::Imm(8) };
    let after = vec![compare, arith(Flags::Lost), Step::JumpIf { relation: Relation::Equal, to: 3 }, Step::Return];
    assert_eq!(wrong(after), (8, Wrong::FlagsLost));
    // After a bit test only zero and not zero can be asked for.
    let test = Step::Test { test: Test::Bits, left: N, right: Right::Imm(8) };
    let above = Step::JumpIf { relation: Relation::Above, to: 2 };
    assert_eq!(wrong(vec![test, above, Step::Return]), (4, Wrong::FlagsLost));
}

#[test]
fn an_obligation_of_one_path_is_one_where_paths_meet() {
    // The jump round the store reaches the return first, with nothing owed.
    let test = Step::Test { test: Test::Compare, left: N, right: Right::Imm(8) };
    let streamed = Step::Store { from: Slot::Int(8), bytes: 8, to: at(DST), non_temporal: true, align: 1 };
    let jump = |relation| Step::JumpIf { relation, to: 5 };
    let mut steps =
        vec![moved(RESULT, DST), load(Slot::Int(8), 8), test, jump(Relation::Above), streamed, Step::Return];
    let owed = Owed::Fence;
    assert_eq!(failure(steps.clone()), Failure::Walk(WalkError::Returns { owed, since: 16, at: 20 }));
    // The store is jumped to and jumps back.
    steps.swap(4, 5);
    steps.push(Step::Jump { to: 4 });
    let back = Failure::Walk(WalkError::Returns { owed, since: 20, at: 16 });
    assert_eq!(failure(steps), back);
}

#[test]
fn a_string_move_leaves_its_count_at_zero_and_its_cursors_past_the_end() {
    let repeat = Step::Repeat { bytes: 1, dst: DST, src: SRC, count: N };
    let sum = Place { base: Some(Base::Reg(DST)), index: Some((N, 0)), displacement: -8 };
    let steps = vec![repeat, Step::Address { to: RESULT, place: sum }, Step::Return];
    prove(&program(steps), Span::new(8, 8).unwrap(), Residues::one(), Depth::Full).unwrap();
}

#[test]
fn data_and_numbers_do_not_mix() {
    assert_eq!(wrong(vec![load(Slot::Int(N), 8), moved(RESULT, N), Step::Return]), (4, Wrong::DataAsInteger(N)));
    assert_eq!(wrong(vec![store(Slot::Int(N), 8), Step::Return]), (0, Wrong::IntegerAsData(N)));
    assert_eq!(wrong(vec![moved(RESULT, 9), Step::Return]), (0, Wrong::Unset(9)));
}

#[test]
fn more_is_stored_than_was_loaded() {
    let from = Slot::Vector(0);
    let unloaded = Wrong::StoresUnloaded { from, held: 4, bytes: 8 };
    assert_eq!(wrong(vec![load(from, 4), store(from, 8), Step::Return]), (4, unloaded));
    let from = Slot::Vector(33);
    let cleared = Wrong::StoresUnloaded { from, held: 0, bytes: 8 };
    assert_eq!(wrong(vec![load(from, 8), Step::EndMmx, store(from, 8), Step::Return]), (8, cleared));
    let from = Slot::Int(8);
    assert_eq!(wrong(vec![load(from, 9), Step::Return]).1.to_string(), "loads 9 bytes at src+0, 1 past the end");
}

#[test]
fn a_path_that_has_no_end() {
    assert_eq!(failure(vec![]), Failure::Walk(WalkError::RunsOff { at: 0 }));
    assert_eq!(failure(vec![moved(RESULT, DST)]), Failure::Walk(WalkError::RunsOff { at: 0 }));
    assert_eq!(failure(vec![Step::Nothing, Step::Jump { to: 9 }]), Failure::Walk(WalkError::RunsOff { at: 4 }));
    assert_eq!(wrong(vec![Step::Jump { to: 0 }]), (0, Wrong::TooManySteps { limit: step_limit(8) }));
}

#[test]
fn a_computed_jump_meets_only_its_targets() {
    let place = Place { base: Some(Base::Code), index: None, displacement: 8 };
    let jump = |targets| vec![Step::Address { to: 9, place }, Step::JumpTo { address: 9, targets }, Step::Return];
    assert_eq!(wrong(jump(vec![(8, 2)])).0, 8);
    assert_eq!(wrong(jump(vec![(12, 2)])), (4, Wrong::JumpsAstray { to: 8 }));
}

#[test]
fn code_is_not_data_and_far_addresses_are_named_as_they_are() {
    let code = Place { base: Some(Base::Code), index: None, displacement: 0 };
    let (_, wrong) = wrong(vec![Step::Load { to: Slot::Int(8), bytes: 8, from: code, align: 1 }, Step::Return]);
    assert_eq!(wrong.to_string(), format!("loads 8 bytes at address {CODE:#x}"));
}
