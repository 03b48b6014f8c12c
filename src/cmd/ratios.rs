//! The table that `copysmith bench` prints.

use super::output::Output;
use copysmith::bench::{Measured, Report, Row};

/// Prints the machine, what is doubtful about it, and a line for each contestant of each row.
///
/// # Errors
/// A result that cannot be written.
pub fn print(output: &mut Output, report: &Report) -> anyhow::Result<()> {
    output.text(format_args!("{}, {}\n", report.machine, report.cpu))?;
    for warning in &report.warnings {
        output.text(format_args!("warning: {warning}\n"))?;
    }
    let none = "none for this machine was linked; tune it, then build again";
    output.text(format_args!("table: {}\n\n", report.table.unwrap_or(none)))?;
    let lines = report.rows.iter().flat_map(|row| row.results.iter().map(move |result| line(row, result)));
    let headings = ["bytes", "offset", "contestant", "ratio", "95 % interval", "GB/s", "memcpy GB/s", "noise", "error"];
    output.table(headings, &lines.collect::<Vec<_>>())
}

fn line(row: &Row, result: &Measured) -> [String; 9] {
    let speed = |speed: Option<f64>| speed.map_or_else(|| "-".to_owned(), |speed| format!("{speed:.1}"));
    let ratio = result.ratio;
    [
        if row.first == row.last { row.last.to_string() } else { format!("{}..={}", row.first, row.last) },
        row.offset.map_or_else(|| "mixed".to_owned(), |offset| offset.to_string()),
        result.name.clone(),
        ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.3}", ratio.ratio)),
        ratio.map_or_else(String::new, |ratio| format!("{:.3} to {:.3}", ratio.low, ratio.high)),
        speed(result.gigabytes_per_second),
        speed(row.memcpy_gigabytes_per_second),
        row.noise_floor.map_or_else(|| "-".to_owned(), |floor| format!("{:.1} %", 100.0 * floor)),
        row.reason(result).unwrap_or_default().to_owned(),
    ]
}
