//! Where and with what a record was made, and whether that is here and now.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt;

/// The identity of a record: what must be the same for its numbers to be used again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of copysmith.
    pub version: String,
    /// What the emitter makes of a fixed set of routines.
    pub emitter: Fingerprint,
    /// The search space: every axis value, the spans and the instruction set.
    pub space: Fingerprint,
    /// The seed of the search.
    pub seed: u64,
    /// How long the search goes on: the effort by name, and the budget where one was given.
    pub effort: String,
    /// How candidates are timed and scored: a number that goes up when it changes; 0 in records that do not say.
    #[serde(default)]
    pub protocol: u32,
    /// The processor that was asked for by number; `None` for the default one.
    #[serde(default)]
    pub cpu: Option<usize>,
    /// The key of the machine, as `amd-17h-31h`.
    pub machine: String,
    /// The microcode revision, where the kernel tells it.
    pub microcode: Option<String>,
    /// The hypervisor's name; `None` on bare metal.
    pub hypervisor: Option<String>,
    /// The processor features that code may use.
    pub features: Vec<String>,
    /// The cache sizes.
    pub caches: Caches,
    /// What everything is measured against: the C library and its version, as `glibc 2.36`.
    #[serde(default)]
    pub reference: String,
    /// The kernel's release.
    pub kernel: String,
}

/// Cache sizes in bytes; `None` where there is none or nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caches {
    /// First level, data.
    pub l1d: Option<u64>,
    /// Second level.
    pub l2: Option<u64>,
    /// Third level.
    pub l3: Option<u64>,
}

/// A 64-bit hash; its text is 16 hexadecimal digits, because JSON numbers of that size are rounded by other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(
    /// The hash.
    pub u64,
);

/// A part of a record's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// [`Header::version`]
    Version,
    /// [`Header::emitter`]
    Emitter,
    /// [`Header::space`]
    Space,
    /// [`Header::seed`]
    Seed,
    /// [`Header::effort`]
    Effort,
    /// [`Header::protocol`]
    Protocol,
    /// [`Header::cpu`]
    Cpu,
    /// [`Header::machine`]
    Machine,
    /// [`Header::microcode`]
    Microcode,
    /// [`Header::hypervisor`]
    Hypervisor,
    /// [`Header::features`]
    Features,
    /// [`Header::caches`]
    Caches,
    /// [`Header::reference`]
    Reference,
    /// [`Header::kernel`]
    Kernel,
}

/// What a difference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The record is not used.
    Fatal,
    /// The record is used, and the difference is told and kept with it.
    Reported,
}

impl Field {
    /// What a difference in this field means.
    ///
    /// Fatal is what decides which code runs and how fast the same code is: the processor, its microcode, features and
    /// caches, the C library whose memcpy is the reference, the version, the emitter and the space; and the seed, the effort, the protocol and the processor number, because
    /// others ask other questions, to which the recorded blocks are no answers. The kernel's release and the hypervisor are told only:
    /// they change with every update, all comparisons are ratios within one block, and a real change of the machine
    /// below shows in the fatal fields.
    pub const fn weight(self) -> Weight {
        match self {
            Field::Kernel | Field::Hypervisor => Weight::Reported,
            Field::Version
            | Field::Emitter
            | Field::Space
            | Field::Seed
            | Field::Effort
            | Field::Protocol
            | Field::Cpu
            | Field::Machine
            | Field::Microcode
            | Field::Features
            | Field::Caches
            | Field::Reference => Weight::Fatal,
        }
    }
}

/// One difference between a record and here and now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// What differs.
    pub field: Field,
    /// The recorded value.
    pub recorded: String,
    /// The value here and now.
    pub now: String,
}

impl Header {
    /// Every field in which the record differs from here and now.
    pub fn mismatches(&self, now: &Header) -> Vec<Mismatch> {
        let pairs = self.fields().into_iter().zip(now.fields());
        pairs
            .filter(|((_, recorded), (_, now))| recorded != now)
            .map(|((field, recorded), (_, now))| Mismatch { field, recorded, now })
            .collect()
    }

    fn fields(&self) -> [(Field, String); 14] {
        // Destructured, so that a field added to the header cannot be left out of the comparison.
        let Header {
            version,
            emitter,
            space,
            seed,
            effort,
            protocol,
            cpu,
            machine,
            microcode,
            hypervisor,
            features,
            caches,
            reference,
            kernel,
        } = self;
        [
            (Field::Version, version.clone()),
            (Field::Emitter, emitter.to_string()),
            (Field::Space, space.to_string()),
            (Field::Seed, seed.to_string()),
            (Field::Effort, effort.clone()),
            (Field::Protocol, protocol.to_string()),
            (Field::Cpu, cpu.map_or_else(|| "the default".to_owned(), |cpu| cpu.to_string())),
            (Field::Machine, machine.clone()),
            (Field::Microcode, microcode.clone().unwrap_or_else(|| "unknown".to_owned())),
            (Field::Hypervisor, hypervisor.clone().unwrap_or_else(|| "none".to_owned())),
            (Field::Features, features.join(" ")),
            (Field::Caches, caches.to_string()),
            (Field::Reference, reference.clone()),
            (Field::Kernel, kernel.clone()),
        ]
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fingerprint, D::Error> {
        let text = String::deserialize(deserializer)?;
        // One value, one text: from_str_radix alone would take a sign and any number of digits.
        let digits = text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let value = u64::from_str_radix(&text, 16).ok().filter(|_| digits);
        value.map(Fingerprint).ok_or_else(|| D::Error::custom(format_args!("'{text}' is not 16 hexadecimal digits")))
    }
}

/// `L1d 49152, L2 1048576, L3 unknown`, in bytes.
impl fmt::Display for Caches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (separator, name, size) in [("", "L1d", self.l1d), (", ", "L2", self.l2), (", ", "L3", self.l3)] {
            match size {
                Some(bytes) => write!(f, "{separator}{name} {bytes}")?,
                None => write!(f, "{separator}{name} unknown")?,
            }
        }
        Ok(())
    }
}

/// In words: `search space`, `kernel release`.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Field::Version => "copysmith version",
            Field::Emitter => "emitter",
            Field::Space => "search space",
            Field::Seed => "seed",
            Field::Effort => "effort",
            Field::Protocol => "timing protocol",
            Field::Cpu => "processor number",
            Field::Machine => "machine",
            Field::Microcode => "microcode",
            Field::Hypervisor => "hypervisor",
            Field::Features => "cpu features",
            Field::Caches => "cache sizes",
            Field::Reference => "C library",
            Field::Kernel => "kernel release",
        })
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: recorded {}, now {}", self.field, self.recorded, self.now)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::{Value, json};

    pub(crate) fn header() -> Header {
        Header {
            version: "0.1.0".to_owned(),
            emitter: Fingerprint(0xfedc_ba98_7654_3210),
            space: Fingerprint(1),
            seed: 1,
            effort: "normal".to_owned(),
            protocol: 1,
            cpu: Some(1),
            machine: "amd-17h-31h".to_owned(),
            microcode: Some("0x8301055".to_owned()),
            hypervisor: Some("KVM".to_owned()),
            features: vec!["sse2".to_owned(), "avx2".to_owned()],
            caches: Caches { l1d: Some(32768), l2: Some(524_288), l3: Some(16 << 20) },
            reference: "glibc 2.36".to_owned(),
            kernel: "6.1.0".to_owned(),
        }
    }

    /// Another value of the same JSON type.
    fn edited(value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let last = if text.ends_with('0') { '1' } else { '0' };
                json!(format!("{}{last}", &text[..text.len() - 1]))
            }
            Value::Number(number) => json!(number.as_u64().unwrap() + 1),
            Value::Array(items) => json!(items[1..]),
            Value::Object(map) => {
                let mut map = map.clone();
                map["l3"] = json!(0);
                Value::Object(map)
            }
            other => panic!("a header holds no {other}"),
        }
    }

    #[test]
    fn a_header_has_no_mismatch_with_itself() {
        assert_eq!(header().mismatches(&header()), []);
    }

    #[test]
    fn editing_any_one_field_of_the_file_gives_exactly_the_mismatch_of_that_name() {
        let recorded = header();
        let json = serde_json::to_value(&recorded).unwrap();
        let keys: Vec<String> = json.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys.len(), recorded.fields().len());
        for key in keys {
            let mut changed = json.clone();
            changed[&key] = edited(&json[&key]);
            let now: Header = serde_json::from_value(changed).unwrap();
            let mismatches = recorded.mismatches(&now);
            assert_eq!(mismatches.len(), 1, "{key}");
            assert_eq!(serde_json::to_value(mismatches[0].field).unwrap(), json!(key));
            let reported = ["kernel", "hypervisor"].contains(&key.as_str());
            assert_eq!(mismatches[0].field.weight() == Weight::Reported, reported, "{key}");
        }
    }

    #[test]
    fn what_became_unknown_is_a_mismatch_too() {
        let now = Header { microcode: None, ..header() };
        let text = header().mismatches(&now)[0].to_string();
        assert_eq!(text, "microcode: recorded 0x8301055, now unknown");
    }

    #[test]
    fn a_fingerprint_has_one_text_only() {
        assert_eq!(serde_json::to_string(&Fingerprint(10)).unwrap(), "\"000000000000000a\"");
        for wrong in ["\"a\"", "\"+00000000000000a\"", "\"000000000000000A\"", "\"00000000000000000a\"", "10"] {
            assert!(serde_json::from_str::<Fingerprint>(wrong).is_err(), "{wrong}");
        }
    }
}
