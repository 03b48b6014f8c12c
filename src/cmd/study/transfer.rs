//! `copysmith study transfer`: each machine's winners on every other.

use crate::cmd::exit::Exit;
use crate::cmd::output::{Format, FormatArgs, Output};
use copysmith::study::{Data, load, transfer};
use std::path::PathBuf;

/// Say how much slower the winners of each machine are on every other, and which kernel does best on all
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith study transfer zen5 zen2
  copysmith study transfer data --json")]
pub struct Args {
    /// Recorded data, one of each machine
    #[arg(required = true)]
    data: Vec<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Prints a matrix of regrets for each class.
///
/// # Errors
/// [`StudyError`](copysmith::study::StudyError)
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let machines = args.data.iter().map(|path| load(path)).collect::<Result<Vec<Data>, _>>()?;
    let classes = transfer(&machines)?;
    if let Format::Json = args.format.format() {
        output.json(&classes)?;
        return Ok(Exit::Done);
    }
    if machines.len() == 1 {
        output.text("one machine only: 1 x 1, nothing is transferred\n\n")?;
    }
    let per_cent =
        |regret: &Option<f64>| regret.map_or_else(|| "-".to_owned(), |regret| format!("{:.2} %", 100.0 * regret));
    let mut rows = Vec::new();
    for class in &classes {
        for (at, machine) in class.machines.iter().enumerate() {
            let mut row = vec![class.class.clone(), machine.clone()];
            row.extend(class.regrets[at].iter().map(per_cent));
            row.push(class.winners[at].clone());
            rows.push(row);
        }
        if let Some((recipe, regret)) = &class.minimax {
            let mut row = vec![class.class.clone(), "minimax".to_owned()];
            row.extend(class.machines.iter().map(|_| String::new()));
            row.push(format!("at most {:.2} %: {recipe}", 100.0 * regret));
            rows.push(row);
        }
    }
    let mut headings = vec!["class".to_owned(), "winner of".to_owned()];
    headings.extend(classes[0].machines.iter().map(|machine| format!("on {machine}")));
    headings.push("kernel".to_owned());
    output.columns(&headings.iter().map(String::as_str).collect::<Vec<_>>(), &rows)?;
    Ok(Exit::Done)
}
