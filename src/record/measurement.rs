//! Which numbers can be measurements, asked when they are written and again when they are read: a file may have been edited.
//!
//! JSON has no NaN and no infinity, and neither is a measurement: such a line is refused instead of being written as `null`, which
//! would make the whole journal unreadable later.

use serde::{Deserialize, Deserializer, Serializer, de, ser};
use std::fmt::Display;

/// The furthest from 0 that a log ratio can be: no clock tells times apart that differ by a factor of e to the 32nd, about 8e13.
pub const FURTHEST: f64 = 32.0;

fn is_log_ratio(value: f64) -> Result<f64, impl Display> {
    let is_one = value.abs() <= FURTHEST;
    if is_one { Ok(value) } else { Err(format!("{value} is no log ratio; from -{FURTHEST} to {FURTHEST} is")) }
}

/// A log ratio.
pub mod log_ratio {
    use super::*;

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(is_log_ratio(*value).map_err(ser::Error::custom)?)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        is_log_ratio(f64::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// Any number, to be written.
pub fn finite<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else {
        Err(ser::Error::custom(format_args!("{value} is no measurement")))
    }
}

/// Any number or none, to be written.
pub fn finite_or_absent<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => finite(value, serializer),
        None => serializer.serialize_none(),
    }
}
