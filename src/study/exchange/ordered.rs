//! A JSON object whose keys stay in the order given, which other tools rely on and `serde_json`'s own map does not keep.

use serde::{Serialize, Serializer};

/// The keys and values of an object, in order.
#[derive(Debug)]
pub(super) struct Ordered<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<T> Ordered<T> {
    pub fn with(mut self, key: &str, value: T) -> Ordered<T> {
        self.0.push((key.to_owned(), value));
        self
    }
}

/// An object of values of any kind.
pub(super) fn object() -> Ordered<serde_json::Value> {
    Ordered(Vec::new())
}
