//! Heat maps of two axes at a time: the best ratio that any kernel with both values reached in the race.

use super::html::{escaped, figure};
use super::{Record, ReportError};
use crate::study::plot::{Words, heat};
use crate::study::{Class, Data};
use copysmith_search::space::{AXES, axes};
use std::collections::BTreeMap;

/// The pairs of axes that are drawn, rows first, where a class has at least two values of each.
const PAIRS: [(&str, &str); 3] = [("unroll", "distance"), ("width", "unroll"), ("align", "tail")];

/// The maps of the class with the most kernels for each pair of axes.
pub(super) fn section(record: &Record) -> Result<String, ReportError> {
    let Some(journal) = &record.journal else {
        return Ok("<p class=\"missing\">The record has no journal, so there are no heat maps.</p>\n".to_owned());
    };
    let Ok(data) = Data::new(journal) else {
        return Ok(
            "<p class=\"missing\">The journal has no race of a class, so there are no heat maps.</p>\n".to_owned()
        );
    };
    let mut html = String::new();
    for (rows, columns) in PAIRS {
        let map = |class: &Class| Map::of(class, rows, columns);
        let maps = data.classes.iter().filter_map(|class| Some((class, map(class)?)));
        let Some((class, map)) = maps.max_by_key(|(_, map)| map.filled()) else {
            html.push_str(&format!(
                "<p class=\"missing\">No class varies {} and {}.</p>\n",
                escaped(rows),
                escaped(columns)
            ));
            continue;
        };
        let caption = format!("class {}: best ratio by {rows} and {columns}", class.span);
        html.push_str(&figure(&heat(
            &map.rows,
            &map.columns,
            &map.cells,
            Words { caption: &caption, x: columns, y: rows },
        )?));
    }
    Ok(html)
}

struct Map {
    rows: Vec<String>,
    columns: Vec<String>,
    cells: Vec<Vec<Option<f64>>>,
}

impl Map {
    fn of(class: &Class, rows: &str, columns: &str) -> Option<Map> {
        let at = |name: &str| AXES.iter().position(|axis| *axis == name);
        let (row, column) = (at(rows)?, at(columns)?);
        let mut best: BTreeMap<(String, String), f64> = BTreeMap::new();
        for kernel in &class.kernels {
            let point = axes(&kernel.recipe);
            if point[row].is_empty() {
                continue;
            }
            let word = |value: &str| if value.is_empty() { "none".to_owned() } else { value.to_owned() };
            let ratio = kernel.truth.exp();
            best.entry((word(&point[row]), word(&point[column])))
                .and_modify(|known| *known = known.min(ratio))
                .or_insert(ratio);
        }
        let (rows, columns) = (sorted(best.keys().map(|key| &key.0)), sorted(best.keys().map(|key| &key.1)));
        let cells = rows
            .iter()
            .map(|row| columns.iter().map(|column| best.get(&(row.clone(), column.clone())).copied()).collect())
            .collect();
        (rows.len() > 1 && columns.len() > 1).then_some(Map { rows, columns, cells })
    }

    fn filled(&self) -> usize {
        self.cells.iter().flatten().flatten().count()
    }
}

/// Words first, then numbers, ascending, each once.
fn sorted<'v>(values: impl Iterator<Item = &'v String>) -> Vec<String> {
    let mut all: Vec<String> = values.cloned().collect();
    all.sort_by_key(|value| (value.parse::<u64>().unwrap_or(0), value.clone()));
    all.dedup();
    all
}
