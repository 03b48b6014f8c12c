//! Programs as they are, with the library before their libc, on a stack of 1 MiB.

use std::path::Path;
use std::process::{Command, Output};

/// What a shell runs, and what for.
const PROGRAMS: [(&str, &str); 4] = [
    ("true", "exec /bin/true"),
    ("ls", "exec ls -R \"$1/src\""),
    ("python3", "exec python3 -c 'import json; print(json.dumps([str(n) * n for n in range(99)]))'"),
    (
        "git",
        "cd \"$2\" && git init -q . && cp \"$1/Cargo.toml\" a && git add a && \
         git -c user.name=a -c user.email=a@example.org commit -q -m one && sed -i s/copysmith/other/ a && git diff",
    ),
];

fn shell(script: &str, library: Option<&Path>) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -s 1024; {script}"), "sh", env!("CARGO_MANIFEST_DIR")]).arg(dir.path());
    if let Some(library) = library {
        command.env("LD_PRELOAD", library);
    }
    command.output().unwrap()
}

/// Runs each by itself and with the library, which must make no difference.
pub fn run(library: &Path, profile: &str) {
    for (name, script) in PROGRAMS {
        if !Command::new("sh").args(["-c", &format!("command -v {name} >/dev/null")]).status().unwrap().success() {
            println!("skipped: there is no {name}");
            continue;
        }
        let (alone, with) = (shell(script, None), shell(script, Some(library)));
        assert!(alone.status.success(), "{name}: {}", String::from_utf8_lossy(&alone.stderr));
        assert_eq!(with, alone, "{profile}: {name}: {}", String::from_utf8_lossy(&with.stderr));
    }
    // That it is the library which copies. The dynamic linker says so on standard error.
    let bound = Command::new("ls").env("LD_PRELOAD", library).env("LD_DEBUG", "bindings").output().unwrap();
    let said = String::from_utf8_lossy(&bound.stderr);
    let ours =
        |line: &str| line.contains("libcopysmith_dropin.so [0]: normal symbol `memcpy'") && line.contains("ls [0] to ");
    assert!(said.lines().any(ours), "{profile}: {said}");
}
