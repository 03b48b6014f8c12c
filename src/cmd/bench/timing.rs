//! What all modes have in common that time rows: their options, and the way from cases to what is printed and written.

use crate::cmd::exit::{Exit, Usage};
use crate::cmd::number::number;
use crate::cmd::output::{Format, FormatArgs, Output};
use crate::cmd::ratios::{Shown, print};
use copysmith::bench::{Case, Field, Options, Report, Row, csv, plot, plot_starts, rows};
use copysmith::host::Host;
use copysmith::print::write::{same, writable, write};
use copysmith::record::{Interrupt, Interrupted, Place, Surroundings};
use copysmith::time::Pin;
use copysmith::tune::unlinked;
use std::path::PathBuf;

/// Blocks a row where nothing else is said.
const BLOCKS: u32 = 60;

/// How rows are timed, and where they go.
#[derive(Debug, clap::Args)]
pub struct TimingArgs {
    /// Blocks a row [default: 60; for starts 24]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(8..=100_000_u32))]
    blocks: Option<u32>,
    /// Measure on this processor, by number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number(0..=usize::MAX))]
    cpu: Option<usize>,
    /// Seed of lengths, places and orders
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number(0..=u64::MAX))]
    seed: u64,
    /// Write every row to this file; a pipe or device gets it directly
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the ratios into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

impl TimingArgs {
    /// The same with another number of blocks, where none was asked for.
    pub fn blocks_or(self, blocks: u32) -> TimingArgs {
        TimingArgs { blocks: self.blocks.or(Some(blocks)), ..self }
    }

    /// What cannot be written at the end is better known before the work than after it.
    ///
    /// # Errors
    /// A file that cannot be written, or one that would be written twice; a processor that cannot be used.
    pub fn ready(&self) -> anyhow::Result<()> {
        Pin::check(self.cpu)?;
        if let (Some(csv), Some(svg)) = (&self.csv, &self.svg)
            && same(csv, svg)?
        {
            let path = svg.display();
            return Err(Usage(format!("--csv and --svg both lead to {path}; one would overwrite the other")).into());
        }
        self.csv.iter().chain(&self.svg).try_for_each(|path| writable(path).map_err(anyhow::Error::new))
    }

    /// Times every case, writes what was asked for, and prints the table.
    ///
    /// # Errors
    /// A file that cannot be written, or [`Interrupted`], with the rows until then written and printed.
    pub fn time(
        &self,
        host: &Host,
        field: &Field,
        cases: &[Case],
        shown: Shown,
        output: &mut Output,
    ) -> anyhow::Result<Exit> {
        let options = Options { blocks: self.blocks.unwrap_or(BLOCKS) as usize, cpu: self.cpu, seed: self.seed };
        let interrupt = Interrupt::install()?;
        let bar = output.progress(cases.len() as u64, "bench");
        let rows = rows(host, field, cases, options, || interrupt.is_asked()).inspect(|_| bar.inc(1)).collect();
        bar.finish_and_clear();
        let report = Report { table_doubt: doubt(host), ..Report::new(host, field, rows) };
        let written = self.files(&report.rows, shown);
        let printed = match self.format.format() {
            Format::Json => output.json(&report),
            Format::Text => {
                print(output, &report, shown).and_then(|()| names(output, written.as_deref().unwrap_or_default()))
            }
        };
        let printed = printed.and_then(|()| output.finish());
        written?;
        if report.rows.len() < cases.len() {
            let timed = format!("interrupted; {} of {} rows were timed", report.rows.len(), cases.len());
            return Err(anyhow::Error::new(Interrupted).context(timed));
        }
        printed.map(|()| if report.is_whole() { Exit::Done } else { Exit::Failed })
    }

    /// Writes the files; their names. Where nothing was timed at all they are left as they were.
    fn files(&self, rows: &[Row], shown: Shown) -> anyhow::Result<Vec<PathBuf>> {
        let mut written = Vec::new();
        if rows.is_empty() {
            return Ok(written);
        }
        if let Some(path) = &self.csv {
            write(path, &csv(rows))?;
            written.push(path.clone());
        }
        if let Some(path) = &self.svg {
            write(path, &if shown == Shown::Starts { plot_starts(rows)? } else { plot(rows)? })?;
            written.push(path.clone());
        }
        Ok(written)
    }
}

/// Why the linked table is not what was tuned in this checkout, where it is not.
fn doubt(host: &Host) -> Option<String> {
    let place = Place::find(None, &Surroundings::read()).ok()?;
    match unlinked(&place, &host.machine()) {
        Ok(winners) => winners.map(|path| {
            format!("the linked table is not that of {}: build again to time what was tuned", path.display())
        }),
        Err(error) => Some(error.to_string()),
    }
}

fn names(output: &mut Output, files: &[PathBuf]) -> anyhow::Result<()> {
    files.iter().try_for_each(|file| output.text(format_args!("written: {}\n", file.display())))
}
