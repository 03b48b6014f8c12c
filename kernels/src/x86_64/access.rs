//! Loads, stores and prefetches: which instruction moves which width.

use super::emit::Emitter;
use super::evex;
use super::registers::{data, memory};
use crate::code::Unsupported;
use crate::plan::{Addr, Hint, Locality, Val, Width};
use iced_x86::{Code, Instruction};

/// The load of a width; narrow ones clear the rest of the register, so that no load waits for an older value.
const fn loads(width: Width) -> Code {
    match width {
        Width::B1 => Code::Movzx_r32_rm8,
        Width::B2 => Code::Movzx_r32_rm16,
        Width::B4 => Code::Mov_r32_rm32,
        Width::B8 => Code::Mov_r64_rm64,
        Width::Mmx8 => Code::Movq_mm_mmm64,
        Width::Sse4 => Code::Movd_xmm_rm32,
        Width::Sse8 => Code::Movq_xmm_xmmm64,
        Width::Sse16 => Code::Movdqu_xmm_xmmm128,
        Width::Avx32 => Code::VEX_Vmovdqu_ymm_ymmm256,
        _ => evex::load(width),
    }
}

const fn stores(width: Width) -> Code {
    match width {
        Width::B1 => Code::Mov_rm8_r8,
        Width::B2 => Code::Mov_rm16_r16,
        Width::B4 => Code::Mov_rm32_r32,
        Width::B8 => Code::Mov_rm64_r64,
        Width::Mmx8 => Code::Movq_mmm64_mm,
        Width::Sse4 => Code::Movd_rm32_xmm,
        Width::Sse8 => Code::Movq_xmmm64_xmm,
        Width::Sse16 => Code::Movdqu_xmmm128_xmm,
        Width::Avx32 => Code::VEX_Vmovdqu_ymmm256_ymm,
        _ => evex::store(width),
    }
}

const fn non_temporal_stores(width: Width) -> Option<Code> {
    Some(match width {
        Width::B1
        | Width::B2
        | Width::Sse4
        | Width::Sse8
        | Width::Fp8
        | Width::Altivec16
        | Width::Vsx16
        | Width::Vsx32 => return None,
        Width::B4 => Code::Movnti_m32_r32,
        Width::B8 => Code::Movnti_m64_r64,
        Width::Mmx8 => Code::Movntq_m64_mm,
        Width::Sse16 => Code::Movntdq_m128_xmm,
        Width::Avx32 => Code::VEX_Vmovntdq_m256_ymm,
        Width::Evex16 | Width::Evex32 | Width::Evex64 => evex::non_temporal_store(width),
    })
}

impl Emitter<'_> {
    /// `val = [from]`.
    pub fn load(&mut self, val: Val, width: Width, from: Addr) -> Result<(), Unsupported> {
        let to = match width {
            // MOVZX names the 32-bit register.
            Width::B1 | Width::B2 => data(val, width)?.full_register32(),
            _ => data(val, width)?,
        };
        self.put(Instruction::with2(loads(width), to, memory(from)?))
    }

    /// `[to] = val`.
    pub fn store(&mut self, val: Val, width: Width, to: Addr, hint: Hint) -> Result<(), Unsupported> {
        let code = match hint {
            Hint::Plain => stores(width),
            Hint::NonTemporal => non_temporal_stores(width)
                .ok_or_else(|| Unsupported(format!("x86-64 has no non-temporal store of width {width}")))?,
        };
        self.put(Instruction::with2(code, memory(to)?, data(val, width)?))
    }

    /// Asks for the line at an address.
    pub fn prefetch(&mut self, locality: Locality, at: Addr) -> Result<(), Unsupported> {
        let code = match locality {
            Locality::T0 => Code::Prefetcht0_m8,
            Locality::T1 => Code::Prefetcht1_m8,
            Locality::T2 => Code::Prefetcht2_m8,
            Locality::Nta => Code::Prefetchnta_m8,
            Locality::Write => Code::Prefetchw_m8,
        };
        self.put(Instruction::with1(code, memory(at)?))
    }
}
