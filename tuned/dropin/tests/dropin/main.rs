//! The library as compilers make it in every profile, looked at from outside and run in programs.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]

mod build;
mod calls;
mod library;
mod profiles;
mod programs;
mod reach;
