//! `copysmith report`: records as a page to look at.

use super::exit::Exit;
use super::output::Output;
use copysmith::host::Host;
use copysmith::print::write::{writable, write};
use copysmith::record::{Place, Surroundings};
use copysmith::report::{Record, page};
use std::path::PathBuf;

/// Write records as one HTML page that needs no network: winners and their code, drawings, races, the machine
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  copysmith report -o report.html
  copysmith report tuned/record/amd-1ah-02h other/record/amd-17h-31h -o both.html")]
pub struct Args {
    /// Folders of machines, as tuned/record/amd-1ah-02h [default: this machine's]
    records: Vec<PathBuf>,
    /// Write the page to this file
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

/// Writes the page.
///
/// # Errors
/// [`ReportError`](copysmith::report::ReportError), or a file that cannot be written.
pub fn run(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    writable(&args.output)?;
    let dirs = match args.records.is_empty() {
        true => vec![Place::find(None, &Surroundings::read())?.dir.join(Host::read().machine())],
        false => args.records,
    };
    let records = dirs.iter().map(|dir| Record::read(dir)).collect::<Result<Vec<Record>, _>>()?;
    write(&args.output, &page(&records)?)?;
    output.text(format_args!("written: {}\n", args.output.display()))?;
    Ok(Exit::Done)
}
