//! Tests that look inside. They live here and not in the modules because those are also printed elsewhere as text.

#[cfg(all(target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri)))]
mod choice;
mod copying;
#[cfg(target_arch = "x86_64")]
mod cpu;
mod row;
