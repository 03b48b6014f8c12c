//! The cache file of Kernel Tuner 1.5.0, which its `tune_cache` replays without any device.
//!
//! What it relies on: `tune_params` in the order of `tune_params_keys`; a configuration's key is its values joined by commas; `cache` is
//! the last key and the file ends in `}}}`; `time` is a float, in milliseconds; a configuration that failed has the name of a
//! failure as its time. Keys that it does not know are ignored: `copysmith` has the origin, `recipe` the text of a kernel.

use super::ordered::{Ordered, object};
use super::parameters::{Parameters, Value, recipe};
use super::{Origin, Read, contents};
use crate::record::{Contents, Header};
use crate::study::{Class, StudyError};
use crate::tune::timed;
use copysmith_kernels::Recipe;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// What stands for the time of a kernel that was refused or crashed.
const FAILED: &str = "RuntimeFailedConfig";

#[derive(Serialize)]
struct Cache {
    device_name: String,
    kernel_name: String,
    problem_size: [usize; 3],
    tune_params_keys: Vec<String>,
    tune_params: Ordered<Vec<Value>>,
    objective: &'static str,
    copysmith: Origin,
    cache: Ordered<Ordered<serde_json::Value>>,
}

/// One class as a cache file: every kernel that was timed, and those that failed.
///
/// # Errors
/// [`StudyError::Import`] for numbers that JSON does not have; none is known.
pub fn to_kernel_tuner(header: &Header, class: &Class) -> Result<String, StudyError> {
    let origin = Origin::of(header, class);
    let failed: Vec<(Recipe, &str)> =
        class.rejected.iter().filter_map(|(text, why)| Some((text.parse().ok()?, why.as_str()))).collect();
    let recipes: Vec<&Recipe> =
        class.kernels.iter().map(|kernel| &kernel.recipe).chain(failed.iter().map(|(recipe, _)| recipe)).collect();
    let parameters = Parameters::of(&recipes);
    let entry = |row: usize| {
        let mut entry = object();
        for (name, value) in parameters.names.iter().zip(&parameters.rows[row]) {
            entry = entry.with(name, json!(value));
        }
        entry = entry.with("recipe", json!(recipes[row].to_string()));
        let times: Vec<f64> = class
            .kernels
            .get(row)
            .map(|kernel| kernel.samples.iter().map(|&ratio| origin.milliseconds(ratio)).collect())
            .unwrap_or_default();
        entry = match class.kernels.get(row) {
            Some(kernel) => {
                // Kernel Tuner takes the mean; the 20 % trimmed mean of the logarithms is what counts as true here.
                entry.with("time", json!(origin.milliseconds(kernel.truth))).with("times", json!(times))
            }
            None => entry.with("time", json!(FAILED)).with("reason", json!(failed[row - class.kernels.len()].1)),
        };
        let total: f64 = times.iter().sum();
        for (name, value) in [
            ("compile_time", 0.0),
            ("verification_time", 0.0),
            ("benchmark_time", total),
            ("strategy_time", 0.0),
            ("framework_time", 0.0),
        ] {
            entry = entry.with(name, json!(value));
        }
        let key: Vec<String> = parameters.rows[row].iter().map(Value::to_string).collect();
        (key.join(","), entry.with("timestamp", json!("1970-01-01 00:00:00+00:00")))
    };
    let values = |column: usize| parameters.values(column).into_iter().cloned().collect();
    let cache = Cache {
        device_name: header.machine.clone(),
        kernel_name: "copysmith".to_owned(),
        problem_size: [timed(class.span).last(), 1, 1],
        tune_params_keys: parameters.names.clone(),
        tune_params: Ordered(
            parameters.names.iter().cloned().enumerate().map(|(at, name)| (name, values(at))).collect(),
        ),
        objective: "time",
        cache: Ordered((0..recipes.len()).map(entry).collect()),
        copysmith: origin,
    };
    serde_json::to_string(&cache).map_err(|error| StudyError::Import(error.to_string()))
}

/// The data of a cache file that came from here, as a study would have written them.
///
/// # Errors
/// [`StudyError::Import`] in one line: no JSON, no origin, a configuration that is no recipe.
pub fn from_kernel_tuner(text: &str) -> Result<Contents, StudyError> {
    #[derive(Deserialize)]
    struct Cached {
        tune_params_keys: Vec<String>,
        copysmith: Option<Origin>,
        cache: BTreeMap<String, serde_json::Value>,
    }
    let wrong = |why: String| StudyError::Import(format!("no Kernel Tuner cache of copysmith: {why}"));
    let cached: Cached = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let origin = cached.copysmith.ok_or_else(|| wrong("it has no key 'copysmith' with the machine".to_owned()))?;
    let span = origin.span()?;
    let mut read: Vec<Read> = Vec::new();
    for (key, entry) in &cached.cache {
        let value = |name: &String| match &entry[name] {
            serde_json::Value::String(word) => (name.clone(), word.clone()),
            other => (name.clone(), other.to_string()),
        };
        let recipe = recipe(span, &cached.tune_params_keys.iter().map(value).collect::<Vec<_>>())?;
        let times = match &entry["time"] {
            serde_json::Value::Number(time) => Ok(match entry["times"].as_array() {
                Some(times) => times.iter().filter_map(serde_json::Value::as_f64).collect(),
                None => time.as_f64().into_iter().collect(),
            }),
            serde_json::Value::String(_) => Err(entry["reason"].as_str().unwrap_or(FAILED).to_owned()),
            _ => return Err(wrong(format!("'{key}' has no time"))),
        };
        read.push((recipe.to_string(), times));
    }
    contents(&origin, read)
}
