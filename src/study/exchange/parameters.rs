//! Kernels as points of named parameters, few enough that a tool which walks through every combination can.

use crate::study::StudyError;
use copysmith_kernels::{Recipe, Span};
use copysmith_search::space::{AXES, axes};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// Most combinations of all values. Kernel Tuner tries each when it reads a cache, in Python.
const MOST: u128 = 50_000;

/// What joins the names and the values of parameters that became one.
const JOINED: (&str, &str) = ("__", "/");

/// The parameters whose text is made of several axes.
const FAMILIES: [(&str, &[&str], &str); 3] = [
    ("align", &["align", "align-to", "head"], ":"),
    ("prefetch", &["prefetch", "prefetch-side", "distance", "prefetch-end"], ":"),
    ("stores", &["stores", "streams"], ":"),
];

/// Where the shape of a kernel has no such axis.
const ABSENT: &str = "-";

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    /// A number; 0 where the shape has no such axis.
    Number(u32),
    /// A word without commas.
    Word(String),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Number(number) => serializer.serialize_u32(*number),
            Value::Word(word) => serializer.serialize_str(word),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Word(word) => f.write_str(word),
        }
    }
}

/// The columns of a table: names, and the value of each kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameters {
    pub names: Vec<String>,
    /// One row for each kernel, in their order.
    pub rows: Vec<Vec<Value>>,
}

impl Parameters {
    /// The parameters of kernels, each an axis that varies among them; always at least the shape.
    pub fn of(recipes: &[&Recipe]) -> Parameters {
        let points: Vec<Vec<(&str, String)>> = recipes.iter().map(|recipe| words(recipe)).collect();
        let names: Vec<&str> =
            points.first().map(|point| point.iter().map(|(name, _)| *name).collect()).unwrap_or_default();
        let mut columns: Vec<(String, Vec<String>)> = names
            .iter()
            .enumerate()
            .map(|(at, name)| ((*name).replace('-', "_"), points.iter().map(|point| point[at].1.clone()).collect()))
            .collect();
        columns.retain(|(name, values)| {
            // The shape, the width and whatever is not its default for everyone are needed to make the recipe again.
            let same = values.iter().all(|value| value == ABSENT);
            name == "shape" || !same
        });
        while combinations(&columns) > MOST && columns.len() > 1 {
            join(&mut columns);
        }
        let numbers: Vec<bool> =
            columns.iter().map(|(_, values)| values.iter().all(|value| number(value).is_some())).collect();
        let cell = |row: usize, column: usize| {
            let text = &columns[column].1[row];
            match number(text).filter(|_| numbers[column]) {
                Some(number) => Value::Number(number),
                None => Value::Word(text.clone()),
            }
        };
        let rows = (0..recipes.len()).map(|row| (0..columns.len()).map(|column| cell(row, column)).collect()).collect();
        Parameters { names: columns.into_iter().map(|(name, _)| name).collect(), rows }
    }

    /// The values of one parameter, each once, ascending.
    pub fn values(&self, column: usize) -> Vec<&Value> {
        self.rows.iter().map(|row| &row[column]).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// A number as it is; none for absent, which is 0.
fn number(text: &str) -> Option<u32> {
    if text == ABSENT { Some(0) } else { text.parse().ok() }
}

fn distinct(values: &[String]) -> u128 {
    values.iter().collect::<BTreeSet<_>>().len() as u128
}

fn combinations(columns: &[(String, Vec<String>)]) -> u128 {
    columns.iter().map(|(_, values)| distinct(values)).fold(1, u128::saturating_mul)
}

/// Makes one of the two columns that together have the fewest of the combinations that they could have.
fn join(columns: &mut Vec<(String, Vec<String>)>) {
    let together = |a: &[String], b: &[String]| a.iter().zip(b).collect::<BTreeSet<_>>().len() as f64;
    let mut best = (0.0, 0, 1);
    for a in 0..columns.len() {
        for b in a + 1..columns.len() {
            let could = (distinct(&columns[a].1) * distinct(&columns[b].1)) as f64;
            let saved = could / together(&columns[a].1, &columns[b].1);
            if saved > best.0 {
                best = (saved, a, b);
            }
        }
    }
    let (name, values) = columns.remove(best.2);
    let (kept, all) = &mut columns[best.1];
    *kept = format!("{kept}{}{name}", JOINED.0);
    all.iter_mut().zip(values).for_each(|(kept, value)| *kept = format!("{kept}{}{value}", JOINED.1));
}

/// The axes of a recipe as its text has them, families whole, every one of them.
fn words(recipe: &Recipe) -> Vec<(&'static str, String)> {
    let values = axes(recipe);
    let of = |axis: &str| values[AXES.iter().position(|name| *name == axis).expect("one of the axes")].clone();
    let mut all = Vec::new();
    for axis in AXES {
        let value = match FAMILIES.iter().find(|(_, parts, _)| parts.contains(&axis)) {
            None => of(axis),
            Some((name, parts, _)) if *name == axis => {
                let parts: Vec<String> = parts.iter().map(|part| of(part)).filter(|part| !part.is_empty()).collect();
                parts.join(":")
            }
            Some(_) => continue,
        };
        // One stream is not written.
        let value = if axis == "stores" { value.trim_end_matches(":1").to_owned() } else { value };
        all.push((axis, if value.is_empty() { ABSENT.to_owned() } else { value }));
    }
    all
}

/// The recipe of a configuration for a span.
///
/// # Errors
/// [`StudyError::Import`] says what of it is no recipe.
pub(super) fn recipe(span: Span, configuration: &[(String, String)]) -> Result<Recipe, StudyError> {
    let mut shape = None;
    let mut axes = Vec::new();
    for (names, values) in configuration {
        let (names, values): (Vec<&str>, Vec<&str>) =
            (names.split(JOINED.0).collect(), values.split(JOINED.1).collect());
        if names.len() != values.len() {
            return Err(StudyError::Import(format!(
                "'{}' has not one value for each of {names:?}",
                values.join(JOINED.1)
            )));
        }
        for (name, value) in names.into_iter().zip(values) {
            match name {
                "shape" => shape = Some(value),
                // A number of an absent axis is 0, which no axis has.
                _ if value == ABSENT || value == "0" => {}
                _ => axes.push((name.replace('_', "-"), value)),
            }
        }
    }
    let shape = shape.ok_or_else(|| StudyError::Import("a configuration has no parameter shape".to_owned()))?;
    let mut text = format!("copy {span} {shape}");
    for (name, value) in axes {
        let name = if shape == "string" && name == "width" { "unit" } else { name.as_str() };
        text.push_str(&format!(" {name}={value}"));
    }
    text.parse().map_err(|error| StudyError::Import(format!("'{text}' is no recipe: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use copysmith_kernels::Isa;
    use copysmith_search::space::{Breadth, Features, space};

    #[test]
    fn every_configuration_is_its_recipe_again_and_no_two_are_the_same() {
        for span in ["0..=16", "129..=256", "4097..=24576", "1048577.."] {
            let span: Span = span.parse().unwrap();
            let recipes = space(span, Features { isa: Isa::Avx512, prefetchw: true }, Breadth::Patient);
            let parameters = Parameters::of(&recipes.iter().collect::<Vec<_>>());
            let product: u128 =
                (0..parameters.names.len()).map(|column| parameters.values(column).len() as u128).product();
            assert!(product <= MOST && parameters.names.len() > 1, "{span}: {product} {:?}", parameters.names);
            assert_eq!(parameters.rows.iter().collect::<BTreeSet<_>>().len(), recipes.len(), "{span}");
            for (row, expected) in parameters.rows.iter().zip(&recipes) {
                let named = parameters.names.iter().cloned().zip(row.iter().map(Value::to_string)).collect::<Vec<_>>();
                assert!(named.iter().all(|(_, value)| !value.contains(',')), "{named:?}");
                assert_eq!(recipe(span, &named).unwrap(), *expected);
            }
        }
    }

    #[test]
    fn what_is_no_recipe_is_named() {
        let span = "129..=256".parse().unwrap();
        let of = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, String)> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            recipe(span, &pairs).unwrap_err().to_string()
        };
        assert!(of(&[("width", "avx32")]).contains("no parameter shape"));
        assert!(
            of(&[("shape", "loop"), ("width", "avx33")]).contains("'copy 129..=256 loop width=avx33' is no recipe")
        );
        assert!(of(&[("shape__width", "loop")]).contains("not one value for each"));
    }
}
