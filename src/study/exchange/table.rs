//! CSV: one line a kernel, for any data frame library.

use super::Origin;
use crate::record::Header;
use crate::study::{Class, StudyError};
use copysmith_search::space::{AXES, axes};
use copysmith_search::stats::Estimate;

/// Classes as CSV: machine, class, recipe, every axis by name (empty where the shape has none), blocks, the log ratio with its standard error
/// and 95 % interval, and the nanoseconds of a call where the reference's are known.
///
/// # Errors
/// [`StudyError::Import`] where it cannot be written; none is known.
pub fn to_csv(header: &Header, classes: &[&Class]) -> Result<Vec<u8>, StudyError> {
    let failed = |error: csv::Error| StudyError::Import(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = ["machine", "class", "recipe"].into_iter().chain(AXES);
    let figures = ["blocks", "log_ratio", "standard_error", "low", "high", "nanoseconds"];
    writer.write_record(head.chain(figures)).map_err(failed)?;
    for class in classes {
        let origin = Origin::of(header, class);
        for kernel in &class.kernels {
            let Estimate { mean, se, low, high, .. } = Estimate::of(&kernel.samples);
            let finite = |value: f64| if value.is_finite() { value.to_string() } else { String::new() };
            let mut line = vec![header.machine.clone(), origin.class.clone(), kernel.recipe.to_string()];
            line.extend(axes(&kernel.recipe));
            line.push(kernel.samples.len().to_string());
            line.extend([mean, se, low, high].map(finite));
            line.push(class.reference_ns.map(|ns| finite(ns * mean.exp())).unwrap_or_default());
            writer.write_record(line).map_err(failed)?;
        }
    }
    writer.into_inner().map_err(|error| StudyError::Import(error.to_string()))
}
