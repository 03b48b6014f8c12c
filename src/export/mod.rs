//! Routines for programs without Rust: GNU assembly, an ELF object, and a C header.
//!
//! ```text
//! Routine ──emit──> Code ──> Section ──assembly──> copies.S ──as──┐
//!                               ├─────object────> copies.o        ├──> the same bytes at the same alignment
//!                               │                                 │
//!                               └─────header────> copies.h        └ of which the code is what was proved
//! ```
//!
//! Like printing, exporting is pure: no clock, no path, no name of a machine, so the same routine gives the same bytes
//! everywhere. It proves nothing; whoever writes the files has proved the routine.
//!
//! The files have no CET property note, so a linker takes the mark for indirect-branch tracking from a program that
//! uses them, as for any hand-written assembly: jumps through a register inside the code land on no `endbr64`.

mod assembly;
mod error;
mod frame;
mod function;
mod head;
mod header;
mod object;
mod prefix;
mod section;
mod successor;

pub use error::ExportError;
pub use function::{Function, offered};
pub use prefix::{Prefix, PrefixError};

use copysmith_kernels::Routine;
use section::Section;

/// A routine and the functions it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The routine.
    pub routine: Routine,
    /// At least one, none twice.
    pub functions: Vec<Function>,
}

/// Routines laid out under their C names, ready to be written in any of the three forms.
///
/// ```
/// use copysmith::export::{Export, Function, Part};
/// let part = Part { routine: "copy 0.. string unit=1".parse().unwrap(), functions: vec![Function::Memcpy] };
/// let export = Export::new("quick".parse().unwrap(), &[part]).unwrap();
/// assert!(export.assembly().contains("\n\t.globl\tquick_memcpy\n"));
/// assert!(export.header().contains("void *quick_memcpy(void *"));
/// assert_eq!(export.object()[..4], *b"\x7fELF");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    prefix: Prefix,
    sections: Vec<Section>,
}

impl Export {
    /// The routines of the parts, each as the functions it is to be, under names that begin with the prefix.
    ///
    /// # Errors
    /// [`ExportError`] where a routine does not keep what a function promises, a function is there twice or not at all, or
    /// a routine has no code.
    pub fn new(prefix: Prefix, parts: &[Part]) -> Result<Export, ExportError> {
        let mut named = Vec::new();
        for function in parts.iter().flat_map(|part| &part.functions) {
            if named.contains(function) {
                return Err(ExportError::Twice(*function));
            }
            named.push(*function);
        }
        let sections = parts.iter().map(|part| Section::new(&prefix, part)).collect::<Result<Vec<_>, _>>()?;
        if sections.is_empty() { Err(ExportError::Nothing) } else { Ok(Export { prefix, sections }) }
    }

    /// GNU assembly for x86-64 ELF systems: what [`Export::object`] gives, for assemblers to make and people to read.
    pub fn assembly(&self) -> String {
        assembly::assembly(self)
    }

    /// A relocatable ELF object for x86-64, with unwind information. Its code is position-independent.
    pub fn object(&self) -> Vec<u8> {
        object::object(self)
    }

    /// A header for C99 and later and for C++: prototypes, and a function that asks the processor.
    pub fn header(&self) -> String {
        header::header(self)
    }
}
