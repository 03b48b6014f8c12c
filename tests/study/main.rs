//! `copysmith study` as a command: measuring, merging, and what is made of the data.

mod asking;
mod bench;
mod exchanging;
mod measuring;
mod replaying;
mod simulated;
