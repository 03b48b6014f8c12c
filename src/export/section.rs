//! A routine laid out under its names: the one form from which assembly and object are written, so that they cannot differ.
//!
//! ```text
//! section .text.p_memcpy, aligned as the code wants
//!    0     p_memcpy:   the code, as it was proved
//!          int3 ...    up to a multiple of 16
//!    k     p_mempcpy:  a call of it
//! ```

use super::successor;
use super::{ExportError, Function, Part, Prefix};
use crate::print::PrintError;
use crate::print::instructions::{instructions, placed_at};
use copysmith_kernels::{Code, Line, Routine, Target, X86_64};

/// What stands where nothing is to be run: `int3`.
pub(super) const FILL: u8 = 0xcc;

/// One routine with all its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub name: String,
    pub routine: Routine,
    pub functions: Vec<Function>,
    /// In order; [`FILL`] stands before each, up to its alignment.
    pub blocks: Vec<Block>,
}

/// A run of instructions that is entered at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// For people.
    pub what: String,
    /// In bytes, a power of two.
    pub align: usize,
    pub symbols: Vec<Symbol>,
    pub lines: Vec<Line>,
    /// Where the frame changes, in order. A routine's never does: no instruction that moves the stack pointer can be decoded, so none
    /// was proved.
    pub frames: Vec<Frame>,
}

/// From an offset in bytes on, the caller's frame ends so many bytes above the stack pointer; on entry 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub from: usize,
    pub bytes: u8,
}

/// A name of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    pub name: String,
    pub binding: Binding,
}

/// Who sees a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Global,
    /// The code behind another function, which nobody asked for.
    Local,
}

impl Section {
    /// The part's routine under its functions' names.
    pub fn new(prefix: &Prefix, part: &Part) -> Result<Section, ExportError> {
        let Part { routine, functions } = part;
        functions.iter().try_for_each(|function| function.check(routine))?;
        let first = functions.first().ok_or(ExportError::Nothing)?;
        let global = |function: &Function| Symbol { name: function.symbol(prefix), binding: Binding::Global };
        let mut symbols: Vec<Symbol> = functions.iter().filter(|it| **it != Function::Mempcpy).map(global).collect();
        if symbols.is_empty() {
            symbols.push(Symbol { name: Function::Memcpy.symbol(prefix), binding: Binding::Local });
        }
        let code = Section::code(routine)?;
        let body = symbols[0].name.clone();
        let lines = instructions(&code, routine, &X86_64)?;
        let mut blocks =
            vec![Block { what: routine.to_string(), align: placed_at(&code), symbols, lines, frames: Vec::new() }];
        if functions.contains(&Function::Mempcpy) {
            let at = code.bytes.len().next_multiple_of(successor::ALIGN);
            let (lines, frames) = (successor::lines(at, &body), successor::FRAMES.to_vec());
            let what = "The same copy, whose result is the end of the destination".to_owned();
            let symbols = vec![global(&Function::Mempcpy)];
            blocks.push(Block { what, align: successor::ALIGN, symbols, lines, frames });
        }
        let name = format!(".text.{}", first.symbol(prefix));
        Ok(Section { name, routine: routine.clone(), functions: functions.clone(), blocks })
    }

    /// The code of a routine.
    pub fn code(routine: &Routine) -> Result<Code, ExportError> {
        let code = X86_64.emit(&routine.plan());
        code.map_err(|why| PrintError::Emit { text: routine.to_string(), why }.into())
    }

    /// The alignment of the whole, in bytes.
    pub fn align(&self) -> usize {
        self.blocks.iter().map(|block| block.align).max().unwrap_or(1)
    }

    /// Each block with its offset in the section.
    pub fn placed(&self) -> impl Iterator<Item = (usize, &Block)> {
        self.blocks.iter().scan(0_usize, |end, block| {
            let start = end.next_multiple_of(block.align);
            *end = start + block.size();
            Some((start, block))
        })
    }

    /// Everything in the section.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (start, block) in self.placed() {
            bytes.resize(start, FILL);
            bytes.extend(block.lines.iter().flat_map(|line| &line.bytes));
        }
        bytes
    }
}

impl Block {
    /// In bytes.
    pub fn size(&self) -> usize {
        self.lines.iter().map(|line| line.bytes.len()).sum()
    }
}
