//! What the encoder refuses, and that words and instructions are the same thing twice.

use super::super::{Instruction, Mnemonic as M, Operand, OperandError};
use super::binutils::samples;
use Operand::{Bit, Cr, Imm, R, To, X, Zero};

fn word(mnemonic: M, operands: &[Operand]) -> u32 {
    Instruction::new(mnemonic, operands).unwrap_or_else(|error| panic!("{mnemonic:?} {operands:?}: {error}")).word()
}

fn refused(mnemonic: M, operands: &[Operand], why: &str) {
    let error = Instruction::new(mnemonic, operands).expect_err("it must not be encoded").to_string();
    assert!(error.contains(why), "{mnemonic:?} {operands:?}: {error}");
}

#[test]
fn every_instruction_is_read_back_from_its_word() {
    let samples = samples(64);
    assert!(samples.len() > 60 * M::ALL.len());
    for sample in samples {
        assert_eq!(Instruction::decode(sample.word()), Some(sample), "{}", sample.text(0));
        let again = Instruction::new(sample.mnemonic(), sample.operands()).unwrap();
        assert_eq!(again.word(), sample.word());
    }
}

#[test]
fn no_two_lines_of_the_table_are_the_same_word() {
    for (number, one) in M::ALL.iter().enumerate() {
        let entry = one.entry();
        assert_eq!(entry.bits & !one.fixed(), 0, "{one:?}: an operand would change a fixed bit");
        let overlap =
            entry.fields.iter().fold((0, 0), |(all, both), field| (all | field.mask(), both | all & field.mask()));
        assert_eq!(overlap.1, 0, "{one:?}: two operands share bits");
        assert!(!entry.manual.is_empty());
        for other in &M::ALL[number + 1..] {
            let common = one.fixed() & other.fixed();
            let same = entry.bits & common == other.entry().bits & common;
            assert!(!same || one.fixed() != other.fixed(), "{one:?} and {other:?}");
        }
    }
}

#[test]
fn register_0_is_no_base() {
    for mnemonic in [M::Lbz, M::Lhz, M::Lwz, M::Ld, M::Stb, M::Sth, M::Stw, M::Std, M::Addi, M::Addis] {
        refused(mnemonic, &[R(3), if matches!(mnemonic, M::Addi | M::Addis) { R(0) } else { Imm(0) }, R(0)], "");
    }
    refused(M::Lwz, &[R(3), Imm(4), R(0)], "r0 would be read as zero");
    refused(M::Addi, &[R(3), R(0), Imm(1)], "r0 would be read as zero");
    refused(M::Isel, &[R(3), R(0), R(4), Bit(2)], "r0 would be read as zero");
    refused(M::Dcbt, &[R(0), R(4), Imm(0)], "r0 would be read as zero");
    assert_eq!(word(M::Addi, &[R(3), Zero, Imm(5)]), 0x3860_0005);
    assert_eq!(word(M::Lwzx, &[R(3), Zero, R(4)]), 0x7c60_202e);
    // As an index it is a register like any other.
    assert_eq!(word(M::Lwzx, &[R(3), R(4), R(0)]), 0x7c64_002e);
}

#[test]
fn displacements_are_multiples_of_what_their_form_can_hold() {
    for off in 1..4 {
        refused(M::Ld, &[R(3), Imm(4 * 7 + off), R(1)], "multiples of 4");
        refused(M::Std, &[R(3), Imm(off - 8), R(1)], "multiples of 4");
        refused(M::B, &[To(8 + off)], "multiples of 4");
    }
    refused(M::Ld, &[R(3), Imm(6), R(1)], "multiples of 4");
    for off in 1..16 {
        refused(M::Lxv, &[X(3), Imm(32 + off), R(1)], "multiples of 16");
        refused(M::Stxvp, &[X(2), Imm(32 + off), R(1)], "multiples of 16");
    }
    refused(M::Lxvp, &[X(3), Imm(0), R(1)], "vs0, vs2");
}

#[test]
fn constants_stay_inside_sixteen_bits_with_their_sign() {
    for (least, most, mnemonic) in
        [(-0x8000, 0x7fff, M::Addi), (-0x8000, 0x7fff, M::Addis), (-0x8000, 0x7fff, M::Addic)]
    {
        assert_eq!(word(mnemonic, &[R(3), R(4), Imm(least)]) & 0xffff, 0x8000);
        assert_eq!(word(mnemonic, &[R(3), R(4), Imm(most)]) & 0xffff, 0x7fff);
        refused(mnemonic, &[R(3), R(4), Imm(least - 1)], "-32768 to 32767");
        refused(mnemonic, &[R(3), R(4), Imm(most + 1)], "-32768 to 32767");
    }
    for mnemonic in [M::Ori, M::Oris, M::AndiRc, M::AndisRc] {
        assert_eq!(word(mnemonic, &[R(3), R(4), Imm(0xffff)]) & 0xffff, 0xffff);
        refused(mnemonic, &[R(3), R(4), Imm(-1)], "0 to 65535");
        refused(mnemonic, &[R(3), R(4), Imm(0x10000)], "0 to 65535");
    }
    refused(M::Lwz, &[R(3), Imm(0x8000), R(4)], "-32768 to 32767");
    refused(M::Ld, &[R(3), Imm(0x8000), R(4)], "-32768 to 32764");
    refused(M::Lxv, &[X(3), Imm(0x8000), R(4)], "-32768 to 32752");
    refused(M::Cmplwi, &[Cr(0), R(3), Imm(-1)], "0 to 65535");
}

#[test]
fn branches_reach_as_far_as_their_form_and_no_further() {
    assert_eq!(word(M::Bc, &[Imm(12), Bit(2), To(0x7ffc)]), 0x4182_7ffc);
    assert_eq!(word(M::Bc, &[Imm(4), Bit(2), To(-0x8000)]), 0x4082_8000);
    for beyond in [0x8000, -0x8004] {
        refused(M::Bc, &[Imm(12), Bit(2), To(beyond)], "-32768 to 32764");
        refused(M::Bdnz, &[To(beyond)], "-32768 to 32764");
    }
    assert_eq!(word(M::B, &[To(0x1ff_fffc)]), 0x49ff_fffc);
    assert_eq!(word(M::B, &[To(-0x200_0000)]), 0x4a00_0000);
    for beyond in [0x200_0000, -0x200_0004] {
        refused(M::B, &[To(beyond)], "-33554432 to 33554428");
    }
}

#[test]
fn invalid_forms_are_not_built() {
    refused(M::Lwzu, &[R(3), Imm(4), R(3)], "loaded and moved on");
    refused(M::Ldux, &[R(3), R(3), R(4)], "loaded and moved on");
    refused(M::Lwzu, &[R(3), Imm(4), R(0)], "r1 to r31");
    refused(M::Stwu, &[R(3), Imm(4), R(0)], "r1 to r31");
    assert_eq!(word(M::Stwu, &[R(1), Imm(-16), R(1)]), 0x9421_fff0);
    refused(M::Mtocrf, &[Imm(3), R(3)], "1, 2, 4");
    refused(M::Bc, &[Imm(20), Bit(0), To(8)], "4 (unless) or 12 (if)");
    refused(M::Add, &[R(3), R(4)], "2 operands; there must be 3");
    refused(M::Add, &[R(3), R(4), R(32)], "r0 to r31");
    refused(M::Add, &[R(3), R(4), Imm(5)], "r0 to r31");
    assert_eq!(
        Instruction::new(M::Lwz, &[R(3), R(4), R(5)]),
        Err(OperandError::Value { operand: R(4), allowed: "-32768 to 32767" })
    );
    // A word with the same form is none of the table either.
    assert_eq!(Instruction::decode(0x8463_0004), None);
    assert_eq!(Instruction::decode(0), None);
    assert_eq!(Instruction::decode(0x4400_0002), None, "a system call");
}
