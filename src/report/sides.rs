//! Records beside each other, class by class.

use super::Record;
use super::html::{Cell, table};
use crate::print::winners::Evidence;
use copysmith_kernels::Span;
use std::collections::BTreeMap;

/// A row for each class that any of the records has; a record without it has an empty cell.
pub(super) fn section(records: &[Record]) -> String {
    let mut classes: BTreeMap<(usize, usize), Span> = BTreeMap::new();
    for winner in records.iter().flat_map(|record| &record.winners.classes) {
        classes.insert((winner.span.first(), winner.span.last()), winner.span);
    }
    let mut headings = vec!["class".to_owned()];
    for (number, record) in records.iter().enumerate() {
        headings.push(format!("{} ({})", record.winners.machine, number + 1));
        headings.push("winner".to_owned());
    }
    let cells = |span: Span| {
        let mut row = vec![Cell::Text(span.to_string())];
        for record in records {
            let winner = record.winners.classes.iter().find(|winner| winner.span == span);
            let ratio = match winner.map(|winner| winner.evidence) {
                Some(Evidence::Measured { ratio, .. }) => format!("{ratio:.3}"),
                Some(Evidence::Modelled) => "modelled".to_owned(),
                None => String::new(),
            };
            row.push(Cell::Text(ratio));
            row.push(Cell::Text(winner.map(|winner| winner.recipe.shape().to_string()).unwrap_or_default()));
        }
        row
    };
    let rows: Vec<Vec<Cell>> = classes.into_values().map(cells).collect();
    table("sides", &headings.iter().map(String::as_str).collect::<Vec<_>>(), &rows)
}
