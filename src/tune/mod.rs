//! The main job: from nothing to a table of proven, timed and confirmed kernels.

mod classes;

pub use classes::{check_spans, classes};
