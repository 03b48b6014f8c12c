//! Builds the harness with kernels and cases, and runs it under qemu-user.

use copysmith_kernels::Code;
use copysmith_kernels::power::instruction::Facility;
use copysmith_kernels::power::{Mode, Processor};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

const AS: &str = "powerpc64-linux-gnu-as";
const LD: &str = "powerpc64-linux-gnu-ld";

/// Bytes of the areas that source and destination lie in, as in the harness.
pub const AREA: usize = 4096;

/// Where a buffer lies in its area.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// So many bytes after the first page that may not be touched.
    Start(usize),
    /// Its end so many bytes before the second.
    End(usize),
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Which kernel.
    pub kernel: usize,
    /// How many bytes.
    pub n: usize,
    pub dst: At,
    pub src: At,
}

/// What the harness says of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Contents,
    Outside,
    Result,
    Preserved,
    Source,
    /// The program was killed by a signal: 11 for memory, 4 for an instruction.
    Killed(i32),
}

pub const fn emulator(mode: Mode) -> &'static str {
    match mode {
        Mode::Ppc32 => "qemu-ppc",
        Mode::Ppc64 => "qemu-ppc64",
        Mode::Ppc64le => "qemu-ppc64le",
    }
}

/// The emulator's name for a processor; it knows none of exactly these for some.
fn cpu(processor: Processor) -> String {
    match processor {
        Processor::P440 => "440ep".to_owned(),
        other => other.to_string(),
    }
}

/// Whether a tool is missing; says so.
pub fn missing() -> bool {
    let tools = [AS, LD].into_iter().chain(Mode::ALL.map(emulator));
    let missing = tools.into_iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        println!("skipped: {tool} not found");
    }
    missing.is_some()
}

/// A directory that goes away.
struct Directory(PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the cases in order on an emulated CPU, up to the first that does not pass; the outcomes of all that were begun.
pub fn run(mode: Mode, processor: Processor, kernels: &[Code], cases: &[Case]) -> Vec<Outcome> {
    let number = std::sync::atomic::AtomicUsize::fetch_add(&RUNS, 1, std::sync::atomic::Ordering::Relaxed);
    let directory = Directory(std::env::temp_dir().join(format!("copysmith-qemu-{}-{number}", std::process::id())));
    std::fs::create_dir_all(&directory.0).expect("the temporary directory can be written to");
    let file = |name: &str| directory.0.join(name);
    std::fs::write(file("list.s"), list(mode, kernels, cases)).expect("it is ours");
    for (number, code) in kernels.iter().enumerate() {
        std::fs::write(file(&format!("kernel{number}")), &code.bytes).expect("it is ours");
    }
    let harness = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/power/harness.s");
    let (assembler, linker): (&[&str], &str) = match mode {
        Mode::Ppc32 => (&["-a32", "-mbig"], "elf32ppc"),
        Mode::Ppc64 => (&["-a64", "-mbig", "--defsym", "WIDE=1"], "elf64ppc"),
        Mode::Ppc64le => (&["-a64", "-mlittle", "--defsym", "WIDE=1"], "elf64lppc"),
    };
    let mut command = Command::new(AS);
    command.args(assembler).arg("-many");
    for (facility, symbol) in [(Facility::Float, "FLOATS=1"), (Facility::AltiVec, "VECTORS=1")] {
        if processor.has(facility) {
            command.args(["--defsym", symbol]);
        }
    }
    command.arg("-I").arg(&directory.0).arg("-o").arg(file("program.o"));
    successful(command.arg(harness).arg(file("list.s")));
    successful(Command::new(LD).args(["-m", linker, "-o"]).args([file("program"), file("program.o")]));
    let output = Command::new(emulator(mode))
        .args(["-cpu", &cpu(processor)])
        .arg(file("program"))
        .output()
        .expect("it is there");
    let words: Vec<u32> = output.stdout.chunks_exact(4).map(|bytes| word(mode, bytes)).collect();
    let mut outcomes: Vec<Outcome> = words.chunks_exact(2).map(|pair| outcome(pair[1])).collect();
    assert!(words.chunks(2).map(|pair| pair[0]).eq(0..words.len().div_ceil(2) as u32), "the numbers of cases");
    let signal = std::os::unix::process::ExitStatusExt::signal(&output.status);
    match (signal, output.status.code()) {
        // The emulator dies of the signal that the program died of.
        (Some(signal), _) => outcomes.push(Outcome::Killed(signal)),
        (None, Some(0)) => assert_eq!(outcomes.len(), cases.len()),
        other => panic!("{processor}: {other:?}\n{}", String::from_utf8_lossy(&output.stderr)),
    }
    outcomes
}

static RUNS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

fn successful(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

fn word(mode: Mode, bytes: &[u8]) -> u32 {
    let bytes = bytes.try_into().expect("four bytes");
    if mode == Mode::Ppc64le { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
}

fn outcome(number: u32) -> Outcome {
    use Outcome::*;
    [Passed, Contents, Outside, Result, Preserved, Source][number as usize]
}

/// Kernels and cases as assembler source.
fn list(mode: Mode, kernels: &[Code], cases: &[Case]) -> String {
    let mut text = "\t.text\n".to_owned();
    for (number, code) in kernels.iter().enumerate() {
        _ = writeln!(text, "\t.balign {}\nkernel{number}:\t.incbin \"kernel{number}\"", code.align);
    }
    let pointer = if mode == Mode::Ppc32 { ".long" } else { ".quad" };
    text.push_str("\t.section .rodata\n\t.balign 8\ncases:\n");
    let place = |area: &str, at: At, n: usize| match at {
        At::Start(after) => format!("{area} + {after}"),
        At::End(before) => format!("{area} + {}", AREA - before - n),
    };
    for case in cases {
        let (dst, src) = (place("destination", case.dst, case.n), place("source", case.src, case.n));
        _ = writeln!(text, "\t{pointer} kernel{}, {dst}, {src}, {}", case.kernel, case.n);
    }
    _ = writeln!(text, "\t{pointer} 0");
    text
}
