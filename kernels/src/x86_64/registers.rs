//! Which x86 register each register of a plan is.

use crate::code::Unsupported;
use crate::plan::{Addr, Mask, Reg, Val, Width};
use crate::uses::{GENERAL_VALUES, home};
use iced_x86::{MemoryOperand, Register};

/// The names of each plan register at 1, 2, 4 and 8 bytes.
const INTEGERS: [[Register; 4]; Reg::ALL as usize] = [
    [Register::AL, Register::AX, Register::EAX, Register::RAX],
    [Register::DIL, Register::DI, Register::EDI, Register::RDI],
    [Register::SIL, Register::SI, Register::ESI, Register::RSI],
    [Register::DL, Register::DX, Register::EDX, Register::RDX],
    [Register::CL, Register::CX, Register::ECX, Register::RCX],
    [Register::R8L, Register::R8W, Register::R8D, Register::R8],
    [Register::R9L, Register::R9W, Register::R9D, Register::R9],
    [Register::R10L, Register::R10W, Register::R10D, Register::R10],
    [Register::R11L, Register::R11W, Register::R11D, Register::R11],
];

/// The low byte of a register.
pub fn low8(reg: Reg) -> Result<Register, Unsupported> {
    integer(reg, 1)
}

/// The low half of a register; writing it clears the upper half.
pub fn low32(reg: Reg) -> Result<Register, Unsupported> {
    integer(reg, 4)
}

/// The whole register.
pub fn whole(reg: Reg) -> Result<Register, Unsupported> {
    integer(reg, 8)
}

/// The whole register, as the goal of an operation.
pub fn set(reg: Reg) -> Result<Register, Unsupported> {
    if reg == Reg::RETURN {
        return Err(Unsupported("a plan may not set the result register".to_owned()));
    }
    whole(reg)
}

fn integer(reg: Reg, bytes: usize) -> Result<Register, Unsupported> {
    let names = INTEGERS
        .get(usize::from(reg.0))
        .ok_or_else(|| Unsupported(format!("x86-64 has no register for {reg}; there are {}", Reg::ALL)))?;
    Ok(names[bytes.trailing_zeros() as usize])
}

/// The register that a value of some width lives in.
pub fn data(val: Val, width: Width) -> Result<Register, Unsupported> {
    let number = u32::from(val.0);
    let (first, count) = match width {
        Width::B1 | Width::B2 | Width::B4 | Width::B8 => {
            let home = home(val).ok_or_else(|| lacks(val, width, u32::from(GENERAL_VALUES)))?;
            return integer(home, width.bytes());
        }
        Width::Mmx8 => (Register::MM0, 8),
        Width::Sse4 | Width::Sse8 | Width::Sse16 => (Register::XMM0, 16),
        Width::Avx32 => (Register::YMM0, 16),
        Width::Evex16 => (Register::XMM16, 16),
        Width::Evex32 => (Register::YMM16, 16),
        Width::Evex64 => (Register::ZMM16, 16),
        Width::Fp8 | Width::Altivec16 | Width::Vsx16 | Width::Vsx32 => {
            return Err(Unsupported(format!("x86-64 has no width {width}")));
        }
    };
    if number < count { Ok(first + number) } else { Err(lacks(val, width, count)) }
}

fn lacks(val: Val, width: Width, count: u32) -> Unsupported {
    Unsupported(format!("x86-64 has no register for {val} of width {width}; there are {count}"))
}

/// The mask register; k0 means "no mask" and is not one.
pub fn mask(mask: Mask) -> Result<Register, Unsupported> {
    match mask.0 {
        number @ 0..=6 => Ok(Register::K1 + u32::from(number)),
        _ => Err(Unsupported(format!("x86-64 has no register for {mask}; there are 7"))),
    }
}

/// The address as a memory operand; the encoder picks the shortest displacement.
pub fn memory(addr: Addr) -> Result<MemoryOperand, Unsupported> {
    let base = whole(addr.base)?;
    let index = addr.index.map_or(Ok(Register::None), whole)?;
    Ok(operand(base, index, i64::from(addr.displacement)))
}

/// `[base + index + displacement]`.
pub fn operand(base: Register, index: Register, displacement: i64) -> MemoryOperand {
    // Size 1 stands for "one byte where it fits, otherwise four", size 0 for none.
    let size = u32::from(displacement != 0);
    MemoryOperand::new(base, index, 1, displacement, size, false, Register::None)
}
