use crate::Feature;
use crate::cpu::{Ask, Cpu};

const OSXSAVE: u32 = 1 << 27;
const AVX: u32 = 1 << 28;
const BMI2: u32 = 1 << 8;
const F: u32 = 1 << 16;
const BW: u32 = 1 << 30;
const VL: u32 = 1 << 31;

/// A processor that has everything; tests take things away.
struct Fake {
    max: u32,
    vendor: &'static [u8; 12],
    signature: u32,
    flags: u32,
    leaf7: u32,
    max_amd: u32,
    xcr0: u64,
}

const ALL: Fake = Fake {
    max: 0x10,
    vendor: b"AuthenticAMD",
    signature: 0x00b0_0f21,
    flags: OSXSAVE | AVX,
    leaf7: BMI2 | F | BW | VL,
    max_amd: 0x8000_0028,
    xcr0: 0xe7,
};

impl Ask for Fake {
    fn cpuid(&self, leaf: u32, _subleaf: u32) -> [u32; 4] {
        let word = |at: usize| u32::from_le_bytes(self.vendor[at..at + 4].try_into().unwrap());
        match leaf {
            0 => [self.max, word(0), word(8), word(4)],
            1 => [self.signature, 0, self.flags, 0],
            // As Intel's processors do it: a leaf above the highest gives what the highest gives, here all ones.
            _ if leaf < 0x8000_0000 && leaf > self.max => [u32::MAX; 4],
            7 => [0, self.leaf7, 0, 0],
            0x8000_0000 => [self.max_amd, 0, 0, 0],
            0x8000_0001 if self.max_amd < leaf => [u32::MAX; 4],
            0x8000_0001 => [0, 0, 1 << 8, 0],
            other => panic!("leaf {other:#x} is none of a table's business"),
        }
    }

    fn xcr0(&self) -> u64 {
        assert!(self.flags & OSXSAVE != 0, "xgetbv is an illegal instruction without OSXSAVE");
        self.xcr0
    }
}

fn features(fake: &Fake) -> (bool, bool, bool) {
    let cpu = Cpu::of(fake);
    (cpu.has(Feature::Avx), cpu.has(Feature::Avx512), cpu.has(Feature::PrefetchW))
}

#[test]
fn a_processor_that_has_everything_may_use_everything() {
    assert_eq!(features(&ALL), (true, true, true));
}

#[test]
fn without_osxsave_there_is_no_avx_and_no_xgetbv() {
    // The fake panics where the real instruction would be illegal.
    assert_eq!(features(&Fake { flags: AVX, ..ALL }), (false, false, true));
}

#[test]
fn a_system_that_saves_too_little_takes_the_feature_away() {
    for (xcr0, avx, avx512) in [
        (0x00, false, false),
        (0x03, false, false),
        (0x05, false, false),
        (0xe3, false, false),
        (0x07, true, false),
        (0x67, true, false),
        (0xa7, true, false),
        (0xc7, true, false),
        (0xe7, true, true),
    ] {
        assert_eq!(features(&Fake { xcr0, ..ALL }), (avx, avx512, true), "xcr0={xcr0:#x}");
    }
}

#[test]
fn avx512_is_all_four_of_its_parts_and_avx() {
    for missing in [BMI2, F, BW, VL] {
        assert_eq!(features(&Fake { leaf7: ALL.leaf7 & !missing, ..ALL }), (true, false, true), "{missing:#x}");
    }
    assert_eq!(features(&Fake { flags: OSXSAVE, ..ALL }), (false, false, true));
}

#[test]
fn leaves_that_do_not_exist_are_not_believed() {
    assert_eq!(features(&Fake { max: 6, ..ALL }), (true, false, true));
    assert_eq!(features(&Fake { max: 0, ..ALL }), (false, false, true));
    assert_eq!(features(&Fake { max_amd: 0x8000_0000, ..ALL }), (true, true, false));
    assert_eq!(features(&Fake { max_amd: 0, ..ALL }), (true, true, false));
}

#[test]
fn a_machine_is_its_vendor_family_and_model_and_nothing_near_it() {
    let zen5 = Cpu::of(&ALL);
    assert!(zen5.is("amd-1ah-02h"));
    for other in ["", "amd", "amd-1ah", "amd-1ah-02", "amd-1ah-02h2", "amd-1ah-22h", "amd-17h-31h", "intel-1ah-02h"] {
        assert!(!zen5.is(other), "{other}");
    }
}

#[test]
fn family_and_model_are_put_together_as_the_manuals_say() {
    let of = |vendor, signature| Cpu::of(&Fake { vendor, signature, ..ALL });
    assert!(of(b"AuthenticAMD", 0x0083_0f10).is("amd-17h-31h"), "EPYC 7002");
    assert!(of(b"GenuineIntel", 0x0009_06ea).is("intel-06h-9eh"), "Core i7-8700");
    assert!(of(b"GenuineIntel", 0x0005_0654).is("intel-06h-55h"), "Xeon Gold 6154");
    assert!(of(b"GenuineIntel", 0x0000_0f4a).is("intel-0fh-04h"), "Pentium 4");
    assert!(of(b"  Shanghai  ", 0x0003_07b0).is("zhaoxin-07h-0bh"), "no extended model in family 7");
    assert!(of(b"Vortex86 SoC", 0x0000_0526).is("vortex86soc-05h-02h"), "other vendors by their own name");
    assert!(of(b"            ", 0x0000_0526).is("unknown"));
}

#[test]
fn this_processor_answers_as_the_standard_library_sees_it() {
    extern crate std;
    let cpu = Cpu::here();
    assert_eq!(cpu.has(Feature::Avx), std::is_x86_feature_detected!("avx"));
    let avx512 = std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("bmi2");
    assert_eq!(cpu.has(Feature::Avx512), avx512);
}
