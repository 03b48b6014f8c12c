//! Which instructions may be used: what the processor has and the operating system saves.
//!
//! A processor bit alone is not enough. The upper halves of vector registers survive a context switch only if the
//! system enabled them in XCR0, and reading XCR0 itself faults unless the system set OSXSAVE (Intel SDM vol. 1, 14.3
//! and 15.2). So `xgetbv` is a closure here, called only after OSXSAVE was seen.

use serde::{Deserialize, Serialize};

/// The CPUID registers that features are read from. Leaves above the reported maximum are ignored, whatever they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuidAnswers {
    /// Highest basic leaf, leaf 0 EAX.
    pub max_basic: u32,
    /// Leaf 1 ECX.
    pub leaf1_ecx: u32,
    /// Leaf 1 EDX.
    pub leaf1_edx: u32,
    /// Leaf 7 subleaf 0 EBX.
    pub leaf7_ebx: u32,
    /// Leaf 7 subleaf 0 EDX.
    pub leaf7_edx: u32,
    /// Highest extended leaf, leaf 0x80000000 EAX.
    pub max_extended: u32,
    /// Leaf 0x80000001 ECX.
    pub extended1_ecx: u32,
    /// Leaf 0x80000001 EDX.
    pub extended1_edx: u32,
    /// Leaf 0x80000007 EDX.
    pub extended7_edx: u32,
}

/// What code on this machine may use. False where the processor lacks it or the operating system does not save it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Features {
    /// 16-byte vectors in the legacy encoding.
    pub sse2: bool,
    /// 32-byte loads and stores in the VEX encoding.
    pub avx: bool,
    /// 32-byte integer operations.
    pub avx2: bool,
    /// 64-byte vectors and masks: AVX-512 F, BW and VL together with BMI2, whose `bzhi` makes the masks.
    pub avx512: bool,
    /// Enhanced `rep movsb`.
    pub erms: bool,
    /// Fast short `rep movsb`.
    pub fsrm: bool,
    /// `prefetchw`.
    pub prefetchw: bool,
    /// `clflushopt`.
    pub clflushopt: bool,
    /// The time stamp counter ticks at one rate in every power state.
    pub invariant_tsc: bool,
    /// `rdtscp`.
    pub rdtscp: bool,
}

const fn bit(register: u32, index: u32) -> bool {
    register >> index & 1 == 1
}

impl Features {
    /// The usable features under these answers. `xgetbv` reads XCR0 and is called only if OSXSAVE is set.
    ///
    /// ```
    /// use copysmith::host::{CpuidAnswers, Features};
    /// let avx_but_no_osxsave = CpuidAnswers { max_basic: 7, leaf1_ecx: 1 << 28, ..Default::default() };
    /// assert!(!Features::from_answers(&avx_but_no_osxsave, || unreachable!()).avx);
    /// ```
    pub fn from_answers(answers: &CpuidAnswers, xgetbv: impl FnOnce() -> u64) -> Features {
        let leaf1 = answers.max_basic >= 1;
        let leaf7 = answers.max_basic >= 7;
        let extended = |leaf: u32| answers.max_extended >= leaf;
        let xcr0 = if leaf1 && bit(answers.leaf1_ecx, 27) { xgetbv() } else { 0 };
        let ymm_saved = xcr0 & 0b110 == 0b110;
        let zmm_saved = ymm_saved && xcr0 & 0b1110_0000 == 0b1110_0000;
        let avx = leaf1 && ymm_saved && bit(answers.leaf1_ecx, 28);
        let foundation = [16, 30, 31, 8].iter().all(|&index| bit(answers.leaf7_ebx, index));
        Features {
            sse2: leaf1 && bit(answers.leaf1_edx, 26),
            avx,
            avx2: avx && leaf7 && bit(answers.leaf7_ebx, 5),
            avx512: avx && zmm_saved && leaf7 && foundation,
            erms: leaf7 && bit(answers.leaf7_ebx, 9),
            fsrm: leaf7 && bit(answers.leaf7_edx, 4),
            prefetchw: extended(0x8000_0001) && bit(answers.extended1_ecx, 8),
            clflushopt: leaf7 && bit(answers.leaf7_ebx, 23),
            invariant_tsc: extended(0x8000_0007) && bit(answers.extended7_edx, 8),
            rdtscp: extended(0x8000_0001) && bit(answers.extended1_edx, 27),
        }
    }

    /// The usable features of this machine; none on one that is not x86.
    pub fn read() -> Features {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        return Features::from_answers(&CpuidAnswers::read(), || {
            // SAFETY: `from_answers` calls this only if CPUID says OSXSAVE, and XCR0 exists wherever OSXSAVE is set.
            unsafe { xgetbv(0) }
        });
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        return Features::default();
    }

    /// The names of what is usable, in the order of the fields.
    pub fn names(&self) -> Vec<&'static str> {
        let all = [
            ("sse2", self.sse2),
            ("avx", self.avx),
            ("avx2", self.avx2),
            ("avx512", self.avx512),
            ("erms", self.erms),
            ("fsrm", self.fsrm),
            ("prefetchw", self.prefetchw),
            ("clflushopt", self.clflushopt),
            ("invariant-tsc", self.invariant_tsc),
            ("rdtscp", self.rdtscp),
        ];
        all.into_iter().filter(|(_, usable)| *usable).map(|(name, _)| name).collect()
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
impl CpuidAnswers {
    /// This processor's answers.
    pub fn read() -> CpuidAnswers {
        use raw_cpuid::native_cpuid::cpuid_count;
        let max_basic = cpuid_count(0, 0).eax;
        let max_extended = cpuid_count(0x8000_0000, 0).eax;
        // Intel answers a leaf above the maximum with the data of the highest basic one: do not even ask.
        let basic = |leaf| (max_basic >= leaf).then(|| cpuid_count(leaf, 0));
        let extended = |leaf| (max_extended >= leaf).then(|| cpuid_count(leaf, 0));
        let (leaf1, leaf7, extended1) = (basic(1), basic(7), extended(0x8000_0001));
        CpuidAnswers {
            max_basic,
            leaf1_ecx: leaf1.map_or(0, |leaf| leaf.ecx),
            leaf1_edx: leaf1.map_or(0, |leaf| leaf.edx),
            leaf7_ebx: leaf7.map_or(0, |leaf| leaf.ebx),
            leaf7_edx: leaf7.map_or(0, |leaf| leaf.edx),
            max_extended,
            extended1_ecx: extended1.map_or(0, |leaf| leaf.ecx),
            extended1_edx: extended1.map_or(0, |leaf| leaf.edx),
            extended7_edx: extended(0x8000_0007).map_or(0, |leaf| leaf.edx),
        }
    }
}

/// Reads an extended control register.
///
/// # Safety
/// CPUID leaf 1 must have OSXSAVE set, and `register` must be 0, or 1 where [`xgetbv_in_use_is_supported`].
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) unsafe fn xgetbv(register: u32) -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: the caller vouches that the instruction and the register exist; it reads no memory and changes eax and edx only.
    unsafe {
        std::arch::asm!("xgetbv", in("ecx") register, out("eax") low, out("edx") high, options(nomem, nostack, preserves_flags));
    }
    u64::from(high) << 32 | u64::from(low)
}

/// Whether `xgetbv` with ecx = 1 tells which register states are in use (CPUID leaf 0xD subleaf 1, EAX bit 2).
pub fn xgetbv_in_use_is_supported() -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        use raw_cpuid::native_cpuid::cpuid_count;
        let answers = CpuidAnswers::read();
        answers.max_basic >= 0xd && bit(answers.leaf1_ecx, 27) && bit(cpuid_count(0xd, 1).eax, 2)
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const OSXSAVE: u32 = 1 << 27;
    const AVX: u32 = 1 << 28;
    const AVX2: u32 = 1 << 5;
    const AVX512_AND_BMI2: u32 = 1 << 16 | 1 << 30 | 1 << 31 | 1 << 8;

    /// A processor that has every instruction; what is usable is up to the system.
    fn everything() -> CpuidAnswers {
        CpuidAnswers {
            max_basic: 0xd,
            leaf1_ecx: OSXSAVE | AVX,
            leaf1_edx: 1 << 26,
            leaf7_ebx: AVX2 | AVX512_AND_BMI2 | 1 << 9 | 1 << 23,
            leaf7_edx: 1 << 4,
            max_extended: 0x8000_0008,
            extended1_ecx: 1 << 8,
            extended1_edx: 1 << 27,
            extended7_edx: 1 << 8,
        }
    }

    #[test]
    fn without_osxsave_no_vector_is_usable_and_xgetbv_is_never_run() {
        let answers = CpuidAnswers { leaf1_ecx: AVX, ..everything() };
        let features = Features::from_answers(&answers, || panic!("xgetbv faults here"));
        assert!(features.sse2 && !features.avx && !features.avx2 && !features.avx512);
    }

    #[test]
    fn the_vectors_usable_are_those_whose_state_the_system_saves() {
        for (xcr0, avx, avx512) in [
            (0b1, false, false),
            (0b11, false, false),
            (0b101, false, false),
            (0b111, true, false),
            (0b0110_0111, true, false),
            (0b1100_0111, true, false),
            (0b1110_0011, false, false),
            (0b1110_0111, true, true),
        ] {
            let features = Features::from_answers(&everything(), || xcr0);
            assert_eq!((features.avx, features.avx2, features.avx512), (avx, avx, avx512), "XCR0 {xcr0:#b}");
        }
    }

    #[test]
    fn avx512_needs_every_one_of_its_four_bits() {
        for missing in [16, 30, 31, 8] {
            let answers = CpuidAnswers { leaf7_ebx: everything().leaf7_ebx & !(1 << missing), ..everything() };
            let features = Features::from_answers(&answers, || 0xe7);
            assert!(features.avx2 && !features.avx512, "leaf 7 EBX bit {missing}");
        }
    }

    #[test]
    fn leaves_above_the_maximum_count_as_absent() {
        let answers = CpuidAnswers { max_basic: 6, max_extended: 0x8000_0000, ..everything() };
        let features = Features::from_answers(&answers, || 0xe7);
        assert_eq!(features, Features { sse2: true, avx: true, ..Features::default() });
        let nothing = CpuidAnswers { max_basic: 0, max_extended: 0, ..everything() };
        assert_eq!(Features::from_answers(&nothing, || panic!("leaf 1 is not there")), Features::default());
    }

    /// The standard library detects the same features by its own code.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_live_answers_agree_with_the_standard_library() {
        let features = Features::read();
        assert_eq!(features.avx, is_x86_feature_detected!("avx"));
        assert_eq!(features.avx2, is_x86_feature_detected!("avx2"));
        let avx512 = is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("bmi2");
        assert_eq!(features.avx512, avx512);
        if features.avx {
            // SAFETY: AVX is usable only where OSXSAVE is set.
            assert_eq!(unsafe { xgetbv(0) } & 0b110, 0b110);
        }
    }
}
