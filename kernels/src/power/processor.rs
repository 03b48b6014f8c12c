//! The processors that code is made for: what each has, and what it must be kept from.
//!
//! Each line says what its figures rest on; where nothing was found about misaligned accesses, the worse is assumed. How many bytes `dcbz`
//! really zeroes is for the machine to say: a 970 can be told to clear 32 of its 128.

use super::Mode;
use super::instruction::Facility::{self, *};
use std::fmt;
use std::str::FromStr;

/// What an access does at an address that is no multiple of its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misaligned {
    /// As fast as another, except where it crosses a line or a quarter of one.
    Fast,
    /// Made of several accesses, some cycles each.
    Slow,
    /// An alignment interrupt where the address is no multiple of 4: the system does it instead, for hundreds of cycles, or refuses.
    Traps,
    /// The low bits of the address are ignored: other bytes are moved than were asked for.
    Ignored,
    /// There is no such access.
    Absent,
}

/// What is known of a processor.
#[derive(Debug)]
struct Facts {
    name: &'static str,
    modes: &'static [Mode],
    line: u16,
    zeroed: u16,
    facilities: &'static [Facility],
    /// Of integers, floating-point numbers, vectors.
    misaligned: [Misaligned; 3],
    /// What the figures rest on.
    source: &'static str,
}

macro_rules! processors {
    ($($(#[$doc:meta])* $name:ident $text:literal [$($mode:ident)*] $line:literal $zeroed:literal
        [$($facility:ident)*] [$integers:ident $floats:ident $vectors:ident] $source:literal;)*) => {
        /// A processor, by the name that records and commands use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Processor { $($(#[$doc])* $name),* }

        impl Processor {
            /// Every processor, in the order of the table.
            pub const ALL: &'static [Processor] = &[$(Processor::$name),*];
        }

        static FACTS: [Facts; Processor::ALL.len()] = [
            $(Facts {
                name: $text,
                modes: &[$(Mode::$mode),*],
                line: $line,
                zeroed: $zeroed,
                facilities: &[$($facility),*],
                misaligned: [Misaligned::$integers, Misaligned::$floats, Misaligned::$vectors],
                source: $source,
            }),*
        ];
    };
}

// name, text, modes, bytes of a line, bytes that dcbz zeroes, facilities, misaligned integers, floats and vectors, source
processors! {
    /// The core of the MPC8313.
    E300c3 "e300c3" [Ppc32] 32 32 [Float] [Slow Traps Absent] "a 603e core: as that";
    /// PowerPC 603e.
    P603e "603e" [Ppc32] 32 32 [Float] [Slow Traps Absent] "MPC603e & EC603e User's Manual, 2.2.3, 4.5.6; integers trap too where they cross a page";
    /// PowerPC 750 (G3).
    P750 "750" [Ppc32] 32 32 [Float] [Slow Traps Absent] "misaligned: assumed as the 603e";
    /// MPC7400 (G4), with AltiVec.
    P7400 "7400" [Ppc32] 32 32 [Float AltiVec] [Slow Traps Ignored] "misaligned: assumed as the 603e; vectors: AltiVec Programming Environments Manual";
    /// MPC7450 (G4), with AltiVec.
    P7450 "7450" [Ppc32] 32 32 [Float AltiVec] [Slow Traps Ignored] "misaligned: assumed as the 603e; vectors: AltiVec Programming Environments Manual";
    /// The core of the P2040 to P4080.
    E500mc "e500mc" [Ppc32] 64 64 [Float Select OneField LineZero] [Slow Traps Absent] "misaligned: assumed as the 603e";
    /// PowerPC 440, without a floating-point unit.
    P440 "440" [Ppc32] 32 32 [] [Fast Absent Absent] "PPC440x5 CPU Core User's Manual, table 2-2: pieces where 16 bytes are crossed";
    /// PowerPC 405, without a floating-point unit.
    P405 "405" [Ppc32] 32 32 [] [Slow Absent Absent] "PPC405 Core User's Manual, 2.4.1";
    /// PowerPC 970 (G5), with AltiVec.
    P970 "970" [Ppc64] 128 128 [Float Wide OneField AltiVec LineZero] [Slow Slow Ignored] "misaligned: assumed";
    /// POWER7.
    Power7 "power7" [Ppc64] 128 128 [Float Wide OneField AltiVec Select Vsx Transient] [Slow Slow Traps]
        "Power ISA 2.06; vectors: Linux emulates those off a multiple of 4";
    /// POWER8.
    Power8 "power8" [Ppc64 Ppc64le] 128 128 [Float Wide OneField AltiVec Select Vsx Transient] [Fast Fast Fast]
        "Power ISA 2.07";
    /// POWER9.
    Power9 "power9" [Ppc64 Ppc64le] 128 128 [Float Wide OneField AltiVec Select Vsx Vsx3 Transient] [Fast Fast Fast]
        "Power ISA 3.0B";
    /// POWER10.
    Power10 "power10" [Ppc64 Ppc64le] 128 128 [Float Wide OneField AltiVec Select Vsx Vsx3 Paired Transient] [Fast Fast Fast]
        "Power ISA 3.1";
}

impl Processor {
    const fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// How its programs are made for; a processor that can more is not asked to.
    pub const fn modes(self) -> &'static [Mode] {
        self.facts().modes
    }

    /// Bytes of a cache line.
    pub const fn line(self) -> usize {
        self.facts().line as usize
    }

    /// Bytes that `dcbz` sets to zero.
    pub const fn zeroed(self) -> usize {
        self.facts().zeroed as usize
    }

    /// Whether it has what an instruction needs.
    pub fn has(self, facility: Facility) -> bool {
        facility == Base || self.facts().facilities.contains(&facility)
    }

    /// What a misaligned access of an integer register does.
    pub const fn misaligned_integers(self) -> Misaligned {
        self.facts().misaligned[0]
    }

    /// What a misaligned access of a floating-point register does.
    pub const fn misaligned_floats(self) -> Misaligned {
        self.facts().misaligned[1]
    }

    /// What a misaligned access of a vector register does.
    pub const fn misaligned_vectors(self) -> Misaligned {
        self.facts().misaligned[2]
    }

    /// What its figures rest on.
    pub const fn source(self) -> &'static str {
        self.facts().source
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().name)
    }
}

/// A name that no processor has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProcessor(
    /// The name.
    pub String,
);

impl fmt::Display for UnknownProcessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is no processor; one of", self.0)?;
        Processor::ALL.iter().try_for_each(|processor| write!(f, " {processor}"))
    }
}

impl std::error::Error for UnknownProcessor {}

impl FromStr for Processor {
    type Err = UnknownProcessor;

    fn from_str(text: &str) -> Result<Processor, UnknownProcessor> {
        let named = Processor::ALL.iter().find(|processor| processor.facts().name == text);
        named.copied().ok_or_else(|| UnknownProcessor(text.to_owned()))
    }
}
