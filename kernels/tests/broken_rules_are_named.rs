//! What is not a plan is refused with the rule it breaks, before anything is run.

mod plans;

use copysmith_kernels::plan::*;
use copysmith_kernels::proof::{PlanError, flatten};
use plans::*;

fn error(body: Vec<Op>) -> PlanError {
    flatten(&Plan { body }).expect_err("the plan breaks a rule")
}

const SPARE: Reg = Reg::SPARE[0];

#[test]
fn a_plan_ends_every_path_in_one_return() {
    assert_eq!(error(vec![]), PlanError::Empty);
    assert_eq!(error(vec![Op::Fence]), PlanError::NoReturn);
    assert_eq!(error(vec![when(Cond::imm(Reg::N, Below, 1), vec![Op::Return])]), PlanError::NoReturn);
    let at = Addr::at(Reg::DST, 0);
    assert_eq!(error(vec![Op::ZeroLine { at, bytes: 48 }, Op::Return]), PlanError::Block(48));
    assert_eq!(error(vec![Op::KeepBits { reg: Reg::N, mask: 1 << 12 }, Op::Return]), PlanError::Bits(1 << 12));
    let merge = Op::Merge { to: Val(0), first: Val(0), second: Val(1), width: Width::B4 };
    let values = || [0, 1].map(|val| load(val, Width::B4, Reg::SRC, 0));
    let merges = |before: Op| error([&[before], &values()[..], &[merge.clone(), Op::Return]].concat());
    let shift = |width| Op::SetShift { width, by: Reg::N, walk: Direction::Forward };
    let wanted = |set| PlanError::Shifts { set, used: Width::B4 };
    assert_eq!(merges(Op::Fence), wanted(None));
    assert_eq!(merges(shift(Width::B8)), wanted(Some(Width::B8)));
    let lost = [shift(Width::B4), sum(Reg::COUNT, Reg::N, 0)];
    assert_eq!(error([&lost[..], &values(), &[merge.clone(), Op::Return]].concat()), wanted(None));
    assert_eq!(error(vec![shift(Width::B4), sum(Reg::N, Reg::COUNT, 0), Op::Return]), PlanError::Unset(Reg::COUNT));
    assert_eq!(error(vec![Op::Return, Op::Return]), PlanError::Unreachable("what follows a return"));
    let never = turn(vec![Op::Return], Cond::imm(Reg::N, Below, 1));
    assert_eq!(error(vec![never, Op::Return]), PlanError::Unreachable("the condition of a loop"));
    let both =
        Op::If { cond: Cond::imm(Reg::N, Below, 1), then: vec![Op::Return], otherwise: vec![Op::Return], align: 1 };
    assert!(flatten(&Plan { body: vec![both] }).is_ok());
}

#[test]
fn registers_are_set_before_they_are_read() {
    assert_eq!(error(plan(vec![sum(SPARE, Reg::COUNT, 0)]).body), PlanError::Unset(Reg::COUNT));
    let one_path = when(Cond::imm(Reg::N, Below, 1), vec![set(SPARE, Expr::Const(0))]);
    assert_eq!(error(plan(vec![one_path, sum(Reg::N, SPARE, 0)]).body), PlanError::Unset(SPARE));
    let repeat = Op::Repeat { unit: Width::B1, direction: Direction::Forward };
    assert_eq!(error(plan(vec![repeat]).body), PlanError::Unset(Reg::COUNT));
    assert_eq!(error(plan(vec![set(Reg::RETURN, Expr::Const(0))]).body), PlanError::SetsReturn);
    assert_eq!(error(plan(vec![set(Reg(9), Expr::Const(0))]).body), PlanError::Register(Reg(9)));
}

#[test]
fn a_switch_loses_its_registers_and_its_arms_return() {
    let arms = vec![vec![sum(SPARE, Reg::N, 0), Op::Return]];
    assert_eq!(error(vec![Op::Switch { on: Reg::N, arms }]), PlanError::Unset(Reg::N));
    assert_eq!(error(vec![Op::Switch { on: Reg::N, arms: vec![] }]), PlanError::NoArms);
    assert_eq!(error(vec![Op::Switch { on: Reg::N, arms: vec![vec![Op::Fence]] }]), PlanError::ArmFallsThrough(0));
    let on_count = vec![set(Reg::COUNT, Expr::Const(0)), Op::Switch { on: Reg::COUNT, arms: vec![vec![Op::Return]] }];
    assert_eq!(error(on_count), PlanError::SwitchOnCount);
}

#[test]
fn a_store_has_the_width_of_its_load_on_every_path() {
    let stored = Width::Mmx8;
    let body = plan(vec![load(0, Width::B8, Reg::SRC, 0), store(0, stored, Reg::DST, 0)]).body;
    assert_eq!(error(body), PlanError::Stores { val: Val(0), loaded: Some(Width::B8), stored });
    // The second turn of the loop would store what the first left in the register.
    let inner = vec![store(0, Width::B8, Reg::DST, 0), load(0, Width::B4, Reg::SRC, 0)];
    let body = plan(vec![load(0, Width::B8, Reg::SRC, 0), turn(inner, Cond::imm(Reg::N, Above, 9))]).body;
    assert_eq!(error(body), PlanError::Stores { val: Val(0), loaded: None, stored: Width::B8 });
    assert_eq!(error(plan(vec![load(32, Width::B8, Reg::SRC, 0)]).body), PlanError::Value(Val(32)));
}

#[test]
fn operands_are_in_range() {
    let set_spare = |value| plan(vec![set(SPARE, value)]).body;
    assert_eq!(error(set_spare(Expr::ShiftLeft(Reg::N, 64))), PlanError::Shift(64));
    assert_eq!(error(set_spare(Expr::ShiftRight(Reg::N, 0))), PlanError::Shift(0));
    assert_eq!(error(set_spare(Expr::Scratch(128))), PlanError::Scratch(128));
    let body = plan(vec![set(Reg::N, Expr::Difference(Reg::DST, Operand::Reg(Reg::N)))]).body;
    assert_eq!(error(body), PlanError::DifferenceInPlace(Reg::N));
    let unit = Op::Repeat { unit: Width::Sse16, direction: Direction::Forward };
    assert_eq!(error(plan(vec![unit]).body), PlanError::NotGeneral(Width::Sse16));
    let misaligned = Op::Turn { body: vec![], again: Cond::imm(Reg::N, Below, 1), align: 24 };
    assert_eq!(error(plan(vec![misaligned]).body), PlanError::Alignment(24));
    let misaligned = Op::If { cond: Cond::imm(Reg::N, Below, 1), then: vec![Op::Return], otherwise: vec![], align: 48 };
    assert_eq!(error(plan(vec![misaligned]).body), PlanError::Alignment(48));
}

#[test]
fn a_mask_is_set_for_the_vector_it_is_used_on() {
    let partial = |width| Op::LoadPartial { val: Val(0), width, from: Addr::at(Reg::SRC, 0), mask: Mask(1) };
    let used = Width::Evex32;
    assert_eq!(error(plan(vec![partial(used)]).body), PlanError::Masks { mask: Mask(1), set: None, used });
    let mask = |width| Op::SetMask { mask: Mask(1), count: Reg::N, width };
    let set = Some(Width::Evex64);
    assert_eq!(
        error(plan(vec![mask(Width::Evex64), partial(used)]).body),
        PlanError::Masks { mask: Mask(1), set, used }
    );
    assert_eq!(error(plan(vec![mask(Width::B8)]).body), PlanError::NotVector(Width::B8));
}
