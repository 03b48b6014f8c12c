//! `copysmith check`: the proofs of a routine, without a clock.

use super::exit::Exit;
use super::output::{Format, FormatArgs, Output};
use super::words::RoutineArgs;
use copysmith::host::Features;
use copysmith::proofs::{Proven, Ran, Refusal, Thoroughness, prove_routine};
use copysmith::run::battery::Coverage;
use copysmith_kernels::Routine;
use copysmith_kernels::proof::{Depth, Overlap, overlap};
use copysmith_kernels::{Target, X86_64};
use serde::Serialize;

/// Prove a recipe or a routine: its plan, its code, and its running here
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith check copy 17..=32 pairs width=sse16
  copysmith check --json 'cuts=32 | copy 0..=32 chain width=sse16 | copy 33.. string unit=1'

Exits with 1 where a proof fails; the last line names the input that shows it.")]
pub struct Args {
    #[command(flatten)]
    routine: RoutineArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// What was covered, or what failed.
#[derive(Debug, Serialize)]
struct Checked {
    routine: String,
    holds: bool,
    failure: Option<String>,
    code_bytes: Option<usize>,
    leaves: Vec<Leaf>,
    overlap: Option<String>,
    run: Option<Coverage>,
    run_skipped: Option<String>,
}

#[derive(Debug, Serialize)]
struct Leaf {
    span: String,
    lengths: usize,
    longest: usize,
    plan_runs: usize,
    code_runs: usize,
}

/// Proves the routine and prints what was covered.
///
/// # Errors
/// A text that is no routine, a system that lets nothing run, or a result that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let routine = args.routine.routine()?;
    let checked = match prove_routine(&routine, &Features::read(), Thoroughness::Full) {
        Ok(proven) => Checked::proven(&routine, proven),
        Err(Refusal::Try(error)) => return Err(error.into()),
        Err(refusal) => Checked::refused(&routine, &refusal),
    };
    match args.format.format() {
        Format::Json => output.json(&checked)?,
        Format::Text => checked.print(output)?,
    }
    Ok(if checked.holds { Exit::Done } else { Exit::Failed })
}

impl Checked {
    fn proven(routine: &Routine, proven: Proven) -> Checked {
        let leaf = |leaf: &copysmith::proofs::LeafProof| Leaf {
            span: leaf.span.to_string(),
            lengths: leaf.code.lengths,
            longest: leaf.code.longest,
            plan_runs: leaf.plan.runs,
            code_runs: leaf.code.runs,
        };
        let program = X86_64.decode(&proven.code).ok();
        // Of each leaf: a routine's own span begins far below the edges of its long leaves.
        let overlap = program.and_then(|program| {
            // One that is too long to be interpreted is left out, as it is from the proofs, where a shorter twin stands in.
            let of_leaf = |leaf: &copysmith_kernels::Recipe| overlap(&program, leaf.span(), Depth::Full).ok();
            routine.leaves().iter().filter_map(of_leaf).reduce(Overlap::and)
        });
        let (run, run_skipped) = match proven.run {
            Ran::Here(coverage) => (Some(coverage), None),
            Ran::Lacking(isa) => (None, Some(format!("this processor cannot run {isa} code"))),
        };
        Checked {
            routine: routine.to_string(),
            holds: true,
            failure: None,
            code_bytes: Some(proven.code.bytes.len()),
            leaves: proven.leaves.iter().map(leaf).collect(),
            overlap: overlap.map(|overlap| describe(&overlap).to_owned()),
            run,
            run_skipped,
        }
    }

    fn refused(routine: &Routine, refusal: &Refusal) -> Checked {
        Checked {
            routine: routine.to_string(),
            holds: false,
            failure: Some(refusal.to_string()),
            code_bytes: None,
            leaves: Vec::new(),
            overlap: None,
            run: None,
            run_skipped: None,
        }
    }

    fn print(&self, output: &mut Output) -> anyhow::Result<()> {
        output.text(format_args!("routine  {}\n", self.routine))?;
        for Leaf { span, lengths, longest, plan_runs, code_runs } in &self.leaves {
            output.text(format_args!(
                "plan     {span}: {plan_runs} runs over {lengths} lengths up to {longest}\n\
                 code     {span}: {code_runs} runs over {lengths} lengths up to {longest}\n"
            ))?;
        }
        if let Some(overlap) = &self.overlap {
            output.text(format_args!("overlap  {overlap}\n"))?;
        }
        if let Some(Coverage { lengths, shortest, longest, calls, signals, skipped }) = &self.run {
            output.text(format_args!(
                "run      {calls} calls over {lengths} lengths {shortest} to {longest}, {signals} signals on its stack\n"
            ))?;
            for skipped in skipped {
                output.text(format_args!("skipped  {skipped}\n"))?;
            }
        }
        if let Some(why) = &self.run_skipped {
            output.text(format_args!("skipped  run: {why}\n"))?;
        }
        match &self.failure {
            None => output.text("holds\n"),
            Some(failure) => output.text(format_args!("fails    {failure}\n")),
        }
    }
}

fn describe(overlap: &Overlap) -> &'static str {
    match overlap {
        Overlap::Safe => "safe: overlapping operands are moved as by memmove",
        Overlap::ForwardOnly(_) => "safe only where the destination lies below the source",
        Overlap::BackwardOnly(_) => "safe only where the destination lies above the source",
        _ => "none: operands must not overlap",
    }
}
