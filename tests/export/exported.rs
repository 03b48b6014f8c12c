//! Files that the command wrote, in a directory of their own, and the tools of C.

use assert_cmd::cargo::CommandCargoExt;
use copysmith_kernels::Routine;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

/// For every length and processor; has a jump through a register, an aligned loop, and a name that needs no quoting but for `|`.
pub const EVERYWHERE: &str = "cuts=16,32,127 | copy 0..=16 jump-table width=8 | copy 17..=32 pairs width=sse16 \
     | copy 33..=127 computed width=sse16 moves=8 | copy 128.. loop width=sse16 unroll=4 align=dst:16:overlap";
/// One that needs AVX-512, and one that needs AVX and `prefetchw`.
pub const AVX512: &str = "cuts=64 | copy 0..=64 branch-free width=evex32 | copy 65.. string unit=1";
pub const PREFETCHW: &str = "cuts=64,255 | copy 0..=64 chain width=avx32 | copy 65..=255 string unit=1 \
     | copy 256.. loop width=avx32 unroll=4 prefetch=w:dst:512:clamp";

/// One that moves.
pub const MOVE: &str = "cuts=32,128 | move 0..=32 chain width=sse16 | move 33..=128 computed width=sse16 moves=8 \
     | move 129.. loop width=sse16 unroll=4 align=dst:16:early tail=early";

/// A directory with exported files.
pub struct Exported {
    pub dir: TempDir,
}

impl Exported {
    /// Exports to the stem `copies`.
    #[track_caller]
    pub fn new(words: &[&str]) -> Exported {
        let exported = Exported { dir: tempfile::tempdir().unwrap() };
        let output = exported.command(&[&["export", "-o", "copies"], words].concat());
        let said = [text(&output.stdout), text(&output.stderr)];
        assert_eq!((output.status.code(), said), (Some(0), ["copies.S\ncopies.o\ncopies.h\n", ""]), "{words:?}");
        exported
    }

    /// [`EVERYWHERE`] with all defaults. Its proofs take seconds, so it is exported once.
    #[track_caller]
    pub fn everywhere() -> Exported {
        static ONCE: OnceLock<Vec<(&str, Vec<u8>)>> = OnceLock::new();
        let files = ONCE.get_or_init(|| {
            let exported = Exported::new(&[EVERYWHERE]);
            ["copies.S", "copies.o", "copies.h"].map(|name| (name, exported.read(name))).to_vec()
        });
        let exported = Exported { dir: tempfile::tempdir().unwrap() };
        files.iter().for_each(|(name, bytes)| std::fs::write(exported.path(name), bytes).unwrap());
        exported
    }

    /// Runs the command in the directory.
    pub fn command(&self, words: &[&str]) -> Output {
        let mut command = Command::cargo_bin("copysmith").unwrap();
        command.args(words).current_dir(self.dir.path()).output().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Runs a tool in the directory, which must succeed and have nothing to say; `false`, with the reason on the screen, if there
    /// is no such tool.
    #[track_caller]
    pub fn tool(&self, name: &str, arguments: &[&str]) -> bool {
        match Command::new(name).args(arguments).current_dir(self.dir.path()).output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                println!("skipped: there is no {name}");
                false
            }
            Err(error) => panic!("{name}: {error}"),
            Ok(output) => {
                let said = [output.stdout, output.stderr].concat();
                assert!(output.status.success() && said.is_empty(), "{name} {arguments:?}: {}", text(&said));
                true
            }
        }
    }
}

pub fn routine(text: &str) -> Routine {
    text.parse().unwrap()
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
