//! Keeping the calling thread on one CPU while it times.

use crate::host::CpuSet;
use std::fmt;
use std::io;
use std::marker::PhantomData;

/// The calling thread stays on one CPU until this is dropped; then it may run where it could before.
#[derive(Debug)]
pub struct Pin {
    cpu: usize,
    before: CpuSet,
    /// Affinity belongs to a thread, so this must be dropped on the one it was made on.
    thread: PhantomData<*const ()>,
}

impl Pin {
    /// Moves the calling thread to this CPU, or to the highest-numbered one it may use: interrupts mostly go to low ones.
    ///
    /// # Errors
    /// [`PinError::NotAllowed`] names the CPUs that may be used; [`PinError::System`] is the system's refusal.
    pub fn to(cpu: Option<usize>) -> Result<Pin, PinError> {
        let before = CpuSet::allowed().map_err(PinError::System)?;
        let cpu = choose(cpu, &before.numbers())?;
        CpuSet::only(cpu).restrict().map_err(PinError::System)?;
        Ok(Pin { cpu, before, thread: PhantomData })
    }

    /// Whether the calling thread could be moved there: what cannot be done at all is better known before the work than in it.
    ///
    /// # Errors
    /// As [`Pin::to`].
    pub fn check(cpu: Option<usize>) -> Result<(), PinError> {
        let allowed = CpuSet::allowed().map_err(PinError::System)?;
        choose(cpu, &allowed.numbers()).map(|_| ())
    }

    /// The CPU's number.
    pub fn cpu(&self) -> usize {
        self.cpu
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        // Fails only when an administrator took away every CPU of the old set meanwhile: then the thread stays put.
        let _ = self.before.restrict();
    }
}

fn choose(wanted: Option<usize>, allowed: &[usize]) -> Result<usize, PinError> {
    let not_allowed = |cpu| PinError::NotAllowed { cpu, allowed: allowed.to_vec() };
    match wanted {
        Some(cpu) if allowed.contains(&cpu) => Ok(cpu),
        Some(cpu) => Err(not_allowed(cpu)),
        None => allowed.last().copied().ok_or_else(|| not_allowed(0)),
    }
}

/// Why a thread is not pinned.
#[derive(Debug)]
#[non_exhaustive]
pub enum PinError {
    /// This process may not use the CPU, or there is none of this number.
    NotAllowed {
        /// The CPU asked for.
        cpu: usize,
        /// The ones that may be used.
        allowed: Vec<usize>,
    },
    /// The system refused.
    System(io::Error),
}

impl fmt::Display for PinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PinError::NotAllowed { cpu, allowed } => {
                let allowed = allowed.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                write!(f, "CPU {cpu} cannot be used; this process may run on {allowed}")
            }
            PinError::System(error) => write!(f, "the thread cannot be pinned to a CPU: {error}"),
        }
    }
}

impl std::error::Error for PinError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_runs_on_the_chosen_cpu_and_is_free_again_afterwards() {
        let before = CpuSet::allowed().unwrap().numbers();
        let pin = Pin::to(None).unwrap();
        assert_eq!(pin.cpu(), *before.last().unwrap());
        assert_eq!(CpuSet::allowed().unwrap().numbers(), [pin.cpu()]);
        drop(pin);
        assert_eq!(CpuSet::allowed().unwrap().numbers(), before);
    }

    #[test]
    fn a_cpu_that_is_not_allowed_is_refused_with_those_that_are() {
        assert_eq!(choose(Some(2), &[0, 2, 5]).unwrap(), 2);
        assert_eq!(choose(None, &[0, 2, 5]).unwrap(), 5);
        let refusal = choose(Some(3), &[0, 2, 5]).unwrap_err().to_string();
        assert_eq!(refusal, "CPU 3 cannot be used; this process may run on 0, 2, 5");
    }
}
