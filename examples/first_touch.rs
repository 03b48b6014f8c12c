//! What a benchmark measures that does not fill its buffers first: the C library's `memcpy` of 64 MiB, with every page written with
//! random bytes, and with pages that nobody wrote.
//!
//! `cargo run --release --example first_touch`

use copysmith::time::{Buffers, PageSize};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

const BYTES: usize = 64 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut filled = || Buffers::new(BYTES, PageSize::Usual, &mut rng);
    let (mut both, mut other) = (filled()?, filled()?);
    let (written, mut unwritten) = (both.src(), Buffers::untouched(BYTES)?);
    let fresh = Buffers::untouched(BYTES)?;
    let (to, untouched) = (both.dst(), unwritten.dst());
    copy("both filled", to, written);
    copy("both filled, again", other.dst(), written);
    copy("source never written", to, fresh.src());
    copy("source never written, again: one page of zeros", to, fresh.src());
    copy("destination never touched", untouched, written);
    copy("destination never touched, again", untouched, written);
    Ok(())
}

/// One copy of all bytes, and what it took.
fn copy(name: &str, to: *mut u8, from: *const u8) {
    let (faults, start) = (page_faults(), Instant::now());
    // SAFETY: each is a buffer of that many bytes of its own, alive until the end of `main`.
    unsafe { libc::memcpy(to.cast(), from.cast(), BYTES) };
    let (nanoseconds, faults) = (start.elapsed().as_secs_f64() * 1e9, page_faults() - faults);
    println!("{:6.2} GB/s {faults:6} page faults  {name}", BYTES as f64 / nanoseconds);
}

/// Page faults of this process until now.
fn page_faults() -> libc::c_long {
    // SAFETY: all-zero bits are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    usage.ru_minflt + usage.ru_majflt
}
