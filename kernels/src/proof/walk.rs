//! What must hold on every path to a return, whatever the input: upper halves clean, non-temporal stores fenced, the
//! direction flag clear, the MMX state ended, and no preserved register written at all.
//!
//! A forward dataflow over the steps: for each obligation a step that raised it last on some path and is not answered for. Where
//! paths meet, an obligation of either is one of both.

use super::step::{IntReg, Program, Slot, Step, VectorReg};
use std::fmt;

/// What a path owes before it may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owed {
    /// A clearing of the upper halves, after a vector write of more than 16 bytes.
    ClearUpper,
    /// A fence, after a non-temporal store.
    Fence,
    /// A clear direction flag, after it was set.
    ClearDirection,
    /// An end of the MMX state, after a write of an MMX register.
    EndMmx,
}

const ALL: [Owed; 4] = [Owed::ClearUpper, Owed::Fence, Owed::ClearDirection, Owed::EndMmx];

/// Why a program is wrong whatever it is called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WalkError {
    /// A return can be reached with an obligation open.
    Returns {
        /// The obligation.
        owed: Owed,
        /// The offset of what raised it.
        since: usize,
        /// The offset of the return.
        at: usize,
    },
    /// A register that belongs to the caller is written.
    Preserved {
        /// The register.
        reg: IntReg,
        /// The offset of the write.
        at: usize,
    },
    /// A path leads past the last step.
    RunsOff {
        /// The offset of the step it leaves from; 0 for an empty program.
        at: usize,
    },
}

impl fmt::Display for WalkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WalkError::Returns { owed, since, at } => {
                let (raised, missing) = match owed {
                    Owed::ClearUpper => ("the wide vector write", "clearing of the upper halves"),
                    Owed::Fence => ("the non-temporal store", "fence"),
                    Owed::ClearDirection => ("the setting of the direction flag", "clearing of it"),
                    Owed::EndMmx => ("the write of an MMX register", "end of the MMX state"),
                };
                write!(f, "{raised} at {since:#x} reaches the return at {at:#x} without a {missing}")
            }
            WalkError::Preserved { reg, at } => {
                write!(f, "integer register {reg} is the caller's but written at {at:#x}")
            }
            WalkError::RunsOff { at } => write!(f, "the path from {at:#x} runs off the end of the code"),
        }
    }
}

impl std::error::Error for WalkError {}

/// For each obligation the step that raised it.
type State = [Option<usize>; ALL.len()];

/// Checks every path.
///
/// # Errors
/// The first obligation that reaches a return, caller's register that is written, or path without a return.
pub fn walk(program: &Program) -> Result<(), WalkError> {
    let offset = |step: usize| program.offsets.get(step).copied().unwrap_or(step);
    let mut states: Vec<Option<State>> = vec![None; program.steps.len()];
    match states.first_mut() {
        Some(entry) => *entry = Some(State::default()),
        None => return Err(WalkError::RunsOff { at: 0 }),
    }
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        let step = &program.steps[at];
        let state = after(step, at, program, states[at].unwrap_or_default());
        if let Some(reg) = written(step).into_iter().flatten().find(|reg| program.preserved.contains(reg)) {
            return Err(WalkError::Preserved { reg, at: offset(at) });
        }
        if *step == Step::Return {
            for (owed, raised) in ALL.into_iter().zip(state) {
                if let Some(since) = raised {
                    return Err(WalkError::Returns { owed, since: offset(since), at: offset(at) });
                }
            }
        }
        for to in following(step, at) {
            let known = states.get_mut(to).ok_or(WalkError::RunsOff { at: offset(at) })?;
            if joined(known, state) {
                waiting.push(to);
            }
        }
    }
    Ok(())
}

fn after(step: &Step, at: usize, program: &Program, mut state: State) -> State {
    let mut owe = |owed: Owed, open: bool| state[owed as usize] = open.then_some(at);
    let vector_write = |owe: &mut dyn FnMut(Owed, bool), reg: VectorReg, bytes: u8| {
        if bytes > 16 && reg < program.upper_below {
            owe(Owed::ClearUpper, true);
        }
        if reg >= program.mmx_from {
            owe(Owed::EndMmx, true);
        }
    };
    match *step {
        Step::Load { to: Slot::Vector(reg), bytes, .. }
        | Step::LoadAround { to: Slot::Vector(reg), bytes, .. }
        | Step::Merge { to: reg, bytes, .. }
        | Step::LoadMasked { to: reg, bytes, .. } => {
            vector_write(&mut owe, reg, bytes);
        }
        Step::Store { non_temporal: true, .. } => owe(Owed::Fence, true),
        Step::SetDirection { backward } => owe(Owed::ClearDirection, backward),
        Step::Fence => owe(Owed::Fence, false),
        Step::ClearUpper => owe(Owed::ClearUpper, false),
        Step::EndMmx => owe(Owed::EndMmx, false),
        _ => {}
    }
    state
}

/// Adds the obligations of a path to those known at a step; whether that is news.
fn joined(known: &mut Option<State>, path: State) -> bool {
    let Some(known) = known else {
        *known = Some(path);
        return true;
    };
    let mut news = false;
    for (known, path) in known.iter_mut().zip(path) {
        if known.is_none() && path.is_some() {
            *known = path;
            news = true;
        }
    }
    news
}

fn following(step: &Step, at: usize) -> Vec<usize> {
    match step {
        Step::Return => Vec::new(),
        Step::Jump { to } => vec![*to],
        Step::JumpIf { to, .. } => vec![at + 1, *to],
        Step::JumpTo { targets, .. } => targets.iter().map(|&(_, to)| to).collect(),
        _ => vec![at + 1],
    }
}

/// The integer registers a step writes.
fn written(step: &Step) -> [Option<IntReg>; 3] {
    match *step {
        Step::Arith { to, .. }
        | Step::Const { to, .. }
        | Step::Address { to, .. }
        | Step::Negate { to, .. }
        | Step::MoveIf { to, .. }
        | Step::ShiftData { to, .. }
        | Step::JoinData { to, .. }
        | Step::LoadAround { to: Slot::Int(to), .. }
        | Step::Load { to: Slot::Int(to), .. } => [Some(to), None, None],
        Step::Repeat { dst, src, count, .. } => [Some(dst), Some(src), Some(count)],
        _ => [None; 3],
    }
}
