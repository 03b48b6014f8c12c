//! Plans that copy are proven, and what they do under overlap is found out.

mod plans;

use copysmith_kernels::Span;
use copysmith_kernels::plan::{Addr, Op, Plan, Reg, Val, Width};
use copysmith_kernels::proof::{Depth, Overlap, Proof, Residues, flatten, overlap, prove};
use plans::*;

fn every_plan() -> Vec<(&'static str, (Plan, Span))> {
    vec![
        ("head and tail", head_and_tail()),
        ("bump loop", bump_loop()),
        ("negative index", negative_index()),
        ("string move", string_move()),
        ("backward string move", backward_string_move()),
        ("backward loop", backward_loop()),
        ("masked", masked()),
        ("switch", switch()),
        ("streamed", streamed()),
        ("branch-free leaf", branch_free_leaf()),
        ("branch-free classes", branch_free_classes()),
        ("PowerPC loop", powerpc_loop()),
    ]
}

fn proven((plan, span): (Plan, Span), residues: Residues, depth: Depth) -> Proof {
    let program = flatten(&plan).unwrap_or_else(|error| panic!("{error}\n{plan}"));
    prove(&program, span, residues, depth).unwrap_or_else(|failure| panic!("{failure}\n{plan}"))
}

#[test]
fn every_right_plan_is_proven_at_the_gate_for_every_destination_residue() {
    for (name, plan) in every_plan() {
        let proof = proven(plan, Residues::destination(64), Depth::Gate);
        assert!(proof.runs >= proof.lengths && proof.residues > 1, "{name}: {proof:?}");
    }
}

#[test]
fn every_right_plan_is_proven_in_full_for_pairs_of_residues() {
    for (name, plan) in every_plan() {
        let proof = proven(plan, Residues::both(64, 16), Depth::Full);
        assert!(proof.residues >= 512, "{name}: {proof:?}");
    }
}

#[test]
fn a_bounded_span_is_run_whole_and_an_open_one_at_its_edges() {
    let bounded = proven(masked(), Residues::one(), Depth::Gate);
    assert_eq!((bounded.lengths, bounded.longest, bounded.runs), (65, 64, 65));
    let open = proven(string_move(), Residues::one(), Depth::Full);
    // 600 first lengths, 20 around each of 2^11 to 2^17, 16 spread ones.
    assert!((740..=756).contains(&open.lengths) && open.longest == (1 << 17) + 65, "{open:?}");
}

#[test]
fn a_touch_may_read_one_byte_of_the_destination() {
    let (mut plan, span) = head_and_tail();
    plan.body.insert(0, Op::Touch { at: Addr::at(Reg::DST, 15), val: Val(9) });
    proven((plan, span), Residues::one(), Depth::Gate);
}

#[test]
fn a_plan_for_any_length_handles_the_empty_copy() {
    let (plan, _) = powerpc_loop();
    let proof = proven((plan, span(0, 0)), Residues::both(4, 4), Depth::Full);
    assert_eq!((proof.lengths, proof.runs), (1, 16));
}

#[test]
fn what_a_plan_does_under_overlap_is_found_out() {
    let found = |(plan, span): (Plan, Span), depth| overlap(&flatten(&plan).unwrap(), span, depth).unwrap();
    for depth in [Depth::Gate, Depth::Full] {
        for safe in [head_and_tail(), masked(), branch_free_leaf()] {
            assert_eq!(found(safe, depth), Overlap::Safe);
        }
        assert!(matches!(found(powerpc_loop(), depth), Overlap::ForwardOnly(clash) if clash.distance > 0));
        assert!(matches!(found(backward_loop(), depth), Overlap::BackwardOnly(clash) if clash.distance < 0));
        assert!(matches!(found(backward_string_move(), depth), Overlap::BackwardOnly(_)));
        // The tail is loaded after the loop has written over it.
        assert!(matches!(found(bump_loop(), depth), Overlap::Unsafe { .. }));
    }
}

#[test]
fn a_late_tail_is_found_under_overlap_however_long_the_copies_are() {
    let program = flatten(&bump_loop().0).unwrap();
    for first in [64, 1 << 16, 1 << 20, 1 << 24] {
        for depth in [Depth::Gate, Depth::Full] {
            let found = overlap(&program, open(first), depth).unwrap();
            assert!(matches!(found, Overlap::Unsafe { .. }), "{first} {depth:?}: {found}");
        }
    }
}

#[test]
fn an_overlap_that_only_one_distance_shows_is_found_with_its_example() {
    // Two halves of 16 loaded in turn, the second after the first was stored: wrong as soon as dst is 1 to 31 above src.
    let half = |at| [load(0, Width::Sse16, Reg::SRC, at), store(0, Width::Sse16, Reg::DST, at)];
    let plan = plan(half(0).into_iter().chain(half(16)).collect());
    let found = overlap(&flatten(&plan).unwrap(), span(32, 32), Depth::Full).unwrap();
    let Overlap::ForwardOnly(clash) = found else { panic!("{found}") };
    assert_eq!((clash.n, clash.distance), (32, 1));
    assert_eq!(clash.to_string(), "n 32, dst = src+1: at 0x4 returns while dst+16 holds src+15");
}
