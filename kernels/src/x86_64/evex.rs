//! AVX-512: EVEX loads and stores, and the masked ones that move the first bytes of a vector only.

use super::emit::Emitter;
use super::registers::{data, mask as mask_register, memory, whole};
use crate::code::Unsupported;
use crate::plan::{Addr, Mask, Reg, Val, Width};
use iced_x86::{Code, Instruction, Register};

/// The load of an EVEX width.
pub const fn load(width: Width) -> Code {
    match width {
        Width::Evex16 => Code::EVEX_Vmovdqu64_xmm_k1z_xmmm128,
        Width::Evex32 => Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256,
        _ => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
    }
}

/// The store of an EVEX width.
pub const fn store(width: Width) -> Code {
    match width {
        Width::Evex16 => Code::EVEX_Vmovdqu64_xmmm128_k1z_xmm,
        Width::Evex32 => Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm,
        _ => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
    }
}

/// The non-temporal store of an EVEX width.
pub const fn non_temporal_store(width: Width) -> Code {
    match width {
        Width::Evex16 => Code::EVEX_Vmovntdq_m128_xmm,
        Width::Evex32 => Code::EVEX_Vmovntdq_m256_ymm,
        _ => Code::EVEX_Vmovntdq_m512_zmm,
    }
}

/// Load and store with a bit for each byte; only EVEX has them.
fn masked(width: Width) -> Result<[Code; 2], Unsupported> {
    match width {
        Width::Evex16 => Ok([Code::EVEX_Vmovdqu8_xmm_k1z_xmmm128, Code::EVEX_Vmovdqu8_xmmm128_k1z_xmm]),
        Width::Evex32 => Ok([Code::EVEX_Vmovdqu8_ymm_k1z_ymmm256, Code::EVEX_Vmovdqu8_ymmm256_k1z_ymm]),
        Width::Evex64 => Ok([Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512, Code::EVEX_Vmovdqu8_zmmm512_k1z_zmm]),
        _ => Err(Unsupported(format!("x86-64 has no partial access of width {width}; evex16, evex32, evex64 have"))),
    }
}

impl Emitter<'_> {
    /// Sets the first `count` bits of a mask: all ones in a temporary register, cut off by BZHI (which takes 64 for "all").
    pub fn set_mask(
        &mut self,
        mask: Mask,
        count: Reg,
        width: Width,
        temporary: Option<Reg>,
    ) -> Result<(), Unsupported> {
        masked(width)?;
        let no_register = || Unsupported("x86-64 has no register left to make a mask in".to_owned());
        let bits = whole(temporary.ok_or_else(no_register)?)?;
        self.put(Instruction::with2(Code::Mov_rm64_imm32, bits, -1))?;
        self.put(Instruction::with3(Code::VEX_Bzhi_r64_rm64_r64, bits, bits, whole(count)?))?;
        self.put(Instruction::with2(Code::VEX_Kmovq_kr_r64, mask_register(mask)?, bits))
    }

    /// `val = [from]` where the mask says so, zero elsewhere.
    pub fn load_partial(&mut self, val: Val, width: Width, from: Addr, mask: Mask) -> Result<(), Unsupported> {
        let [load, _] = masked(width)?;
        let load = Instruction::with2(load, data(val, width)?, memory(from)?);
        let mask = mask_register(mask)?;
        self.put(load.map(|load| {
            let mut load = under(load, mask);
            load.set_zeroing_masking(true);
            load
        }))
    }

    /// `[to] = val` where the mask says so.
    pub fn store_partial(&mut self, val: Val, width: Width, to: Addr, mask: Mask) -> Result<(), Unsupported> {
        let [_, store] = masked(width)?;
        let store = Instruction::with2(store, memory(to)?, data(val, width)?);
        let mask = mask_register(mask)?;
        self.put(store.map(|store| under(store, mask)))
    }
}

fn under(mut instruction: Instruction, mask: Register) -> Instruction {
    instruction.set_op_mask(mask);
    instruction
}
