//! Programs under the recorder: what they do must be written down exactly, and they must not notice.
//!
//! The programs are built here from text, so that it is known which copies they make. Each runs by itself and under
//! `copysmith record`; what it prints and how it ends must be the same.

#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

mod ends;
mod library;
mod order;
mod processes;
mod profiles;
mod program;
mod threads;
mod verbs;
