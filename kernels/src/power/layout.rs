//! Guesses that make code short: which branches reach their label, and how far apart the slots of a switch are.
//!
//! The first pass takes every branch for a near one and every slot for a small one. What does not fit grows, and the code is emitted
//! again. Nothing ever shrinks, so this ends; nearly always after the first pass.

use super::Power;
use super::emit::Emitter;
use super::instruction::{Instruction, Mnemonic, Operand, OperandError};
use crate::code::{Code, Unsupported};
use crate::plan::Plan;
use crate::uses::{mask_temporaries, returns};

/// The alignment of the entry: no loop head wants more.
const ALIGN: usize = 64;
/// Bytes between slots before anything is known.
const SMALLEST_STRIDE: usize = 8;

/// A place in the code, by the order in which places were named.
#[derive(Clone, Copy, Debug)]
pub struct Label(pub usize);

/// A branch to a label.
pub struct Branch {
    /// Where it stands, in words.
    pub at: usize,
    /// Which branch.
    pub mnemonic: Mnemonic,
    /// Its operands before the target.
    pub known: [Operand; 2],
    /// How many of them there are.
    pub operands: usize,
    /// Where it goes.
    pub to: Label,
}

/// The guesses, by the order in which branches and switches are emitted; what is not listed is as short as can be.
#[derive(Default)]
pub struct Layout {
    far: Vec<bool>,
    strides: Vec<usize>,
}

impl Layout {
    /// Whether a conditional branch does not reach its label.
    pub fn is_far(&self, branch: usize) -> bool {
        self.far.get(branch).copied().unwrap_or(false)
    }

    /// Bytes between the slots of a switch, a power of two.
    pub fn stride(&self, switch: usize) -> usize {
        self.strides.get(switch).copied().unwrap_or(SMALLEST_STRIDE)
    }
}

/// The code of a plan.
pub fn emit(plan: &Plan, power: Power) -> Result<Code, Unsupported> {
    if !returns(&plan.body) {
        return Err(Unsupported("a plan whose last operation is not a return has no end".to_owned()));
    }
    let mask_temporaries = mask_temporaries(plan, power.mode().name())?;
    let mut layout = Layout::default();
    loop {
        let mut pass = Emitter::new(power, &layout, &mask_temporaries, plan);
        pass.routine(plan)?;
        match grown(&layout, &pass) {
            Some(grown) => layout = grown,
            None => return placed(pass),
        }
    }
}

/// The layout with what did not fit in a pass made larger; `None` when all did.
fn grown(layout: &Layout, pass: &Emitter) -> Option<Layout> {
    let beyond = |branch: &Branch| branch.mnemonic == Mnemonic::Bc && encoded(pass, branch).is_err();
    let branches = pass.branches.iter().enumerate();
    let strides = pass.longest_arms.iter().enumerate();
    let grown = Layout {
        far: branches.map(|(number, branch)| layout.is_far(number) || beyond(branch)).collect(),
        strides: strides.map(|(number, arm)| layout.stride(number).max(arm.next_power_of_two())).collect(),
    };
    let same = (0..grown.far.len()).all(|branch| grown.is_far(branch) == layout.is_far(branch))
        && (0..grown.strides.len()).all(|switch| grown.stride(switch) == layout.stride(switch));
    (!same).then_some(grown)
}

fn encoded(pass: &Emitter, branch: &Branch) -> Result<Instruction, OperandError> {
    let target = pass.labels[branch.to.0].unwrap_or_default();
    let bytes = 4 * (target as i64 - branch.at as i64);
    let to = Operand::To(i32::try_from(bytes).unwrap_or(i32::MAX));
    let mut operands = branch.known[..branch.operands].to_vec();
    operands.push(to);
    Instruction::new(branch.mnemonic, &operands)
}

fn placed(mut pass: Emitter) -> Result<Code, Unsupported> {
    for branch in &pass.branches {
        let unplaced = |error| Unsupported(format!("code of this plan cannot be laid out: {error}"));
        pass.words[branch.at] = encoded(&pass, branch).map_err(unplaced)?.word();
    }
    let mode = pass.power.mode();
    let bytes = pass.words.iter().flat_map(|&word| mode.bytes(word)).collect();
    Ok(Code { bytes, align: ALIGN, switches: pass.switches })
}
