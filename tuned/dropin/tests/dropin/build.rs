//! Builds of the library, each in a directory that goes away.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What of a profile decides about the code.
#[derive(Clone, Copy)]
pub struct Profile {
    pub opt_level: &'static str,
    pub lto: &'static str,
    pub panic: &'static str,
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "opt-level={} lto={} panic={}", self.opt_level, self.lto, self.panic)
    }
}

/// Every combination; each value of each axis with all of the others.
pub fn all() -> Vec<Profile> {
    let mut all = Vec::new();
    for opt_level in ["0", "1", "2", "3", "s", "z"] {
        for lto in ["off", "thin", "fat"] {
            all.extend(["unwind", "abort"].map(|panic| Profile { opt_level, lto, panic }));
        }
    }
    all
}

/// Six of them in which each value occurs.
pub fn telling() -> Vec<Profile> {
    let telling = [
        ("0", "off", "unwind"),
        ("1", "thin", "abort"),
        ("2", "fat", "unwind"),
        ("3", "fat", "abort"),
        ("s", "off", "abort"),
        ("z", "thin", "unwind"),
    ];
    telling.map(|(opt_level, lto, panic)| Profile { opt_level, lto, panic }).to_vec()
}

/// A shared library in a directory of its own.
pub struct Built {
    _dir: TempDir,
    pub path: PathBuf,
}

/// The library under a profile.
pub fn build(profile: Profile) -> Built {
    let dir = tempfile::tempdir().unwrap();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--quiet", "--offline", "--target-dir"]).arg(dir.path());
    cargo.arg("--manifest-path").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    for (axis, value) in [("opt-level", profile.opt_level), ("lto", profile.lto), ("panic", profile.panic)] {
        // A level is a number where it is one.
        let value = if value.parse::<u8>().is_ok() { value.to_owned() } else { format!("{value:?}") };
        cargo.arg("--config").arg(format!("profile.release.{axis}={value}"));
    }
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{profile}: {}", String::from_utf8_lossy(&output.stderr));
    Built { path: dir.path().join("release/libcopysmith_dropin.so"), _dir: dir }
}

/// A library of this text.
pub fn compile(text: &str) -> Built {
    let dir = tempfile::tempdir().unwrap();
    let (source, path) = (dir.path().join("library.rs"), dir.path().join("liblibrary.so"));
    std::fs::write(&source, text).unwrap();
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024", "--crate-type", "cdylib", "-O", "-o"]).args([&path, &source]);
    let output = rustc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Built { path, _dir: dir }
}
