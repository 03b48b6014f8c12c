//! The disassembly, an instruction a line.

use crate::code::Line;
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, NasmFormatter};

/// Every byte of the code in lines, those that are no instruction included.
pub fn listing(bytes: &[u8]) -> Vec<Line> {
    let mut format = format();
    Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE)
        .iter()
        .map(|instruction| {
            let offset = instruction.ip() as usize;
            let bytes = bytes[offset..offset + instruction.len()].to_vec();
            Line { offset, bytes, text: write(&mut format, &instruction) }
        })
        .collect()
}

/// One instruction as text.
pub fn text(instruction: &Instruction) -> String {
    write(&mut format(), instruction)
}

fn write(format: &mut NasmFormatter, instruction: &Instruction) -> String {
    let mut text = String::new();
    format.format(instruction, &mut text);
    text
}

fn format() -> NasmFormatter {
    let mut format = NasmFormatter::new();
    let options = format.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_space_after_operand_separator(true);
    options.set_branch_leading_zeros(false);
    options.set_signed_immediate_operands(true);
    options.set_rip_relative_addresses(true);
    format
}
