//! What cannot be emitted is refused by name, and what cannot be read for certain is not read.

use super::*;
use crate::plan::{Direction, Hint, Relation, Val, Width};
use Mnemonic as M;
use Operand::{Bit, Cr, Imm, R, To, V, Zero};

fn refused(target: Power, body: Vec<Op>, why: &str) {
    assert_eq!(emit(target, body).unwrap_err().to_string(), why);
}

#[test]
fn plans_that_powerpc_cannot_express_are_refused_by_name() {
    let [p405, .., power8] = targets();
    let done = |op| vec![op, Op::Return];
    refused(p405, done(Op::ClearUpper), "ppc32 has no upper halves to clear");
    refused(p405, done(Op::EndMmx), "ppc32 has no MMX registers");
    refused(p405, done(Op::Repeat { unit: Width::B1, direction: Direction::Forward }), "ppc32 has no string moves");
    let shift = Expr::ShiftLeft(Reg::N, 32);
    refused(p405, done(Op::Set { to: Reg::N, value: shift }), "ppc32 cannot shift by 32 bits; 1 to 31 are possible");
    assert!(emit(power8, done(Op::Set { to: Reg::N, value: shift })).is_ok());
    refused(power8, done(constant(Reg::RETURN, 0)), "a plan may not set the result register");
    refused(power8, done(constant(Reg(9), 0)), "ppc64le has no register for r9; there are 9");
    refused(
        power8,
        done(Op::Set { to: Reg::N, value: Expr::Scratch(128) }),
        "there is no byte 128 of scratch; there are 128 bytes",
    );
    refused(power8, vec![constant(Reg::N, 0)], "a plan whose last operation is not a return has no end");
    refused(
        power8,
        vec![Op::Switch { on: Reg::COUNT, arms: vec![vec![Op::Return]] }],
        "a switch on count would lose it",
    );
    let turn = Op::Turn { body: vec![], again: Cond::imm(Reg::N, Relation::Equal, 0), align: 128 };
    refused(power8, done(turn), "code cannot be aligned to 128 bytes; 1, 2, 4, ... 64 are possible");
    let store = |hint| Op::Store { val: Val(0), width: Width::B4, to: Addr::at(Reg::DST, 0), hint };
    refused(power8, done(store(Hint::NonTemporal)), "ppc64le has no non-temporal stores");
    let both =
        vec![constant(Reg(8), 1), Op::Load { val: Val(0), width: Width::B4, from: Addr::at(Reg::SRC, 0) }, Op::Return];
    refused(power8, both, "ppc64le has no register for both r8 and a general-width value");
}

fn unreadable(target: Power, instructions: &[(M, &[Operand])], offset: usize) {
    let code = assembled(target, instructions);
    match target.decode(&code) {
        Ok(program) => panic!("{}\nis read as {:?}", text(target, &code), program.steps),
        Err(error) => assert_eq!(error.offset, offset, "{error}\n{}", text(target, &code)),
    }
}

const BLR: (M, &[Operand]) = (M::Blr, &[]);
const NOP: (M, &[Operand]) = (M::Ori, &[R(0), R(0), Imm(0)]);

#[test]
fn what_is_not_on_the_list_is_not_read() {
    for target in targets() {
        let alone: [(M, &[Operand]); 27] = [
            (M::Cmplwi, &[Cr(1), R(3), Imm(4)]),
            (M::Bc, &[Imm(12), Bit(4), To(4)]),
            (M::Bc, &[Imm(12), Bit(19), To(4)]),
            (M::Bc, &[Imm(12), Bit(3), To(4)]),
            (M::Bclr, &[Imm(12), Bit(2)]),
            (M::Bcctr, &[Imm(12), Bit(2)]),
            (M::Mtlr, &[R(0)]),
            (M::Mflr, &[R(0)]),
            (M::Bcl, &[To(4)]),
            (M::Addi, &[R(1), R(1), Imm(144)]),
            (M::Lwz, &[R(1), Imm(0), R(4)]),
            (M::Add, &[R(1), R(4), R(5)]),
            (M::Lwz, &[R(9), Imm(0), Zero]),
            (M::Lwzux, &[R(9), R(4), R(5)]),
            (M::Stwu, &[R(9), Imm(-16), R(1)]),
            (M::Lvx, &[V(20), R(4), R(5)]),
            (M::Lvsl, &[V(0), R(4), R(5)]),
            (M::Vperm, &[V(0), V(1), V(2), V(20)]),
            (M::Dcbst, &[R(4), R(5)]),
            (M::Dcbt, &[R(4), R(5), Imm(8)]),
            (M::Mtcrf, &[Imm(8), R(5)]),
            (M::Mtcrf, &[Imm(128), R(5)]),
            (M::Subfe, &[R(5), R(6), R(7)]),
            (M::Addic, &[R(5), R(6), Imm(1)]),
            (M::Isel, &[R(5), R(6), R(7), Bit(3)]),
            (M::Isel, &[R(5), Zero, R(7), Bit(2)]),
            (M::Stwu, &[R(1), Imm(-144), R(1)]),
        ];
        for instruction in alone {
            unreadable(target, &[NOP, instruction, BLR], 4);
        }
    }
}

#[test]
fn words_and_doublewords_are_compared_and_rotated_in_their_own_mode_only() {
    let [p405, _, p970, ..] = targets();
    unreadable(p970, &[(M::Cmplwi, &[Cr(0), R(5), Imm(4)]), BLR], 0);
    unreadable(p970, &[(M::Cmplw, &[Cr(0), R(5), R(6)]), BLR], 0);
    // In 64 bits the upper half would get a copy of the word.
    unreadable(p970, &[(M::Rlwinm, &[R(5), R(5), Imm(3), Imm(0), Imm(28)]), BLR], 0);
    unreadable(p970, &[(M::Rlwinm, &[R(5), R(5), Imm(0), Imm(30), Imm(1)]), BLR], 0);
    unreadable(p405, &[(M::Cmpldi, &[Cr(0), R(5), Imm(4)]), BLR], 0);
}

#[test]
fn a_frame_is_made_first_and_taken_away_right_before_every_return() {
    let target = targets()[0];
    let made: (M, &[Operand]) = (M::Stwu, &[R(1), Imm(-144), R(1)]);
    let away: (M, &[Operand]) = (M::Addi, &[R(1), R(1), Imm(144)]);
    assert!(target.decode(&assembled(target, &[made, NOP, away, BLR])).is_ok());
    unreadable(target, &[made, BLR], 4);
    unreadable(target, &[made, away, NOP, BLR], 4);
    unreadable(target, &[made, (M::Addi, &[R(1), R(1), Imm(128)]), BLR], 4);
    unreadable(target, &[made, (M::B, &[To(-4)]), away, BLR], 4);
    // Into the return, past what takes the frame away.
    unreadable(target, &[made, (M::B, &[To(8)]), away, BLR], 4);
    unreadable(target, &[away, BLR], 0);
}

#[test]
fn jumps_land_on_instructions_and_never_inside_a_sequence() {
    let target = targets()[0];
    unreadable(target, &[(M::B, &[To(8)]), BLR], 0);
    unreadable(target, &[BLR, (M::B, &[To(-8)])], 4);
    let here: [(M, &[Operand]); 4] = [(M::Mflr, &[R(7)]), (M::Bcl, &[To(4)]), (M::Mflr, &[R(12)]), (M::Mtlr, &[R(7)])];
    assert!(target.decode(&assembled(target, &[here[0], here[1], here[2], here[3], BLR])).is_ok());
    unreadable(target, &[(M::B, &[To(8)]), here[0], here[1], here[2], here[3], BLR], 0);
    unreadable(target, &[here[0], here[1], here[2], (M::Mtlr, &[R(12)]), BLR], 0);
    unreadable(target, &[here[0], (M::Bcl, &[To(8)]), here[2], here[3], BLR], 0);
    unreadable(target, &[(M::Mtctr, &[R(5)]), (M::Bctr, &[]), BLR], 4);
    let mut code = assembled(target, &[BLR]);
    code.bytes.extend([0x4e, 0x80]);
    assert_eq!(
        target.decode(&code).unwrap_err().to_string(),
        "the instruction at offset 0x4 is not understood: an instruction cut short"
    );
}
