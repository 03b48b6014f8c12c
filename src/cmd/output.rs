//! Where everything printed goes: results to standard output, as text or JSON; progress to the terminal, if there is one.
//!
//! Tables are laid out by `comfy-table`, which measures wide characters and pads columns; without its terminal feature,
//! since a result must not depend on the width of a window.

use comfy_table::{Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::fmt;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

/// How a verb prints its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON value.
    Json,
}

/// The flag that chooses the format, for every verb that has both.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct FormatArgs {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl FormatArgs {
    /// The format chosen.
    pub fn format(self) -> Format {
        if self.json { Format::Json } else { Format::Text }
    }
}

/// Whoever read the results has gone.
#[derive(Debug)]
pub struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard output is closed")
    }
}

impl std::error::Error for Closed {}

/// Standard output, and what may be said beside it.
pub struct Output {
    results: BufWriter<StdoutLock<'static>>,
    quiet: bool,
}

impl Output {
    /// The process's own.
    pub fn new(quiet: bool) -> Output {
        Output { results: BufWriter::new(io::stdout().lock()), quiet }
    }

    /// Prints text that ends its own lines.
    ///
    /// # Errors
    /// [`Closed`], or the system's error.
    pub fn text(&mut self, text: impl fmt::Display) -> anyhow::Result<()> {
        told(write!(self.results, "{text}"))
    }

    /// Prints one JSON value, indented, and a line feed.
    ///
    /// # Errors
    /// As [`Output::text`].
    pub fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        told(writeln!(self.results, "{text}"))
    }

    /// Prints a table: a line of headings, then the rows, columns aligned.
    ///
    /// # Errors
    /// As [`Output::text`].
    pub fn table<const N: usize>(&mut self, headings: [&str; N], rows: &[[String; N]]) -> anyhow::Result<()> {
        self.text(table(&headings, rows.iter().map(|row| &row[..])))
    }

    /// Prints a table whose columns are known only now; each row has as many cells as there are headings.
    ///
    /// # Errors
    /// As [`Output::text`].
    pub fn columns(&mut self, headings: &[&str], rows: &[Vec<String>]) -> anyhow::Result<()> {
        self.text(table(headings, rows.iter().map(Vec::as_slice)))
    }

    /// Everything printed so far goes out.
    ///
    /// # Errors
    /// As [`Output::text`]: what a buffer still holds must not get lost without a word.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        told(self.results.flush())
    }

    /// A progress bar on standard error; nothing is drawn where that is no terminal, or with `--quiet`.
    pub fn progress(&self, steps: u64, what: &'static str) -> ProgressBar {
        let drawn = draws(io::stderr().is_terminal(), self.quiet);
        let target = if drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        progress(target, steps, what)
    }

    /// Whether notes are wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }
}

/// Says something beside the results, on standard error. Nothing hangs on it: where it cannot be written it is not said.
pub fn said(what: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{what}");
}

fn draws(terminal: bool, quiet: bool) -> bool {
    terminal && !quiet
}

fn progress(target: ProgressDrawTarget, steps: u64, what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
    let bar = ProgressBar::with_draw_target(Some(steps), target).with_message(what);
    // No ticker: its thread would time-share with the kernels that are being timed, and a process forks safely only while it
    // has one thread.
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn table<'r>(headings: &[&str], rows: impl Iterator<Item = &'r [String]>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings);
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn told(written: io::Result<()>) -> anyhow::Result<()> {
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Closed.into(),
        _ => anyhow::Error::new(error).context("standard output"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_no_line_ends_in_blanks() {
        let row = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let rows = [row("0..=7", "chain"), row("8..", "lööp")];
        let text = table(&["span", "recipe"], rows.iter().map(|row| &row[..]));
        assert_eq!(text, "span   recipe\n0..=7  chain\n8..    lööp\n");
    }

    #[test]
    fn a_result_is_never_folded_however_long() {
        let long = "axis=value ".repeat(60);
        assert_eq!(table(&["recipe"], [&[long.clone()][..]].into_iter()), format!("recipe\n{}\n", long.trim_end()));
    }

    #[test]
    fn progress_is_drawn_on_a_terminal_only_and_not_when_quiet() {
        assert!(draws(true, false));
        assert!(!draws(true, true) && !draws(false, false) && !draws(false, true));
        assert!(progress(ProgressDrawTarget::hidden(), 3, "x").is_hidden());
        assert!(Output::new(true).progress(3, "x").is_hidden());
    }
}
