//! The tables that `copysmith bench` prints.

use super::output::Output;
use copysmith::bench::{CORE_PTR, Measured, Report, Row, TUNED, spread, worst};

/// What the columns show beside the ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Gigabytes a second.
    Speed,
    /// Nanoseconds a call: raw, an empty call's, and what is left.
    Time,
    /// Each row as one line, its contestants being one routine at many starts.
    Starts,
}

/// Prints the machine, what is doubtful about it, who is who, and the rows.
///
/// # Errors
/// A result that cannot be written.
pub fn print(output: &mut Output, report: &Report, shown: Shown) -> anyhow::Result<()> {
    output.text(format_args!("{}, {}\n", report.machine, report.cpu))?;
    for warning in &report.warnings {
        output.text(format_args!("warning: {warning}\n"))?;
    }
    let none = "none for this machine was linked; tune it, then build again";
    output.text(format_args!("table: {}\n", report.table.unwrap_or(none)))?;
    if let Some(doubt) = &report.table_doubt {
        output.text(format_args!("warning: {doubt}\n"))?;
    }
    if shown == Shown::Starts {
        return starts(output, report);
    }
    for column in report.contestants.iter().filter(|column| ![TUNED, CORE_PTR].contains(&column.name.as_str())) {
        output.text(format_args!("{}: {}\n", column.name, column.what))?;
    }
    output.text("\n")?;
    let columns: Vec<Column> = columns(report, shown).into_iter().filter(|column| (column.wanted)(report)).collect();
    let lines = report.rows.iter().flat_map(|row| row.results.iter().map(move |result| (row, result)));
    let lines: Vec<Vec<String>> =
        lines.map(|(row, result)| columns.iter().map(|column| (column.cell)(row, result)).collect()).collect();
    let headings: Vec<&str> = columns.iter().map(|column| column.heading.as_str()).collect();
    output.columns(&headings, &lines)?;
    worst_offsets(output, report)
}

/// A column of the table: whether it is wanted, and what it holds.
struct Column {
    heading: String,
    wanted: fn(&Report) -> bool,
    cell: fn(&Row, &Measured) -> String,
}

fn columns(report: &Report, shown: Shown) -> Vec<Column> {
    const ALWAYS: fn(&Report) -> bool = |_| true;
    let column = |heading: &str, wanted, cell| Column { heading: heading.to_owned(), wanted, cell };
    let of_reference = |unit: &str, cell| column(&format!("{} {unit}", report.reference), ALWAYS, cell);
    let mut all = vec![
        column(
            "case",
            |report| report.rows.iter().any(|row| row.case.is_some()),
            |row, _| row.case.clone().unwrap_or_default(),
        ),
        column(
            "calls",
            |report| report.rows.iter().any(|row| row.calls.is_some()),
            |row, _| row.calls.map_or_else(String::new, |calls| calls.to_string()),
        ),
        column("bytes", ALWAYS, |row, _| bytes(row)),
        column(
            "offset",
            |report| report.rows.iter().all(|row| row.case.is_none() && row.distance.is_none()),
            |row, _| row.offset.map_or_else(|| "mixed".to_owned(), |offset| offset.to_string()),
        ),
        column(
            "distance",
            |report| report.rows.iter().any(|row| row.distance.is_some()),
            |row, _| row.distance.map_or_else(String::new, |distance| format!("{distance:+}")),
        ),
        column("contestant", ALWAYS, |_, result| result.name.clone()),
        column("ratio", ALWAYS, |_, result| {
            result.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{:.3}", ratio.ratio))
        }),
        column("95 % interval", ALWAYS, |_, result| {
            result.ratio.map_or_else(String::new, |ratio| format!("{:.3} to {:.3}", ratio.low, ratio.high))
        }),
    ];
    if shown == Shown::Time {
        all.extend([
            column("ns", ALWAYS, |_, result| time(result.nanoseconds)),
            of_reference("ns", |row, _| time(row.reference_nanoseconds)),
            column("empty ns", ALWAYS, |row, _| time(row.overhead_nanoseconds)),
            column("ns - empty", ALWAYS, |row, result| time(row.corrected(result.nanoseconds))),
            of_reference("- empty", |row, _| time(row.corrected(row.reference_nanoseconds))),
        ]);
    } else {
        all.extend([
            column("GB/s", ALWAYS, |_, result| speed(result.gigabytes_per_second)),
            of_reference("GB/s", |row, _| speed(row.reference_gigabytes_per_second)),
        ]);
    }
    all.extend([
        column("noise", ALWAYS, |row, _| noise(row)),
        column("error", ALWAYS, |row, result| row.reason(result).unwrap_or_default().to_owned()),
    ]);
    all
}

fn bytes(row: &Row) -> String {
    if row.first == row.last { row.last.to_string() } else { format!("{}..={}", row.first, row.last) }
}

fn speed(speed: Option<f64>) -> String {
    speed.map_or_else(|| "-".to_owned(), |speed| format!("{speed:.1}"))
}

fn time(nanoseconds: Option<f64>) -> String {
    match nanoseconds {
        None => "-".to_owned(),
        Some(long) if long >= 1000.0 => format!("{long:.0}"),
        Some(short) => format!("{short:.2}"),
    }
}

fn noise(row: &Row) -> String {
    row.noise_floor.map_or_else(|| "-".to_owned(), |floor| format!("{:.1} %", 100.0 * floor))
}

/// After a sweep of offsets, where each contestant does worst.
fn worst_offsets(output: &mut Output, report: &Report) -> anyhow::Result<()> {
    let worst = worst(report);
    if worst.is_empty() {
        return Ok(());
    }
    let line = |worst: &copysmith::bench::Worst| {
        let (offset, ratio) = worst.ratio;
        let (slowest_at, slowest) =
            worst.slowest.map_or((String::new(), None), |(at, speed)| (at.to_string(), Some(speed)));
        [
            worst.length.to_string(),
            worst.contestant.clone(),
            format!("{:.3}", ratio.ratio),
            offset.to_string(),
            speed(slowest),
            slowest_at,
        ]
    };
    output.text("\n")?;
    let headings = ["worst at bytes", "contestant", "ratio", "at offset", "least GB/s", "at offset"];
    output.table(headings, &worst.iter().map(line).collect::<Vec<_>>())
}

/// A line for each class: how much it matters where the code starts.
fn starts(output: &mut Output, report: &Report) -> anyhow::Result<()> {
    let line = |row: &Row| {
        let reason = row.results.iter().find_map(|result| row.reason(result)).unwrap_or_default().to_owned();
        let Some(spread) = spread(row) else {
            return [
                bytes(row),
                "-".into(),
                "".into(),
                "-".into(),
                "-".into(),
                "-".into(),
                "-".into(),
                "-".into(),
                noise(row),
                reason,
            ];
        };
        let at = |(name, ratio): &(String, copysmith::bench::Ratio)| format!("{:.3} at {name}", ratio.ratio);
        let per_cent = |factor: f64| format!("{:.1} %", 100.0 * (factor - 1.0));
        [
            bytes(row),
            format!("{:.3}", spread.aligned.ratio),
            format!("{:.3} to {:.3}", spread.aligned.low, spread.aligned.high),
            at(&spread.fastest),
            at(&spread.slowest),
            per_cent(spread.within_line()),
            spread.slower.to_string(),
            per_cent(spread.pages),
            noise(row),
            reason,
        ]
    };
    output.text("\n")?;
    let headings =
        ["bytes", "ratio", "95 % interval", "least", "most", "in a line", "slower", "in a page", "noise", "error"];
    output.table(headings, &report.rows.iter().map(line).collect::<Vec<_>>())?;
    output.text(
        "\nratio: where the code starts a line; in a line, in a page: most over least; slower: starts of 63 that are slower than that\n",
    )
}
