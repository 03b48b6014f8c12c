//! PowerPC, 32-bit and 64-bit, big and little endian.

pub mod instruction;
