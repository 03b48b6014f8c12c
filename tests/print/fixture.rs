//! An instruction set of one routine, written down by hand, and winners to print with it. Printing, not emitting, is under
//! test here.

use copysmith::print::Winners;
use copysmith::print::winners::{Evidence, Provenance, SCHEMA, Whole, Winner};
use copysmith_kernels::plan::Plan;
use copysmith_kernels::proof::Program;
use copysmith_kernels::{Code, Line, Recipe, Target, Unreadable, Unsupported};

/// A string move with padding before it, as an aligned loop head has it. Right for every length on every processor.
pub const LINES: [(&[u8], &str); 5] = [
    (&[0x48, 0x89, 0xf8], "mov rax, rdi"),
    (&[0x48, 0x89, 0xd1], "mov rcx, rdx"),
    (&[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00], "nop word [rax+rax]"),
    (&[0xf3, 0xa4], "rep movsb"),
    (&[0xc3], "ret"),
];

/// x86-64 as far as [`LINES`] go, with knobs to go wrong.
pub struct ByHand {
    pub name: &'static str,
    pub lines: Vec<(&'static [u8], &'static str)>,
    pub bytes: Vec<u8>,
    pub align: usize,
}

impl ByHand {
    pub fn new() -> ByHand {
        let bytes = LINES.iter().flat_map(|(bytes, _)| bytes.iter().copied()).collect();
        ByHand { name: "x86-64", lines: LINES.to_vec(), bytes, align: 16 }
    }
}

impl Target for ByHand {
    fn name(&self) -> &'static str {
        self.name
    }

    fn emit(&self, _plan: &Plan) -> Result<Code, Unsupported> {
        Ok(Code { bytes: self.bytes.clone(), align: self.align, switches: Vec::new() })
    }

    fn decode(&self, _code: &Code) -> Result<Program, Unreadable> {
        Err(Unreadable { offset: 0, text: "nothing is decoded here".to_owned() })
    }

    fn listing(&self, _code: &Code) -> Vec<Line> {
        let mut offset = 0;
        let line = |&(bytes, text): &(&[u8], &str)| {
            offset += bytes.len();
            Line { offset: offset - bytes.len(), bytes: bytes.to_vec(), text: text.to_owned() }
        };
        self.lines.iter().map(line).collect()
    }
}

/// The table key of the processor that runs the tests.
#[cfg(target_arch = "x86_64")]
pub fn this_machine() -> String {
    copysmith_tuned::cpu::Cpu::here().to_string()
}

/// Winners of three classes.
pub fn winners(machine: &str) -> Winners {
    let class = |text: &str, evidence| {
        let recipe: Recipe = text.parse().unwrap();
        Winner { span: recipe.span(), recipe, evidence }
    };
    let measured = |ratio, low, high| Evidence::Measured { ratio, low, high, blocks: 40 };
    Winners {
        schema: SCHEMA,
        machine: machine.to_owned(),
        isa: copysmith_kernels::Isa::Sse2,
        seed: 7,
        classes: vec![
            class("copy 0..=7 branch-free width=4", measured(0.9, 0.85, 1.0)),
            class("copy 8..=32 computed width=8 moves=4", Evidence::Modelled),
            class("copy 33.. string unit=1", measured(2.0 / 3.0, 0.1 + 0.2, 12.0)),
        ],
        routine: Whole {
            text: "cuts=32>,7 | copy 0..=7 branch-free width=4 | copy 8..=32 computed width=8 moves=4 | copy 33.. string unit=1"
                .parse()
                .unwrap(),
            evidence: measured(0.75, 0.74, 0.76),
        },
        provenance: Provenance { copysmith: "0.1.0".into(), emitter: "e1".into(), space: "s1".into() },
    }
}
