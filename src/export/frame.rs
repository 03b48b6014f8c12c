//! Unwind information. The crate `gimli` writes the format.

use super::section::Block;

use gimli::write::{
    Address, CallFrameInstruction, CommonInformationEntry, EhFrame, EndianVec, FrameDescriptionEntry, FrameTable,
    RelocateWriter, Relocation, RelocationTarget,
};
use gimli::{DW_EH_PE_pcrel, DW_EH_PE_sdata4, DwEhPe, Encoding, Format, LittleEndian, X86_64};

/// A place that wants the address of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Which block.
    pub block: usize,
    /// Where in the section the distance from there to the block goes, in 32 bits.
    pub offset: usize,
}

/// The contents of `.eh_frame` for these blocks.
pub(super) fn frames(blocks: &[&Block]) -> (Vec<u8>, Vec<Wanted>) {
    let encoding = Encoding { format: Format::Dwarf32, version: 1, address_size: 8 };
    let mut shared = CommonInformationEntry::new(encoding, 1, -8, X86_64::RA);
    shared.fde_address_encoding = DwEhPe(DW_EH_PE_pcrel.0 | DW_EH_PE_sdata4.0);
    // As on entry: the frame of the caller ends at rsp + 8, below it lies the return address.
    shared.add_instruction(CallFrameInstruction::Cfa(X86_64::RSP, 8));
    shared.add_instruction(CallFrameInstruction::Offset(X86_64::RA, -8));
    let mut table = FrameTable::default();
    let shared = table.add_cie(shared);
    let bytes = |bytes: usize| u32::try_from(bytes).expect("no routine has four gigabytes of code");
    for (symbol, block) in blocks.iter().enumerate() {
        let mut entry = FrameDescriptionEntry::new(Address::Symbol { symbol, addend: 0 }, bytes(block.size()));
        for frame in &block.frames {
            entry.add_instruction(bytes(frame.from), CallFrameInstruction::CfaOffset(frame.bytes.into()));
        }
        table.add_fde(shared, entry);
    }
    let mut section = EhFrame(Noting { bytes: EndianVec::new(LittleEndian), wanted: Vec::new() });
    table.write_eh_frame(&mut section).expect("every offset and size of these entries fits");
    let EhFrame(Noting { bytes, wanted }) = section;
    (bytes.into_vec(), wanted)
}

/// Bytes, and a note wherever the address of a block belongs.
struct Noting {
    bytes: EndianVec<LittleEndian>,
    wanted: Vec<Wanted>,
}

impl RelocateWriter for Noting {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        if let RelocationTarget::Symbol(block) = relocation.target {
            self.wanted.push(Wanted { block, offset: relocation.offset });
        }
    }
}
