//! The three proofs of a routine, in order: its plan, its code read back, and its code run.
//!
//! A routine that fails one of them is never timed and can never be in a table.

use crate::host::Features;
use crate::run::{TryError, Verdict, battery, try_out, try_out_move};
use copysmith_kernels::proof::{Depth, LONGEST, Program, Proof, Residues, flatten, prove_operation};
use copysmith_kernels::recipe::Operation;
use copysmith_kernels::{Code, Isa, Recipe, Routine, Span, Target, X86_64};
use std::fmt;

/// How much the proofs of a routine may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// Some milliseconds: before a candidate is timed.
    Gate,
    /// Some seconds: before a routine can be in a table.
    Full,
}

/// A routine that holds, and what was covered to say so.
#[derive(Clone, Debug)]
pub struct Proven {
    /// Its code.
    pub code: Code,
    /// For each leaf what the interpreter covered of the plan and of the code.
    pub leaves: Vec<LeafProof>,
    /// What the run proof covered.
    pub run: Ran,
}

/// What was interpreted for one leaf.
#[derive(Clone, Debug)]
pub struct LeafProof {
    /// The lengths interpreted. Where the leaf's own are too long to interpret, a span with the same plan.
    pub span: Span,
    /// Of the plan.
    pub plan: Proof,
    /// Of the code.
    pub code: Proof,
}

/// The third proof.
#[derive(Clone, Debug)]
pub enum Ran {
    /// On this processor.
    Here(battery::Coverage),
    /// Not at all: this processor has no such instructions.
    Lacking(Isa),
}

/// Which proof failed, and on what.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The plan is not a copy, or no move where it says so.
    Plan(String),
    /// The target cannot express the plan.
    Unsupported(String),
    /// The code read back is not understood, is not a copy, or no move where it says so.
    Code(String),
    /// The code did something wrong when run.
    Run(Verdict),
    /// Nothing could be run at all; the routine may be right.
    Try(TryError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Plan(why) => write!(f, "the plan is wrong: {why}"),
            Refusal::Unsupported(why) => f.write_str(why),
            Refusal::Code(why) => write!(f, "the code is wrong: {why}"),
            Refusal::Run(verdict) => write!(f, "run: {verdict}"),
            Refusal::Try(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

/// Whether this processor has the instructions of a routine.
pub fn can_run(routine: &Routine, features: &Features) -> bool {
    let isa = match routine.isa() {
        Isa::Sse2 => features.sse2,
        Isa::Avx => features.avx,
        Isa::Avx512 => features.avx512,
    };
    isa && (features.prefetchw || !routine.leaves().iter().any(|leaf| leaf.shape().prefetches_for_write()))
}

/// Emits a routine and puts it through the three proofs.
///
/// # Errors
/// [`Refusal`] names the first proof that fails and the input that shows it.
pub fn prove_routine(routine: &Routine, features: &Features, how: Thoroughness) -> Result<Proven, Refusal> {
    let code = X86_64.emit(&routine.plan()).map_err(|error| Refusal::Unsupported(error.to_string()))?;
    prove_with(routine, code, features, how)
}

/// The three proofs for code that may come from anywhere and is said to be this routine's.
///
/// # Errors
/// As [`prove_routine`].
pub fn prove_with(routine: &Routine, code: Code, features: &Features, how: Thoroughness) -> Result<Proven, Refusal> {
    let planned = flatten(&routine.plan()).map_err(|error| Refusal::Plan(error.to_string()))?;
    let leaves = prove_code(routine, &planned, &code, how)?;
    let run = if can_run(routine, features) {
        // Copies of megabytes take long; code with the same bytes for shorter ones shows the same faults.
        let (depth, span) = match how {
            Thoroughness::Gate => (battery::Depth::Gate, shortest_twin(routine, &code)),
            Thoroughness::Full => (battery::Depth::FULL, routine.span()),
        };
        let verdict = match routine.operation() {
            Operation::Copy => try_out(&code, span, depth),
            Operation::Move => try_out_move(&code, span, depth),
        };
        match verdict.map_err(Refusal::Try)? {
            Verdict::Passed(coverage) => Ran::Here(coverage),
            verdict => return Err(Refusal::Run(verdict)),
        }
    } else {
        Ran::Lacking(routine.isa())
    };
    Ok(Proven { code, leaves, run })
}

/// The first two proofs, for code that may come from anywhere: `planned` is the routine's own plan.
///
/// # Errors
/// As [`prove_routine`].
pub fn prove_code(
    routine: &Routine,
    planned: &Program,
    code: &Code,
    how: Thoroughness,
) -> Result<Vec<LeafProof>, Refusal> {
    let depth = match how {
        Thoroughness::Gate => Depth::Gate,
        Thoroughness::Full => Depth::Full,
    };
    let read = X86_64.decode(code).map_err(|error| Refusal::Code(error.to_string()))?;
    let mut leaves = Vec::with_capacity(routine.leaves().len());
    for leaf in routine.leaves() {
        let twin = interpretable(leaf);
        let (planned, read, span) = match &twin {
            None => (planned.clone(), read.clone(), proven_on(routine, leaf)),
            Some(twin) => {
                let alone = Routine::from(twin.clone()).plan();
                let code = X86_64.emit(&alone).map_err(|error| Refusal::Unsupported(error.to_string()))?;
                let planned = flatten(&alone).map_err(|error| Refusal::Plan(error.to_string()))?;
                let read = X86_64.decode(&code).map_err(|error| Refusal::Code(error.to_string()))?;
                (planned, read, twin.span())
            }
        };
        // Every place of the destination that the code can tell from another.
        let aligned_to = leaf.shape().align().map_or(1, |align| align.to);
        let residues = Residues::both(u16::from(aligned_to.max(64)), 64);
        let prove = |program| prove_operation(leaf.operation(), program, span, residues, depth);
        let plan = prove(&planned).map_err(|failure| Refusal::Plan(failure.to_string()))?;
        let code = prove(&read).map_err(|failure| Refusal::Code(failure.to_string()))?;
        leaves.push(LeafProof { span, plan, code });
    }
    Ok(leaves)
}

/// Above this length no guard of a loop is left to be decided: prefetch distances, touched blocks and interleaved pages all fit.
const SETTLED: usize = 70_000;

/// For a leaf whose lengths are too long to interpret: the same recipe for shorter ones with the very same plan.
fn interpretable(leaf: &Recipe) -> Option<Recipe> {
    if leaf.span().first() <= LONGEST / 4 { None } else { twin(leaf) }
}

/// The lengths on which a leaf is proven. A lone move of long ones, which the runs with overlapping operands make slow, is proven on all lengths
/// from [`SETTLED`] on, if it has the very same plan for them: then its code must be right for them too.
fn proven_on(routine: &Routine, leaf: &Recipe) -> Span {
    let alone = routine.leaves().len() == 1 && routine.operation() == Operation::Move;
    let twin = if alone && leaf.span().first() > SETTLED { twin(leaf) } else { None };
    twin.map_or(leaf.span(), |twin| twin.span())
}

/// The lengths on which to try out a kernel's code at the gate: all its own, or from shorter ones where the code is the same.
fn shortest_twin(routine: &Routine, code: &Code) -> Span {
    let twin = match routine.leaves() {
        [leaf] if leaf.span().first() > SETTLED => twin(leaf),
        _ => None,
    };
    let same = |twin: &Recipe| X86_64.emit(&Routine::from(twin.clone()).plan()).is_ok_and(|other| other == *code);
    twin.filter(same).map_or(routine.span(), |twin| twin.span())
}

/// The same recipe for all lengths from [`SETTLED`] on, if it has the very same plan.
fn twin(leaf: &Recipe) -> Option<Recipe> {
    let twin = leaf.with_span(Span::new(SETTLED, usize::MAX).ok()?).ok()?;
    (Routine::from(twin.clone()).plan() == Routine::from(leaf.clone()).plan()).then_some(twin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routine(text: &str) -> Routine {
        text.parse().unwrap()
    }

    #[test]
    fn a_leaf_too_long_to_interpret_is_proved_on_lengths_with_the_same_plan() {
        let text = "copy 33554433.. loop width=sse16 unroll=4 align=dst:16:overlap stores=nt:4 tail=overlap";
        let leaf = routine(text).leaves()[0].clone();
        assert_eq!(interpretable(&leaf).unwrap().span().first(), SETTLED);
        let planned = flatten(&routine(text).plan()).unwrap();
        let code = X86_64.emit(&routine(text).plan()).unwrap();
        let leaves = prove_code(&routine(text), &planned, &code, Thoroughness::Gate).unwrap();
        assert!(leaves[0].code.runs > 10);
    }

    #[test]
    fn code_of_another_recipe_is_refused() {
        let right = routine("copy 16..=32 pairs width=sse16");
        let wrong = routine("copy 8..=16 pairs width=8");
        let planned = flatten(&right.plan()).unwrap();
        let code = X86_64.emit(&wrong.plan()).unwrap();
        let refusal = prove_code(&right, &planned, &code, Thoroughness::Gate).unwrap_err();
        assert!(matches!(refusal, Refusal::Code(_)), "{refusal}");
        assert!(refusal.to_string().contains("n 17"), "{refusal}");
    }

    #[test]
    fn code_that_copies_is_refused_as_a_move() {
        let right = routine("move 64.. loop width=sse16 unroll=2 tail=early");
        let planned = flatten(&right.plan()).unwrap();
        let copies = routine("copy 64.. loop width=sse16 unroll=2 tail=early").plan();
        let code = X86_64.emit(&copies).unwrap();
        let refusal = prove_code(&right, &planned, &code, Thoroughness::Gate).unwrap_err();
        assert!(refusal.to_string().starts_with("the code is wrong: no move: n 65, dst = src+1: "), "{refusal}");
    }

    #[test]
    fn moves_of_every_length_pass_all_three() {
        for text in [
            "cuts=128,64,32,7 | move 0..=7 branch-free width=4 | move 8..=32 computed width=8 moves=4 last=head \
             | move 33..=64 pairs width=sse16 moves=2 | move 65..=128 computed width=sse16 moves=8 \
             | move 129.. loop width=sse16 unroll=4 align=dst:16:early tail=early",
            "cuts=64,15,3 | move 0..=3 branch-free width=1 | move 4..=15 branch-free width=8 \
             | move 16..=64 computed width=sse16 moves=4 | move 65.. loop width=sse16 unroll=4 align=dst:16:overlap stores=nt",
            "move 33554433.. loop width=sse16 unroll=4 align=dst:16:overlap stores=nt tail=early",
            "move 0.. string unit=1",
        ] {
            let proven = prove_routine(&routine(text), &Features::read(), Thoroughness::Gate).unwrap();
            assert!(matches!(&proven.run, Ran::Here(coverage) if coverage.calls > 30), "{:?}", proven.run);
        }
    }

    #[test]
    fn a_whole_routine_passes_all_three() {
        let text = "cuts=64,15,3 | copy 0..=3 branch-free width=1 | copy 4..=15 branch-free width=8 \
                    | copy 16..=64 computed width=sse16 moves=4 | copy 65.. loop width=sse16 unroll=4";
        let proven = prove_routine(&routine(text), &Features::read(), Thoroughness::Gate).unwrap();
        assert_eq!(proven.leaves.len(), 4);
        assert!(matches!(&proven.run, Ran::Here(coverage) if coverage.calls > 100), "{:?}", proven.run);
    }
}
