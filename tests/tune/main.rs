//! Whole tunes, through the library and through the command: what may win, what survives being stopped, what is refused.

mod bench;
mod determinism;
mod hardened;
mod planted;
mod records;
mod resume;
mod wrong;
