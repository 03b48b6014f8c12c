//! Operand fields: where each lies in the word, and what it can hold. What it cannot hold is an error, never cut off.

use std::fmt;

/// One operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A general register.
    R(u8),
    /// The value zero where a base register could stand: the processor reads the number 0 there so.
    Zero,
    /// A floating-point register.
    F(u8),
    /// An AltiVec register.
    V(u8),
    /// A VSX register.
    X(u8),
    /// A condition field.
    Cr(u8),
    /// A bit of the condition register.
    Bit(u8),
    /// A constant, a displacement, a bit number or a hint.
    Imm(i32),
    /// A branch target, in bytes from the branch.
    To(i32),
}

/// Where an operand lies and which ones it can be; the names are those of the manual, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Rt,
    Rs,
    Ra,
    Rb,
    /// RA, where 0 means the value zero: a register, but not 0, or [`Operand::Zero`].
    Base,
    /// RA of a load that sets it: neither 0 nor the register that is loaded.
    Moved,
    /// RA of another access that sets it: not 0.
    Stepped,
    Ft,
    Vt,
    Va,
    Vb,
    Vc,
    Xt,
    Xa,
    Xb,
    /// XT with its highest bit in another place.
    XtDq,
    /// An even-odd pair of VSX registers, named by the even one.
    Xtp,
    D,
    Ds,
    Dq,
    Si,
    Ui,
    Bf,
    /// When to branch: 12 where the bit is set, 4 where it is not. Hints and counting are not among them.
    Bo,
    Bi,
    Bc,
    Bd,
    Li,
    Fxm,
    /// One condition field, by its bit in the mask.
    OneFxm,
    Th,
    Dm,
    Sh,
    Mb,
    Me,
    Sh6,
    /// MB or ME of the doubleword rotates.
    Mb6,
}

/// An operand that an instruction cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperandError {
    /// Too few or too many.
    Count {
        /// How many were given.
        given: usize,
        /// How many there must be.
        needed: usize,
    },
    /// The field takes none of this kind, or none of this value.
    Value {
        /// Which operand.
        operand: Operand,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The register that is loaded is also the one that is moved on.
    LoadsBase(u8),
}

impl fmt::Display for OperandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperandError::Count { given, needed } => write!(f, "{given} operands; there must be {needed}"),
            OperandError::Value { operand, allowed } => write!(f, "{operand:?} is not allowed; {allowed}"),
            OperandError::LoadsBase(number) => write!(f, "r{number} is loaded and moved on at the same time"),
        }
    }
}

impl std::error::Error for OperandError {}

/// The bits of a number of `bits` bits at `shift`.
const fn bits(bits: u32, shift: u32) -> u32 {
    ((1 << bits) - 1) << shift
}

impl Field {
    /// All bits that the operand is made of.
    pub const fn mask(self) -> u32 {
        match self {
            Field::Rt | Field::Rs | Field::Ft | Field::Vt | Field::Bo | Field::Th => bits(5, 21),
            Field::Ra | Field::Base | Field::Moved | Field::Stepped | Field::Va | Field::Bi => bits(5, 16),
            Field::Rb | Field::Vb | Field::Sh => bits(5, 11),
            Field::Vc | Field::Bc | Field::Mb => bits(5, 6),
            Field::Me => bits(5, 1),
            Field::Xt => bits(5, 21) | 1,
            Field::Xa => bits(5, 16) | 1 << 2,
            Field::Xb => bits(5, 11) | 1 << 1,
            Field::XtDq => bits(5, 21) | 1 << 3,
            Field::Xtp => bits(5, 21),
            Field::D | Field::Si | Field::Ui => bits(16, 0),
            Field::Ds | Field::Bd => bits(14, 2),
            Field::Dq => bits(12, 4),
            Field::Bf => bits(3, 23),
            Field::Li => bits(24, 2),
            Field::Fxm | Field::OneFxm => bits(8, 12),
            Field::Dm => bits(2, 8),
            Field::Sh6 => bits(5, 11) | 1 << 1,
            Field::Mb6 => bits(6, 5),
        }
    }

    /// The operand as bits of the word.
    pub fn encode(self, operand: Operand) -> Result<u32, OperandError> {
        let number = self.number(operand).ok_or(OperandError::Value { operand, allowed: self.allowed() })?;
        Ok(match self {
            Field::Xt => (number & 31) << 21 | number >> 5,
            Field::Xa => (number & 31) << 16 | number >> 5 << 2,
            Field::Xb => (number & 31) << 11 | number >> 5 << 1,
            Field::XtDq => (number & 31) << 21 | number >> 5 << 3,
            // The pair's number is even, and its highest bit takes the place of the lowest.
            Field::Xtp => (number & 30) << 21 | number >> 5 << 21,
            Field::Sh6 => (number & 31) << 11 | number >> 5 << 1,
            Field::Mb6 => (number & 31) << 6 | number >> 5 << 5,
            // These are stored in place: their low bits are zero.
            Field::D | Field::Si | Field::Ui | Field::Ds | Field::Dq | Field::Bd | Field::Li => number & self.mask(),
            _ => number << self.mask().trailing_zeros(),
        })
    }

    /// The operand in a word, whether or not the instruction may have it.
    pub fn decode(self, word: u32) -> Operand {
        let raw = (word & self.mask()) >> self.mask().trailing_zeros();
        let number = raw as u8;
        let split = |low: u32, high: u32| ((word >> low & 31) | (word >> high & 1) << 5) as u8;
        let signed = |bits: u32| (((word & self.mask()) << (32 - bits)) as i32) >> (32 - bits);
        match self {
            Field::Rt | Field::Rs | Field::Ra | Field::Rb | Field::Moved | Field::Stepped => Operand::R(number),
            Field::Base if number == 0 => Operand::Zero,
            Field::Base => Operand::R(number),
            Field::Ft => Operand::F(number),
            Field::Vt | Field::Va | Field::Vb | Field::Vc => Operand::V(number),
            Field::Xt => Operand::X(split(21, 0)),
            Field::Xa => Operand::X(split(16, 2)),
            Field::Xb => Operand::X(split(11, 1)),
            Field::XtDq => Operand::X(split(21, 3)),
            Field::Xtp => Operand::X(number & 30 | (number & 1) << 5),
            Field::D | Field::Si | Field::Ds | Field::Dq => Operand::Imm(signed(16)),
            Field::Bd => Operand::To(signed(16)),
            Field::Li => Operand::To(signed(26)),
            Field::Bf => Operand::Cr(number),
            Field::Bi | Field::Bc => Operand::Bit(number),
            Field::Sh6 => Operand::Imm(split(11, 1).into()),
            Field::Mb6 => Operand::Imm(split(6, 5).into()),
            Field::Ui | Field::Bo | Field::Fxm | Field::OneFxm | Field::Th | Field::Dm => Operand::Imm(raw as i32),
            Field::Sh | Field::Mb | Field::Me => Operand::Imm(raw as i32),
        }
    }

    /// The number to store, where the operand is of the kind and in the range that is allowed.
    fn number(self, operand: Operand) -> Option<u32> {
        use Field as F;
        let below = |limit: u8, number: u8| (number < limit).then_some(u32::from(number));
        let within = |least: i32, most: i32, step: i32, imm: i32| {
            ((least..=most).contains(&imm) && imm % step == 0).then_some(imm as u32)
        };
        match (self, operand) {
            (F::Rt | F::Rs | F::Ra | F::Rb, Operand::R(number)) => below(32, number),
            (F::Base, Operand::Zero) => Some(0),
            (F::Base | F::Moved | F::Stepped, Operand::R(number @ 1..)) => below(32, number),
            (F::Ft, Operand::F(number)) => below(32, number),
            (F::Vt | F::Va | F::Vb | F::Vc, Operand::V(number)) => below(32, number),
            (F::Xt | F::Xa | F::Xb | F::XtDq, Operand::X(number)) => below(64, number),
            (F::Xtp, Operand::X(number)) if number % 2 == 0 => below(64, number),
            (F::D | F::Si, Operand::Imm(imm)) => within(-0x8000, 0x7fff, 1, imm),
            (F::Ds, Operand::Imm(imm)) | (F::Bd, Operand::To(imm)) => within(-0x8000, 0x7ffc, 4, imm),
            (F::Dq, Operand::Imm(imm)) => within(-0x8000, 0x7ff0, 16, imm),
            (F::Ui, Operand::Imm(imm)) => within(0, 0xffff, 1, imm),
            (F::Li, Operand::To(to)) => within(-0x200_0000, 0x1ff_fffc, 4, to),
            (F::Bf, Operand::Cr(number)) => below(8, number),
            (F::Bi | F::Bc, Operand::Bit(number)) => below(32, number),
            (F::Bo, Operand::Imm(imm @ (4 | 12))) => Some(imm as u32),
            (F::Fxm, Operand::Imm(imm)) => within(0, 255, 1, imm),
            (F::OneFxm, Operand::Imm(imm)) => within(1, 128, 1, imm).filter(|mask| mask.is_power_of_two()),
            (F::Th | F::Sh | F::Mb | F::Me, Operand::Imm(imm)) => within(0, 31, 1, imm),
            (F::Dm, Operand::Imm(imm)) => within(0, 3, 1, imm),
            (F::Sh6 | F::Mb6, Operand::Imm(imm)) => within(0, 63, 1, imm),
            _ => None,
        }
    }

    /// What the field can hold, for messages.
    const fn allowed(self) -> &'static str {
        match self {
            Field::Rt | Field::Rs | Field::Ra | Field::Rb => "r0 to r31",
            Field::Base => "a base is r1 to r31 or zero; r0 would be read as zero",
            Field::Moved | Field::Stepped => "a base to move on is r1 to r31",
            Field::Ft => "f0 to f31",
            Field::Vt | Field::Va | Field::Vb | Field::Vc => "v0 to v31",
            Field::Xt | Field::Xa | Field::Xb | Field::XtDq => "vs0 to vs63",
            Field::Xtp => "vs0, vs2, ... vs62",
            Field::D | Field::Si => "-32768 to 32767",
            Field::Ds | Field::Bd => "multiples of 4 from -32768 to 32764",
            Field::Dq => "multiples of 16 from -32768 to 32752",
            Field::Ui => "0 to 65535",
            Field::Li => "multiples of 4 from -33554432 to 33554428",
            Field::Bf => "cr0 to cr7",
            Field::Bi | Field::Bc => "condition bits 0 to 31",
            Field::Bo => "4 (unless) or 12 (if)",
            Field::Fxm => "0 to 255",
            Field::OneFxm => "1, 2, 4, ... 128",
            Field::Th | Field::Sh | Field::Mb | Field::Me => "0 to 31",
            Field::Dm => "0 to 3",
            Field::Sh6 | Field::Mb6 => "0 to 63",
        }
    }
}
