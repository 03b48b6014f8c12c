//! Every access as another disassembler reads it.

use super::access::{accesses, addresses, encoded};
use crate::plan::{Addr, Hint, Locality, Op, Reg, Val, Width};
use std::process::Command;

/// Intel syntax as `objdump -M intel` writes it.
fn written(op: &Op) -> String {
    match *op {
        Op::Load { width, from, .. } => {
            let mnemonic = match width {
                Width::B1 | Width::B2 => "movzx",
                Width::B4 | Width::B8 => "mov",
                Width::Sse4 => "movd",
                Width::Mmx8 | Width::Sse8 => "movq",
                Width::Sse16 => "movdqu",
                Width::Avx32 => "vmovdqu",
                Width::Evex16 | Width::Evex32 | Width::Evex64 => "vmovdqu64",
                Width::Fp8 | Width::Altivec16 | Width::Vsx16 | Width::Vsx32 => panic!("x86-64 has no width {width}"),
            };
            let register = if matches!(width, Width::B1 | Width::B2) { "r10d" } else { register(width) };
            format!("{mnemonic} {register},{}{}", pointer(width), place(from))
        }
        Op::Store { width, to, hint, .. } => {
            let mnemonic = match (hint, width) {
                (Hint::NonTemporal, Width::B4 | Width::B8) => "movnti",
                (Hint::NonTemporal, Width::Mmx8) => "movntq",
                (Hint::NonTemporal, Width::Sse16) => "movntdq",
                (Hint::NonTemporal, _) => "vmovntdq",
                (Hint::Plain, Width::B1 | Width::B2 | Width::B4 | Width::B8) => "mov",
                (Hint::Plain, Width::Sse4) => "movd",
                (Hint::Plain, Width::Mmx8 | Width::Sse8) => "movq",
                (Hint::Plain, Width::Sse16) => "movdqu",
                (Hint::Plain, Width::Avx32) => "vmovdqu",
                (Hint::Plain, Width::Evex16 | Width::Evex32 | Width::Evex64) => "vmovdqu64",
                (Hint::Plain, Width::Fp8 | Width::Altivec16 | Width::Vsx16 | Width::Vsx32) => {
                    panic!("x86-64 has no width {width}")
                }
            };
            format!("{mnemonic} {}{},{}", pointer(width), place(to), register(width))
        }
        Op::LoadPartial { width, from, .. } => {
            format!("vmovdqu8 {}{{k3}}{{z}},{}{}", register(width), pointer(width), place(from))
        }
        Op::StorePartial { width, to, .. } => {
            format!("vmovdqu8 {}{}{{k3}},{}", pointer(width), place(to), register(width))
        }
        Op::Prefetch { locality, at } => {
            let mnemonic = match locality {
                Locality::T0 => "prefetcht0",
                Locality::T1 => "prefetcht1",
                Locality::T2 => "prefetcht2",
                Locality::Nta => "prefetchnta",
                Locality::Write => "prefetchw",
            };
            format!("{mnemonic} BYTE PTR {}", place(at))
        }
        ref other => panic!("{other:?} names no memory"),
    }
}

/// The register of value 1.
fn register(width: Width) -> &'static str {
    match width {
        Width::B1 => "r10b",
        Width::B2 => "r10w",
        Width::B4 => "r10d",
        Width::B8 => "r10",
        Width::Mmx8 => "mm1",
        Width::Sse4 | Width::Sse8 | Width::Sse16 => "xmm1",
        Width::Avx32 => "ymm1",
        Width::Evex16 => "xmm17",
        Width::Evex32 => "ymm17",
        Width::Evex64 => "zmm17",
        Width::Fp8 | Width::Altivec16 | Width::Vsx16 | Width::Vsx32 => panic!("x86-64 has no width {width}"),
    }
}

fn pointer(width: Width) -> &'static str {
    match width.bytes() {
        1 => "BYTE PTR ",
        2 => "WORD PTR ",
        4 => "DWORD PTR ",
        8 => "QWORD PTR ",
        16 => "XMMWORD PTR ",
        32 => "YMMWORD PTR ",
        _ => "ZMMWORD PTR ",
    }
}

fn place(addr: Addr) -> String {
    let name = |reg: Reg| ["rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11"][usize::from(reg.0)];
    let index = addr.index.map_or(String::new(), |index| format!("+{}*1", name(index)));
    let displacement = match addr.displacement {
        0 => String::new(),
        d if d < 0 => format!("-{:#x}", d.unsigned_abs()),
        d => format!("+{d:#x}"),
    };
    format!("[{}{index}{displacement}]", name(addr.base))
}

#[test]
fn objdump_reads_every_access_as_it_was_asked_for() {
    if Command::new("objdump").arg("--version").output().is_err() {
        println!("skipped: objdump not found");
        return;
    }
    let ops: Vec<Op> = addresses().into_iter().flat_map(|addr| accesses(addr, Val(1))).collect();
    let path = std::env::temp_dir().join(format!("copysmith-accesses-{}.bin", std::process::id()));
    std::fs::write(&path, encoded(&ops).bytes).expect("the temporary directory can be written to");
    let arguments = ["-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--no-show-raw-insn"];
    let output = Command::new("objdump").args(arguments).arg(&path).output();
    std::fs::remove_file(&path).expect("the file just written");
    let output = String::from_utf8(output.expect("objdump runs").stdout).expect("its output is text");
    let lines = output
        .lines()
        .filter_map(|line| line.split_once(":\t"))
        .map(|(_, text)| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.collect();
    assert_eq!(lines.len(), ops.len());
    for (op, line) in ops.iter().zip(lines) {
        assert_eq!(line, written(op), "{op:?}");
    }
}
