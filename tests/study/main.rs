//! `copysmith study` as a command: measuring, merging, and what is made of the data.

mod bench;
mod measuring;
mod replaying;
mod simulated;
