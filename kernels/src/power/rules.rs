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
use crate::recipe::{Loop, Recipe, Shape};

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
        let shape = recipe.shape();
        // No processor has them, which is the emitter's to say.
        if matches!(shape, Shape::String(_)) {
            return Ok(());
        }
        let width = shape.width();
        if !self.has(width) {
            return Err(Unsupported(format!("{} for {processor} has no width {width}", self.mode().name())));
        }
        // At most one operand is ever aligned: the other is wherever it is.
        if misaligned(processor, width) == Misaligned::Traps {
            return Err(Unsupported(format!(
                "{processor} traps where an access of width {width} is misaligned, which in {} nothing rules out",
                name(shape)
            )));
        }
        if let Shape::Loop(Loop { zero: Some(bytes), .. }) = *recipe.shape() {
            zeroing(processor, bytes)?;
        }
        if shape.has_partial() && !processor.has(Facility::Vsx3) {
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

/// What the shape is called in its text.
fn name(shape: &Shape) -> String {
    shape.to_string().split(' ').next().unwrap_or_default().to_owned()
}
