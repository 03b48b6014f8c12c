//! What stands at the head of every file for people: what it is, what it needs, how it is made again.

use super::{Export, Section};
use copysmith_kernels::Isa;

/// What the code of an export needs of a processor beyond x86-64 itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    pub isa: Isa,
    pub prefetchw: bool,
}

impl Needs {
    /// Of all routines together.
    pub fn of(export: &Export) -> Needs {
        let routines = || export.sections.iter().map(|section| &section.routine);
        let mut leaves = routines().flat_map(|routine| routine.leaves());
        Needs {
            isa: routines().map(|routine| routine.isa()).max().unwrap_or(Isa::Sse2),
            prefetchw: leaves.any(|leaf| leaf.shape().prefetches_for_write()),
        }
    }

    /// In words.
    pub fn words(self) -> String {
        let isa = match self.isa {
            Isa::Sse2 => "no more than every x86-64 processor has",
            Isa::Avx => "AVX, its registers saved by the system",
            Isa::Avx512 => "AVX-512 F, BW and VL and BMI2, their registers saved by the system",
        };
        format!("{isa}{}", if self.prefetchw { "; and prefetchw" } else { "" })
    }
}

/// The comment, in the form that C and the assembler share.
pub(super) fn head(export: &Export, what: &str) -> String {
    let mut text = format!("/* {what}, made by copysmith {}; do not edit, make it again:\n", env!("CARGO_PKG_VERSION"));
    for Section { routine, functions, .. } in &export.sections {
        let names: Vec<String> = functions.iter().map(ToString::to_string).collect();
        let named = if routine.span() == copysmith_kernels::Span::ALL {
            format!(" --as {}", names.join(","))
        } else {
            String::new()
        };
        text.push_str(&format!(" *\n *     copysmith export -o STEM --name {}{named} '{routine}'\n", export.prefix));
    }
    text.push_str(&format!(" *\n * It needs {}.\n */\n", Needs::of(export).words()));
    text
}
