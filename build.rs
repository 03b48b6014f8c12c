//! Compiles the library that `copysmith record` preloads into programs, for the command to carry.
//!
//! It is no crate of the workspace: an installed command must have it inside, and cargo builds no library for a package
//! that is installed. Where it cannot exist (its entry points are x86-64 instructions, and what it stands before is glibc)
//! the file is empty, and `record` says so.

use std::env::var;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "src/profile/shim";

fn main() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let output = Path::new(&var("OUT_DIR").expect("cargo says where")).join("recorder.so");
    let target = ["CARGO_CFG_TARGET_ARCH", "CARGO_CFG_TARGET_OS", "CARGO_CFG_TARGET_ENV"].map(|part| var(part).ok());
    if target.each_ref().map(Option::as_deref) != [Some("x86_64"), Some("linux"), Some("gnu")] {
        std::fs::write(&output, []).expect("the output directory is writable");
        return;
    }
    let mut rustc = Command::new(var("RUSTC").expect("cargo says which"));
    rustc.args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "copysmith_recorder"]);
    rustc.args(["-C", "panic=abort", "-C", "opt-level=3", "-C", "codegen-units=1", "-C", "strip=symbols"]);
    rustc.args(["--target", &var("TARGET").expect("cargo says for what")]);
    if let Ok(linker) = var("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={linker}"));
    }
    rustc.arg(format!("{SOURCE}/lib.rs")).arg("-o").arg(&output);
    let status = rustc.status().expect("rustc runs");
    assert!(status.success(), "{rustc:?}: {status}");
}
