//! The `copysmith` command.
fn main() {}
