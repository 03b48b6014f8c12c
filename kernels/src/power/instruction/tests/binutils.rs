//! Every instruction of the table against GNU as and GNU objdump, which nobody here wrote.
//!
//! As assembles our text to words, which must be ours; objdump prints our words as text, which must be ours. Operands: each field
//! at its least and greatest values, and many at random.

use super::super::{Instruction, Mnemonic};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;
use std::process::Command;

const AS: &str = "powerpc64-linux-gnu-as";
const OBJCOPY: &str = "powerpc64-linux-gnu-objcopy";
const OBJDUMP: &str = "powerpc64-linux-gnu-objdump";

/// So many random choices of every instruction's operands, besides those at the edges.
pub fn samples(random: usize) -> Vec<Instruction> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    Mnemonic::ALL.iter().flat_map(|&mnemonic| of(mnemonic, random, &mut rng)).collect()
}

fn of(mnemonic: Mnemonic, random: usize, rng: &mut ChaCha8Rng) -> Vec<Instruction> {
    let (entry, fixed) = (mnemonic.entry(), mnemonic.fixed());
    let mut found = Vec::new();
    let mut with = |mask: u32, value: u32, tries: usize| {
        // Not every word is a valid form; most are.
        let words = (0..tries).map(|_| entry.bits | (rng.next_u32() & !fixed & !mask) | (value & mask));
        let valid = |word| Instruction::decode(word).filter(|instruction| instruction.mnemonic() == mnemonic);
        let instruction = words.into_iter().find_map(valid);
        found.extend(instruction);
        instruction.is_some()
    };
    for _ in 0..random {
        assert!(with(0, 0, 10_000), "{mnemonic:?} has no valid operands");
    }
    for field in entry.fields {
        let (mask, step) = (field.mask(), 1 << field.mask().trailing_zeros());
        let top = 1 << (31 - mask.leading_zeros());
        for value in [0, step, mask, mask - step, top, top - step] {
            with(mask, value, 100);
        }
    }
    found
}

/// A directory that goes away.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("copysmith-power-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory can be written to");
        Directory(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("its output is text")
}

/// Whether binutils for PowerPC are there; says so where they are not.
pub fn missing() -> bool {
    let missing = [AS, OBJCOPY, OBJDUMP].iter().find(|tool| Command::new(tool).arg("--version").output().is_err());
    if let Some(tool) = missing {
        println!("skipped: {tool} not found");
    }
    missing.is_some()
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Big,
    Little,
}

/// The words that as makes of our text.
fn assembled(texts: &[String], order: Order, directory: &Directory) -> Vec<u32> {
    let (source, object, binary) = (directory.file("own.s"), directory.file("own.o"), directory.file("own.bin"));
    std::fs::write(&source, texts.iter().map(|text| format!("\t{text}\n")).collect::<String>()).expect("it is ours");
    let order_option = match order {
        Order::Big => "-mbig",
        Order::Little => "-mlittle",
    };
    let options = ["-mpower10", "-many", "-mregnames", "-a64", order_option, "-o"];
    run(Command::new(AS).args(options).arg(&object).arg(&source));
    run(Command::new(OBJCOPY).args(["-O", "binary", "-j", ".text"]).args([&object, &binary]));
    let bytes = std::fs::read(&binary).expect("objcopy wrote it");
    let word = |bytes: &[u8]| {
        let bytes: [u8; 4] = bytes.try_into().expect("four bytes");
        match order {
            Order::Big => u32::from_be_bytes(bytes),
            Order::Little => u32::from_le_bytes(bytes),
        }
    };
    bytes.chunks_exact(4).map(word).collect()
}

/// The text that objdump makes of our words.
fn disassembled(words: &[u32], order: Order, directory: &Directory) -> Vec<String> {
    let binary = directory.file("words.bin");
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|word| match order {
            Order::Big => word.to_be_bytes(),
            Order::Little => word.to_le_bytes(),
        })
        .collect();
    std::fs::write(&binary, bytes).expect("it is ours");
    let order_option = match order {
        Order::Big => "-EB",
        Order::Little => "-EL",
    };
    let options = ["-D", "-b", "binary", "-m", "powerpc:common64", "-M", "power10", "--no-show-raw-insn", order_option];
    let output = run(Command::new(OBJDUMP).args(options).arg(&binary));
    let lines = output.lines().filter_map(|line| line.split_once(":\t"));
    lines.map(|(_, text)| usual(&text.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
}

/// Objdump has a name of its own for some hints of `dcbt` and `dcbtst`; we write the hint as a number.
fn usual(text: &str) -> String {
    let (name, operands) = text.split_once(' ').unwrap_or((text, ""));
    let implied = |usual: &str, hint: u32| {
        let hint = if operands.matches(',').count() == 1 && hint > 0 { format!(",{hint}") } else { String::new() };
        format!("{usual} {operands}{hint}")
    };
    match name {
        "dcbtct" => implied("dcbt", 0),
        "dcbtds" => implied("dcbt", 8),
        "dcbtt" => implied("dcbt", 16),
        "dcbna" => implied("dcbt", 17),
        "dcbtstct" => implied("dcbtst", 0),
        "dcbtstds" => implied("dcbtst", 8),
        "dcbtstt" => implied("dcbtst", 16),
        _ => text.to_owned(),
    }
}

/// What as is given: a branch target relative to the branch; and `mtcrf` of one field, which as would turn into `mtocrf`, as an old
/// processor has it.
fn source(instruction: &Instruction) -> String {
    let text = instruction.text_with(|to| format!(".{to:+}"));
    if instruction.mnemonic() == Mnemonic::Mtcrf { format!(".machine ppc\n\t{text}\n\t.machine power10") } else { text }
}

/// Each text that as or objdump disagrees about.
fn disagreements(list: &[(Instruction, u32)], order: Order) -> Vec<String> {
    let directory = Directory::new(&format!("{order:?}-{:x}", list.first().map_or(0, |first| first.1)));
    let texts: Vec<String> = list.iter().map(|(instruction, _)| source(instruction)).collect();
    let words: Vec<u32> = list.iter().map(|(_, word)| *word).collect();
    let assembled = assembled(&texts, order, &directory);
    let disassembled = disassembled(&words, order, &directory);
    assert_eq!((assembled.len(), disassembled.len()), (list.len(), list.len()));
    let mut wrong = Vec::new();
    for (at, (instruction, word)) in list.iter().enumerate() {
        let text = instruction.text(4 * at);
        if assembled[at] != *word {
            wrong.push(format!("{text}: {word:#010x}, by as {:#010x}", assembled[at]));
        } else if disassembled[at] != text {
            wrong.push(format!("{text}: {word:#010x}, by objdump {}", disassembled[at]));
        }
    }
    wrong
}

#[test]
fn as_and_objdump_agree_with_every_instruction_of_the_table() {
    if missing() {
        return;
    }
    let samples: Vec<_> = samples(200).into_iter().map(|sample| (sample, sample.word())).collect();
    assert!(samples.len() > 200 * Mnemonic::ALL.len());
    for order in [Order::Big, Order::Little] {
        let wrong = disagreements(&samples, order);
        assert!(
            wrong.is_empty(),
            "{} of {} {order:?}:\n{}",
            wrong.len(),
            samples.len(),
            wrong[..wrong.len().min(40)].join("\n")
        );
    }
}

#[test]
fn a_wrong_bit_in_any_line_of_the_table_is_found() {
    if missing() {
        return;
    }
    // Any fixed bit of any line, one after the other.
    let planted: Vec<_> = samples(1)
        .into_iter()
        .flat_map(|sample| {
            let bits = (0..32).map(|bit| 1 << bit).filter(move |bit| sample.mnemonic().fixed() & bit != 0);
            bits.map(move |bit| (sample, sample.word() ^ bit))
        })
        .collect();
    assert!(planted.len() > 10 * Mnemonic::ALL.len());
    assert_eq!(disagreements(&planted, Order::Big).len(), planted.len());
}
