//! Writes the kernels that `.ci/bochs/run` executes on an emulated AVX-512 processor.
//!
//! ```text
//! avx512_blob [--plant] BLOB LIST
//! ```
//!
//! `BLOB` is what the ROM reads (see `blob`), `LIST` has a line for each kernel in the same order: what is expected of it, its instruction
//! set and its name, separated by tabs. With `--plant` the kernels are faulty on purpose, one for each check the ROM makes.

// It is run by hand and by the continuous integration, where what it says must be seen.
#![allow(clippy::print_stderr)]

mod blob;
mod choose;
mod lengths;
mod plant;
#[allow(dead_code, reason = "the spans drawn there are too long to run")]
#[path = "../../tests/recipes/mod.rs"]
mod recipes;

use blob::Kernel;
use copysmith_kernels::{Isa, Routine, Target, X86_64};
use std::error::Error;
use std::fs;
use std::process::ExitCode;

/// How many recipes of each instruction set run. The AVX ones are the control: they must run where AVX-512 is missing too.
const CHOSEN: [(Isa, usize); 2] = [(Isa::Avx512, 72), (Isa::Avx, 10)];

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let plant = arguments.first().is_some_and(|first| first == "--plant");
    if plant {
        arguments.remove(0);
    }
    let [blob, list] = &arguments[..] else {
        eprintln!("usage: avx512_blob [--plant] BLOB LIST");
        return ExitCode::from(2);
    };
    match write(plant, blob, list) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("avx512_blob: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(plant: bool, blob: &str, list: &str) -> Result<(), Box<dyn Error>> {
    let kernels = if plant { plant::faulty()? } else { chosen()? };
    fs::write(blob, blob::packed(&kernels)?)?;
    let line = |kernel: &Kernel| format!("{}\t{}\t{}\n", kernel.expected, kernel.isa, kernel.name);
    fs::write(list, kernels.iter().map(line).collect::<String>())?;
    Ok(())
}

fn chosen() -> Result<Vec<Kernel>, Box<dyn Error>> {
    let mut kernels = Vec::new();
    for (isa, count) in CHOSEN {
        let choice = choose::choose(isa, count)?;
        if let (Isa::Avx512, Some(value)) = (isa, choice.not_shown.first()) {
            return Err(format!("{count} recipes of {isa} are too few to show '{value}'").into());
        }
        for recipe in choice.recipes {
            let (name, lengths) = (recipe.to_string(), lengths::lengths(&recipe));
            let code = X86_64.emit(&Routine::from(recipe).plan())?;
            kernels.push(Kernel { expected: "pass", isa, name, bytes: code.bytes, align: code.align, lengths });
        }
    }
    Ok(kernels)
}
