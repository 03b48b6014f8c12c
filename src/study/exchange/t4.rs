//! T4 1.0.0, the results format that autotuners share. Times are in milliseconds.

use super::parameters::{Parameters, Value, recipe};
use super::{Origin, Read, contents};
use crate::record::{Contents, Header};
use crate::study::exchange::ordered::{Ordered, object};
use crate::study::{Class, StudyError};
use copysmith_kernels::Recipe;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The version of the format that is written and read.
const VERSION: &str = "1.0.0";

#[derive(Serialize)]
struct File {
    results: Vec<Ordered<serde_json::Value>>,
    schema_version: &'static str,
    metadata: serde_json::Value,
}

/// One class as a T4 file: every kernel that was timed, and those that failed.
///
/// # Errors
/// [`StudyError::Import`] for numbers that JSON does not have; none is known.
pub fn to_t4(header: &Header, class: &Class) -> Result<String, StudyError> {
    let origin = Origin::of(header, class);
    let failed: Vec<(Recipe, &str)> =
        class.rejected.iter().filter_map(|(text, why)| Some((text.parse().ok()?, why.as_str()))).collect();
    let recipes: Vec<&Recipe> =
        class.kernels.iter().map(|kernel| &kernel.recipe).chain(failed.iter().map(|(recipe, _)| recipe)).collect();
    let parameters = Parameters::of(&recipes);
    let result = |row: usize| {
        let configuration: Vec<(String, Value)> =
            parameters.names.iter().cloned().zip(parameters.rows[row].clone()).collect();
        let kernel = class.kernels.get(row);
        let runtimes: Vec<f64> = kernel
            .map(|kernel| kernel.samples.iter().map(|&ratio| origin.milliseconds(ratio)).collect())
            .unwrap_or_default();
        let time = kernel.map(|kernel| origin.milliseconds(kernel.truth));
        let reason = kernel.is_none().then(|| failed[row - class.kernels.len()].1);
        let measurements: Vec<serde_json::Value> =
            time.iter().map(|time| json!({"name": "time", "value": time, "unit": "ms"})).collect();
        let result = object()
            .with("timestamp", json!("1970-01-01 00:00:00+00:00"))
            .with("configuration", json!(Ordered(configuration)))
            .with(
                "times",
                json!({"compilation_time": 0.0, "framework": 0.0, "search_algorithm": 0.0, "validation": 0.0, "runtimes": runtimes}),
            )
            .with("invalidity", json!(if kernel.is_some() { "correct" } else { "runtime" }))
            .with("correctness", json!(if kernel.is_some() { 1 } else { 0 }))
            .with("measurements", json!(measurements))
            .with("objectives", json!(["time"]));
        match reason {
            Some(reason) => result.with("reason", json!(reason)),
            None => result,
        }
    };
    let results = (0..recipes.len()).map(result).collect();
    let metadata = json!({"timeunit": "milliseconds", "copysmith": origin});
    let file = File { results, schema_version: VERSION, metadata };
    serde_json::to_string(&file).map_err(|error| StudyError::Import(error.to_string()))
}

/// The data of a T4 file that came from here, as a study would have written them.
///
/// # Errors
/// [`StudyError::Import`] in one line: no JSON, another version, no origin, a configuration that is no recipe.
pub fn from_t4(text: &str) -> Result<Contents, StudyError> {
    #[derive(Deserialize)]
    struct Stored {
        schema_version: String,
        metadata: Metadata,
        results: Vec<serde_json::Value>,
    }
    #[derive(Deserialize)]
    struct Metadata {
        copysmith: Option<Origin>,
    }
    let wrong = |why: String| StudyError::Import(format!("no T4 file of copysmith: {why}"));
    let stored: Stored = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    if stored.schema_version != VERSION {
        return Err(wrong(format!("it is of version {}, and only {VERSION} is known", stored.schema_version)));
    }
    let origin = stored.metadata.copysmith.ok_or_else(|| wrong("its metadata have no key 'copysmith'".to_owned()))?;
    let span = origin.span()?;
    let mut read: Vec<Read> = Vec::new();
    for result in &stored.results {
        let configuration =
            result["configuration"].as_object().ok_or_else(|| wrong("a result has no configuration".to_owned()))?;
        let word = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let named: Vec<(String, String)> =
            configuration.iter().map(|(name, value)| (name.clone(), word(value))).collect();
        let recipe = recipe(span, &named)?.to_string();
        let runtimes = result["times"]["runtimes"].as_array();
        let times = match (result["invalidity"].as_str(), runtimes) {
            (Some("correct"), Some(times)) => Ok(times.iter().filter_map(serde_json::Value::as_f64).collect()),
            (Some("correct"), None) => return Err(wrong(format!("'{recipe}' has no runtimes"))),
            (invalidity, _) => Err(result["reason"].as_str().or(invalidity).unwrap_or("invalid").to_owned()),
        };
        read.push((recipe, times));
    }
    contents(&origin, read)
}
