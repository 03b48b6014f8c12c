//! Two guesses that make code short: which jumps need a 32-bit displacement, and how far apart the slots of a switch are.
//!
//! The first pass takes every jump for a short one and every slot for a small one. What does not fit grows, and the code is
//! emitted again. Nothing ever shrinks, so this ends; mostly after the first or the second pass.

use super::emit::Emitter;
use crate::code::{Code, Unsupported};
use crate::plan::Plan;
use crate::uses::{mask_temporaries, returns};
use dynasmrt::{DynamicLabel, DynasmError};

/// The alignment of the entry: a cache line, and no loop head wants more.
const ALIGN: usize = 64;
/// Bytes between slots before anything is known.
const SMALLEST_STRIDE: usize = 8;

/// The guesses, by the order in which jumps and switches are emitted; what is not listed is as short as can be.
#[derive(Default)]
pub struct Layout {
    far: Vec<bool>,
    strides: Vec<usize>,
}

/// A jump as emitted.
pub struct Jump {
    /// Offset of the next instruction, from which displacements count.
    pub end: usize,
    /// Where it goes.
    pub to: DynamicLabel,
}

impl Layout {
    /// Whether a jump needs a 32-bit displacement.
    pub fn is_far(&self, jump: usize) -> bool {
        self.far.get(jump).copied().unwrap_or(false)
    }

    /// Bytes between the slots of a switch, a power of two.
    pub fn stride(&self, switch: usize) -> usize {
        self.strides.get(switch).copied().unwrap_or(SMALLEST_STRIDE)
    }

    /// The layout with what did not fit in a pass made larger; `None` when all did.
    fn grown(&self, pass: &Emitter) -> Result<Option<Layout>, Unsupported> {
        let mut far = Vec::with_capacity(pass.jumps.len());
        for (number, jump) in pass.jumps.iter().enumerate() {
            let target = pass.asm.labels().resolve_dynamic(jump.to).map_err(unplaced)?.0;
            far.push(self.is_far(number) || i8::try_from(target as i64 - jump.end as i64).is_err());
        }
        let strides = (0..).zip(&pass.longest_arms);
        let strides = strides.map(|(number, arm)| self.stride(number).max(arm.next_power_of_two())).collect();
        let grown = Layout { far, strides };
        let same = (0..grown.far.len()).all(|jump| grown.is_far(jump) == self.is_far(jump))
            && (0..grown.strides.len()).all(|switch| grown.stride(switch) == self.stride(switch));
        Ok(if same { None } else { Some(grown) })
    }
}

/// The code of a plan.
pub fn emit(plan: &Plan) -> Result<Code, Unsupported> {
    if !returns(&plan.body) {
        return Err(Unsupported("a plan whose last operation is not a return has no end".to_owned()));
    }
    let temporaries = mask_temporaries(plan, "x86-64")?;
    let mut layout = Layout::default();
    loop {
        let mut pass = Emitter::new(&layout, &temporaries);
        pass.routine(plan)?;
        let Some(grown) = layout.grown(&pass)? else {
            let bytes = pass.asm.finalize().map_err(unplaced)?;
            return Ok(Code { bytes, align: ALIGN, switches: pass.switches });
        };
        layout = grown;
    }
}

fn unplaced(error: DynasmError) -> Unsupported {
    Unsupported(format!("x86-64 code of this plan cannot be laid out: {error}"))
}
