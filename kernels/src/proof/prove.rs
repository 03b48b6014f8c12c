//! Whether a program is a copy: every path keeps its obligations, and on every input run each destination byte becomes its
//! source byte, nothing else is touched, and the destination is returned.
//!
//! The stack pointer needs no look: no step can change it.

use super::cover::{Depth, Residues};
use super::fault::{Access, Fault, Wrong};
use super::machine::Machine;
use super::memory::{LONGEST, Memory};
use super::overlap::Clash;
use super::step::Program;
use super::walk::{WalkError, walk};
use crate::Span;
use std::fmt;

/// What was run without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// How many different lengths.
    pub lengths: usize,
    /// The longest of them, in bytes.
    pub longest: usize,
    /// How many pairs of address residues.
    pub residues: usize,
    /// How many calls; fewer than `lengths * residues` where those would have been too many.
    pub runs: usize,
    /// How many steps in all.
    pub steps: u64,
}

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// It is wrong whatever it is called with.
    Walk(WalkError),
    /// It is wrong for this input.
    Input {
        /// The length in bytes.
        n: usize,
        /// The destination address modulo 64.
        dst_residue: u16,
        /// The source address modulo 64.
        src_residue: u16,
        /// What went wrong.
        fault: Fault,
    },
    /// It is a copy, but said to be a move.
    Overlap(Clash),
    /// No length of the span can be run.
    TooLong {
        /// The span's first length.
        first: usize,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Walk(error) => error.fmt(f),
            Failure::Input { n, dst_residue, src_residue, fault } => {
                write!(f, "n {n}, dst at 64k+{dst_residue}, src at 64k+{src_residue}: {fault}")
            }
            Failure::Overlap(clash) => write!(f, "no move: {clash}"),
            Failure::TooLong { first } => {
                write!(f, "lengths from {first} on cannot be interpreted; the longest that can is {LONGEST}")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl From<WalkError> for Failure {
    fn from(error: WalkError) -> Failure {
        Failure::Walk(error)
    }
}

/// Proves a program to be a copy for the lengths of a span, as far as `depth` goes.
///
/// The lengths that [`Depth`] chooses are all run with both addresses multiples of 64; the other pairs of `residues` get as many of
/// them as the depth's cost allows, spread so that each length still meets many pairs.
///
/// # Errors
/// [`Failure`] names the path or the first input that is wrong, the shortest for its addresses.
pub fn prove(program: &Program, span: Span, residues: Residues, depth: Depth) -> Result<Proof, Failure> {
    walk(program)?;
    let lengths = depth.lengths(span);
    let longest = *lengths.last().ok_or(Failure::TooLong { first: span.first() })?;
    let mut proof = Proof { lengths: lengths.len(), longest, residues: 0, runs: 0, steps: 0 };
    let (mut machine, mut memory) = (Machine::new(), Memory::of(program.word));
    memory.apart(longest, 0, 0);
    let further = residues.pairs().count() - 1;
    for group in Depth::groups(&lengths) {
        let (mut every, mut met, before) = (1, 0, proof.steps);
        for (number, (dst_residue, src_residue)) in residues.pairs().enumerate() {
            let mut chosen = group.iter().skip(number % every).step_by(every).peekable();
            met += usize::from(chosen.peek().is_some());
            for &n in chosen {
                memory.apart(n, dst_residue, src_residue);
                let fault = |fault| Failure::Input { n, dst_residue, src_residue, fault };
                proof.steps += copies(&mut machine, program, &mut memory).map_err(fault)?;
                proof.runs += 1;
            }
            if number == 0 {
                every = depth.further_stride(group, proof.steps - before, further);
            }
        }
        proof.residues = proof.residues.max(met);
    }
    Ok(proof)
}

/// Runs the program once and looks at what it left behind; how many steps it took.
pub(super) fn copies(machine: &mut Machine, program: &Program, memory: &mut Memory) -> Result<u64, Fault> {
    let run = machine.run(program, memory)?;
    let wrong = if let Some((index, found)) = memory.first_wrong() {
        Wrong::Content { index, found }
    } else if run.result != Some(memory.dst()) {
        Wrong::Result { found: run.result.map(|address| memory.spot(address, Access::Load)) }
    } else {
        return Ok(run.steps);
    };
    Err(Fault { offset: run.returned_at, wrong })
}
