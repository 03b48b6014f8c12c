//! Why a program left nothing behind.

use crate::regular;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// One line for a program that ran and wrote nothing.
pub fn why(program: &OsStr) -> String {
    let reason = unpreloaded(program).unwrap_or(
        "it loads no library, loses its environment, or may make no file of 63 MiB among the temporary ones",
    );
    format!("nothing was recorded of {}: {reason}", Path::new(program).display())
}

/// Why the loader preloads nothing for a program, where its file says so.
pub fn unpreloaded(program: &OsStr) -> Option<&'static str> {
    let path = found(program)?;
    let mode = fs::metadata(&path).ok()?.permissions().mode();
    if mode & 0o6000 != 0 {
        return Some("it changes user or group when it starts, and the loader then preloads nothing");
    }
    let bytes = regular::read(&path).ok()?;
    match interpreter(&bytes)? {
        Linked::Statically => Some("it is linked statically, so that no library can be preloaded"),
        Linked::For32Bits => Some("it is no 64-bit program, and the library is"),
        Linked::Dynamically => None,
    }
}

/// The file of a program, by the rule of execvp(3).
fn found(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 || program.as_encoded_bytes().contains(&b'/') {
        return Some(path.to_owned());
    }
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(path)).find(|path| path.is_file())
}

#[derive(Debug, PartialEq, Eq)]
enum Linked {
    Statically,
    Dynamically,
    For32Bits,
}

/// Whether an ELF file names a loader; `None` for what is no ELF file, as a script.
fn interpreter(bytes: &[u8]) -> Option<Linked> {
    const INTERPRETER: &[u8] = &3u32.to_le_bytes();
    if bytes.get(..4)? != b"\x7fELF" {
        return None;
    }
    if bytes.get(4..6)? != [2, 1] {
        return Some(Linked::For32Bits);
    }
    let half = |at: usize| Some(usize::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let table = usize::try_from(u64::from_le_bytes(bytes.get(32..40)?.try_into().ok()?)).ok()?;
    let (size, count) = (half(54)?, half(56)?);
    let kind = |index: usize| bytes.get(table.checked_add(index * size)?..)?.get(..4);
    let names_one = (0..count).any(|index| kind(index) == Some(INTERPRETER));
    Some(if names_one { Linked::Dynamically } else { Linked::Statically })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 64-bit ELF header with one program header of this type.
    fn elf(kind: u32) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes.extend(kind.to_le_bytes());
        bytes
    }

    #[test]
    fn a_program_without_a_loader_is_static_and_what_is_no_program_is_nothing() {
        assert_eq!(interpreter(&elf(3)), Some(Linked::Dynamically));
        assert_eq!(interpreter(&elf(1)), Some(Linked::Statically));
        let mut narrow = elf(3);
        narrow[4] = 1;
        assert_eq!(interpreter(&narrow), Some(Linked::For32Bits));
        assert_eq!(interpreter(b"#!/bin/sh\n"), None);
        assert_eq!(interpreter(b"\x7fELF"), None);
        let mut lying = elf(1);
        lying[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(interpreter(&lying), Some(Linked::Statically));
    }
}
