//! What can run once a function is called: jumps, calls, and pointers are followed through a library's code.
//!
//! A register that holds an address cannot be followed. Only printed routines jump through one, into slots of their own, which the
//! project's proofs have shown.

use crate::library::{Function, Library, Pointer};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};
use std::collections::BTreeMap;

/// A part of the names of all printed functions.
const PRINTED: &str = "copysmith_tuned5table";
/// Bytes of a stub that the linker makes for a call of another library; it has no symbol.
const STUB: usize = 16;

/// The functions that can run, by address, with how the first call of each came about.
pub type Reached = BTreeMap<u64, String>;

/// Everything that a call of this exported function can run.
///
/// # Errors
/// How one of `forbidden` is reached, by name, inside the library or out of it; or what cannot be followed.
pub fn reach(library: &Library, start: &str, forbidden: &dyn Fn(&str) -> bool) -> Result<Reached, String> {
    let mut reached = Reached::new();
    let mut waiting = vec![(library.exported[start], start.to_owned())];
    while let Some((at, path)) = waiting.pop() {
        if reached.insert(at, path.clone()).is_some() {
            continue;
        }
        let function = match library.functions.get(&at) {
            Some(function) => function.clone(),
            None => stub(library, at).ok_or_else(|| format!("{path} -> {at:#x}, where no function is"))?,
        };
        for pointer in left(library, at, &function).map_err(|what| format!("{path}: {what}"))? {
            let (name, to) = match pointer {
                Pointer::Named(name) => (name, None),
                Pointer::Inside(to) => {
                    (library.functions.get(&to).map_or("a stub", |it| &it.name).to_owned(), Some(to))
                }
            };
            let further = format!("{path} -> {name}");
            if forbidden(&name) {
                return Err(further);
            }
            waiting.extend(to.map(|to| (to, further)));
        }
    }
    Ok(reached)
}

/// The address of the pointer through which an exported function jumps or calls first.
pub fn slot(library: &Library, name: &str) -> u64 {
    let at = library.exported[name];
    let through = |instruction: &Instruction| {
        let flow = instruction.flow_control();
        matches!(flow, FlowControl::IndirectBranch | FlowControl::IndirectCall)
            && instruction.memory_base() == Register::RIP
    };
    let mut instructions = Decoder::with_ip(64, library.code_at(at), at, DecoderOptions::NONE).into_iter();
    instructions.find(through).expect("it goes through a pointer").memory_displacement64()
}

fn stub(library: &Library, at: u64) -> Option<Function> {
    let code = library.code_at(at);
    (code.len() >= STUB).then(|| Function { name: "a stub".to_owned(), code: code[..STUB].to_vec() })
}

/// Where a function goes that is not inside it.
fn left(library: &Library, at: u64, function: &Function) -> Result<Vec<Pointer>, String> {
    let inside = at..at + function.code.len() as u64;
    let mut left = Vec::new();
    for instruction in Decoder::with_ip(64, &function.code, at, DecoderOptions::NONE).iter() {
        match instruction.flow_control() {
            FlowControl::Next | FlowControl::Return | FlowControl::Interrupt => {}
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch | FlowControl::Call => {
                let to = instruction.near_branch_target();
                if !inside.contains(&to) {
                    left.push(Pointer::Inside(to));
                }
            }
            FlowControl::IndirectBranch | FlowControl::IndirectCall => {
                left.extend(through(library, function, &instruction)?)
            }
            other => return Err(format!("{other:?} at {:#x}", instruction.ip())),
        }
        if function.name == "a stub" && instruction.flow_control() == FlowControl::IndirectBranch {
            break;
        }
    }
    Ok(left)
}

/// Where a jump or call through memory or a register goes.
fn through(library: &Library, function: &Function, instruction: &Instruction) -> Result<Vec<Pointer>, String> {
    if instruction.op0_kind() == OpKind::Register && function.name.contains(PRINTED) {
        return Ok(Vec::new());
    }
    if instruction.op0_kind() != OpKind::Memory || instruction.memory_base() != Register::RIP {
        return Err(format!("a jump or call at {:#x} that cannot be followed", instruction.ip()));
    }
    let slot = instruction.memory_displacement64();
    let pointer = library.pointers.get(&slot).ok_or_else(|| format!("nothing is known of the pointer at {slot:#x}"))?;
    let mut pointers = vec![pointer.clone()];
    // A pointer to a printed function may come to be one to any other.
    if let Pointer::Inside(to) = pointer
        && library.functions.get(to).is_some_and(|function| function.name.contains(PRINTED))
    {
        pointers.extend(library.named(PRINTED).map(|(at, _)| Pointer::Inside(at)));
    }
    Ok(pointers)
}
