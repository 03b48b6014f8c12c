//! The races of a record: who was still in after how many blocks, what ended tied, and how loud the noise was.

use super::html::{Cell, escaped, figure, folded, table};
use super::{Record, ReportError};
use crate::record::{Entry, Phase};
use crate::study::plot::{Curve, Words, curves};
use copysmith_kernels::Span;

/// Survivors over blocks, and a row for each race.
pub(super) fn section(number: usize, record: &Record) -> Result<String, ReportError> {
    let Some(journal) = &record.journal else {
        return Ok("<p class=\"missing\">The record has no journal, so the races are not shown.</p>\n".to_owned());
    };
    let mut lines: Vec<Curve> = Vec::new();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for entry in &journal.entries {
        match entry {
            Entry::Block(block) if block.phase == Phase::Race && block.class.parse::<Span>().is_ok() => {
                let at = lines.iter().position(|line| line.label == block.class).unwrap_or_else(|| {
                    lines.push(Curve { label: block.class.clone(), points: Vec::new() });
                    lines.len() - 1
                });
                let next = lines[at].points.len() as f64 + 1.0;
                lines[at].points.push((next, block.samples.len() as f64));
            }
            Entry::Race(race) if race.candidates > 0 => {
                let tied: String = race.tied.iter().map(|tied| format!("<li>{}</li>", escaped(tied))).collect();
                let tied = match race.tied.len() {
                    0 => Cell::Text("none".to_owned()),
                    count => Cell::Html(folded(&count.to_string(), &format!("<ul>{tied}</ul>"))),
                };
                rows.push(vec![
                    Cell::Text(race.class.clone()),
                    Cell::Text(race.candidates.to_string()),
                    Cell::Text(race.refused.to_string()),
                    Cell::Text(race.blocks.to_string()),
                    Cell::Text(format!("{:.2} %", 100.0 * race.noise_floor)),
                    tied,
                    Cell::Text(race.winner.clone()),
                ]);
            }
            _ => {}
        }
    }
    let words = Words { caption: "who is still in the race of a class", x: "blocks", y: "contestants" };
    let headings = ["race", "candidates", "refused", "blocks of the winner", "noise floor", "tied with it", "winner"];
    let mut html = figure(&curves(&lines, words)?);
    html.push_str(&table(&format!("races-{number}"), &headings, &rows));
    html.push_str(
        "<p class=\"note\">Blocks of a class follow each other race by race: a step up is a new race with the neighbours of the \
         leaders. Tied: what could not be told from the winner, of which a written rule chose.</p>\n",
    );
    Ok(html)
}
