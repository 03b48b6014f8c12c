//! What makes measurements on a machine doubtful, as data: records keep it beside the numbers.

use super::{CacheLevel, Caches, Cpu, System};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The load per CPU above which a machine counts as busy.
const BUSY_LOAD_PER_CPU: f64 = 0.5;

/// One reason to doubt a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Warning {
    /// A hypervisor may take the CPU away and may lie about caches.
    VirtualMachine {
        /// Its name.
        hypervisor: String,
    },
    /// The time stamp counter changes its rate with the power state.
    NoInvariantTsc,
    /// A source gave a cache size that was not believed.
    CacheSourcesDisagree {
        /// Who said what.
        what: String,
    },
    /// No source gave a plausible size.
    CacheUnknown {
        /// Of which cache.
        level: CacheLevel,
    },
    /// Other work runs.
    Busy {
        /// Load average over the last minute.
        load: f64,
        /// CPUs online.
        cpus: u32,
    },
    /// The load average cannot be read.
    LoadUnknown,
    /// The frequency may change for reasons the kernel does not show.
    GovernorUnknown,
    /// The frequency follows the load.
    Governor {
        /// The governor's name.
        governor: String,
    },
    /// The kernel does not say whether the frequency may rise above nominal.
    TurboUnknown,
    /// The frequency depends on temperature and on what other cores do.
    TurboOn,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::VirtualMachine { hypervisor } => {
                write!(f, "virtual machine ({hypervisor}): others may share this CPU and cache sizes may be wrong")
            }
            Warning::NoInvariantTsc => f.write_str("no invariant time stamp counter: cycles are not time"),
            Warning::CacheSourcesDisagree { what } => write!(f, "cache sources disagree: {what}"),
            Warning::CacheUnknown { level } => write!(f, "size of {level} unknown: no source gave a plausible one"),
            Warning::Busy { load, cpus } => {
                write!(f, "load {load:.2} on {cpus} CPUs is above {BUSY_LOAD_PER_CPU} per CPU: stop other work")
            }
            Warning::LoadUnknown => f.write_str("load unknown: other work may run"),
            Warning::GovernorUnknown => f.write_str("frequency governor unknown"),
            Warning::Governor { governor } => write!(f, "frequency governor is '{governor}', not 'performance'"),
            Warning::TurboUnknown => f.write_str("turbo unknown: the frequency may change while measuring"),
            Warning::TurboOn => f.write_str("turbo is on: the frequency depends on temperature and neighbours"),
        }
    }
}

/// Every warning these facts give, in the order of [`Warning`].
pub(super) fn all(cpu: &Cpu, caches: &Caches, system: &System) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(hypervisor) = &cpu.hypervisor {
        warnings.push(Warning::VirtualMachine { hypervisor: hypervisor.clone() });
    }
    // Only x86 has the counter: elsewhere a fixed-rate timebase is read, and no feature bit says so.
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) && !cpu.features.invariant_tsc {
        warnings.push(Warning::NoInvariantTsc);
    }
    warnings.extend(caches.disagreements.iter().map(|what| Warning::CacheSourcesDisagree { what: what.clone() }));
    for (level, size) in CacheLevel::ALL.into_iter().zip([caches.l1d, caches.l2, caches.l3]) {
        if size.is_none() {
            warnings.push(Warning::CacheUnknown { level });
        }
    }
    match system.load {
        Some(load) if load > BUSY_LOAD_PER_CPU * f64::from(system.cpus) => {
            warnings.push(Warning::Busy { load, cpus: system.cpus });
        }
        Some(_) => {}
        None => warnings.push(Warning::LoadUnknown),
    }
    match system.governor.as_deref() {
        Some("performance") => {}
        Some(governor) => warnings.push(Warning::Governor { governor: governor.to_owned() }),
        None => warnings.push(Warning::GovernorUnknown),
    }
    match system.turbo {
        Some(false) => {}
        Some(true) => warnings.push(Warning::TurboOn),
        None => warnings.push(Warning::TurboUnknown),
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::super::{CacheReading, CacheSource, Features};
    use super::*;

    /// A machine with nothing to warn about.
    fn quiet() -> (Cpu, Caches, System) {
        let features = Features { invariant_tsc: true, ..Features::default() };
        let cpu = Cpu {
            vendor: "AuthenticAMD".to_owned(),
            family: 0x17,
            model: 0x31,
            stepping: 0,
            brand: String::new(),
            microcode: None,
            hypervisor: None,
            features,
        };
        let sizes = [32 << 10, 512 << 10, 16 << 20];
        let readings = CacheLevel::ALL.into_iter().zip(sizes).map(|(level, bytes)| CacheReading {
            level,
            source: CacheSource::Sysfs,
            bytes,
        });
        let system = System {
            kernel: "6.1".to_owned(),
            glibc: None,
            page_bytes: 4096,
            cpus: 4,
            allowed_cpus: vec![0],
            memory_bytes: None,
            huge_pages: None,
            governor: Some("performance".to_owned()),
            turbo: Some(false),
            load: Some(2.0),
        };
        (cpu, Caches::reconcile(readings.collect()), system)
    }

    #[test]
    fn a_quiet_machine_gives_no_warning() {
        let (cpu, caches, system) = quiet();
        assert_eq!(all(&cpu, &caches, &system), []);
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[test]
    fn every_doubt_is_named_once_and_in_order() {
        let (mut cpu, mut caches, mut system) = quiet();
        cpu.hypervisor = Some("KVM".to_owned());
        cpu.features.invariant_tsc = false;
        caches.disagreements.push("L3: who knows".to_owned());
        caches.l2 = None;
        system.load = Some(2.01);
        system.governor = Some("powersave".to_owned());
        system.turbo = Some(true);
        assert_eq!(
            all(&cpu, &caches, &system),
            [
                Warning::VirtualMachine { hypervisor: "KVM".to_owned() },
                Warning::NoInvariantTsc,
                Warning::CacheSourcesDisagree { what: "L3: who knows".to_owned() },
                Warning::CacheUnknown { level: CacheLevel::L2 },
                Warning::Busy { load: 2.01, cpus: 4 },
                Warning::Governor { governor: "powersave".to_owned() },
                Warning::TurboOn,
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_is_a_warning_too() {
        let (cpu, caches, mut system) = quiet();
        (system.load, system.governor, system.turbo) = (None, None, None);
        let expected = [Warning::LoadUnknown, Warning::GovernorUnknown, Warning::TurboUnknown];
        assert_eq!(all(&cpu, &caches, &system), expected);
    }
}
