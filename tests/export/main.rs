//! Exported files in the hands that they are for: assemblers, linkers, C compilers, and programs in C.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64"))]

mod battery;
mod bytes;
mod exported;
mod headers;
mod programs;
mod refusals;
