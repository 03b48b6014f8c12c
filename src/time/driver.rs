//! The call loop that times a routine, as generated code: each contestant has its own copy, so that none trains the
//! branch history of another, and no compiler or linker can fold two of them into one.
//!
//! ```text
//! for call in calls:
//!     target(dst + call.dst, src + call.src, call.n)          from one of several places in turn
//!     read back what was copied, if asked; the next source address waits for it
//! ```
//!
//! The loop moves the stack to a fixed offset in its page: a return address whose page offset equals that of the bytes
//! being copied costs cycles, and which process is hit would be chance.

use crate::run::Entry;
use copysmith_kernels::Code;
use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use std::marker::PhantomData;

/// One copy: offsets into the two buffers, and how much. Small, because a pass streams through many.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Where to, in bytes from the destination buffer's start.
    pub dst: u32,
    /// Where from, in bytes from the source buffer's start.
    pub src: u32,
    /// How many bytes.
    pub n: u32,
}

/// What is read of each copy before the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadBack {
    /// Nothing.
    None,
    /// The first and the last 8 bytes (of copies below 8 bytes, the first and the last), and the next copy's source address
    /// waits for them: so the way from store to load counts.
    Ends,
    /// As `Ends` with 16 bytes at each end (of copies below 16 bytes, the first and the last): on many CPUs a load cannot be answered
    /// from two stores that have half of it each.
    WideEnds,
    /// One word in each 64 bytes, then as `Ends`.
    Full,
}

/// How a call reaches its target.
///
/// Programs reach a memcpy in a shared library, and `copysmith_tuned` reaches its routine, by a jump through a pointer. On Zen 5 that
/// jump costs a routine whose way to a leaf takes another jump a sixth of its time, and one that falls through to it nothing, so
/// that routines called directly are ranked otherwise than the same routines in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entered {
    /// By a call to a jump through a register: for code that is called by its address here and through a pointer in use.
    ByJump,
    /// By the call itself: for functions that make the jump.
    Directly,
}

/// How many calls a turn of the loop makes, each from a place of its own with one never-taken branch more before it.
///
/// A loop of one call is so regular that how many branches a turn has decides how fast the predictor runs ahead of it: on Zen 5 a
/// copy of 33 to 64 bytes took 4.1 ticks without a branch of its own, 3.5 with one, and 2.6 after a branch had been added to the
/// loop, and every ranking of short kernels was a ranking of their numbers of branches. Unlike places average that out.
const SITES: usize = 4;

/// The alignment of the loop's head and of the driver itself.
const ALIGN: usize = 64;

/// The code of a call loop with this read-back that enters its target so. It is no copy routine: only [`Driver`] knows how to call it.
pub fn emit(read_back: ReadBack, entered: Entered) -> Code {
    let mut asm = assembler();
    // Arguments: rdi calls, rsi their number, rdx target, rcx dst, r8 src.
    // Loop: rbx next call, rbp end of calls, r12 target, r13 dst, r14 src. [rsp] a readable word, [rsp+8] the old stack.
    dynasm!(asm
        ; .arch x64
        ; push rbx ; push rbp ; push r12 ; push r13 ; push r14
        ; mov rax, rsp
        ; and rsp, -4096
        ; sub rsp, 64
        ; mov QWORD [rsp], 0
        ; mov [rsp + 8], rax
        ; lea rax, [rsi + rsi * 2]
        ; lea rbp, [rdi + rax * 4]
        ; mov rbx, rdi ; mov r12, rdx ; mov r13, rcx ; mov r14, r8
        ; cmp rbx, rbp
        ; je >done
        ; .align ALIGN
        ; again:
    );
    for site in 0..SITES {
        dynasm!(asm
            ; .arch x64
            ; mov edi, [rbx] ; mov esi, [rbx + 4] ; mov edx, [rbx + 8]
            ; add rbx, 12
            ; add rdi, r13
            ; add rsi, r14
        );
        for _ in 0..site {
            // Never taken: the end of the calls is no null pointer.
            dynasm!(asm ; .arch x64 ; test rbp, rbp ; jz >done);
        }
        match entered {
            Entered::ByJump => dynasm!(asm ; .arch x64 ; call >door),
            Entered::Directly => dynasm!(asm ; .arch x64 ; call r12),
        }
        if read_back != ReadBack::None {
            emit_read_back(&mut asm, read_back);
        }
        dynasm!(asm ; .arch x64 ; cmp rbx, rbp ; je >done);
    }
    dynasm!(asm
        ; .arch x64
        ; jmp <again
        ; done:
        ; mov rsp, [rsp + 8]
        ; pop r14 ; pop r13 ; pop r12 ; pop rbp ; pop rbx
        ; ret
        ; .align ALIGN
        ; door:
        ; jmp r12
    );
    finish(asm)
}

/// Loads at the ends without a branch on the length, which would teach the predictor what the next routine is to guess:
/// below 8 bytes (or 16) the wide loads go to the stack, at 0 bytes all loads stay inside the buffer.
fn emit_read_back(asm: &mut VecAssembler<X64Relocation>, read_back: ReadBack) {
    dynasm!(asm
        ; .arch x64
        ; mov edi, [rbx - 12] ; mov edx, [rbx - 4]
        ; add rdi, r13
        ; xor eax, eax
    );
    if read_back == ReadBack::Full {
        dynasm!(asm
            ; .arch x64
            ; mov rsi, rdi
            ; mov ecx, edx
            ; shr ecx, 6
            ; jz >ends
            ; line:
            ; add rax, [rsi]
            ; add rsi, 64
            ; dec ecx
            ; jnz <line
            ; ends:
        );
    }
    dynasm!(asm
        ; .arch x64
        ; lea rsi, [rdi + rdx - 1]
        ; test edx, edx
        ; cmovz rsi, rdi
        ; movzx r8, BYTE [rdi]
        ; movzx r9, BYTE [rsi]
    );
    if read_back == ReadBack::WideEnds {
        // The loop's two words on its stack are 16 readable bytes. Both halves of both loads are waited for.
        dynasm!(asm
            ; .arch x64
            ; lea rcx, [rdi + rdx - 16]
            ; cmp edx, 16
            ; cmovb rdi, rsp
            ; cmovb rcx, rsp
            ; movdqu xmm0, [rdi]
            ; movdqu xmm1, [rcx]
            ; paddq xmm0, xmm1
            ; pshufd xmm1, xmm0, 0x4e
            ; paddq xmm0, xmm1
            ; movq rcx, xmm0
            ; add r8, rcx
        );
    } else {
        dynasm!(asm
            ; .arch x64
            ; lea rcx, [rdi + rdx - 8]
            ; cmp edx, 8
            ; cmovb rdi, rsp
            ; cmovb rcx, rsp
            ; add rax, [rdi]
            ; add r8, [rcx]
        );
    }
    dynasm!(asm
        ; .arch x64
        ; add rax, r9
        ; add rax, r8
        // Zero, but the CPU does not know before the loads are back.
        ; and rax, 0
        ; add r14, rax
    );
}

/// A routine that copies nothing and returns its first argument: what it takes is the loop's own share.
pub fn emit_null() -> Code {
    let mut asm = assembler();
    dynasm!(asm ; .arch x64 ; mov rax, rdi ; ret);
    finish(asm)
}

fn assembler() -> VecAssembler<X64Relocation> {
    VecAssembler::new_with_capacity(0, 256, 0, 0, 8, 0, 8)
}

fn finish(asm: VecAssembler<X64Relocation>) -> Code {
    let bytes = asm.finalize().expect("every label of the driver is defined and near");
    Code { bytes, align: ALIGN, switches: Vec::new() }
}

#[cfg(target_arch = "x86_64")]
type Loop = unsafe extern "sysv64" fn(*const Call, usize, *const u8, *mut u8, *const u8);
#[cfg(not(target_arch = "x86_64"))]
type Loop = unsafe extern "C" fn(*const Call, usize, *const u8, *mut u8, *const u8);

/// A call loop in executable memory; lives no longer than that memory.
#[derive(Clone, Copy, Debug)]
pub struct Driver<'a> {
    run: Loop,
    memory: PhantomData<&'a [u8]>,
}

impl<'a> Driver<'a> {
    /// The loop at an entry.
    ///
    /// # Safety
    /// - The code at the entry is what [`emit`] gave, unchanged.
    pub unsafe fn at(entry: Entry<'a>) -> Driver<'a> {
        // SAFETY: the caller vouches that the code there is a call loop, which has this type.
        let run = unsafe { std::mem::transmute::<usize, Loop>(entry.address()) };
        Driver { run, memory: PhantomData }
    }

    /// The address of the loop's first instruction.
    pub fn address(self) -> usize {
        self.run as usize
    }

    /// Makes all calls, in order.
    ///
    /// # Safety
    /// - This is an x86-64 CPU, and `target` is correct for every length in `calls` and has only instructions of this CPU.
    /// - For each call `dst + call.dst` is writable and `src + call.src` readable for `call.n` bytes, at least for one.
    /// - Nothing else uses those bytes meanwhile, and the bytes of a call do not overlap unless `target` allows it.
    pub unsafe fn run(self, calls: &[Call], target: Entry, dst: *mut u8, src: *const u8) {
        // SAFETY: the loop touches `calls`, its stack and what the targets touch, for which the caller vouches.
        unsafe { (self.run)(calls.as_ptr(), calls.len(), target.address() as *const u8, dst, src) }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
