//! `copysmith export`: a routine for programs in C, as assembly, object and header.

use super::exit::{Exit, Usage};
use super::output::Output;
use super::words::routine;
use anyhow::Context;
use copysmith::export::{Export, Function, Part, Prefix, offered};
use copysmith::host::{Features, Host};
use copysmith::print::write::{Written, same, writable, write_bytes};
use copysmith::proofs::{Thoroughness, prove_routine};
use copysmith::record::{Place, Surroundings};
use copysmith::tune::recorded;
use copysmith_kernels::Routine;
use std::fs;
use std::path::{Path, PathBuf};

/// Write a routine for C: GNU assembly, an ELF object, and a header
#[derive(Debug, clap::Args)]
#[command(
    after_help = "\
Examples:
  copysmith export -o copies
  copysmith export --as memcpy --name fast --object fast.o --header fast.h
  copysmith export --machine x86-64 -o portable
  copysmith export copy 17..=32 pairs width=sse16 -o small

Then: cc program.c copies.o, where program.c includes copies.h and calls copysmith_memcpy.
The object and the assembled text are the same; take either. A routine that copies some \
lengths only becomes a function named after them, as copysmith_copy_17_32. The machine \
x86-64 stands for every such processor; its routine moves, so that it is memmove too.

The routine is proved first, which takes some seconds for one of many leaves.",
    group = clap::ArgGroup::new("files").required(true).multiple(true)
)]
pub struct Args {
    /// A recipe or a routine, quoted where it holds | or >; without it, the routine of this machine's winners
    #[arg(value_name = "TEXT")]
    words: Vec<String>,
    /// Write STEM.S, STEM.o and STEM.h
    #[arg(long, short, value_name = "STEM", group = "files", conflicts_with_all = ["asm", "object", "header"])]
    output: Option<PathBuf>,
    /// Write GNU assembly to this file
    #[arg(long, value_name = "FILE", group = "files")]
    asm: Option<PathBuf>,
    /// Write an ELF object to this file
    #[arg(long, value_name = "FILE", group = "files")]
    object: Option<PathBuf>,
    /// Write a C header to this file
    #[arg(long, value_name = "FILE", group = "files")]
    header: Option<PathBuf>,
    /// What the names of the functions begin with
    #[arg(long, value_name = "PREFIX", default_value = "copysmith")]
    name: Prefix,
    /// Which functions, of memcpy, memmove and mempcpy [default: all that the routine can be]
    #[arg(long = "as", value_name = "FUNCTIONS", value_delimiter = ',')]
    functions: Vec<Function>,
    /// The winners of this machine instead of the one at hand
    #[arg(long, value_name = "MACHINE", conflicts_with = "words")]
    machine: Option<String>,
    /// The records
    #[arg(long, value_name = "DIR", conflicts_with = "words")]
    record: Option<PathBuf>,
}

/// Proves the routine and writes the files.
///
/// # Errors
/// A text that is no routine, a function that the routine cannot be, a proof that fails, or a file that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let files = args.files()?;
    for (at, (path, _)) in files.iter().enumerate() {
        writable(path)?;
        for (other, _) in &files[..at] {
            if same(path, other)? {
                return Err(Usage(format!("{} and {} are one file", other.display(), path.display())).into());
            }
        }
    }
    let routine = if args.words.is_empty() { args.winner()? } else { routine(&args.words)? };
    let functions = if args.functions.is_empty() { offered(&routine)? } else { args.functions };
    let part = Part { routine, functions };
    let export = Export::new(args.name, std::slice::from_ref(&part)).map_err(|error| Usage(error.to_string()))?;
    prove_routine(&part.routine, &Features::read(), Thoroughness::Full)
        .with_context(|| format!("'{}' is not exported", part.routine))?;
    let files: Vec<_> = files.into_iter().map(|(path, form)| (path, form.of(&export))).collect();
    write_all(&files)?;
    for (path, _) in &files {
        output.text(format_args!("{}\n", path.display()))?;
    }
    Ok(Exit::Done)
}

/// What a file holds.
#[derive(Clone, Copy, Debug)]
enum Form {
    Assembly,
    Object,
    Header,
}

impl Form {
    fn of(self, export: &Export) -> Vec<u8> {
        match self {
            Form::Assembly => export.assembly().into_bytes(),
            Form::Object => export.object(),
            Form::Header => export.header().into_bytes(),
        }
    }
}

impl Args {
    /// The files to be written, at least one.
    fn files(&self) -> Result<Vec<(PathBuf, Form)>, Usage> {
        let Some(stem) = &self.output else {
            let named = [(&self.asm, Form::Assembly), (&self.object, Form::Object), (&self.header, Form::Header)];
            return Ok(named.into_iter().filter_map(|(path, form)| Some((path.clone()?, form))).collect());
        };
        let one_file = |option| format!("--output takes what its three files begin with; for one file: --{option} ");
        let name = stem.file_name().filter(|_| !stem.as_os_str().as_encoded_bytes().ends_with(b"/"));
        let says = match (name, stem.extension().and_then(|extension| extension.to_str())) {
            (None, _) => Some("--output takes what its three files begin with, and has no name: ".to_owned()),
            (_, Some("S" | "s")) => Some(one_file("asm")),
            (_, Some("o")) => Some(one_file("object")),
            (_, Some("h")) => Some(one_file("header")),
            _ => None,
        };
        if let Some(says) = says {
            return Err(Usage(format!("{says}{}", stem.display())));
        }
        let with = |ending: &str| {
            let mut path = stem.clone().into_os_string();
            path.push(ending);
            PathBuf::from(path)
        };
        Ok(vec![(with(".S"), Form::Assembly), (with(".o"), Form::Object), (with(".h"), Form::Header)])
    }

    /// The routine of a machine's winners.
    fn winner(&self) -> anyhow::Result<Routine> {
        let place = Place::find(self.record.as_deref(), &Surroundings::read())?;
        let machine = self.machine.clone().unwrap_or_else(|| Host::read().machine());
        let all = recorded(&place.dir)?;
        let found = all.iter().find(|winners| winners.machine == machine);
        found.map(|winners| winners.routine.text.clone()).with_context(|| {
            let known: Vec<&str> = all.iter().map(|winners| winners.machine.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(" ") };
            format!(
                "{} has no winners for {machine}, it has: {known}; tune first, or name a routine",
                place.dir.display()
            )
        })
    }
}

/// Writes all files; where one cannot be written, those that were not there before go away again.
fn write_all(files: &[(PathBuf, Vec<u8>)]) -> anyhow::Result<()> {
    let mut new: Vec<&Path> = Vec::new();
    for (path, bytes) in files {
        let was_there = path.exists();
        match write_bytes(path, bytes) {
            Ok(Written::Replaced) if !was_there => new.push(path),
            Ok(_) => {}
            Err(error) => {
                for path in new {
                    // The first error is the one to tell.
                    let _ = fs::remove_file(path);
                }
                return Err(error.into());
            }
        }
    }
    Ok(())
}
