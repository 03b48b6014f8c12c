//! Options that take one word of a few.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::error::Error;
use std::fmt::Display;
use std::str::FromStr;

/// One of these by its text. Lists them in help and completions, which a plain `FromStr` would not.
pub fn one_of<T>(all: &[T]) -> impl TypedValueParser<Value = T> + use<T>
where
    T: Display + FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    let words: Vec<String> = all.iter().map(T::to_string).collect();
    PossibleValuesParser::new(words).try_map(|word| word.parse::<T>())
}
