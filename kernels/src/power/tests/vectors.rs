//! What vector and floating-point accesses really do shows when they are mixed up: each kernel here copies, or is told what it does instead.

use super::*;
use crate::Span;
use crate::proof::{Depth, Residues, prove};
use Mnemonic as M;
use Operand::{F, Imm, R, V, X, Zero};

const BLR: (M, &[Operand]) = (M::Blr, &[]);

fn power(mode: Mode, processor: Processor) -> Power {
    Power::new(mode, processor).expect("it has that mode")
}

/// Whether the kernel is a copy of `n` bytes, or why it is none.
fn copies(target: Power, n: usize, body: &[(M, &[Operand])]) -> Result<(), String> {
    let code = assembled(target, &[body, &[BLR]].concat());
    let program = target.decode(&code).map_err(|error| error.to_string())?;
    let span = Span::new(n, n).expect("one length");
    prove(&program, span, Residues::both(16, 16), Depth::Gate).map(|_| ()).map_err(|failure| failure.to_string())
}

fn fails(target: Power, n: usize, body: &[(M, &[Operand])], why: &str) {
    let failure = copies(target, n, body).expect_err("it is no copy");
    assert!(failure.contains(why), "{target:?}: {failure}");
}

#[test]
fn a_load_that_exchanges_halves_needs_a_store_that_does_on_little_endian_only() {
    let exchanging: [(M, &[Operand]); 2] = [(M::Lxvd2x, &[X(32), Zero, R(4)]), (M::Stxvd2x, &[X(32), Zero, R(3)])];
    let natural: [(M, &[Operand]); 2] = [(M::Lxv, &[X(32), Imm(0), R(4)]), (M::Stxv, &[X(32), Imm(0), R(3)])];
    let (little, big) = (power(Mode::Ppc64le, Processor::Power9), power(Mode::Ppc64, Processor::Power9));
    for target in [little, big] {
        assert_eq!(copies(target, 16, &exchanging), Ok(()));
        assert_eq!(copies(target, 16, &natural), Ok(()));
    }
    for mixed in [[exchanging[0], natural[1]], [natural[0], exchanging[1]]] {
        assert_eq!(copies(big, 16, &mixed), Ok(()));
        fails(little, 16, &mixed, "dst+0 holds src+8");
    }
}

#[test]
fn the_first_of_a_pair_has_the_first_half_on_big_endian_and_the_second_on_little() {
    let load: (M, &[Operand]) = (M::Lxvp, &[X(32), Imm(0), R(4)]);
    let copied = |target, first: Operand, second: Operand| {
        let stores: [(M, &[Operand]); 2] = [(M::Stxv, &[first, Imm(0), R(3)]), (M::Stxv, &[second, Imm(16), R(3)])];
        copies(target, 32, &[load, stores[0], stores[1]])
    };
    let (little, big) = (power(Mode::Ppc64le, Processor::Power10), power(Mode::Ppc64, Processor::Power10));
    for (target, [first, second]) in [(big, [X(32), X(33)]), (little, [X(33), X(32)])] {
        assert_eq!(copied(target, first, second), Ok(()));
        let failure = copied(target, second, first).expect_err("the halves are exchanged");
        assert!(failure.contains("dst+0 holds src+16"), "{failure}");
    }
}

#[test]
fn a_floating_point_register_is_half_of_a_vector_register() {
    let target = power(Mode::Ppc64, Processor::Power9);
    let load: (M, &[Operand]) = (M::Lfd, &[F(1), Imm(0), R(4)]);
    let store: (M, &[Operand]) = (M::Stfd, &[F(1), Imm(0), R(3)]);
    let vector = |number| [X(number), Zero, R(4)];
    assert_eq!(copies(target, 8, &[load, store]), Ok(()));
    assert_eq!(copies(target, 16, &[(M::Lxvx, &vector(33)), (M::Stxvx, &[X(33), Zero, R(3)])]), Ok(()));
    fails(target, 16, &[load, (M::Lxvx, &vector(1)), store], "which holds 0");
    fails(target, 16, &[(M::Lxvx, &vector(1)), load, (M::Stxvx, &[X(1), Zero, R(3)])], "which holds 0");
}

#[test]
fn registers_that_a_caller_wants_back_are_not_read() {
    let target = power(Mode::Ppc64le, Processor::Power10);
    for number in [14, 31, 52, 63] {
        fails(target, 16, &[(M::Lxvx, &[X(number), Zero, R(4)])], "is not understood");
    }
    fails(target, 8, &[(M::Lfd, &[F(14), Imm(0), R(4)])], "is not understood");
    fails(target, 32, &[(M::Lxvp, &[X(14), Imm(0), R(4)])], "is not understood");
}

#[test]
fn a_partial_access_moves_as_many_bytes_as_the_highest_byte_says() {
    let target = power(Mode::Ppc64le, Processor::Power9);
    let length: (M, &[Operand]) = (M::Rldicr, &[R(7), R(5), Imm(56), Imm(7)]);
    let load: (M, &[Operand]) = (M::Lxvl, &[X(32), R(4), R(7)]);
    let store: (M, &[Operand]) = (M::Stxvl, &[X(32), R(3), R(7)]);
    for n in 0..=16 {
        assert_eq!(copies(target, n, &[length, load, store]), Ok(()), "{n}");
    }
    fails(target, 17, &[length, load, store], "masks 17 bytes of a vector of 16");
    // The length where it was passed: its highest byte is zero.
    fails(target, 5, &[(M::Lxvl, &[X(32), R(4), R(5)]), (M::Stxvl, &[X(32), R(3), R(5)])], "its old content");
}

#[test]
fn altivec_accesses_clear_the_low_bits_of_an_address_and_a_permutation_puts_the_rest_together() {
    let (little, big) = (power(Mode::Ppc64le, Processor::Power8), power(Mode::Ppc64, Processor::P970));
    let store: (M, &[Operand]) = (M::Stvx, &[V(0), Zero, R(3)]);
    // The last byte of 16 is in the next vector wherever the first is not the first of one.
    let load: [(M, &[Operand]); 4] = [
        (M::Addi, &[R(7), Zero, Imm(15)]),
        (M::Lvx, &[V(0), Zero, R(4)]),
        (M::Lvx, &[V(1), R(4), R(7)]),
        (M::Lvx, &[V(2), Zero, R(4)]),
    ];
    let merged = |shift, first: u8, second: u8| -> [(M, Vec<Operand>); 2] {
        [(shift, vec![V(3), Zero, R(4)]), (M::Vperm, vec![V(0), V(first), V(second), V(3)])]
    };
    let outcome = |target, shift, first, second| {
        let merge = merged(shift, first, second);
        let merge = merge.each_ref().map(|(mnemonic, operands)| (*mnemonic, &operands[..]));
        let code = assembled(target, &[&load[..], &merge, &[store, BLR]].concat());
        let program = target.decode(&code).expect("each is understood");
        let span = Span::new(16, 16).expect("one length");
        prove(&program, span, Residues::source(16), Depth::Gate).map(|_| ()).map_err(|failure| failure.to_string())
    };
    assert_eq!(outcome(big, M::Lvsl, 0, 1), Ok(()));
    assert_eq!(outcome(little, M::Lvsr, 1, 0), Ok(()));
    for (target, shift, first, second) in
        [(big, M::Lvsl, 1, 0), (big, M::Lvsr, 0, 1), (little, M::Lvsr, 0, 1), (little, M::Lvsl, 1, 0)]
    {
        let failure = outcome(target, shift, first, second).expect_err("it is no copy");
        assert!(failure.contains("dst+0 holds"), "{failure}");
    }
    // Without a merge, right at multiples of 16 only.
    for target in [little, big] {
        fails(target, 16, &[load[1], store], "dst at 64k+1, src at 64k+0");
        let code = assembled(target, &[load[1], store, BLR]);
        let span = Span::new(16, 16).expect("one length");
        let failure = prove(&target.decode(&code).expect("known"), span, Residues::source(16), Depth::Gate);
        let failure = failure.expect_err("it is no copy").to_string();
        assert!(failure.contains("src at 64k+1") && failure.contains("lies beside src"), "{failure}");
    }
}

#[test]
fn words_are_merged_by_shifts_that_go_the_way_of_the_byte_order() {
    let (big, little) = (power(Mode::Ppc32, Processor::E300c3), power(Mode::Ppc64le, Processor::Power8));
    // Of the three bytes of an even source, with what is before them.
    let body = |one, other| -> [(M, &[Operand]); 8] {
        [
            (M::Addi, &[R(7), Zero, Imm(8)]),
            (M::Addi, &[R(8), Zero, Imm(24)]),
            (M::Lwz, &[R(9), Imm(0), R(4)]),
            (M::Lwz, &[R(10), Imm(4), R(4)]),
            (one, &[R(9), R(9), R(7)]),
            (other, &[R(0), R(10), R(8)]),
            (M::Or, &[R(9), R(9), R(0)]),
            (M::Stw, &[R(9), Imm(1), R(3)]),
        ]
    };
    let first: (M, &[Operand]) = (M::Lbz, &[R(11), Imm(0), R(4)]);
    let whole = |one, other| [&[first, (M::Stb, &[R(11), Imm(0), R(3)])][..], &body(one, other)].concat();
    assert_eq!(copies(big, 5, &whole(M::Slw, M::Srw)), Err(misaligned()));
    let aligned = |target, body: &[(M, &[Operand])]| {
        let program = target_program(target, body);
        prove(&program, Span::new(5, 5).expect("one length"), Residues::one(), Depth::Gate)
            .map(|_| ())
            .map_err(|failure| failure.to_string())
    };
    assert_eq!(aligned(big, &whole(M::Slw, M::Srw)), Ok(()));
    assert_eq!(aligned(little, &whole(M::Srw, M::Slw)), Ok(()));
    for (target, one, other) in [(big, M::Srw, M::Slw), (little, M::Slw, M::Srw), (big, M::Slw, M::Slw)] {
        assert!(aligned(target, &whole(one, other)).is_err(), "{target:?} {one:?} {other:?}");
    }
}

/// What reads around a source that is not aligned is outside of it.
fn misaligned() -> String {
    "n 5, dst at 64k+0, src at 64k+1: at 0x14 loads 4 bytes at src+4, 3 past the end".to_owned()
}

fn target_program(target: Power, body: &[(M, &[Operand])]) -> Program {
    program(target, &assembled(target, &[body, &[BLR]].concat()))
}
