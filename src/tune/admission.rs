//! Who may be timed: routines that passed the three proofs, and nobody else.

use crate::host::Features;
use crate::proofs::{Proven, Ran, Refusal, Thoroughness, prove_routine, prove_with};
use crate::time::Emitter;
use copysmith_kernels::{Code, Routine};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The codes that passed, by the text of their routines. The emitter of a judge looks codes up here, so that what was
/// proved is what is timed, byte for byte.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    features: Features,
    codes: Rc<RefCell<BTreeMap<String, Code>>>,
    planted: BTreeMap<String, Code>,
}

impl Admission {
    /// For a processor with these features.
    pub fn new(features: Features) -> Admission {
        Admission { features, ..Admission::default() }
    }

    /// Takes `code` for the code of `routine` from now on, whatever the emitter says. For tests: what is planted goes through the
    /// same proofs as everything else.
    pub fn plant(&mut self, routine: &Routine, code: Code) {
        self.planted.insert(routine.to_string(), code);
    }

    /// Proves a routine if that has not been done yet.
    ///
    /// # Errors
    /// [`Refusal`], also where the processor lacks the routine's instructions: what cannot run cannot be timed.
    pub fn admit(&self, routine: &Routine) -> Result<(), Refusal> {
        let text = routine.to_string();
        if self.codes.borrow().contains_key(&text) {
            return Ok(());
        }
        let Proven { code, run, .. } = match self.planted.get(&text) {
            Some(code) => prove_with(routine, code.clone(), &self.features, Thoroughness::Gate)?,
            None => prove_routine(routine, &self.features, Thoroughness::Gate)?,
        };
        match run {
            Ran::Here(_) => {
                self.codes.borrow_mut().insert(text, code);
                Ok(())
            }
            Ran::Lacking(isa) => Err(Refusal::Unsupported(format!("this processor cannot run {isa} code"))),
        }
    }

    /// How many bytes of code an admitted routine has; `usize::MAX` for one that was not admitted.
    pub fn code_bytes(&self, routine: &Routine) -> usize {
        self.codes.borrow().get(&routine.to_string()).map_or(usize::MAX, |code| code.bytes.len())
    }

    /// The emitter that hands out admitted codes only.
    pub fn emitter(&self) -> Emitter {
        let codes = Rc::clone(&self.codes);
        let look_up = move |routine: &Routine| {
            codes.borrow().get(&routine.to_string()).cloned().ok_or_else(|| format!("'{routine}' was not admitted"))
        };
        // SAFETY: only `admit` puts codes in, after the battery has passed them for the routine's span on this processor.
        unsafe { Emitter::vouched(look_up) }
    }
}
