//! The instruction set a recipe needs.

use super::{Fetch, Loop, RecipeError, Shape};
use crate::plan::Width;
use std::fmt;
use std::str::FromStr;

/// The x86-64 instruction sets that recipes are made for, each including those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// What every x86-64 processor has: general registers, MMX, SSE2, string moves.
    Sse2,
    /// AVX with its state saved by the system.
    Avx,
    /// AVX-512 F, BW and VL and BMI2, with their state saved by the system.
    Avx512,
}

impl Isa {
    /// Every instruction set, least first.
    pub const ALL: [Isa; 3] = [Isa::Sse2, Isa::Avx, Isa::Avx512];

    /// Whether accesses of this width are part of it; those of other processors never are.
    pub const fn has(self, width: Width) -> bool {
        match width {
            Width::Avx32 => !matches!(self, Isa::Sse2),
            Width::Evex16 | Width::Evex32 | Width::Evex64 => matches!(self, Isa::Avx512),
            Width::Fp8 | Width::Altivec16 | Width::Vsx16 | Width::Vsx32 => false,
            _ => true,
        }
    }
}

/// `sse2`, `avx`, `avx512`
impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isa::Sse2 => "sse2",
            Isa::Avx => "avx",
            Isa::Avx512 => "avx512",
        })
    }
}

impl FromStr for Isa {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Isa, RecipeError> {
        Isa::ALL
            .into_iter()
            .find(|isa| isa.to_string() == text)
            .ok_or_else(|| RecipeError::value("isa", text, "one of sse2 avx avx512"))
    }
}

fn of_width(width: Width) -> Isa {
    Isa::ALL.into_iter().find(|isa| isa.has(width)).unwrap_or(Isa::Avx512)
}

/// The least instruction set of a shape.
pub(super) fn needed(shape: &Shape) -> Isa {
    match shape {
        _ if shape.has_partial() => Isa::Avx512,
        Shape::String(_) => Isa::Sse2,
        _ => of_width(shape.width()),
    }
}

impl Shape {
    /// Whether it uses `prefetchw`, which is a feature of its own.
    pub fn prefetches_for_write(&self) -> bool {
        matches!(self, Shape::Loop(Loop { prefetch: Some(prefetch), .. }) if prefetch.fetch == Fetch::Write)
    }
}
