//! Vector, MMX and mask instructions as steps.

use super::{MMX_FROM, general, place_at, register};
use crate::proof::{MaskReg, MaskSource, Slot, Step, VectorReg};
use iced_x86::{Code, Instruction, Register};

/// The step of an access through a vector register, or of what sets a mask.
pub fn read(instruction: &Instruction) -> Option<Step> {
    match instruction.code() {
        // These two clear the rest of the register (Intel SDM volume 2, MOVD and MOVQ), which nothing looks at.
        Code::Movd_xmm_rm32 => load(instruction, 4),
        Code::Movq_mm_mmm64 | Code::Movq_xmm_xmmm64 => load(instruction, 8),
        Code::Movdqu_xmm_xmmm128 => load(instruction, 16),
        Code::VEX_Vmovdqu_ymm_ymmm256 => load(instruction, 32),
        Code::EVEX_Vmovdqu64_xmm_k1z_xmmm128 if !is_masked(instruction) => load(instruction, 16),
        Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256 if !is_masked(instruction) => load(instruction, 32),
        Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512 if !is_masked(instruction) => load(instruction, 64),
        Code::Movd_rm32_xmm => store(instruction, 4, 1, false),
        Code::Movq_mmm64_mm | Code::Movq_xmmm64_xmm => store(instruction, 8, 1, false),
        Code::Movdqu_xmmm128_xmm => store(instruction, 16, 1, false),
        Code::VEX_Vmovdqu_ymmm256_ymm => store(instruction, 32, 1, false),
        Code::EVEX_Vmovdqu64_xmmm128_k1z_xmm if !is_masked(instruction) => store(instruction, 16, 1, false),
        Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm if !is_masked(instruction) => store(instruction, 32, 1, false),
        Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm if !is_masked(instruction) => store(instruction, 64, 1, false),
        // MOVNTQ has no alignment to keep (Intel SDM volume 2); the vector forms fault without theirs.
        Code::Movntq_m64_mm => store(instruction, 8, 1, true),
        Code::Movntdq_m128_xmm | Code::EVEX_Vmovntdq_m128_xmm => store(instruction, 16, 16, true),
        Code::VEX_Vmovntdq_m256_ymm | Code::EVEX_Vmovntdq_m256_ymm => store(instruction, 32, 32, true),
        Code::EVEX_Vmovntdq_m512_zmm => store(instruction, 64, 64, true),
        Code::EVEX_Vmovdqu8_xmm_k1z_xmmm128 => load_masked(instruction, 16),
        Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256 => load_masked(instruction, 32),
        Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512 => load_masked(instruction, 64),
        Code::EVEX_Vmovdqu8_xmmm128_k1z_xmm => store_masked(instruction, 16),
        Code::EVEX_Vmovdqu8_ymmm256_k1z_ymm => store_masked(instruction, 32),
        Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm => store_masked(instruction, 64),
        Code::VEX_Kmovq_kr_r64 => {
            let to = register(instruction, 0).filter(|register| register.is_k()).and_then(number)?;
            Some(Step::SetMask { to, from: MaskSource::Bits(general(instruction, 1)?) })
        }
        _ => None,
    }
}

fn number(register: Register) -> Option<u8> {
    u8::try_from(register.number()).ok()
}

/// The vector or MMX register that an operand is.
fn vector(instruction: &Instruction, operand: u32) -> Option<VectorReg> {
    let register = register(instruction, operand)?;
    if register.is_mm() {
        number(register).map(|number| MMX_FROM + number)
    } else if register.is_vector_register() {
        number(register)
    } else {
        None
    }
}

fn is_masked(instruction: &Instruction) -> bool {
    instruction.op_mask() != Register::None || instruction.zeroing_masking()
}

/// The mask of a masked instruction.
fn mask(instruction: &Instruction) -> Option<MaskReg> {
    Some(instruction.op_mask()).filter(|register| register.is_k()).and_then(number)
}

fn load(instruction: &Instruction, bytes: u8) -> Option<Step> {
    Some(Step::Load { to: Slot::Vector(vector(instruction, 0)?), bytes, from: place_at(instruction, 1)?, align: 1 })
}

fn store(instruction: &Instruction, bytes: u8, align: u8, non_temporal: bool) -> Option<Step> {
    let (from, to) = (Slot::Vector(vector(instruction, 1)?), place_at(instruction, 0)?);
    Some(Step::Store { from, bytes, to, non_temporal, align })
}

/// Merging would keep old bytes where the mask has none; a step does not say that.
fn load_masked(instruction: &Instruction, bytes: u8) -> Option<Step> {
    let (to, from, mask) = (vector(instruction, 0)?, place_at(instruction, 1)?, mask(instruction)?);
    instruction.zeroing_masking().then_some(Step::LoadMasked { to, bytes, from, mask })
}

fn store_masked(instruction: &Instruction, bytes: u8) -> Option<Step> {
    let (from, to, mask) = (vector(instruction, 1)?, place_at(instruction, 0)?, mask(instruction)?);
    (!instruction.zeroing_masking()).then_some(Step::StoreMasked { from, bytes, to, mask })
}
