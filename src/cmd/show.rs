//! `copysmith show`: a routine in its canonical text, its plan, and its code.

use super::exit::Exit;
use super::output::{Format, FormatArgs, Output};
use super::words::RoutineArgs;
use copysmith_kernels::{Line, Routine, Target, X86_64};
use serde::Serialize;

/// Show a recipe or a routine: its canonical text, what it needs, its plan, and its code with bytes and disassembly
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith show copy 17..=32 pairs width=sse16
  copysmith show 'cuts=32 | copy 0..=32 chain width=sse16 | copy 33.. string unit=1'
  copysmith show --json copy 257.. loop width=avx32 unroll=4 align=dst:32:overlap")]
pub struct Args {
    #[command(flatten)]
    routine: RoutineArgs,
    #[command(flatten)]
    format: FormatArgs,
}

/// What is shown.
#[derive(Debug, Serialize)]
struct Shown {
    routine: String,
    span: String,
    isa: String,
    leaves: Vec<Leaf>,
    plan: String,
    code: Vec<Instruction>,
}

#[derive(Debug, Serialize)]
struct Instruction {
    offset: usize,
    bytes: String,
    text: String,
}

#[derive(Debug, Serialize)]
struct Leaf {
    span: String,
    isa: String,
    recipe: String,
}

/// Prints the routine.
///
/// # Errors
/// A text that is no routine, or a result that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let shown = Shown::new(&args.routine.routine()?)?;
    match args.format.format() {
        Format::Json => output.json(&shown)?,
        Format::Text => shown.print(output)?,
    }
    Ok(Exit::Done)
}

impl Shown {
    fn new(routine: &Routine) -> anyhow::Result<Shown> {
        let leaf = |leaf: &copysmith_kernels::Recipe| Leaf {
            span: leaf.span().to_string(),
            isa: leaf.isa().to_string(),
            recipe: leaf.to_string(),
        };
        let plan = routine.plan();
        let code = X86_64.emit(&plan)?;
        let instruction = |line: Line| Instruction {
            offset: line.offset,
            bytes: line.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "),
            text: line.text,
        };
        Ok(Shown {
            routine: routine.to_string(),
            span: routine.span().to_string(),
            isa: routine.isa().to_string(),
            leaves: routine.leaves().iter().map(leaf).collect(),
            plan: plan.to_string(),
            code: X86_64.listing(&code).into_iter().map(instruction).collect(),
        })
    }

    fn print(&self, output: &mut Output) -> anyhow::Result<()> {
        output.text(format_args!("routine  {}\nspan     {}\nisa      {}\n", self.routine, self.span, self.isa))?;
        if self.leaves.len() > 1 {
            let rows: Vec<_> =
                self.leaves.iter().map(|leaf| [leaf.span.clone(), leaf.isa.clone(), leaf.recipe.clone()]).collect();
            output.text("\n")?;
            output.table(["leaf", "isa", "recipe"], &rows)?;
        }
        output.text(format_args!("\nplan\n{}\ncode, {} bytes\n", self.plan, self.code_bytes()))?;
        for Instruction { offset, bytes, text } in &self.code {
            output.text(format_args!("{offset:5x}  {bytes:<32}  {text}\n"))?;
        }
        Ok(())
    }

    fn code_bytes(&self) -> usize {
        self.code.iter().map(|instruction| instruction.bytes.split(' ').count()).sum()
    }
}
