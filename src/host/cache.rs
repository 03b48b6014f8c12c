//! How large the caches are, according to each source that was asked, and what to believe.
//!
//! A hypervisor may describe the whole socket, one chiplet or nothing, and its answers need not agree: a guest with a
//! 16 MiB L3 has been seen to report 256 MiB through `sysconf`. The rule:
//!
//! 1. Every source is asked and every answer is kept.
//! 2. An answer is plausible if it lies in the range of its level ([`CacheLevel::plausible`]). Zero and -1 mean that the
//!    source does not know.
//! 3. Per level the first source with a plausible answer is believed, in the order of [`CacheSource`]: first those that
//!    describe one cache and who shares it, then those that describe a package.
//! 4. An L3 smaller than the L2 is not believed.
//! 5. Every other answer is a disagreement, in words. Sizes are where a search starts; thresholds are measured.

use super::bytes_text;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// A level of the hierarchy as a copy on one core sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CacheLevel {
    /// First level, data.
    L1d,
    /// Second level.
    L2,
    /// The share of the third level that one core can reach: one cache, not a package of several.
    L3,
}

impl CacheLevel {
    /// Every level, smallest first.
    pub const ALL: [CacheLevel; 3] = [CacheLevel::L1d, CacheLevel::L2, CacheLevel::L3];

    /// The sizes in bytes that are believed. They hold every x86-64 and PowerPC cache that one core can reach (a stacked
    /// L3 of 96 MiB included) and exclude totals over a large package.
    pub const fn plausible(self) -> RangeInclusive<i64> {
        match self {
            CacheLevel::L1d => 4 << 10..=256 << 10,
            CacheLevel::L2 => 32 << 10..=16 << 20,
            CacheLevel::L3 => 256 << 10..=128 << 20,
        }
    }
}

impl fmt::Display for CacheLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CacheLevel::L1d => "L1d",
            CacheLevel::L2 => "L2",
            CacheLevel::L3 => "L3",
        })
    }
}

/// Who says so, most trusted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CacheSource {
    /// `/sys/devices/system/cpu/cpu*/cache/index*`.
    Sysfs,
    /// CPUID leaf 4, on AMD leaf 0x8000001D: one cache each.
    CpuidParameters,
    /// CPUID leaves 0x80000005 and 0x80000006: a package's total for L3.
    CpuidLegacy,
    /// The C library, from whichever of the above it likes.
    Sysconf,
}

impl fmt::Display for CacheSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CacheSource::Sysfs => "sysfs",
            CacheSource::CpuidParameters => "cpuid-parameters",
            CacheSource::CpuidLegacy => "cpuid-legacy",
            CacheSource::Sysconf => "sysconf",
        })
    }
}

/// One answer of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheReading {
    /// Which cache.
    pub level: CacheLevel,
    /// Who says so.
    pub source: CacheSource,
    /// The size in bytes exactly as it was given; zero and negative values included.
    pub bytes: i64,
}

/// What is believed about the caches, and every answer that it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caches {
    /// First level data cache in bytes.
    pub l1d: Option<u64>,
    /// Second level cache in bytes.
    pub l2: Option<u64>,
    /// The third level cache that one core reaches, in bytes.
    pub l3: Option<u64>,
    /// Every answer, in the order asked.
    pub readings: Vec<CacheReading>,
    /// Answers that were not believed and differ from what was, in words.
    pub disagreements: Vec<String>,
}

impl Caches {
    /// Asks every source on this machine.
    pub fn read() -> Caches {
        let mut readings = sysfs();
        readings.extend(cpuid());
        readings.extend(sysconf());
        Caches::reconcile(readings)
    }

    /// What to believe of these answers, by the rule at the head of this file.
    ///
    /// ```
    /// use copysmith::host::{CacheLevel, CacheReading, CacheSource, Caches};
    /// let says = |source, mib: i64| CacheReading { level: CacheLevel::L3, source, bytes: mib << 20 };
    /// let caches = Caches::reconcile(vec![says(CacheSource::Sysconf, 256), says(CacheSource::Sysfs, 16)]);
    /// assert_eq!(caches.l3, Some(16 << 20));
    /// assert_eq!(caches.disagreements, ["L3: sysconf says 256 MiB, which is implausible; sysfs says 16 MiB"]);
    /// ```
    pub fn reconcile(readings: Vec<CacheReading>) -> Caches {
        let believed = |level: CacheLevel| {
            let plausible =
                |reading: &&CacheReading| reading.level == level && level.plausible().contains(&reading.bytes);
            readings.iter().filter(plausible).min_by_key(|reading| reading.source).copied()
        };
        let [l1d, l2, mut l3] = CacheLevel::ALL.map(believed);
        let mut disagreements = Vec::new();
        for (level, believed) in CacheLevel::ALL.into_iter().zip([l1d, l2, l3]) {
            for reading in readings.iter().filter(|reading| reading.level == level) {
                disagreements.extend(disagreement(reading, believed.as_ref()));
            }
        }
        if let (Some(second), Some(third)) = (l2, l3)
            && third.bytes < second.bytes
        {
            let sizes = [second, third].map(|reading| bytes_text(reading.bytes.unsigned_abs()));
            disagreements.push(format!("L3: {} says {}, less than the L2 of {}", third.source, sizes[1], sizes[0]));
            l3 = None;
        }
        let [l1d, l2, l3] = [l1d, l2, l3].map(|reading| reading.map(|reading| reading.bytes.unsigned_abs()));
        Caches { l1d, l2, l3, readings, disagreements }
    }

    /// Where a search for the length that is better copied around the caches starts, in bytes: the L3, else eight L2
    /// caches, else 8 MiB; always between 1 MiB and 64 MiB. A starting point, not a threshold.
    pub fn large_copy_start(&self) -> u64 {
        let size = self.l3.or(self.l2.map(|l2| l2.saturating_mul(8))).unwrap_or(8 << 20);
        size.clamp(1 << 20, 64 << 20)
    }

    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let sizes = [("L1d", self.l1d), ("L2", self.l2), ("L3", self.l3)];
        sizes.map(|(name, size)| (name, size.map_or_else(|| "unknown".to_owned(), bytes_text))).to_vec()
    }
}

fn disagreement(reading: &CacheReading, believed: Option<&CacheReading>) -> Option<String> {
    let CacheReading { level, source, bytes } = *reading;
    let instead = believed.map(|believed| {
        let size = bytes_text(believed.bytes.unsigned_abs());
        format!("; {} says {size}", believed.source)
    });
    let says = match bytes {
        ..=0 => format!("{bytes}"),
        _ => bytes_text(bytes.unsigned_abs()),
    };
    match believed {
        Some(believed) if believed.bytes == bytes => None,
        // A source that does not know a cache nobody knows disagrees with nobody.
        None if bytes <= 0 => None,
        _ if bytes <= 0 => Some(format!("{level}: {source} does not know ({says}){}", instead.unwrap_or_default())),
        _ if !level.plausible().contains(&bytes) => {
            Some(format!("{level}: {source} says {says}, which is implausible{}", instead.unwrap_or_default()))
        }
        _ => Some(format!("{level}: {source} says {says}{}", instead.unwrap_or_default())),
    }
}

/// The level of a cache that holds data.
fn data_level(level: u32, kind: &str) -> Option<CacheLevel> {
    match (level, kind) {
        (_, "Instruction") => None,
        (1, _) => Some(CacheLevel::L1d),
        (2, _) => Some(CacheLevel::L2),
        (3, _) => Some(CacheLevel::L3),
        _ => None,
    }
}

/// The caches of the CPU this runs on (any online one if it is not known).
fn sysfs() -> Vec<CacheReading> {
    // SAFETY: reads no memory of ours.
    let cpu = unsafe { libc::sched_getcpu() }.max(0);
    let index = |index: u32| -> Option<CacheReading> {
        let file = |name: &str| {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{name}");
            std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
        };
        let level = data_level(file("level")?.parse().ok()?, &file("type")?)?;
        Some(CacheReading { level, source: CacheSource::Sysfs, bytes: sysfs_size(&file("size")?)? })
    };
    (0..10).filter_map(index).collect()
}

/// A size as sysfs writes it: `48K`.
fn sysfs_size(text: &str) -> Option<i64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<i64>().ok()?.checked_mul(unit)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpuid() -> Vec<CacheReading> {
    use raw_cpuid::{CacheType, CpuId};
    let cpuid = CpuId::new();
    let mut readings = Vec::new();
    let mut says = |level, source, bytes: u64| {
        readings.push(CacheReading { level, source, bytes: i64::try_from(bytes).unwrap_or(i64::MAX) });
    };
    // A processor that lacks the leaf may answer with the same cache for ever: no hierarchy has 16.
    for cache in cpuid.get_cache_parameters().into_iter().flatten().take(16) {
        let kind = if cache.cache_type() == CacheType::Instruction { "Instruction" } else { "Data" };
        let factors =
            [cache.associativity(), cache.physical_line_partitions(), cache.coherency_line_size(), cache.sets()];
        let bytes = factors.into_iter().fold(1_u64, |product, factor| product.saturating_mul(factor as u64));
        if let Some(level) = data_level(cache.level().into(), kind) {
            says(level, CacheSource::CpuidParameters, bytes);
        }
    }
    if let Some(first) = cpuid.get_l1_cache_and_tlb_info() {
        says(CacheLevel::L1d, CacheSource::CpuidLegacy, u64::from(first.dcache_size()) << 10);
    }
    if let Some(outer) = cpuid.get_l2_l3_cache_and_tlb_info() {
        says(CacheLevel::L2, CacheSource::CpuidLegacy, u64::from(outer.l2cache_size()) << 10);
        // Intel defines only the L2 part of this leaf (SDM vol. 2A, CPUID, 80000006H). The unit of L3 is 512 KiB.
        if cpuid.get_vendor_info().is_some_and(|vendor| vendor.as_str() != "GenuineIntel") {
            says(CacheLevel::L3, CacheSource::CpuidLegacy, u64::from(outer.l3cache_size()) << 19);
        }
    }
    readings
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn cpuid() -> Vec<CacheReading> {
    Vec::new()
}

/// glibc's own names for sizes (its `bits/confname.h`), which the libc crate does not have for Linux.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn sysconf() -> Vec<CacheReading> {
    const LEVEL1_DCACHE_SIZE: i32 = 188;
    const LEVEL2_CACHE_SIZE: i32 = 191;
    const LEVEL3_CACHE_SIZE: i32 = 194;
    CacheLevel::ALL
        .into_iter()
        .zip([LEVEL1_DCACHE_SIZE, LEVEL2_CACHE_SIZE, LEVEL3_CACHE_SIZE])
        .map(|(level, name)| {
            // SAFETY: `sysconf` takes any number and answers -1 for one it does not know.
            #[allow(clippy::useless_conversion, reason = "c_long is 32 bits on 32-bit targets")]
            let bytes = i64::from(unsafe { libc::sysconf(name) });
            CacheReading { level, source: CacheSource::Sysconf, bytes }
        })
        .collect()
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn sysconf() -> Vec<CacheReading> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCES: [CacheSource; 4] =
        [CacheSource::Sysfs, CacheSource::CpuidParameters, CacheSource::CpuidLegacy, CacheSource::Sysconf];

    fn says(level: CacheLevel, source: CacheSource, bytes: i64) -> CacheReading {
        CacheReading { level, source, bytes }
    }

    #[test]
    fn sources_that_agree_are_believed_without_a_word() {
        let caches = Caches::reconcile(SOURCES.map(|source| says(CacheLevel::L1d, source, 32 << 10)).to_vec());
        assert_eq!((caches.l1d, caches.disagreements.len(), caches.readings.len()), (Some(32 << 10), 0, 4));
    }

    #[test]
    fn one_cache_is_believed_before_a_package_and_the_package_is_named() {
        let caches = Caches::reconcile(vec![
            says(CacheLevel::L3, CacheSource::CpuidLegacy, 64 << 20),
            says(CacheLevel::L3, CacheSource::CpuidParameters, 16 << 20),
        ]);
        assert_eq!(caches.l3, Some(16 << 20));
        assert_eq!(caches.disagreements, ["L3: cpuid-legacy says 64 MiB; cpuid-parameters says 16 MiB"]);
    }

    #[test]
    fn no_answer_however_absurd_gives_a_start_of_nothing_or_of_everything() {
        let absurd = [i64::MIN, -1, 0, 1, 512, 16 << 20, 256 << 20, 1 << 40, i64::MAX];
        for source in SOURCES {
            for second in absurd {
                for third in absurd {
                    let caches = Caches::reconcile(vec![
                        says(CacheLevel::L1d, source, third),
                        says(CacheLevel::L2, source, second),
                        says(CacheLevel::L3, source, third),
                    ]);
                    let start = caches.large_copy_start();
                    assert!((1 << 20..=64 << 20).contains(&start), "L2 {second} L3 {third} gave {start}");
                    assert_ne!(caches.l3, Some(256 << 20));
                    let told =
                        caches.l3.is_some() || third <= 0 || caches.disagreements.iter().any(|d| d.starts_with("L3"));
                    assert!(told, "L2 {second} L3 {third}: {:?}", caches.disagreements);
                }
            }
        }
        assert_eq!(Caches::reconcile(Vec::new()).large_copy_start(), 8 << 20);
    }

    #[test]
    fn an_implausible_answer_falls_to_the_next_source() {
        for absurd in [-1, 0, 512, 256 << 20] {
            let caches = Caches::reconcile(vec![
                says(CacheLevel::L3, CacheSource::Sysfs, absurd),
                says(CacheLevel::L3, CacheSource::Sysconf, 16 << 20),
            ]);
            assert_eq!((caches.l3, caches.disagreements.len()), (Some(16 << 20), 1), "{absurd}");
        }
    }

    #[test]
    fn an_l3_smaller_than_the_l2_is_not_believed() {
        let caches = Caches::reconcile(vec![
            says(CacheLevel::L2, CacheSource::Sysfs, 2 << 20),
            says(CacheLevel::L3, CacheSource::Sysfs, 1 << 20),
        ]);
        assert_eq!(caches.l3, None);
        assert_eq!(caches.disagreements, ["L3: sysfs says 1 MiB, less than the L2 of 2 MiB"]);
        assert_eq!(caches.large_copy_start(), 16 << 20);
    }

    #[test]
    fn sysfs_sizes_are_read_in_their_units() {
        assert_eq!(
            ["48K", "16M", "512", "", "K", "xK"].map(sysfs_size),
            [Some(48 << 10), Some(16 << 20), Some(512), None, None, None]
        );
    }

    #[test]
    fn a_live_answer_that_differs_from_the_believed_size_is_reported() {
        let caches = Caches::read();
        for reading in &caches.readings {
            let believed = [caches.l1d, caches.l2, caches.l3][reading.level as usize];
            if believed.is_some_and(|bytes| bytes.cast_signed() != reading.bytes) {
                let start = format!("{}: {}", reading.level, reading.source);
                assert!(caches.disagreements.iter().any(|d| d.starts_with(&start)), "{reading:?} {caches:?}");
            }
        }
        assert!((1 << 20..=64 << 20).contains(&caches.large_copy_start()));
    }
}
