//! The winners of a record with their confirmed figures, and their code when it is asked for.

use super::Record;
use super::html::{Cell, escaped, folded, table};
use crate::print::winners::Evidence;
use crate::record::Confirmed;
use copysmith_kernels::{Routine, Target, X86_64};
use std::fmt::Write;

/// What the whole routine is called among the classes of a record.
const WHOLE: &str = "routine";

/// A row for each class, and one for the whole routine.
pub(super) fn section(number: usize, record: &Record) -> String {
    let mut rows: Vec<Vec<Cell>> = record
        .winners
        .classes
        .iter()
        .map(|winner| {
            let class = winner.span.to_string();
            let routine = Routine::from(winner.recipe.clone());
            row(&class, winner.evidence, record.figures(&class), &routine, &winner.recipe.shape().to_string())
        })
        .collect();
    let whole = &record.winners.routine;
    let leaves = format!("{} leaves", whole.text.leaves().len());
    rows.push(row("whole routine", whole.evidence, record.figures(WHOLE), &whole.text, &leaves));
    let headings = ["class", "ratio", "95 % interval", "GB/s", "worst GB/s at", "noise", "optimism", "winner"];
    let mut html = table(&format!("winners-{number}"), &headings, &rows);
    html.push_str(
        "<p class=\"note\">Ratio: time over the system memcpy's, below 1 is faster; from a confirmation run in a fresh process. \
         Worst: the slowest of the relative page offsets that were timed alone. Optimism: how much faster the race said. \
         Open a winner for its text and its code.</p>\n",
    );
    html
}

fn row(class: &str, evidence: Evidence, figures: Option<&Confirmed>, routine: &Routine, short: &str) -> Vec<Cell> {
    let per_cent = |log: f64| format!("{:.1} %", 100.0 * log);
    let of = |figure: Option<f64>, text: &dyn Fn(f64) -> String| Cell::Text(figure.map(text).unwrap_or_default());
    let (ratio, interval) = match evidence {
        Evidence::Measured { ratio, low, high, .. } => (format!("{ratio:.3}"), format!("{low:.3} to {high:.3}")),
        Evidence::Modelled => ("modelled".to_owned(), String::new()),
    };
    let worst = figures.and_then(|figures| figures.worst);
    vec![
        Cell::Text(class.to_owned()),
        Cell::Text(ratio),
        Cell::Text(interval),
        of(figures.and_then(|figures| figures.gigabytes_per_second), &|speed| format!("{speed:.1}")),
        Cell::Text(
            worst.map(|worst| format!("{:.1} at {}", worst.gigabytes_per_second, worst.offset)).unwrap_or_default(),
        ),
        of(figures.map(|figures| figures.noise_floor), &per_cent),
        of(figures.and_then(|figures| figures.optimism), &per_cent),
        Cell::Html(folded(short, &code(routine))),
    ]
}

/// The text of a routine and the instructions it becomes.
fn code(routine: &Routine) -> String {
    let mut html = format!("<p class=\"text\">{}</p>", escaped(&routine.to_string()));
    match X86_64.emit(&routine.plan()) {
        Err(error) => drop(write!(html, "<p class=\"missing\">{}</p>", escaped(&error.to_string()))),
        Ok(code) => {
            let mut text = String::new();
            for line in X86_64.listing(&code) {
                let bytes: Vec<String> = line.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let _ = writeln!(text, "{:5x}  {:<32}  {}", line.offset, bytes.join(" "), line.text);
            }
            let _ = write!(html, "<pre class=\"code\">{}</pre>", escaped(&text));
        }
    }
    html
}
