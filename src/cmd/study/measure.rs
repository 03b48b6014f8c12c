//! `copysmith study measure`: raw samples of every kernel of a space.

use crate::cmd::choice::one_of;
use crate::cmd::exit::Exit;
use crate::cmd::number::number;
use crate::cmd::output::{Format, FormatArgs, Output};
use crate::cmd::spans::Spans;
use crate::cmd::tune::DEFAULT_SEED;
use crate::cmd::tuning::Bar;
use anyhow::Context;
use copysmith::host::Host;
use copysmith::record::{Interrupt, Interrupted, Lock};
use copysmith::study::{Choice, Plan, Shard, StudyError, measure};
use copysmith::time::Pin;
use copysmith::tune::{Admission, LONGEST_TIMED, classes};
use copysmith_kernels::Isa;
use copysmith_search::space::Breadth;
use std::fs;
use std::path::PathBuf;

/// Time every kernel of a space in a fixed number of blocks, and keep every sample
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study measure --space normal --classes 257..=512 --exhaustive -o data
  copysmith study measure --space all --sample 5000 --classes 1025..=4096 --shard 3/8 -o data

A run that is stopped goes on where it was when the same command is given again. Each shard writes a directory of its own below DIR.")]
pub struct Args {
    /// The space: which values of the axes are tried
    #[arg(long, value_name = "NAME", default_value = "normal", value_parser = one_of(&Breadth::ALL))]
    space: Breadth,
    /// Size classes, in order, as 129..=256,1025..=4096 [default: those of a tune]
    #[arg(long, value_name = "LIST", value_parser = Spans::apart)]
    classes: Option<Spans>,
    /// So many kernels of each class, drawn by the seed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(1..=100_000_usize))]
    sample: Option<usize>,
    /// Every kernel of the space; the default
    #[arg(long, conflicts_with = "sample")]
    exhaustive: bool,
    /// Samples of each kernel, one a block
    #[arg(long, value_name = "N", default_value_t = 24, allow_negative_numbers = true, value_parser = number(3..=100_000_usize))]
    blocks: usize,
    /// Measure part I of N only
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, allow_negative_numbers = true)]
    shard: Shard,
    /// Seed of everything drawn
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Measure on this processor, by number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(0..=usize::MAX))]
    cpu: Option<usize>,
    /// Use this instruction set and those before it
    #[arg(long, value_parser = one_of(&Isa::ALL))]
    isa: Option<Isa>,
    /// Write into this directory
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// Measures, and says how much there is.
///
/// # Errors
/// [`StudyError`], or [`Interrupted`].
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let interrupt = Interrupt::install()?;
    let host = Host::read();
    let classes = args.classes.map_or_else(|| classes(&host.caches), |spans| spans.as_slice().to_vec());
    if let Some(long) = classes.iter().find(|span| span.first() > LONGEST_TIMED) {
        return Err(
            crate::cmd::exit::Usage(format!("class {long}: nothing above {LONGEST_TIMED} bytes is timed")).into()
        );
    }
    Pin::check(args.cpu)?;
    let plan = Plan {
        space: args.space,
        classes,
        choice: args.sample.map_or(Choice::Exhaustive, Choice::Sample),
        blocks: args.blocks,
        shard: args.shard,
        seed: args.seed,
        cpu: args.cpu,
        isa: args.isa,
    };
    let dir = args.shard.folder().map_or_else(|| args.output.clone(), |folder| args.output.join(folder));
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let lock = Lock::acquire(&dir).map_err(StudyError::from)?;
    let mut bar = Bar::new(output, interrupt);
    let measured = measure(&host, &plan, Admission::new(host.cpu.features), &lock, &mut bar);
    bar.finish();
    let measured = match measured {
        Err(StudyError::Interrupted) => {
            let kept = "interrupted; what was measured is kept, and the same command goes on from there";
            return Err(anyhow::Error::new(Interrupted).context(kept));
        }
        measured => measured?,
    };
    match args.format.format() {
        Format::Json => output.json(&measured)?,
        Format::Text => {
            for warning in &host.warnings {
                output.text(format_args!("warning: {warning}\n"))?;
            }
            output.text(format_args!(
                "{} kernels in {}: {} samples, {} of them there before; {} kernels refused or failed\n",
                measured.kernels,
                dir.display(),
                measured.samples + measured.found,
                measured.found,
                measured.rejected
            ))?;
        }
    }
    Ok(Exit::Done)
}
