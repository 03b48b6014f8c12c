//! Two routines that could strain the plan vocabulary, as sketches of what a lowering makes of them.
//!
//! **A PowerPC 603 loop.** No vectors, no unaligned store across a double word without a penalty: bytes until the destination is a
//! multiple of four, then two words a turn, then a word and bytes. What its loop would be in code, and the plan for it:
//!
//! ```text
//! 1: lwz  r9, 0(r4)          v0 = load 4 [src]
//!    lwz  r10, 4(r4)         v1 = load 4 [src + 4]
//!    stw  r9, 0(r3)          store 4 [dst] = v0
//!    stw  r10, 4(r3)         store 4 [dst + 4] = v1
//!    addi r4, r4, 8          src = src + 8
//!    addi r3, r3, 8          dst = dst + 8
//!    bdnz 1b                 r5 = r5 - 1
//!                         } while r5 != 0
//! ```
//!
//! **A branch-free leaf for 0 to 32 bytes.** Nothing depends on `n` but addresses: what would go wrong for this `n` goes to scratch.
//!
//! ```text
//! n         0   1   2   3   4 ......... 8 ........ 16 ........ 32
//! 3 bytes   -   first, middle, last; further on they write what is written again
//! 2 x 4     -   -   -   -   first and last four ...
//! 2 x 8     -   -   -   -   -           first and last eight ...
//! 2 x 16    -   -   -   -   -           -          first and last sixteen
//! ```
//!
//! With all nine loads before all nine stores it is a move, and holds seven general values at once, more than the registers that
//! x86-64 leaves over. Class by class it needs nine integer registers in all, and is a copy only.

mod plans;

use copysmith_kernels::plan::{Op, Plan, Reg};
use copysmith_kernels::proof::{Depth, Failure, Overlap, Program, Residues, Step, flatten, overlap, prove};
use plans::*;

/// The program with every word store refused unless its address is a multiple of four.
fn words_aligned(plan: &Plan) -> Program {
    let mut program = flatten(plan).unwrap();
    for step in &mut program.steps {
        if let Step::Store { bytes: 4, align, .. } = step {
            *align = 4;
        }
    }
    program
}

#[test]
fn the_powerpc_loop_stores_words_to_aligned_addresses_only() {
    let (mut plan, span) = powerpc_loop();
    let residues = Residues::both(8, 8);
    prove(&words_aligned(&plan), span, residues, Depth::Full).unwrap_or_else(|failure| panic!("{failure}\n{plan}"));
    // Without the head it is still a copy, but no longer an aligned one.
    let Some(Op::If { then, .. }) = plan.body.get_mut(4) else { panic!("{plan}") };
    then.clear();
    plan.body.remove(3);
    prove(&flatten(&plan).unwrap(), span, residues, Depth::Full).unwrap_or_else(|failure| panic!("{failure}\n{plan}"));
    let failure = prove(&words_aligned(&plan), span, residues, Depth::Full).unwrap_err();
    assert!(matches!(failure, Failure::Input { n: 4, dst_residue: 1, .. }), "{failure}");
}

#[test]
fn the_powerpc_loop_reads_as_its_code() {
    let text = powerpc_loop().0.to_string();
    let body = "        v0 = load 4 [src]\n        v1 = load 4 [src + 4]\n        store 4 [dst] = v0\n        store 4 [dst + 4] = v1\n";
    assert!(text.contains(body), "{text}");
}

#[test]
fn the_branch_free_leaves_take_the_same_steps_for_every_length() {
    for (plan, lengths) in [branch_free_leaf(), branch_free_classes()] {
        let program = flatten(&plan).unwrap();
        assert!(!program.steps.iter().any(|step| matches!(step, Step::JumpIf { .. } | Step::Jump { .. })));
        let proof = prove(&program, lengths, Residues::one(), Depth::Full).unwrap();
        assert_eq!(proof.steps, 33 * program.steps.len() as u64);
    }
}

#[test]
fn loads_before_stores_make_a_move_and_classes_make_a_copy() {
    let found = |plan: &Plan| overlap(&flatten(plan).unwrap(), span(0, 32), Depth::Full).unwrap();
    assert_eq!(found(&branch_free_leaf().0), Overlap::Safe);
    assert!(matches!(found(&branch_free_classes().0), Overlap::Unsafe { .. }));
}

#[test]
fn class_by_class_the_leaf_meets_no_register_twice() {
    let (mut lowest_value, mut highest) = (Reg::ALL, 0);
    for op in &branch_free_classes().0.body {
        match op {
            // Where the plan vocabulary puts a general value.
            Op::Load { val, width, .. } if width.is_general() => lowest_value = lowest_value.min(Reg::ALL - 1 - val.0),
            Op::Set { to, .. } => highest = highest.max(to.0),
            _ => {}
        }
    }
    assert!(highest < lowest_value, "register {highest} against {lowest_value}");
}
