//! What `copysmith tune` shows: progress while it runs, and the table at the end.

use super::output::{Output, said};
use copysmith::record::{InSituation, Interrupt};
use copysmith::tune::{Figures, OFFSETS, Observer, Report, Trade};
use copysmith_kernels::{Routine, Span};
use copysmith_search::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// Progress of a tune on standard error, and the ear for Ctrl-C.
pub struct Bar {
    bar: ProgressBar,
    quiet: bool,
    interrupt: Interrupt,
    drawn: Option<Instant>,
    refused: usize,
}

/// Redrawing takes time from what is timed.
const REDRAW: Duration = Duration::from_millis(250);

impl Bar {
    /// A bar that is drawn only on a terminal.
    pub fn new(output: &Output, interrupt: Interrupt) -> Bar {
        let bar = output.progress(0, "");
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {elapsed} gone, {eta} left  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Bar { bar, quiet: output.is_quiet(), interrupt, drawn: None, refused: 0 }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
        if self.refused > 0 && !self.quiet {
            said(format_args!("{} candidates were refused; the record names each with its reason", self.refused));
        }
    }
}

impl Observer for Bar {
    fn stage(&mut self, stage: usize, of: usize, what: &str) {
        self.bar.set_length(of as u64);
        self.bar.set_position(stage as u64);
        self.bar.set_message(what.to_owned());
        self.bar.tick();
    }

    fn block(&mut self, span: Span, progress: &Progress<'_>) {
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW) {
            return;
        }
        self.drawn = Some(Instant::now());
        let best = progress.best.map(|(routine, estimate)| format!(", best {:.3} {routine}", estimate.mean.exp()));
        let what = if span == Span::ALL { "routine".to_owned() } else { span.to_string() };
        self.bar.set_message(format!("race {what}: {} left{}", progress.survivors, best.unwrap_or_default()));
        self.bar.tick();
    }

    fn refused(&mut self, _routine: &str, _reason: &str) {
        self.refused += 1;
    }

    fn note(&mut self, note: &str) {
        if !self.quiet {
            self.bar.suspend(|| said(note));
        }
    }

    fn stop(&mut self) -> bool {
        self.interrupt.is_asked()
    }
}

/// Prints what a tune found: warnings before the numbers, then the table, then where the files are.
///
/// # Errors
/// A result that cannot be written.
pub fn print(output: &mut Output, report: &Report) -> anyhow::Result<()> {
    output.text(format_args!("{}, effort {}, seed {}\n", report.machine, report.effort, report.seed))?;
    for warning in &report.warnings {
        output.text(format_args!("warning: {warning}\n"))?;
    }
    output.text("\nratio: time over the system memcpy's, below 1 is faster; confirmed in a fresh process\n")?;
    let mut rows: Vec<[String; 9]> = Vec::new();
    for class in &report.classes {
        let counts = [format!("{}/{}", class.tied, class.candidates), class.winner.shape().to_string()];
        rows.push(row(class.span.to_string(), &class.figures, counts));
    }
    let routine = &report.routine;
    let counts =
        [format!("{}/{}", routine.tied, routine.candidates), format!("{} leaves", routine.winner.leaves().len())];
    rows.push(row("whole routine".to_owned(), &routine.figures, counts));
    let headings = ["class", "ratio", "95 % interval", "GB/s", "worst GB/s at", "noise", "optimism", "tied", "winner"];
    output.table(headings, &rows)?;
    output.text(format_args!(
        "\nworst: the slowest of dst - src modulo 4096 in {}, each timed alone\n",
        OFFSETS.map(|offset| offset.to_string()).join(" ")
    ))?;
    match report.non_temporal_from {
        Some(from) => output.text(format_args!("the routine has non-temporal stores from {from} bytes on\n"))?,
        None => output.text("the routine has no non-temporal stores\n")?,
    }
    output.text(format_args!("routine: {}\n", routine.winner))?;
    print_losses(output, &routine.slower)?;
    print_trade_off(output, &routine.trade_off)?;
    output.text(format_args!("\n{:.0} s; written:\n", report.seconds))?;
    report.files.iter().try_for_each(|file| output.text(format_args!("  {}\n", file.display())))
}

/// Where the routine is slower than the system's memcpy.
fn print_losses(output: &mut Output, slower: &[InSituation]) -> anyhow::Result<()> {
    if slower.is_empty() {
        return output.text("slower than the system's memcpy in nothing that was timed\n");
    }
    let loss = |did: &InSituation| format!("{} {:.3}", did.situation, did.log_ratio.exp());
    let losses: Vec<String> = slower.iter().map(loss).collect();
    output.text(format_args!("slower than the system's memcpy: {}\n", losses.join("; ")))
}

/// What the other routines would give, and what they would take.
fn print_trade_off(output: &mut Output, trade_off: &[Trade]) -> anyhow::Result<()> {
    if trade_off.len() < 2 {
        return Ok(());
    }
    output.text("\nroutines that raced, of which none is as good as another in everything:\n")?;
    let ratio = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
    let row = |trade: &Trade| {
        let Trade { routine, recorded, mix, constant, reload } = trade;
        [ratio(*recorded), ratio(*mix), ratio(*constant), ratio(*reload), short(routine)]
    };
    let rows: Vec<[String; 5]> = trade_off.iter().map(row).collect();
    output.table(["in order", "mix", "worst length", "worst reload", "leaves up to 128 bytes"], &rows)
}

/// The leaves of a routine that are for short lengths.
fn short(routine: &str) -> String {
    let leaves = routine.parse::<Routine>().map(|routine| routine.leaves().to_vec()).unwrap_or_default();
    let short = leaves.iter().take_while(|leaf| leaf.span().last() <= 128);
    short.map(|leaf| format!("{} {}", leaf.span(), leaf.shape())).collect::<Vec<String>>().join(" | ")
}

fn row(what: String, figures: &Figures, [tied, winner]: [String; 2]) -> [String; 9] {
    let percent = |log: f64| format!("{:.1} %", 100.0 * log);
    [
        what,
        format!("{:.3}", figures.ratio),
        format!("{:.3} to {:.3}", figures.low, figures.high),
        figures.gigabytes_per_second.map_or_else(|| "-".to_owned(), |speed| format!("{speed:.1}")),
        figures
            .worst
            .map_or_else(String::new, |worst| format!("{:.1} at {}", worst.gigabytes_per_second, worst.offset)),
        percent(figures.noise_floor),
        figures.optimism.map_or_else(String::new, percent),
        tied,
        winner,
    ]
}
