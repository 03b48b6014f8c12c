//! Reading time around a pass: the timestamp counter, fenced so that nothing slips across, or the monotonic clock.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Where ticks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The x86 timestamp counter, where it runs at one rate in every power state.
    TimestampCounter,
    /// The system's monotonic clock: one tick is a nanosecond.
    Monotonic,
}

/// A moment, and the CPU it was read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Ticks since some fixed moment.
    pub ticks: u64,
    /// The CPU's number as the system counts.
    pub cpu: u32,
}

/// A clock for intervals from a microsecond to seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    source: Source,
}

impl Clock {
    /// The best clock of this machine.
    pub fn detect() -> Clock {
        Clock { source: counter::usable() }
    }

    /// Where its ticks come from.
    pub fn source(self) -> Source {
        self.source
    }

    /// Reads the clock before the work: everything earlier is done, nothing of the work has begun.
    #[inline]
    pub fn start(self) -> Reading {
        match self.source {
            Source::TimestampCounter => counter::start(),
            Source::Monotonic => monotonic(),
        }
    }

    /// Reads the clock after the work: all of its loads are done, nothing later has begun. Stores may still wait to
    /// reach the cache, as they do in any program.
    #[inline]
    pub fn stop(self) -> Reading {
        match self.source {
            Source::TimestampCounter => counter::stop(),
            Source::Monotonic => monotonic(),
        }
    }

    /// How many ticks make a nanosecond. For sizing passes and for display only: ratios need none. The first call on a
    /// counter takes some 20 ms.
    pub fn ticks_per_nanosecond(self) -> f64 {
        static RATE: OnceLock<f64> = OnceLock::new();
        match self.source {
            Source::Monotonic => 1.0,
            Source::TimestampCounter => *RATE.get_or_init(|| calibrate(self)),
        }
    }
}

/// Ticks counted over a stretch of the raw monotonic clock, which no time daemon slews.
fn calibrate(clock: Clock) -> f64 {
    let (start, ticks) = (raw_nanoseconds(), clock.start().ticks);
    std::thread::sleep(Duration::from_millis(20));
    let (stop, more) = (raw_nanoseconds(), clock.stop().ticks);
    more.wrapping_sub(ticks) as f64 / stop.saturating_sub(start).max(1) as f64
}

fn raw_nanoseconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &raw mut now) };
    u64::try_from(Duration::new(now.tv_sec as u64, now.tv_nsec as u32).as_nanos()).unwrap_or(u64::MAX)
}

fn monotonic() -> Reading {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    let nanoseconds = ORIGIN.get_or_init(Instant::now).elapsed().as_nanos();
    // SAFETY: reads no memory of ours.
    let cpu = unsafe { libc::sched_getcpu() };
    Reading { ticks: u64::try_from(nanoseconds).unwrap_or(u64::MAX), cpu: u32::try_from(cpu).unwrap_or(0) }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod counter {
    use super::{Reading, Source};
    use crate::host::Features;
    #[cfg(target_arch = "x86")]
    use std::arch::x86::{__rdtscp, _mm_lfence, _rdtsc};
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};

    /// Linux keeps the CPU number in the low bits of IA32_TSC_AUX and the node above.
    const CPU_BITS: u32 = 0xfff;

    pub fn usable() -> Source {
        let features = Features::read();
        if features.sse2 && features.invariant_tsc && features.rdtscp {
            Source::TimestampCounter
        } else {
            Source::Monotonic
        }
    }

    /// `lfence; rdtsc; lfence` (Intel SDM volume 2, RDTSC: the fence before orders what came earlier, the fence after
    /// what comes later), the CPU's number read ahead of it.
    #[inline]
    pub fn start() -> Reading {
        let mut aux = 0;
        // SAFETY: `usable` found all three instructions; `aux` is writable.
        let ticks = unsafe {
            __rdtscp(&raw mut aux);
            _mm_lfence();
            let ticks = _rdtsc();
            _mm_lfence();
            ticks
        };
        Reading { ticks, cpu: aux & CPU_BITS }
    }

    /// `rdtscp; lfence`: rdtscp itself waits for every earlier instruction.
    #[inline]
    pub fn stop() -> Reading {
        let mut aux = 0;
        // SAFETY: as in `start`.
        let ticks = unsafe {
            let ticks = __rdtscp(&raw mut aux);
            _mm_lfence();
            ticks
        };
        Reading { ticks, cpu: aux & CPU_BITS }
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
mod counter {
    use super::{Reading, Source, monotonic};

    pub fn usable() -> Source {
        Source::Monotonic
    }

    pub fn start() -> Reading {
        monotonic()
    }

    pub fn stop() -> Reading {
        monotonic()
    }
}
