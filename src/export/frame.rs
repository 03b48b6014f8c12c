//! Unwind information for functions that never move the stack pointer. The crate `gimli` writes the format.

use gimli::write::{
    Address, CallFrameInstruction, CommonInformationEntry, EhFrame, EndianVec, FrameDescriptionEntry, FrameTable,
    RelocateWriter, Relocation, RelocationTarget,
};
use gimli::{DW_EH_PE_pcrel, DW_EH_PE_sdata4, DwEhPe, Encoding, Format, LittleEndian, X86_64};

/// A place that wants the address of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Which function.
    pub function: usize,
    /// Where in the section the distance from there to the function goes, in 32 bits.
    pub offset: usize,
}

/// The contents of `.eh_frame` for functions of these sizes in bytes.
pub(super) fn frames(sizes: &[usize]) -> (Vec<u8>, Vec<Frame>) {
    let encoding = Encoding { format: Format::Dwarf32, version: 1, address_size: 8 };
    let mut shared = CommonInformationEntry::new(encoding, 1, -8, X86_64::RA);
    shared.fde_address_encoding = DwEhPe(DW_EH_PE_pcrel.0 | DW_EH_PE_sdata4.0);
    // All the time as on entry: the frame of the caller ends at rsp + 8, below it lies the return address.
    shared.add_instruction(CallFrameInstruction::Cfa(X86_64::RSP, 8));
    shared.add_instruction(CallFrameInstruction::Offset(X86_64::RA, -8));
    let mut table = FrameTable::default();
    let shared = table.add_cie(shared);
    for (symbol, &size) in sizes.iter().enumerate() {
        let size = u32::try_from(size).expect("no routine has four gigabytes of code");
        table.add_fde(shared, FrameDescriptionEntry::new(Address::Symbol { symbol, addend: 0 }, size));
    }
    let mut section = EhFrame(Noting { bytes: EndianVec::new(LittleEndian), frames: Vec::new() });
    table.write_eh_frame(&mut section).expect("every offset and size of these entries fits");
    let EhFrame(Noting { bytes, frames }) = section;
    (bytes.into_vec(), frames)
}

/// Bytes, and a note wherever the address of a function belongs.
struct Noting {
    bytes: EndianVec<LittleEndian>,
    frames: Vec<Frame>,
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
        if let RelocationTarget::Symbol(function) = relocation.target {
            self.frames.push(Frame { function, offset: relocation.offset });
        }
    }
}
