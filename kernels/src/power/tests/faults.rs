//! Faults planted in code, which the proof must find: every bit of every instruction of some kernels, one after the other, and
//! some that an emitter could make.

use super::*;
use crate::proof::{Depth, Failure, Residues, Wrong, prove};
use crate::recipe::Recipe;
use crate::routine::Routine;

fn code_of(target: Power, recipe: &str) -> (Recipe, Code) {
    let recipe: Recipe = recipe.parse().unwrap_or_else(|error| panic!("{recipe}: {error}"));
    let code = target.emit(&Routine::from(recipe.clone()).plan()).unwrap_or_else(|error| panic!("{recipe}: {error}"));
    (recipe, code)
}

/// Whether the code reads back and proves.
fn proves(target: Power, code: &Code, recipe: &Recipe) -> bool {
    let program = target.decode(code);
    program.is_ok_and(|program| prove(&program, recipe.span(), Residues::both(8, 8), Depth::Gate).is_ok())
}

/// Each flip of one bit that leaves the code a proven copy, by the instruction before and after it.
fn survivors(target: Power, kernel: &str) -> Vec<(String, String)> {
    let (recipe, code) = code_of(target, kernel);
    assert!(proves(target, &code, &recipe), "{recipe}");
    let line = |code: &Code, bit: usize| target.listing(code)[bit / 32].text.clone();
    let flips = (0..8 * code.bytes.len()).map(|bit| {
        let mut flipped = code.clone();
        flipped.bytes[bit / 8] ^= 1 << (bit % 8);
        (bit, flipped)
    });
    let surviving = flips.filter(|(_, flipped)| proves(target, flipped, &recipe));
    surviving
        .map(|(bit, flipped)| (line(&code, bit), line(&flipped, bit)))
        .filter(|(before, after)| !updates_a_dead_base(before, after))
        .collect()
}

/// The flip makes an access move its base on as well: where that proves, nobody looks at the base any more, and it is a copy still.
fn updates_a_dead_base(before: &str, after: &str) -> bool {
    let update = |(mnemonic, operands): (&str, &str)| format!("{mnemonic}u {operands}");
    before.split_once(' ').map(update).as_deref() == Some(after)
}

#[test]
fn any_flipped_bit_of_a_kernel_without_redundancy_is_found() {
    for target in targets() {
        assert_eq!(survivors(target, "copy 8..=16 pairs width=4 moves=2"), []);
    }
}

#[test]
fn a_flipped_bit_of_a_load_a_store_or_a_return_is_found() {
    // What survives elsewhere is padding, scratch moved within scratch, a head of another length, a comparison made twice.
    let kernels = [
        "copy 0..=8 chain width=4 bottom=three",
        "copy 0..=8 branch-free width=4",
        "copy 0..=3 jump-table width=4",
        "copy 3..=40 loop width=4 unroll=2 align=dst:4:bytes tail=ladder",
    ];
    let telling = ["lb", "lh", "lw", "ld", "st", "mf", "mt", "bc", "blr"];
    for target in targets() {
        for kernel in kernels {
            for (before, after) in survivors(target, kernel) {
                let tells = telling.iter().any(|mnemonic| before.starts_with(mnemonic));
                assert!(!tells, "{target:?} {kernel}: {before} -> {after}");
            }
        }
    }
}

#[test]
fn on_a_big_endian_machine_a_narrower_store_takes_the_other_end() {
    use Mnemonic as M;
    use Operand::{Imm, R};
    // Four bytes stored, and the lowest address again: right in little endian only.
    let four: Recipe = "copy 4..=4 chain width=4".parse().unwrap();
    let shuffled: &[(M, &[Operand])] = &[
        (M::Lwz, &[R(9), Imm(0), R(4)]),
        (M::Stw, &[R(9), Imm(0), R(3)]),
        (M::Stb, &[R(9), Imm(0), R(3)]),
        (M::Blr, &[]),
    ];
    for target in targets() {
        let program = target.decode(&assembled(target, shuffled)).unwrap();
        let proof = prove(&program, four.span(), Residues::one(), Depth::Gate);
        match target.mode() {
            Mode::Ppc64le => assert!(proof.is_ok()),
            _ => {
                let Err(Failure::Input { fault, .. }) = proof else { panic!("{proof:?}") };
                assert_eq!(fault.wrong, Wrong::Content { index: 0, found: 3 });
            }
        }
    }
}
