//! Which processor this is: vendor, family, model and what it can do.

use super::features::Features;
use serde::{Deserialize, Serialize};

/// The processor's identity and usable features.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// The vendor as the processor spells it, `AuthenticAMD`; empty where unknown.
    pub vendor: String,
    /// The family, with the extended family added in; 0 where there is none.
    pub family: u32,
    /// The model, with the extended model as its high digit; 0 where there is none.
    pub model: u32,
    /// The stepping.
    pub stepping: u32,
    /// The marketing name.
    pub brand: String,
    /// The microcode revision as the kernel prints it, if it does.
    pub microcode: Option<String>,
    /// The hypervisor's name; `None` on bare metal.
    pub hypervisor: Option<String>,
    /// What code may use.
    pub features: Features,
}

impl Cpu {
    /// Asks this processor.
    pub fn read() -> Cpu {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Cpu { microcode: cpuinfo_field(&cpuinfo, "microcode"), features: Features::read(), ..identity(&cpuinfo) }
    }

    /// The key of records and tables: vendor, family and model in hexadecimal, as `amd-17h-31h`.
    pub fn machine(&self) -> String {
        let vendor = match self.vendor.as_str() {
            "GenuineIntel" => "intel".to_owned(),
            "AuthenticAMD" => "amd".to_owned(),
            "HygonGenuine" => "hygon".to_owned(),
            "CentaurHauls" => "centaur".to_owned(),
            "  Shanghai  " => "zhaoxin".to_owned(),
            // A key is part of file names: nothing but lower-case letters and digits.
            other => other.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect(),
        };
        match (vendor.as_str(), self.family) {
            ("", _) => "unknown".to_owned(),
            (_, 0) => vendor,
            _ => format!("{vendor}-{:02x}h-{:02x}h", self.family, self.model),
        }
    }

    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("cpu", format!("{} (stepping {})", self.brand, self.stepping)),
            ("microcode", self.microcode.clone().unwrap_or_else(|| "unknown".to_owned())),
            ("hypervisor", self.hypervisor.clone().unwrap_or_else(|| "none".to_owned())),
            ("features", self.features.names().join(" ")),
        ]
    }
}

/// The first value of a `/proc/cpuinfo` field.
fn cpuinfo_field(cpuinfo: &str, name: &str) -> Option<String> {
    let mut fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    fields.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn identity(_cpuinfo: &str) -> Cpu {
    let cpuid = raw_cpuid::CpuId::new();
    let version = cpuid.get_feature_info();
    let brand = cpuid.get_processor_brand_string().map(|brand| brand.as_str().trim().to_owned());
    let in_guest = version.as_ref().is_some_and(|version| version.has_hypervisor());
    let hypervisor = in_guest.then(|| match cpuid.get_hypervisor_info().map(|info| info.identify()) {
        Some(raw_cpuid::Hypervisor::Unknown(..)) | None => "unknown".to_owned(),
        Some(known) => format!("{known:?}"),
    });
    Cpu {
        vendor: cpuid.get_vendor_info().map(|vendor| vendor.as_str().to_owned()).unwrap_or_default(),
        family: version.as_ref().map_or(0, |version| version.family_id().into()),
        model: version.as_ref().map_or(0, |version| version.model_id().into()),
        stepping: version.as_ref().map_or(0, |version| version.stepping_id().into()),
        brand: brand.unwrap_or_else(|| "unnamed".to_owned()),
        microcode: None,
        hypervisor,
        features: Features::default(),
    }
}

/// Elsewhere the kernel's own name for the processor is the vendor part of the key, without family and model.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn identity(cpuinfo: &str) -> Cpu {
    let name = cpuinfo_field(cpuinfo, "cpu").or_else(|| cpuinfo_field(cpuinfo, "model name")).unwrap_or_default();
    Cpu {
        vendor: name.split([' ', ',']).next().unwrap_or_default().to_owned(),
        family: 0,
        model: 0,
        stepping: 0,
        brand: if name.is_empty() { "unnamed".to_owned() } else { name },
        microcode: None,
        hypervisor: None,
        features: Features::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(vendor: &str, family: u32, model: u32) -> Cpu {
        Cpu {
            vendor: vendor.to_owned(),
            family,
            model,
            stepping: 0,
            brand: String::new(),
            microcode: None,
            hypervisor: None,
            features: Features::default(),
        }
    }

    #[test]
    fn the_machine_key_is_vendor_family_and_model_in_hexadecimal() {
        assert_eq!(cpu("AuthenticAMD", 0x17, 0x31).machine(), "amd-17h-31h");
        assert_eq!(cpu("AuthenticAMD", 26, 2).machine(), "amd-1ah-02h");
        assert_eq!(cpu("GenuineIntel", 6, 0x9e).machine(), "intel-06h-9eh");
    }

    #[test]
    fn the_machine_key_is_a_file_name_whatever_the_vendor_says() {
        assert_eq!(cpu("Vortex86 SoC/../x", 5, 2).machine(), "vortex86socx-05h-02h");
        assert_eq!(cpu("POWER9", 0, 0).machine(), "power9");
        assert_eq!(cpu("", 6, 1).machine(), "unknown");
    }

    #[test]
    fn the_kernel_and_cpuid_agree_on_family_and_model() {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let Some(family) = cpuinfo_field(&cpuinfo, "cpu family") else {
            println!("skipped: /proc/cpuinfo names no family");
            return;
        };
        let cpu = Cpu::read();
        assert_eq!(cpu.family.to_string(), family);
        assert_eq!(Some(cpu.model.to_string()), cpuinfo_field(&cpuinfo, "model"));
        assert_eq!(cpu.microcode, cpuinfo_field(&cpuinfo, "microcode"));
    }
}
