//! `copysmith bench` as a shell sees it. Nothing here depends on what is measured.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod bench;
mod classes;
mod contestants;
mod modes;
mod program;
