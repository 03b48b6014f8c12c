//! Which recipes a processor takes: those of which it has every width, partial ones too, and no access of which traps where it is
//! misaligned.
//!
//! These are the reasons, found before anything is emitted. That they are kept is proven on the code: read back, an access that would
//! trap at some address has an alignment that the proof demands.

use super::access::zeroing;
use super::instruction::Facility;
use super::processor::{Misaligned, Processor};
use super::{Mode, Power};
use crate::code::Unsupported;
use crate::plan::Width;
use crate::recipe::{Head, Loop, Recipe, Shape, Tail};

impl Power {
    /// Whether the processor takes a recipe.
    ///
    /// ```
    /// use copysmith_kernels::power::{Mode, Power, Processor};
    /// let recipe = "copy 8..=16 pairs width=fp8".parse().unwrap();
    /// let admits = |mode, processor| Power::new(mode, processor).unwrap().admits(&recipe);
    /// assert!(admits(Mode::Ppc64le, Processor::Power8).is_ok());
    /// let why = admits(Mode::Ppc32, Processor::E300c3).unwrap_err().to_string();
    /// assert_eq!(why, "e300c3 traps where an access of width fp8 is misaligned, which in pairs nothing rules out");
    /// ```
    ///
    /// # Errors
    /// [`Unsupported`] names the width that the processor lacks, whole or in part, or must be kept from, or a block that it does not zero.
    pub fn admits(self, recipe: &Recipe) -> Result<(), Unsupported> {
        let processor = self.processor();
        let Some(width) = width(recipe.shape()) else { return Ok(()) };
        if !self.has(width) {
            return Err(Unsupported(format!("{} for {processor} has no width {width}", self.mode().name())));
        }
        // At most one operand is ever aligned: the other is wherever it is.
        if misaligned(processor, width) == Misaligned::Traps {
            return Err(Unsupported(format!(
                "{processor} traps where an access of width {width} is misaligned, which in {} nothing rules out",
                name(recipe.shape())
            )));
        }
        if let Shape::Loop(Loop { zero: Some(bytes), .. }) = *recipe.shape() {
            zeroing(processor, bytes)?;
        }
        if has_partial(recipe.shape()) && !processor.has(Facility::Vsx3) {
            return Err(Unsupported(format!("{processor} has no partial accesses")));
        }
        Ok(())
    }

    /// Whether there are accesses of this width.
    fn has(self, width: Width) -> bool {
        let processor = self.processor();
        match width {
            Width::B1 | Width::B2 | Width::B4 => true,
            Width::B8 => self.mode() != Mode::Ppc32,
            Width::Fp8 => processor.has(Facility::Float),
            Width::Altivec16 => processor.has(Facility::AltiVec),
            Width::Vsx16 => processor.has(Facility::Vsx),
            Width::Vsx32 => processor.has(Facility::Paired),
            _ => false,
        }
    }
}

fn misaligned(processor: Processor, width: Width) -> Misaligned {
    match width {
        Width::Fp8 => processor.misaligned_floats(),
        // A recipe has aligned ones only.
        Width::Altivec16 => Misaligned::Fast,
        Width::Vsx16 | Width::Vsx32 => processor.misaligned_vectors(),
        _ => processor.misaligned_integers(),
    }
}

/// Whether it, a head or a tail moves the first bytes of a vector only.
fn has_partial(shape: &Shape) -> bool {
    match shape {
        Shape::Loop(Loop { align, tail, .. }) => {
            *tail == Tail::Mask || align.is_some_and(|align| align.head == Head::Mask)
        }
        Shape::Masked { .. } => true,
        _ => false,
    }
}

/// The width of a shape, where its accesses are its own.
const fn width(shape: &Shape) -> Option<Width> {
    match shape {
        Shape::Pairs { width, .. }
        | Shape::Chain { width, .. }
        | Shape::BranchFree { width }
        | Shape::Masked { width }
        | Shape::Computed { width, .. }
        | Shape::JumpTable { width } => Some(*width),
        Shape::Loop(axes) => Some(axes.width),
        Shape::String(_) => None,
    }
}

/// What the shape is called in its text.
fn name(shape: &Shape) -> String {
    shape.to_string().split(' ').next().unwrap_or_default().to_owned()
}
