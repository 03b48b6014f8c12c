//! What machine a record is of, and what makes its numbers doubtful: before any of them.

use super::Record;
use super::html::{Cell, escaped, folded, table};

/// The identity and the warnings.
pub(super) fn section(number: usize, record: &Record) -> String {
    let mut facts: Vec<(String, String)> = vec![
        ("machine".to_owned(), record.winners.machine.clone()),
        ("instruction set".to_owned(), record.winners.isa.to_string()),
        ("seed".to_owned(), record.winners.seed.to_string()),
        ("copysmith".to_owned(), record.winners.provenance.copysmith.clone()),
        ("emitter".to_owned(), record.winners.provenance.emitter.clone()),
        ("search space".to_owned(), record.winners.provenance.space.clone()),
    ];
    if let Some(header) = record.journal.as_ref().and_then(|journal| journal.header.as_ref()) {
        facts.push(("effort".to_owned(), header.effort.clone()));
        facts.push(("reference".to_owned(), header.reference.clone()));
    }
    let rows: Vec<Vec<Cell>> =
        facts.into_iter().map(|(name, value)| vec![Cell::Text(name), Cell::Text(value)]).collect();
    let mut html = table(&format!("machine-{number}"), &["what", "value"], &rows);
    match &record.host {
        None => html.push_str("<p class=\"missing\">The record does not say more about its machine.</p>\n"),
        Some(host) => {
            for warning in &host.warnings {
                html.push_str(&format!("<p class=\"warning\">{}</p>\n", escaped(&warning.to_string())));
            }
            html.push_str(&folded(
                "everything that is known of the machine",
                &format!("<pre>{}</pre>", escaped(&host.to_string())),
            ));
        }
    }
    html
}
