//! The export as GNU assembly: one line an instruction, its bytes and, as a comment, its disassembly.
//!
//! Bytes and not mnemonics, because an assembler has choices among encodings, and what ships is what was proved. Comments are
//! C's: `as` takes them in every syntax, with the preprocessor and without.

use super::Export;
use super::head::head;
use super::section::{Binding, Block, FILL, Section};
use crate::print::instructions::directive;
use copysmith_kernels::Line;
use std::fmt::Write;

/// Where the disassembly starts, in characters after the indentation.
const COMMENT: usize = 56;

/// The text of the file.
pub(super) fn assembly(export: &Export) -> String {
    let mut text = head(export, "Memory copies for x86-64 under the System V calling convention");
    for section in &export.sections {
        text.push_str(&one(section));
    }
    // Without it linkers take the stack for one that must be executable.
    text.push_str("\n\t.section\t.note.GNU-stack,\"\",@progbits\n");
    text
}

fn one(section: &Section) -> String {
    let mut text = format!("\n\t.section\t{},\"ax\",@progbits\n", section.name);
    for block in &section.blocks {
        text.push_str(&format!("\n/* {} */\n{}", block.what, labelled(block)));
    }
    text
}

fn labelled(block: &Block) -> String {
    let mut text = String::new();
    let mut put = |line: &str| writeln!(text, "{line}").expect("a String takes all text");
    put(&format!("\t.p2align\t{}, {FILL:#04x}", block.align.trailing_zeros()));
    for symbol in &block.symbols {
        if symbol.binding == Binding::Global {
            put(&format!("\t.globl\t{}", symbol.name));
        }
        put(&format!("\t.type\t{}, @function", symbol.name));
    }
    for symbol in &block.symbols {
        put(&format!("{}:", symbol.name));
    }
    put("\t.cfi_startproc");
    for Line { offset, bytes, text } in &block.lines {
        if let Some(frame) = block.frames.iter().find(|frame| frame.from == *offset) {
            put(&format!("\t.cfi_def_cfa_offset {}", frame.bytes));
        }
        put(&format!("\t{:COMMENT$} /* {text} */", directive(bytes)));
    }
    put("\t.cfi_endproc");
    for symbol in &block.symbols {
        put(&format!("\t.size\t{0}, . - {0}", symbol.name));
    }
    text
}
