//! Printing tables: what is printed, whether it compiles and copies, and whether a check sees what is wrong with it.

mod checking;
mod compiling;
mod fixture;
mod printing;
mod rustc;
mod winners;
mod writing;
