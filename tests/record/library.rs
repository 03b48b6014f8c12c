//! What the recorder preloads, looked at from outside.

use std::path::Path;
use std::process::Command;

/// What a tool says of the library that the build script made.
fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let library = dir.path().join("recorder.so");
    std::fs::write(&library, include_bytes!(concat!(env!("OUT_DIR"), "/recorder.so"))).unwrap();
    match Command::new(name).args(arguments).arg(library).output() {
        Err(_) => {
            println!("skipped: there is no {name}");
            None
        }
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap()),
    }
}

#[test]
fn it_asks_libc_for_a_lookup_and_nothing_else() {
    let Some(symbols) = tool("objdump", &["-T"]) else { return };
    let undefined: Vec<&str> = symbols
        .lines()
        .filter(|line| line.contains("*UND*"))
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    // The weak ones are the C compiler's start-up files'.
    let weak = ["_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__", "__cxa_finalize"];
    let strong: Vec<&&str> = undefined.iter().filter(|name| !weak.contains(name)).collect();
    assert_eq!(strong, [&"dlsym"]);
    for name in ["memcpy", "memmove", "mempcpy", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "bcopy"] {
        assert!(symbols.lines().any(|line| line.contains(".text") && line.ends_with(&format!(" {name}"))), "{name}");
    }
}

/// A copy inside the library that a compiler made into a call of memcpy would come back to the library.
#[test]
fn nothing_in_it_calls_what_it_exports() {
    let Some(code) = tool("objdump", &["-d", "--no-show-raw-insn"]) else { return };
    assert!(code.lines().count() > 500, "{code}");
    for line in code.lines().filter(|line| line.contains("call") || line.contains("jmp")) {
        let target = line.rsplit('<').next().unwrap_or_default();
        let name: String = target.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        let exported = ["memcpy", "memmove", "mempcpy", "memset", "bcopy", "bcmp", "memcmp"];
        // Not `name+0x12>`: a part of the library that has no name of its own.
        let is_start = [">", "@plt>", "@@Base>"].contains(&target[name.len()..].trim_end());
        assert!(!(is_start && exported.contains(&name.trim_start_matches("__").trim_end_matches("_chk"))), "{line}");
    }
}

/// `cargo fmt` follows modules, and the library is in none.
#[test]
fn its_source_is_formatted_as_all_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rustfmt = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let source = root.join("src/profile/shim/lib.rs");
    match Command::new(rustfmt).args(["--check", "--edition", "2024", "--config-path"]).args([root, &source]).output() {
        Err(_) => println!("skipped: there is no rustfmt"),
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout)),
    }
}
