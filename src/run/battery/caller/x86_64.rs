//! The trampoline for x86-64, System V convention (psABI 3.2.1 and 3.2.3: what a callee preserves).

use super::super::fault::Fault;
use super::{Avx, returned};
use crate::host::xgetbv_in_use_is_supported;
use crate::run::{Entry, Guarded};
use std::arch::naked_asm;
use std::cell::UnsafeCell;
use std::io;
use std::mem::offset_of;

/// Bytes of the caller's part of the stack.
const CALLER_PART: usize = 2048;
/// Where in it the trampoline looks for its record: far enough that a small overrun does not hide itself.
const RECORD_AT: usize = 1024;
/// Bytes for the routine: its frame, the red zone, and a signal's frame with 64-byte registers.
const ROUTINE_PART: usize = 128 << 10;

/// What the preserved registers hold at the call.
const KNOWN: [(&str, u64); 6] = [
    ("rbx", 0x1b0b_1b0b_5a5a_0001),
    ("rbp", 0x1b0b_1b0b_5a5a_0002),
    ("r12", 0x1b0b_1b0b_5a5a_0003),
    ("r13", 0x1b0b_1b0b_5a5a_0004),
    ("r14", 0x1b0b_1b0b_5a5a_0005),
    ("r15", 0x1b0b_1b0b_5a5a_0006),
];
/// In every register that holds no argument: a routine that takes one for zero shows.
const JUNK: u64 = 0xdead_dead_dead_dead;
/// All exceptions masked as usual, but rounding toward zero: resetting to the default shows.
const MXCSR: u32 = 0x7f80;
/// Likewise for x87.
const X87_CONTROL: u16 = 0x0f7f;
/// The bits of MXCSR that are status, not control: a callee may change them.
const MXCSR_STATUS: u32 = 0x3f;
const DIRECTION: u64 = 1 << 10;
/// The upper halves of ymm0-15 and of zmm0-15 in XINUSE. Registers 16 to 31 slow nobody down and are not asked for.
const UPPER_HALVES: u32 = 1 << 2 | 1 << 6;

const HAS_AVX: u32 = 1;
const TRACKS_UPPER_HALVES: u32 = 2;

/// One call: what goes in, and everything there is to see after.
#[repr(C)]
#[derive(Default)]
struct Record {
    entry: usize,
    dst: usize,
    src: usize,
    n: usize,
    stack: usize,
    own_stack: usize,
    result: usize,
    preserved: [u64; 6],
    stack_after: usize,
    flags: u64,
    mxcsr: u32,
    own_mxcsr: u32,
    in_use: u32,
    machine: u32,
    x87: [u32; 7],
    x87_control: u16,
    own_x87_control: u16,
}

/// Calls routines; owns their stack.
pub(in super::super) struct Caller {
    record: Box<UnsafeCell<Record>>,
    stack: Guarded,
    expected: Vec<u8>,
}

impl Caller {
    /// # Errors
    /// The system's, when there is no memory for a stack.
    pub(in super::super) fn new(avx: Avx) -> io::Result<Caller> {
        let stack = Guarded::new(ROUTINE_PART + CALLER_PART)?;
        let record = Box::new(UnsafeCell::new(Record::default()));
        let expected = (record.get() as usize).to_ne_bytes().repeat(CALLER_PART / size_of::<usize>());
        let mut caller = Caller { record, stack, expected };
        let mut machine = if avx == Avx::Usable { HAS_AVX } else { 0 };
        if avx == Avx::Usable && xgetbv_in_use_is_supported() {
            machine |= TRACKS_UPPER_HALVES;
        }
        caller.record.get_mut().machine = machine;
        if machine & TRACKS_UPPER_HALVES != 0 && !caller.tells_clean_from_dirty() {
            caller.record.get_mut().machine = HAS_AVX;
        }
        Ok(caller)
    }

    /// A processor may report a state in use that is not (Intel SDM vol. 1, 13.6): believe it only if it tells two
    /// known routines apart.
    fn tells_clean_from_dirty(&mut self) -> bool {
        let mut dirty = |function| {
            let mut byte = 0_u8;
            // SAFETY: both routines below are right for no bytes at all, and AVX is usable here.
            let outcome = unsafe { self.call(Entry::linked(function), &raw mut byte, &raw const byte, 0) };
            outcome == Err(Fault::UpperHalves)
        };
        !dirty(leaves_clean) && dirty(leaves_dirty)
    }

    /// Calls the routine and looks at everything a callee must keep.
    ///
    /// # Safety
    /// - `dst` is writable and `src` readable for `n` bytes.
    /// - The code may be wrong only if this process may be lost.
    pub(in super::super) unsafe fn call(
        &mut self,
        entry: Entry,
        dst: *mut u8,
        src: *const u8,
        n: usize,
    ) -> Result<(), Fault> {
        let top = self.stack.len();
        self.stack.bytes_mut()[top - CALLER_PART..].copy_from_slice(&self.expected);
        let stack = self.stack.start() as usize + top - CALLER_PART;
        let record = self.record.get_mut();
        (record.entry, record.dst, record.src, record.n) = (entry.address(), dst as usize, src as usize, n);
        (record.stack, record.mxcsr, record.x87_control) = (stack, MXCSR, X87_CONTROL);
        // SAFETY: the record is exclusively ours and complete; `stack` is 16-aligned with room below it, and every word
        // above it is the record's address. What the routine does is passed on to the caller.
        unsafe { call_recorded(self.record.get()) };
        self.judge(dst)
    }

    fn judge(&mut self, dst: *mut u8) -> Result<(), Fault> {
        let record = self.record.get_mut();
        if record.stack_after != record.stack {
            return Err(Fault::StackPointer { off_by: record.stack_after.wrapping_sub(record.stack).cast_signed() });
        }
        returned(record.result, dst)?;
        let register = |name: &str| Err(Fault::Register { name: name.to_owned() });
        for ((name, known), found) in KNOWN.into_iter().zip(record.preserved) {
            if found != known {
                return register(name);
            }
        }
        if record.flags & DIRECTION != 0 {
            return Err(Fault::DirectionFlag);
        }
        if (record.mxcsr ^ MXCSR) & !MXCSR_STATUS != 0 {
            return register("mxcsr");
        }
        // FNSTENV's image: control word, status word, tag word; a tag word of ones is eight empty registers.
        if record.x87[0] as u16 != X87_CONTROL {
            return register("the x87 control word");
        }
        if record.x87[2] as u16 != 0xffff {
            return Err(Fault::MmxState);
        }
        if record.machine & TRACKS_UPPER_HALVES != 0 && record.in_use & UPPER_HALVES != 0 {
            return Err(Fault::UpperHalves);
        }
        let caller_part = &self.stack.bytes()[self.stack.len() - CALLER_PART..];
        if caller_part != self.expected {
            let at = caller_part.iter().zip(&self.expected).position(|(found, expected)| found != expected);
            return Err(Fault::CallerStack { at: at.unwrap_or(0) });
        }
        Ok(())
    }

    /// What this machine does not let us see.
    pub(in super::super) fn skipped(&mut self) -> Vec<String> {
        match self.record.get_mut().machine {
            HAS_AVX => vec!["upper halves: this processor does not say whether they are in use".to_owned()],
            _ => Vec::new(),
        }
    }
}

/// A routine for no bytes that leaves everything as it was.
#[unsafe(naked)]
unsafe extern "sysv64" fn leaves_clean(_dst: *mut u8, _src: *const u8, _n: usize) -> *mut u8 {
    naked_asm!("mov rax, rdi", "ret")
}

/// A routine for no bytes that dirties an upper half.
#[unsafe(naked)]
unsafe extern "sysv64" fn leaves_dirty(_dst: *mut u8, _src: *const u8, _n: usize) -> *mut u8 {
    // What is above the return address is not zero, and 32 bytes of it can be read.
    naked_asm!("vmovups ymm0, [rsp]", "mov rax, rdi", "ret")
}

/// Makes the call in the record and fills in what is seen after it. Leaves the machine as the convention wants it,
/// whatever the routine did.
///
/// # Safety
/// - `record` holds a call, and its stack is 16-aligned, writable well below and, above it, filled with `record`.
/// - The routine's own obligations.
#[unsafe(naked)]
unsafe extern "sysv64" fn call_recorded(record: *mut Record) {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi + {own_stack}], rsp",
        "stmxcsr [rdi + {own_mxcsr}]",
        "fnstcw [rdi + {own_x87_control}]",
        "test dword ptr [rdi + {machine}], {has_avx}",
        "jz 2f",
        "vzeroupper",
        "2:",
        "emms",
        "ldmxcsr [rdi + {mxcsr}]",
        "fldcw [rdi + {x87_control}]",
        "mov rsp, [rdi + {stack}]",
        "mov r11, [rdi + {entry}]",
        "mov rsi, [rdi + {src}]",
        "mov rdx, [rdi + {n}]",
        "mov rdi, [rdi + {dst}]",
        "mov rbx, {rbx}",
        "mov rbp, {rbp}",
        "mov r12, {r12}",
        "mov r13, {r13}",
        "mov r14, {r14}",
        "mov r15, {r15}",
        "mov rax, {junk}",
        "mov rcx, rax",
        "mov r8, rax",
        "mov r9, rax",
        "mov r10, rax",
        "call r11",
        "mov r11, [rsp + {record_at}]",
        "mov [r11 + {stack_after}], rsp",
        "mov [r11 + {result}], rax",
        "mov [r11 + {preserved}], rbx",
        "mov [r11 + {preserved} + 8], rbp",
        "mov [r11 + {preserved} + 16], r12",
        "mov [r11 + {preserved} + 24], r13",
        "mov [r11 + {preserved} + 32], r14",
        "mov [r11 + {preserved} + 40], r15",
        // Whoever left the stack pointer elsewhere: the words below are free again.
        "mov rsp, [r11 + {stack}]",
        "pushfq",
        "pop rax",
        "cld",
        "mov [r11 + {flags}], rax",
        "stmxcsr [r11 + {mxcsr}]",
        "fnstenv [r11 + {x87}]",
        "mov dword ptr [r11 + {in_use}], 0",
        "test dword ptr [r11 + {machine}], {tracks}",
        "jz 3f",
        "mov ecx, 1",
        "xgetbv",
        "mov [r11 + {in_use}], eax",
        "3:",
        "test dword ptr [r11 + {machine}], {has_avx}",
        "jz 4f",
        "vzeroupper",
        "4:",
        "emms",
        "ldmxcsr [r11 + {own_mxcsr}]",
        "fldcw [r11 + {own_x87_control}]",
        "mov rsp, [r11 + {own_stack}]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
        entry = const offset_of!(Record, entry),
        dst = const offset_of!(Record, dst),
        src = const offset_of!(Record, src),
        n = const offset_of!(Record, n),
        stack = const offset_of!(Record, stack),
        own_stack = const offset_of!(Record, own_stack),
        result = const offset_of!(Record, result),
        preserved = const offset_of!(Record, preserved),
        stack_after = const offset_of!(Record, stack_after),
        flags = const offset_of!(Record, flags),
        mxcsr = const offset_of!(Record, mxcsr),
        own_mxcsr = const offset_of!(Record, own_mxcsr),
        in_use = const offset_of!(Record, in_use),
        machine = const offset_of!(Record, machine),
        x87 = const offset_of!(Record, x87),
        x87_control = const offset_of!(Record, x87_control),
        own_x87_control = const offset_of!(Record, own_x87_control),
        record_at = const RECORD_AT,
        has_avx = const HAS_AVX,
        tracks = const TRACKS_UPPER_HALVES,
        junk = const JUNK,
        rbx = const KNOWN[0].1,
        rbp = const KNOWN[1].1,
        r12 = const KNOWN[2].1,
        r13 = const KNOWN[3].1,
        r14 = const KNOWN[4].1,
        r15 = const KNOWN[5].1,
    )
}
