//! What machine this is: the part of a record that says where a number comes from.
//!
//! Reads and reports; decides nothing about copying. Every fact that can be computed from answers is computed by a pure
//! function over those answers, so that the answers can be faked in a test.

mod affinity;
mod cache;
mod cpu;
mod features;
mod system;
mod warnings;

pub use affinity::CpuSet;
pub use cache::{CacheLevel, CacheReading, CacheSource, Caches};
pub use cpu::Cpu;
pub use features::{CpuidAnswers, Features, xgetbv_in_use_is_supported};
pub use system::System;
pub use warnings::Warning;

use serde::{Deserialize, Serialize};
use std::fmt;

/// This machine, as records keep it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The processor.
    pub cpu: Cpu,
    /// Its caches, with every source that was asked.
    pub caches: Caches,
    /// Kernel, libraries, memory and load.
    pub system: System,
    /// What makes measurements on this machine doubtful.
    pub warnings: Vec<Warning>,
}

impl Host {
    /// Asks this machine. What cannot be read is `None` in its field, or a warning; reading never fails.
    pub fn read() -> Host {
        let cpu = Cpu::read();
        let caches = Caches::read();
        let system = System::read();
        let warnings = warnings::all(&cpu, &caches, &system);
        Host { cpu, caches, system, warnings }
    }

    /// The key of records and tables, as `amd-17h-31h`.
    ///
    /// ```
    /// let host = copysmith::host::Host::read();
    /// assert_eq!(host.machine(), host.cpu.machine());
    /// ```
    pub fn machine(&self) -> String {
        self.cpu.machine()
    }
}

/// An aligned block of text, one fact a line, warnings last.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: &str| writeln!(f, "{name:<12} {value}");
        line("machine", &self.machine())?;
        for (name, value) in self.cpu.facts().into_iter().chain(self.caches.facts()).chain(self.system.facts()) {
            line(name, &value)?;
        }
        for warning in &self.warnings {
            line("warning", &warning.to_string())?;
        }
        Ok(())
    }
}

/// A number of bytes in the largest binary unit that divides it: `48 KiB`, `16 MiB`, `1000 B`.
fn bytes_text(bytes: u64) -> String {
    match bytes {
        0 => "0 B".to_owned(),
        b if b % (1 << 30) == 0 => format!("{} GiB", b >> 30),
        b if b % (1 << 20) == 0 => format!("{} MiB", b >> 20),
        b if b % (1 << 10) == 0 => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_survives_json_unchanged() {
        let host = Host::read();
        let text = serde_json::to_string(&host).unwrap();
        assert_eq!(serde_json::from_str::<Host>(&text).unwrap(), host);
    }

    #[test]
    fn the_text_block_names_the_machine_first_and_aligns_every_value() {
        let text = Host::read().to_string();
        assert!(text.starts_with("machine      "), "{text}");
        for line in text.lines() {
            assert!(line.len() > 13 && line.as_bytes()[12] == b' ' && line.as_bytes()[13] != b' ', "{line:?}");
        }
    }

    #[test]
    fn sizes_are_written_in_the_largest_unit_that_divides_them() {
        let texts = [0, 1000, 48 << 10, 16 << 20, 3 << 30].map(bytes_text);
        assert_eq!(texts, ["0 B", "1000 B", "48 KiB", "16 MiB", "3 GiB"]);
    }
}
