//! How many bytes one access moves, and through which registers.

use std::fmt;
use std::str::FromStr;

/// The bytes one load or store moves and the register file it uses. Its text is what recipes say: `8`, `sse16`, `vsx16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// One byte, general register.
    B1,
    /// Two bytes, general register.
    B2,
    /// Four bytes, general register.
    B4,
    /// Eight bytes, general register.
    B8,
    /// Eight bytes, MMX register.
    Mmx8,
    /// Four bytes, SSE2 encoding: a register file of its own for short moves that must all be loaded before the first is stored.
    Sse4,
    /// Eight bytes, SSE2 encoding.
    Sse8,
    /// 16 bytes, SSE2 encoding.
    Sse16,
    /// 32 bytes, AVX encoding: the upper halves become dirty.
    Avx32,
    /// 16 bytes, EVEX encoding in registers 16 to 31: no upper half that legacy code sees becomes dirty.
    Evex16,
    /// 32 bytes, EVEX encoding in registers 16 to 31.
    Evex32,
    /// 64 bytes, EVEX encoding in registers 16 to 31.
    Evex64,
    /// Eight bytes, PowerPC floating-point register.
    Fp8,
    /// 16 bytes, PowerPC AltiVec register: every address is a multiple of 16, whatever the low bits say.
    Altivec16,
    /// 16 bytes, PowerPC VSX register.
    Vsx16,
    /// 32 bytes, a pair of PowerPC VSX registers.
    Vsx32,
}

impl Width {
    /// Every width of x86 processors: general registers, MMX, SSE2, AVX, EVEX, each narrowest first.
    pub const X86: [Width; 12] = [
        Width::B1,
        Width::B2,
        Width::B4,
        Width::B8,
        Width::Mmx8,
        Width::Sse4,
        Width::Sse8,
        Width::Sse16,
        Width::Avx32,
        Width::Evex16,
        Width::Evex32,
        Width::Evex64,
    ];

    /// Every width of PowerPC processors: general registers, floating point, AltiVec, VSX, each narrowest first.
    pub const POWER: [Width; 8] =
        [Width::B1, Width::B2, Width::B4, Width::B8, Width::Fp8, Width::Altivec16, Width::Vsx16, Width::Vsx32];

    /// How many bytes one access moves.
    pub const fn bytes(self) -> usize {
        match self {
            Width::B1 => 1,
            Width::B2 => 2,
            Width::B4 | Width::Sse4 => 4,
            Width::B8 | Width::Mmx8 | Width::Sse8 | Width::Fp8 => 8,
            Width::Sse16 | Width::Evex16 | Width::Altivec16 | Width::Vsx16 => 16,
            Width::Avx32 | Width::Evex32 | Width::Vsx32 => 32,
            Width::Evex64 => 64,
        }
    }

    /// Whether the data goes through general registers.
    pub const fn is_general(self) -> bool {
        matches!(self, Width::B1 | Width::B2 | Width::B4 | Width::B8)
    }

    /// Whether the encoding is EVEX (AVX-512 with VL and BW).
    pub const fn is_evex(self) -> bool {
        matches!(self, Width::Evex16 | Width::Evex32 | Width::Evex64)
    }

    /// Whether there are accesses of this width that move its first bytes only.
    pub const fn has_partial(self) -> bool {
        self.is_evex() || matches!(self, Width::Vsx16)
    }

    /// The general width of so many bytes.
    pub const fn general(bytes: usize) -> Option<Width> {
        match bytes {
            1 => Some(Width::B1),
            2 => Some(Width::B2),
            4 => Some(Width::B4),
            8 => Some(Width::B8),
            _ => None,
        }
    }

    /// The next narrower width to finish with what is left: half the bytes, in the same register family as long as there is one. Below 16
    /// bytes that is the general registers, unless the width itself is one of the narrow vector widths. After `altivec16` come words, which
    /// every processor with AltiVec has.
    ///
    /// ```
    /// use copysmith_kernels::plan::Width;
    /// assert_eq!(Width::Avx32.narrower(), Some(Width::Sse16));
    /// assert_eq!(Width::Sse16.narrower(), Some(Width::B8));
    /// assert_eq!(Width::Sse8.narrower(), Some(Width::Sse4));
    /// assert_eq!(Width::B1.narrower(), None);
    /// ```
    pub const fn narrower(self) -> Option<Width> {
        match self {
            Width::B1 => None,
            Width::B2 => Some(Width::B1),
            Width::B4 | Width::Sse4 => Some(Width::B2),
            Width::B8 | Width::Mmx8 | Width::Fp8 | Width::Altivec16 => Some(Width::B4),
            Width::Sse8 => Some(Width::Sse4),
            Width::Sse16 | Width::Evex16 | Width::Vsx16 => Some(Width::B8),
            Width::Vsx32 => Some(Width::Vsx16),
            Width::Avx32 => Some(Width::Sse16),
            Width::Evex32 => Some(Width::Evex16),
            Width::Evex64 => Some(Width::Evex32),
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Width::B1 => "1",
            Width::B2 => "2",
            Width::B4 => "4",
            Width::B8 => "8",
            Width::Mmx8 => "mmx8",
            Width::Sse4 => "sse4",
            Width::Sse8 => "sse8",
            Width::Sse16 => "sse16",
            Width::Avx32 => "avx32",
            Width::Evex16 => "evex16",
            Width::Evex32 => "evex32",
            Width::Evex64 => "evex64",
            Width::Fp8 => "fp8",
            Width::Altivec16 => "altivec16",
            Width::Vsx16 => "vsx16",
            Width::Vsx32 => "vsx32",
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl FromStr for Width {
    type Err = ();

    fn from_str(text: &str) -> Result<Width, ()> {
        Width::X86.into_iter().chain(Width::POWER).find(|width| width.text() == text).ok_or(())
    }
}
