//! What the system did to the calling thread behind its back.

/// Counts since the thread began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Usage {
    /// Pages that were not there when they were touched.
    pub page_faults: i64,
    /// Times the thread was stopped in favour of another.
    pub preemptions: i64,
}

impl Usage {
    /// The counts up to now.
    pub fn of_this_thread() -> Usage {
        // SAFETY: all-zero bits are a valid `rusage`.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is writable; `RUSAGE_THREAD` is always accepted.
        unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
        #[allow(clippy::useless_conversion, reason = "the counts are 32 bits wide on 32-bit systems")]
        Usage {
            page_faults: i64::from(usage.ru_minflt) + i64::from(usage.ru_majflt),
            preemptions: i64::from(usage.ru_nivcsw),
        }
    }
}
