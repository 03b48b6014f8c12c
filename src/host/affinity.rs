//! The CPUs that a thread may run on.

use std::io;

/// Room for as many CPUs as Linux can be built for.
const WORDS: usize = 8192 / BITS;
const BITS: usize = usize::BITS as usize;

/// A set of CPUs, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuSet([usize; WORDS]);

impl CpuSet {
    /// Those that the calling thread may run on.
    ///
    /// # Errors
    /// The system's.
    pub fn allowed() -> io::Result<CpuSet> {
        let mut set = [0; WORDS];
        // SAFETY: `set` is writable for the size given; a CPU set is an array of words of one bit a CPU.
        let outcome = unsafe { libc::sched_getaffinity(0, size_of_val(&set), set.as_mut_ptr().cast()) };
        if outcome == 0 { Ok(CpuSet(set)) } else { Err(io::Error::last_os_error()) }
    }

    /// This one alone; none where the number is beyond what a set can hold.
    pub fn only(cpu: usize) -> CpuSet {
        let mut set = [0; WORDS];
        if let Some(word) = set.get_mut(cpu / BITS) {
            *word = 1 << (cpu % BITS);
        }
        CpuSet(set)
    }

    /// Their numbers, ascending.
    pub fn numbers(&self) -> Vec<usize> {
        (0..WORDS * BITS).filter(|&cpu| self.0[cpu / BITS] >> (cpu % BITS) & 1 == 1).collect()
    }

    /// Lets the calling thread run on these alone.
    ///
    /// # Errors
    /// The system's: none of them is there, or the process may use none of them.
    pub fn restrict(&self) -> io::Result<()> {
        // SAFETY: the set is readable for the size given.
        let outcome = unsafe { libc::sched_setaffinity(0, size_of_val(&self.0), self.0.as_ptr().cast()) };
        if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_one_has_its_number_and_one_beyond_all_sets_has_none() {
        for cpu in [0, 1, 63, 64, 1023, 1024, 8191] {
            assert_eq!(CpuSet::only(cpu).numbers(), [cpu]);
        }
        assert!(CpuSet::only(8192).numbers().is_empty());
        assert!(CpuSet::only(8192).restrict().is_err());
    }
}
