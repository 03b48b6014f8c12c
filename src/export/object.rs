//! The export as a relocatable ELF object. The crate `object` writes the format.

use super::Export;
use super::frame::{Wanted, frames};
use super::section::{Binding, Block};
use object::write::{Object, Relocation, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationEncoding, RelocationFlags, RelocationKind, SectionKind,
    SymbolFlags, SymbolKind, SymbolScope,
};

/// The bytes of the file.
pub(super) fn object(export: &Export) -> Vec<u8> {
    let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let mut entered = Vec::new();
    for section in &export.sections {
        let id = object.add_section(Vec::new(), section.name.clone().into_bytes(), SectionKind::Text);
        object.set_section_data(id, section.bytes(), section.align() as u64);
        for (start, block) in section.placed() {
            entered.push((id, start, block));
            for symbol in &block.symbols {
                object.add_symbol(Symbol {
                    name: symbol.name.clone().into_bytes(),
                    value: start as u64,
                    size: block.size() as u64,
                    kind: SymbolKind::Text,
                    scope: match symbol.binding {
                        Binding::Global => SymbolScope::Dynamic,
                        Binding::Local => SymbolScope::Compilation,
                    },
                    weak: false,
                    section: SymbolSection::Section(id),
                    flags: SymbolFlags::None,
                });
            }
        }
    }
    let blocks: Vec<&Block> = entered.iter().map(|&(_, _, block)| block).collect();
    let (bytes, wanted) = frames(&blocks);
    // A read-only section of data, as every assembler makes it for this target.
    let unwinding = object.add_section(Vec::new(), b".eh_frame".to_vec(), SectionKind::ReadOnlyData);
    object.set_section_data(unwinding, bytes, 8);
    for Wanted { block, offset } in wanted {
        let (section, start, _) = entered[block];
        let symbol = object.section_symbol(section);
        let flags = RelocationFlags::Generic {
            kind: RelocationKind::Relative,
            encoding: RelocationEncoding::Generic,
            size: 32,
        };
        let relocation = Relocation { offset: offset as u64, symbol, addend: start as i64, flags };
        object.add_relocation(unwinding, relocation).expect("ELF for x86-64 has relative relocations of 32 bits");
    }
    // Without it linkers take the stack for one that must be executable.
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    object.write().expect("sections, symbols and relocations of this kind are ELF's own")
}
