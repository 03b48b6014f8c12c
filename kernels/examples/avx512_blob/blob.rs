//! One file of many kernels, for a reader without an allocator or a library.
//!
//! ```text
//! u32 count | count times: u32 code, u32 lengths, u32 number of lengths | u32 lengths ... | code, at its alignment
//! ```
//!
//! Every number is little-endian; `code` and `lengths` are offsets from the start of the file.

use copysmith_kernels::Isa;

/// One entry of the file.
pub struct Kernel {
    /// What the ROM must find: `pass`, or the word for the check that must fail.
    pub expected: &'static str,
    /// What a processor needs to run it.
    pub isa: Isa,
    /// The recipe, or what was done to it.
    pub name: String,
    /// The code.
    pub bytes: Vec<u8>,
    /// The alignment of its first byte, a power of two.
    pub align: usize,
    /// The lengths it is run for.
    pub lengths: Vec<u32>,
}

/// Where the file may end: the ROM maps it at 1 MiB, and from 2 MiB on nothing is mapped.
const MOST: usize = 1 << 20;

/// The file.
///
/// # Errors
/// A message when the kernels are too many for the memory the ROM has for them.
pub fn packed(kernels: &[Kernel]) -> Result<Vec<u8>, String> {
    let header = 4 + 12 * kernels.len();
    let all_lengths: usize = kernels.iter().map(|kernel| 4 * kernel.lengths.len()).sum();
    let (mut at_lengths, mut at_code) = (header, header + all_lengths);
    let mut words = vec![kernels.len()];
    for kernel in kernels {
        at_code = at_code.next_multiple_of(kernel.align);
        words.extend([at_code, at_lengths, kernel.lengths.len()]);
        at_lengths += 4 * kernel.lengths.len();
        at_code += kernel.bytes.len();
    }
    if at_code > MOST {
        return Err(format!("{} kernels take {at_code} bytes; the ROM has room for {MOST}", kernels.len()));
    }
    // Nothing above 1 MiB is left, so every number fits.
    let mut file: Vec<u8> = words.iter().flat_map(|&word| (word as u32).to_le_bytes()).collect();
    file.extend(kernels.iter().flat_map(|kernel| &kernel.lengths).flat_map(|length| length.to_le_bytes()));
    for kernel in kernels {
        // Between kernels stands INT3: running into it is a fault, not the next kernel.
        file.resize(file.len().next_multiple_of(kernel.align), 0xcc);
        file.extend(&kernel.bytes);
    }
    file.push(0xcc);
    Ok(file)
}
