//! Deliberately faulty kernels: what the battery must reject, by name.
//!
//! Each is a copy by `rep movsb` with one thing wrong. Tests of the battery and of whole tunes plant them; a tune in
//! which one of them survives is broken.

use copysmith_kernels::Code;
use dynasmrt::x64::X64Relocation;
use dynasmrt::{DynasmApi, DynasmLabelApi, VecAssembler, dynasm};
use std::sync::atomic::AtomicU64;

/// Who can see a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenBy {
    /// Running it.
    Run,
    /// The static proof of its code alone: it shows only to another processor, now and then.
    Proof,
}

/// How a faulty kernel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Symptom {
    /// It returns, and a comparison after the call finds this in its words.
    Comparison(&'static str),
    /// This signal.
    Signal(i32),
    /// It never returns.
    Hang,
    /// The process ends with this code.
    Exit(i32),
    /// Nothing.
    None,
}

/// What a kernel needs of the CPU beyond x86-64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// 32-byte vectors.
    Avx,
}

/// A kernel with a name that says what is wrong with it.
#[derive(Clone, Debug)]
pub struct Faulty {
    /// What is wrong.
    pub name: &'static str,
    /// The kernel, for every length.
    pub code: Code,
    /// Who can see it.
    pub seen_by: SeenBy,
    /// How it shows when it runs.
    pub symptom: Symptom,
    /// What it needs to run.
    pub needs: Needs,
}

type Assembler = VecAssembler<X64Relocation>;

/// The code that `write` writes.
fn code(write: impl FnOnce(&mut Assembler)) -> Code {
    let mut assembler = Assembler::new(0);
    write(&mut assembler);
    let bytes = assembler.finalize().expect("every label used here is defined beside its use");
    Code { bytes, align: 64, switches: Vec::new() }
}

fn copy(ops: &mut Assembler) {
    dynasm!(ops; .arch x64; mov rax, rdi; mov rcx, rdx; rep movsb);
}

fn copy_then_return(ops: &mut Assembler) {
    copy(ops);
    dynasm!(ops; .arch x64; ret);
}

/// How often `right on the first call only` was called, in this process.
static CALLS: AtomicU64 = AtomicU64::new(0);

fn faulty(name: &'static str, symptom: Symptom, write: impl FnOnce(&mut Assembler)) -> Faulty {
    Faulty { name, code: code(write), seen_by: SeenBy::Run, symptom, needs: Needs::Nothing }
}

/// A kernel with nothing wrong: what the others are before their fault.
pub fn good() -> Faulty {
    Faulty { seen_by: SeenBy::Proof, ..faulty("nothing wrong", Symptom::None, copy_then_return) }
}

/// A second good kernel, a loop of single bytes.
pub fn good_loop() -> Faulty {
    let kernel = faulty("nothing wrong, in a loop", Symptom::None, |ops| {
        dynasm!(ops; .arch x64
            ; mov rax, rdi
            ; test rdx, rdx
            ; jz >done
            ; xor ecx, ecx
            ; again:
            ; mov r8b, [rsi + rcx]
            ; mov [rdi + rcx], r8b
            ; inc rcx
            ; cmp rcx, rdx
            ; jb <again
            ; done:
            ; ret);
    });
    Faulty { seen_by: SeenBy::Proof, ..kernel }
}

/// A move with nothing wrong, under any overlap.
pub fn good_move() -> Faulty {
    let kernel = faulty("nothing wrong, whatever the overlap", Symptom::None, |ops| {
        dynasm!(ops; .arch x64; mov r8, rdi; sub r8, rsi; cmp r8, rdx; jb >above);
        copy_then_return(ops);
        dynasm!(ops; .arch x64; above:);
        copy_from_the_end(ops);
    });
    Faulty { seen_by: SeenBy::Proof, ..kernel }
}

fn copy_from_the_end(ops: &mut Assembler) {
    dynasm!(ops; .arch x64
        ; mov rax, rdi
        ; mov rcx, rdx
        ; lea rsi, [rsi + rdx - 1]
        ; lea rdi, [rdi + rdx - 1]
        ; std
        ; rep movsb
        ; cld
        ; ret);
}

/// A move that is right, but for a destination one byte above the source: only overlapping operands show it, so it is not in
/// [`family`].
pub fn wrong_one_byte_above() -> Faulty {
    faulty("wrong one byte above", Symptom::Comparison("dst=src+1 src="), |ops| {
        dynasm!(ops; .arch x64; mov r8, rdi; sub r8, rsi; cmp r8, 1; je >forward; cmp r8, rdx; jb >above; forward:);
        copy_then_return(ops);
        dynasm!(ops; .arch x64; above:);
        copy_from_the_end(ops);
    })
}

/// A kernel that is right unless a signal comes while it runs: it keeps data below the red zone, where signal handlers
/// write. Only the storm of the full battery shows it, so it is not in [`family`].
pub fn keeps_data_below_the_red_zone() -> Faulty {
    faulty("keeps data below the red zone", Symptom::Comparison("not copied"), |ops| {
        dynasm!(ops; .arch x64
            ; mov r9, rdi
            ; mov r10, rsi
            ; lea rdi, [rsp - 1152]
            ; mov ecx, 128
            ; mov rax, -1
            ; rep stosq
            // Some 100 us, so that a signal meets this and not what is around it.
            ; mov ecx, 300000
            ; wait:
            ; dec ecx
            ; jnz <wait
            ; lea rdi, [rsp - 1152]
            ; mov ecx, 128
            ; repe scasq
            ; mov rdi, r9
            ; mov rsi, r10
            ; mov rax, r9
            ; jne >lost
            ; mov rcx, rdx
            ; rep movsb
            ; lost:
            ; ret);
    })
}

/// Every faulty kernel that the gate or the proof must reject. Those for AVX must not run on a CPU without it.
pub fn family() -> Vec<Faulty> {
    let mut family = wrong_copies();
    family.extend(wrong_ends());
    family.extend(wrong_manners());
    family
}

/// Copies that are wrong by themselves.
fn wrong_copies() -> Vec<Faulty> {
    use Symptom::{Comparison, Signal};
    let calls = CALLS.as_ptr() as i64;
    vec![
        faulty("skips the last byte", Comparison("not copied"), |ops| {
            dynasm!(ops; .arch x64; mov rax, rdi; mov rcx, rdx; sub rcx, 1; adc rcx, 0; rep movsb; ret);
        }),
        faulty("right only for multiples of 32", Comparison("not copied"), |ops| {
            dynasm!(ops; .arch x64; mov rax, rdi; mov rcx, rdx; and rcx, -32; rep movsb; ret);
        }),
        // Where it meets the guard first, it is a SIGSEGV; the battery tries that place first.
        faulty("writes one past", Signal(libc::SIGSEGV), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; mov BYTE [rdi], 90; ret);
        }),
        faulty("writes one before, away from the guard", Comparison("wrote 1 before dst"), |ops| {
            dynasm!(ops; .arch x64; mov r9, rdi);
            copy(ops);
            dynasm!(ops; .arch x64; test r9d, 4095; jz >flush; mov BYTE [r9 - 1], 90; flush:; ret);
        }),
        faulty("writes one past, away from the guard", Comparison("wrote 1 past the end of dst"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; test edi, 4095; jz >flush; mov BYTE [rdi], 90; flush:; ret);
        }),
        faulty("reads 31 past", Signal(libc::SIGSEGV), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; mov cl, [rsi + 30]; ret);
        }),
        faulty("writes to the source", Comparison("changed byte 0 of src"), |ops| {
            dynasm!(ops; .arch x64; mov r9, rsi; mov r10, rdx);
            copy(ops);
            dynasm!(ops; .arch x64; test r10, r10; jz >none; not BYTE [r9]; none:; ret);
        }),
        faulty("returns the source", Comparison("returned dst"), |ops| {
            dynasm!(ops; .arch x64; mov rax, rsi; mov rcx, rdx; rep movsb; ret);
        }),
        faulty("does nothing", Comparison("byte 0 was not copied"), |ops| {
            dynasm!(ops; .arch x64; mov rax, rdi; ret);
        }),
        faulty("right on the first call only", Comparison("not copied"), |ops| {
            dynasm!(ops; .arch x64
                ; mov r10, QWORD calls
                ; mov rax, rdi
                ; inc QWORD [r10]
                ; cmp QWORD [r10], 1
                ; ja >later
                ; mov rcx, rdx
                ; rep movsb
                ; later:
                ; ret);
        }),
        faulty("assumes an aligned destination", Signal(libc::SIGSEGV), |ops| {
            dynasm!(ops; .arch x64; mov r9, rdi; mov r10, rdx);
            copy(ops);
            dynasm!(ops; .arch x64; cmp r10, 16; jb >short; movups xmm0, [r9]; movaps [r9], xmm0; short:; ret);
        }),
    ]
}

/// Kernels that do not come back.
fn wrong_ends() -> Vec<Faulty> {
    use Symptom::{Exit, Hang, Signal};
    vec![
        faulty("hangs", Hang, |ops| dynasm!(ops; .arch x64; again:; jmp <again)),
        faulty("crashes with SIGSEGV", Signal(libc::SIGSEGV), |ops| {
            dynasm!(ops; .arch x64; xor eax, eax; mov al, [rax]; ret);
        }),
        faulty("crashes with SIGILL", Signal(libc::SIGILL), |ops| dynasm!(ops; .arch x64; ud2)),
        faulty("crashes with SIGFPE", Signal(libc::SIGFPE), |ops| {
            dynasm!(ops; .arch x64; xor edx, edx; xor ecx, ecx; mov eax, 1; div ecx; ret);
        }),
        faulty("smashes the stack", Signal(libc::SIGSEGV), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; mov rdi, rsp; mov ecx, 1600; mov r9, rax; mov al, 65; rep stosb; mov rax, r9; ret);
        }),
        faulty("calls exit(0)", Exit(0), |ops| {
            dynasm!(ops; .arch x64; mov eax, libc::SYS_exit_group as i32; xor edi, edi; syscall; ret);
        }),
    ]
}

/// Right copies that leave the machine in a state they may not.
fn wrong_manners() -> Vec<Faulty> {
    use Symptom::{Comparison, None};
    vec![
        Faulty {
            needs: Needs::Avx,
            ..faulty("omits vzeroupper", Comparison("vzeroupper"), |ops| {
                copy(ops);
                dynasm!(ops; .arch x64; vmovups ymm0, [rsp]; ret);
            })
        },
        faulty("omits emms", Comparison("emms"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; movq mm0, rax; ret);
        }),
        faulty("clobbers rbx", Comparison("did not preserve rbx"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; xor ebx, ebx; ret);
        }),
        faulty("clobbers the low byte of rbp", Comparison("did not preserve rbp"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; not bpl; ret);
        }),
        faulty("clobbers r15", Comparison("did not preserve r15"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; xchg r14, r14; inc r15; ret);
        }),
        faulty("resets mxcsr", Comparison("did not preserve mxcsr"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; mov DWORD [rsp - 8], 0x1f80; ldmxcsr [rsp - 8]; ret);
        }),
        faulty("resets the x87 control word", Comparison("x87 control word"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; fninit; ret);
        }),
        faulty("leaves the direction flag set", Comparison("direction flag"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; std; ret);
        }),
        faulty("pops its caller's stack", Comparison("stack pointer off by 8"), |ops| {
            copy(ops);
            dynasm!(ops; .arch x64; ret 8);
        }),
        faulty("writes to its caller's frame", Comparison("byte 40 of its caller's stack"), |ops| {
            copy(ops);
            // The very value that the battery has there at its first call: shows at the second.
            dynasm!(ops; .arch x64; mov BYTE [rsp + 48], -91; ret);
        }),
        Faulty {
            seen_by: SeenBy::Proof,
            ..faulty("omits the fence", None, |ops| {
                dynasm!(ops; .arch x64
                    ; mov rax, rdi
                    ; mov rcx, rdx
                    ; shr rcx, 3
                    ; jz >rest
                    ; again:
                    ; mov r8, [rsi]
                    ; movnti [rdi], r8
                    ; add rsi, 8
                    ; add rdi, 8
                    ; dec rcx
                    ; jnz <again
                    ; rest:
                    ; mov ecx, edx
                    ; and ecx, 7
                    ; rep movsb
                    ; ret);
            })
        },
    ]
}
