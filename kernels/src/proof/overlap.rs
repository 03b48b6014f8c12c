//! Whether a copy is a move: what it does when source and destination are one buffer.

use super::cover::Depth;
use super::cover::Residues;
use super::fault::Fault;
use super::machine::Machine;
use super::memory::{LONGEST, Memory};
use super::prove::{Failure, Proof, copies, prove};
use super::step::Program;
use crate::Span;
use crate::recipe::Operation;
use std::collections::BTreeSet;
use std::fmt;

/// Under which overlaps a routine still moves every byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Under all: it has the semantics of memmove.
    Safe,
    /// With the destination at or below the source, as a forward loop; the clash shows one above that fails.
    ForwardOnly(Clash),
    /// With the destination at or above the source, as a backward loop; the clash shows one below that fails.
    BackwardOnly(Clash),
    /// In neither direction.
    Unsafe {
        /// A destination at or below the source that fails.
        below: Clash,
        /// A destination at or above the source that fails.
        above: Clash,
    },
}

/// An overlap under which bytes are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The length in bytes.
    pub n: usize,
    /// Destination minus source in bytes.
    pub distance: isize,
    /// What went wrong.
    pub fault: Fault,
}

impl Overlap {
    /// What fails with the destination at or below the source, and what with it at or above.
    fn clashes(self) -> [Option<Clash>; 2] {
        match self {
            Overlap::Safe => [None, None],
            Overlap::ForwardOnly(above) => [None, Some(above)],
            Overlap::BackwardOnly(below) => [Some(below), None],
            Overlap::Unsafe { below, above } => [Some(below), Some(above)],
        }
    }

    fn of_clashes(clashes: [Option<Clash>; 2]) -> Overlap {
        match clashes {
            [None, None] => Overlap::Safe,
            [None, Some(above)] => Overlap::ForwardOnly(above),
            [Some(below), None] => Overlap::BackwardOnly(below),
            [Some(below), Some(above)] => Overlap::Unsafe { below, above },
        }
    }

    /// Under which overlaps both move every byte: what holds of a routine, of two of its leaves. The first clash of each direction stays.
    pub fn and(self, other: Overlap) -> Overlap {
        let ([below, above], [other_below, other_above]) = (self.clashes(), other.clashes());
        Overlap::of_clashes([below.or(other_below), above.or(other_above)])
    }
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n {}, dst = src{:+}: {}", self.n, self.distance, self.fault)
    }
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Overlap::Safe => f.write_str("safe under overlap"),
            Overlap::ForwardOnly(clash) => write!(f, "safe with dst below src only ({clash})"),
            Overlap::BackwardOnly(clash) => write!(f, "safe with dst above src only ({clash})"),
            Overlap::Unsafe { below, above } => write!(f, "unsafe under overlap ({below}; {above})"),
        }
    }
}

/// Proves a program to be what an operation promises: a copy, as [`prove`] does, and for a move right under every overlap, as
/// [`overlap`] finds out.
///
/// # Errors
/// [`Failure`] names the path or the first input that is wrong; [`Failure::Overlap`] the overlap that loses bytes.
pub fn prove_operation(
    operation: Operation,
    program: &Program,
    span: Span,
    residues: Residues,
    depth: Depth,
) -> Result<Proof, Failure> {
    let proof = prove(program, span, residues, depth)?;
    if operation == Operation::Move {
        match overlap(program, span, depth)? {
            Overlap::Safe => {}
            Overlap::ForwardOnly(clash) | Overlap::BackwardOnly(clash) | Overlap::Unsafe { below: clash, .. } => {
                return Err(Failure::Overlap(clash));
            }
        }
    }
    Ok(proof)
}

/// Finds out under which overlaps the program moves every byte, as far as the inputs run can tell.
///
/// Distances are those of the public memmove tests: 1 to 130 both ways, `n - 1`, `n`, `n + 1`, and none at all; [`Depth::Gate`]
/// takes those around the access widths, on 24 lengths instead of 96. Where the copies are long, every so manieth of these inputs is
/// run, and always the first lengths at distances below, between and above the access widths (two in all where they are megabytes), and some lengths beyond the largest block,
/// up to 2^16 ([`Depth::Full`]: 2^17). From input to input the source lies elsewhere modulo 64. [`Depth::Full`] runs what
/// [`Depth::Gate`] runs and more, so it never finds a program safer. A program that is no copy at all is `Unsafe`.
///
/// # Errors
/// [`Failure::TooLong`] where no length of the span can be run.
pub fn overlap(program: &Program, span: Span, depth: Depth) -> Result<Overlap, Failure> {
    let (mut machine, mut memory) = (Machine::new(), Memory::of(program.word));
    let inputs = inputs(span, depth);
    if inputs.is_empty() {
        return Err(Failure::TooLong { first: span.first() });
    }
    let mut clash = |sign: isize| {
        inputs.iter().zip(0..).find_map(|(&(n, distance), number): (_, u16)| {
            let distance = sign * distance as isize;
            // Odd, so that every residue comes up; what lies where is settled by the distance.
            memory.overlapping(n, distance, number.wrapping_mul(37) % 64);
            copies(&mut machine, program, &mut memory).err().map(|fault| Clash { n, distance, fault })
        })
    };
    Ok(Overlap::of_clashes([clash(-1), clash(1)]))
}

/// Lengths and distances, in the order in which they are run.
fn inputs(span: Span, depth: Depth) -> Vec<(usize, usize)> {
    let mut inputs = match depth {
        Depth::Gate => telling(span),
        Depth::Full => inputs(span, Depth::Gate),
    };
    let all: Vec<(usize, usize)> = lengths(span, depth)
        .into_iter()
        .flat_map(|n| distances(n, depth).into_iter().map(move |distance| (n, distance)))
        .collect();
    let stride = depth.stride(&all.iter().map(|&(n, _)| n).collect::<Vec<_>>());
    inputs.extend(all.into_iter().step_by(stride));
    inputs.extend(far(span, depth));
    inputs
}

/// Lengths at which every phase of a loop is entered, the longest of them at the gate; few, since each costs as much as a hundred others.
fn far(span: Span, depth: Depth) -> impl Iterator<Item = (usize, usize)> {
    let (count, distances): (_, &[usize]) = match depth {
        Depth::Gate => (1, &[1, 4097]),
        Depth::Full => (8, &[1, 65, 4095, 4097]),
    };
    let beyond = |n: &usize| *n > span.first().saturating_add(NEAR) && *n < FAR;
    let lengths: Vec<usize> = depth.lengths(span).into_iter().filter(beyond).collect();
    let stride = lengths.len().div_ceil(count).max(1);
    lengths.into_iter().rev().step_by(stride).flat_map(|n| distances.iter().map(move |&distance| (n, distance)))
}

/// Lengths that are not run at many distances: a run takes milliseconds.
const FAR: usize = 1 << 18;

/// So far above the first length of a span, distances multiply the cost of a length as they should.
const NEAR: usize = 4096;

/// Inputs that no stride may leave out. A tail is taken at one length after a whole number of blocks and at one before the next, and
/// what it reads has been written over already where the distance is below its width. Of megabytes, two must do.
fn telling(span: Span) -> Vec<(usize, usize)> {
    let distances: [&[usize]; 2] =
        if span.first() < FAR { [&[1, 9, 33, 65, 127], &[1, 9, 33, 65, 127]] } else { [&[1], &[65]] };
    let lengths = [1, 31].map(|more| span.first().saturating_add(more));
    let all = lengths.into_iter().zip(distances).flat_map(|(n, some)| some.iter().map(move |&distance| (n, distance)));
    all.filter(|&(n, distance)| span.contains(n) && n <= LONGEST && distance <= n).collect()
}

/// How far apart the two are, at most `n + 1`.
fn distances(n: usize, depth: Depth) -> BTreeSet<usize> {
    let near: Vec<usize> = match depth {
        Depth::Full => (0..=130).collect(),
        Depth::Gate => vec![0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129],
    };
    let around = [n.saturating_sub(1), n, n + 1];
    near.into_iter().chain(around).filter(|&distance| distance <= n + 1).collect()
}

/// Lengths of the span, both ends among them.
fn lengths(span: Span, depth: Depth) -> Vec<usize> {
    let all = depth.lengths(span);
    let count = match depth {
        Depth::Gate => 24,
        Depth::Full => 96,
    };
    // Distances multiply the cost, so the longest stay out where there are shorter ones.
    let short: Vec<usize> = all.iter().copied().filter(|&n| n <= span.first().saturating_add(NEAR)).collect();
    let stride = short.len().div_ceil(count) | 1;
    let chosen: BTreeSet<usize> = short.iter().copied().step_by(stride).chain(short.last().copied()).collect();
    chosen.into_iter().collect()
}
