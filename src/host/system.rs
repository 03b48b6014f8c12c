//! What runs on the machine: kernel, C library, memory, how busy it is.

use super::{CpuSet, bytes_text};
use serde::{Deserialize, Serialize};
use std::fs;

/// The operating system's side of a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct System {
    /// The kernel's release, as `6.1.0-18-amd64`.
    pub kernel: String,
    /// The GNU C library that is linked at run time; `None` for another C library.
    pub glibc: Option<String>,
    /// Bytes in a page.
    pub page_bytes: u64,
    /// CPUs online.
    pub cpus: u32,
    /// The CPUs this process may run on, ascending.
    pub allowed_cpus: Vec<u32>,
    /// Main memory in bytes, if the kernel says.
    pub memory_bytes: Option<u64>,
    /// The mode of transparent huge pages: `always`, `madvise` or `never`.
    pub huge_pages: Option<String>,
    /// The frequency governor of the first allowed CPU; `None` where the kernel controls no frequency.
    pub governor: Option<String>,
    /// Whether the processor may run above its nominal frequency; `None` where the kernel does not say.
    pub turbo: Option<bool>,
    /// The load average over the last minute, in runnable threads.
    pub load: Option<f64>,
}

fn line(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

impl System {
    /// Asks this system.
    pub fn read() -> System {
        let allowed_cpus = allowed_cpus();
        let first = allowed_cpus.first().copied().unwrap_or(0);
        System {
            kernel: line("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".to_owned()),
            glibc: glibc(),
            page_bytes: crate::run::page_bytes() as u64,
            cpus: cpus(),
            memory_bytes: line("/proc/meminfo").and_then(|text| memory_total(&text)),
            huge_pages: line("/sys/kernel/mm/transparent_hugepage/enabled").and_then(|text| chosen(&text)),
            governor: line(&format!("/sys/devices/system/cpu/cpu{first}/cpufreq/scaling_governor")),
            turbo: turbo(
                line("/sys/devices/system/cpu/intel_pstate/no_turbo").as_deref(),
                line("/sys/devices/system/cpu/cpufreq/boost").as_deref(),
            ),
            load: line("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            allowed_cpus,
        }
    }

    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let or_unknown = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
        let allowed: Vec<String> = self.allowed_cpus.iter().map(u32::to_string).collect();
        vec![
            ("kernel", self.kernel.clone()),
            ("glibc", or_unknown(self.glibc.clone())),
            ("page", bytes_text(self.page_bytes)),
            ("cpus", format!("{} online, allowed {}", self.cpus, allowed.join(","))),
            ("memory", or_unknown(self.memory_bytes.map(|bytes| format!("{} MiB", bytes >> 20)))),
            ("huge pages", or_unknown(self.huge_pages.clone())),
            ("governor", or_unknown(self.governor.clone())),
            ("turbo", or_unknown(self.turbo.map(|on| if on { "on" } else { "off" }.to_owned()))),
            ("load", or_unknown(self.load.map(|load| format!("{load:.2}")))),
        ]
    }
}

/// The bracketed word of a sysfs choice: `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']')).map(str::to_owned)
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn memory_total(text: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Two drivers, two files of opposite sense: Intel's says `no_turbo`, the common one `boost`.
fn turbo(no_turbo: Option<&str>, boost: Option<&str>) -> Option<bool> {
    match (no_turbo, boost) {
        (Some("0"), _) | (None, Some("1")) => Some(true),
        (Some("1"), _) | (None, Some("0")) => Some(false),
        _ => None,
    }
}

fn cpus() -> u32 {
    // SAFETY: reads no memory of ours.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    u32::try_from(online).unwrap_or(1).max(1)
}

fn allowed_cpus() -> Vec<u32> {
    CpuSet::allowed().map_or_else(|_| Vec::new(), |set| set.numbers().into_iter().map(|cpu| cpu as u32).collect())
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn glibc() -> Option<String> {
    // SAFETY: returns a pointer to a static, terminated string.
    let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    version.to_str().ok().map(str::to_owned)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn glibc() -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bracketed_word_is_the_choice() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("always madvise"), None);
    }

    #[test]
    fn memory_is_read_in_bytes_and_nonsense_is_nothing() {
        assert_eq!(memory_total("MemFree: 1 kB\nMemTotal:       24 kB\n"), Some(24 * 1024));
        assert_eq!(memory_total("MemTotal: many kB"), None);
        assert_eq!(memory_total(&format!("MemTotal: {} kB", u64::MAX)), None);
    }

    #[test]
    fn both_turbo_files_are_read_in_their_own_sense() {
        assert_eq!(turbo(Some("0"), None), Some(true));
        assert_eq!(turbo(Some("1"), Some("1")), Some(false));
        assert_eq!(turbo(None, Some("1")), Some(true));
        assert_eq!(turbo(None, Some("0")), Some(false));
        assert_eq!(turbo(None, None), None);
    }

    #[test]
    fn this_process_may_run_on_at_least_one_cpu_of_those_online() {
        let system = System::read();
        assert!(!system.allowed_cpus.is_empty() && system.allowed_cpus.len() <= system.cpus as usize, "{system:?}");
        assert!(system.page_bytes.is_power_of_two() && system.kernel != "unknown");
    }
}
