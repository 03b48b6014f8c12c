//! Which x86-64 processor this is and what code may use on it.
//!
//! The decision is a pure function of the processor's answers, so that every awkward set of answers can be tested.

use super::row::Feature;
use core::arch::x86_64::__cpuid_count;
use core::fmt::{self, Write};

/// State components in XCR0 (Intel SDM volume 1, section 13.3): SSE and AVX registers.
const AVX_STATE: u64 = 0b110;
/// The same and the mask registers, the upper halves of registers 0 to 15, and registers 16 to 31.
const AVX512_STATE: u64 = 0b1110_0110;

/// Who answers for a processor: the processor itself, or a test.
pub trait Ask {
    /// eax, ebx, ecx and edx of `cpuid`.
    fn cpuid(&self, leaf: u32, subleaf: u32) -> [u32; 4];
    /// Extended control register 0: which registers the system saves. Asked only where the system has enabled `xgetbv`.
    fn xcr0(&self) -> u64;
}

/// A processor's identity and what code may use on it. Its text is the key of tables: `amd-1ah-02h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    vendor: [u8; 12],
    family: u32,
    model: u32,
    avx: bool,
    avx512: bool,
    prefetchw: bool,
}

impl Cpu {
    /// This processor.
    pub fn here() -> Cpu {
        Cpu::of(&Here)
    }

    /// The processor that gives these answers.
    pub fn of(ask: &impl Ask) -> Cpu {
        let [max, ebx, ecx, edx] = ask.cpuid(0, 0);
        let [signature, _, flags, _] = if max >= 1 { ask.cpuid(1, 0) } else { [0; 4] };
        let extended = if max >= 7 { ask.cpuid(7, 0)[1] } else { 0 };
        let [max_amd, ..] = ask.cpuid(0x8000_0000, 0);
        // Where there are no such leaves the answer is that of another leaf, which is below 2^31.
        let amd = if max_amd > 0x8000_0000 { ask.cpuid(0x8000_0001, 0)[2] } else { 0 };
        // Without OSXSAVE the instruction xgetbv is illegal, and no register beyond SSE is saved.
        let saved = if bit(flags, 27) { ask.xcr0() } else { 0 };
        let avx = bit(flags, 28) && saved & AVX_STATE == AVX_STATE;
        let all = bit(extended, 8) && bit(extended, 16) && bit(extended, 30) && bit(extended, 31);
        let (family, model) = family_and_model(signature);
        Cpu {
            vendor: vendor([ebx, edx, ecx]),
            family,
            model,
            avx,
            avx512: avx && all && saved & AVX512_STATE == AVX512_STATE,
            prefetchw: bit(amd, 8),
        }
    }

    /// Whether code may use the feature.
    pub const fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Avx => self.avx,
            Feature::Avx512 => self.avx512,
            Feature::PrefetchW => self.prefetchw,
        }
    }

    /// Whether this is the machine of that key, exactly.
    pub fn is(&self, machine: &str) -> bool {
        let mut rest = Rest(machine);
        write!(rest, "{self}").is_ok() && rest.0.is_empty()
    }
}

const fn bit(word: u32, at: u32) -> bool {
    word >> at & 1 == 1
}

/// The vendor's text, which `cpuid` spreads over ebx, edx and ecx in this order.
fn vendor(words: [u32; 3]) -> [u8; 12] {
    let mut text = [0; 12];
    for (part, word) in text.chunks_exact_mut(4).zip(words) {
        part.copy_from_slice(&word.to_le_bytes());
    }
    text
}

/// Family and model as leaf 1 encodes them: the extended family counts only above family 15, the extended model from
/// there on and, in Intel's numbering, in family 6.
const fn family_and_model(signature: u32) -> (u32, u32) {
    let family = signature >> 8 & 0xf;
    let model = signature >> 4 & 0xf;
    let high_model = signature >> 12 & 0xf0;
    match family {
        0xf => (family + (signature >> 20 & 0xff), high_model | model),
        0x6 => (family, high_model | model),
        _ => (family, model),
    }
}

/// The key of tables: vendor, family and model in hexadecimal.
impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.vendor {
            b"GenuineIntel" => f.write_str("intel")?,
            b"AuthenticAMD" => f.write_str("amd")?,
            b"HygonGenuine" => f.write_str("hygon")?,
            b"CentaurHauls" => f.write_str("centaur")?,
            b"  Shanghai  " => f.write_str("zhaoxin")?,
            // A key is part of file names: nothing but lower-case letters and digits.
            other if other.iter().any(u8::is_ascii_alphanumeric) => {
                let plain = other.iter().filter(|byte| byte.is_ascii_alphanumeric());
                plain.map(u8::to_ascii_lowercase).try_for_each(|byte| f.write_char(byte.into()))?;
            }
            _ => return f.write_str("unknown"),
        }
        match self.family {
            0 => Ok(()),
            family => write!(f, "-{family:02x}h-{:02x}h", self.model),
        }
    }
}

/// What is left of a text after each piece written has been taken off its front.
struct Rest<'a>(&'a str);

impl Write for Rest<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(piece).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// The processor that runs this.
struct Here;

impl Ask for Here {
    fn cpuid(&self, leaf: u32, subleaf: u32) -> [u32; 4] {
        let answer = __cpuid_count(leaf, subleaf);
        [answer.eax, answer.ebx, answer.ecx, answer.edx]
    }

    fn xcr0(&self) -> u64 {
        let (low, high): (u32, u32);
        // SAFETY: only asked after OSXSAVE was seen, so the instruction is legal; it reads a register and nothing else.
        unsafe {
            core::arch::asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") high, options(nomem, nostack, preserves_flags));
        }
        u64::from(high) << 32 | u64::from(low)
    }
}
