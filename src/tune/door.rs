//! The way into a race: past the proofs, with every refusal written down as it happens.

use super::TuneError;
use super::admission::Admission;
use crate::proofs::Refusal;
use crate::record::{Entry, Journal, Past, Rejected, Stage};
use copysmith_kernels::Routine;
use std::cell::RefCell;

/// Admits candidates, and records whom it refuses. A refusal is for good: whoever was refused by an earlier run is not asked to prove
/// anything again, or a resumed run might race others than the one it goes on with.
pub(crate) struct Door<'a> {
    admission: Admission,
    journal: &'a Journal,
    past: &'a Past,
    refused: RefCell<Vec<Rejected>>,
    broken: RefCell<Option<TuneError>>,
}

impl<'a> Door<'a> {
    pub fn new(admission: &Admission, journal: &'a Journal, past: &'a Past) -> Door<'a> {
        let (refused, broken) = (RefCell::default(), RefCell::default());
        Door { admission: admission.clone(), journal, past, refused, broken }
    }

    /// Proves a candidate, unless that has been done.
    ///
    /// # Errors
    /// Why not, in a line. Also for everybody after something broke: see [`Door::is_broken`].
    pub fn admit(&self, routine: &Routine) -> Result<(), String> {
        if let Some(error) = &*self.broken.borrow() {
            return Err(error.to_string());
        }
        let text = routine.to_string();
        // What failed once it was timed had been admitted: the recorded blocks it is in are asked for again.
        let is_timed = |stage| matches!(stage, Stage::Timing | Stage::Offset);
        if let Some(earlier) = self.past.rejected(&text).filter(|earlier| !is_timed(earlier.stage)) {
            return Err(earlier.reason.clone());
        }
        let refusal = match self.admission.admit(routine) {
            Ok(()) => return Ok(()),
            Err(Refusal::Try(error)) => {
                let reason = error.to_string();
                *self.broken.borrow_mut() = Some(TuneError::Try(error));
                return Err(reason);
            }
            Err(refusal) => refusal,
        };
        let reason = refusal.to_string();
        if self.refused.borrow().iter().all(|refused| refused.routine != text) {
            let rejected = Rejected { routine: text, stage: stage(&refusal), reason: reason.clone() };
            match self.journal.append(&Entry::Rejected(rejected.clone())) {
                Ok(()) => self.refused.borrow_mut().push(rejected),
                Err(error) => *self.broken.borrow_mut() = Some(error.into()),
            }
        }
        Err(reason)
    }

    /// Whether nobody can be admitted any more: nothing can be tried out, or nothing written down.
    pub fn is_broken(&self) -> bool {
        self.broken.borrow().is_some()
    }

    /// Whom it refused, each once, in order.
    ///
    /// # Errors
    /// What broke.
    pub fn close(self) -> Result<Vec<Rejected>, TuneError> {
        match self.broken.into_inner() {
            Some(error) => Err(error),
            None => Ok(self.refused.into_inner()),
        }
    }
}

/// Which check a refusal came from.
fn stage(refusal: &Refusal) -> Stage {
    match refusal {
        Refusal::Plan(_) => Stage::Plan,
        Refusal::Unsupported(_) | Refusal::Code(_) => Stage::Code,
        Refusal::Run(_) | Refusal::Try(_) => Stage::Run,
    }
}
