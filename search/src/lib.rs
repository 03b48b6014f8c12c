//! Which recipe to try next, and when to stop.
#![forbid(unsafe_code)]
