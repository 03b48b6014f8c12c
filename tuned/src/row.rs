//! A table: a routine for one machine, the kernels it was chosen from one length class at a time, and what was measured.

/// A copy function: writes the `n` bytes at `src` to `dst` and gives `dst` back.
///
/// # Safety
/// Calling one needs what [`core::ptr::copy_nonoverlapping`] needs, a length that its [`Row`] is for, and a processor
/// that has what its [`Table`] needs.
#[cfg(target_arch = "x86_64")]
pub type Entry = unsafe extern "sysv64" fn(dst: *mut u8, src: *const u8, n: usize) -> *mut u8;

/// A copy function: writes the `n` bytes at `src` to `dst` and gives `dst` back.
///
/// # Safety
/// Calling one needs what [`core::ptr::copy_nonoverlapping`] needs, a length that its [`Row`] is for, and a processor
/// that has what its [`Table`] needs.
#[cfg(not(target_arch = "x86_64"))]
pub type Entry = unsafe extern "C" fn(dst: *mut u8, src: *const u8, n: usize) -> *mut u8;

/// What a table needs of a processor and its system beyond x86-64 itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Feature {
    /// AVX, with its registers saved by the system.
    Avx,
    /// AVX-512 F, BW and VL and BMI2, with their registers saved by the system.
    Avx512,
    /// The instruction `prefetchw`.
    PrefetchW,
}

/// Why a row is believed to be good.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Evidence {
    /// Timed on the machine it is for, in a run after the one that chose it.
    Measured {
        /// Its time divided by that of the reference; below 1 is faster.
        ratio: f64,
        /// The lower end of the ratio's confidence interval.
        low: f64,
        /// The upper end of the ratio's confidence interval.
        high: f64,
        /// How many interleaved blocks that rests on.
        blocks: u32,
    },
    /// Chosen by a written rule and never timed on the machine it is for.
    Modelled,
}

/// One copy function of a table: its lengths, its recipe, its code and its evidence.
// The fields are closed to other crates because `code` is sound only as long as `entry` and `bytes` belong together.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) recipe: &'static str,
    pub(super) entry: Entry,
    pub(super) bytes: usize,
    pub(super) evidence: Evidence,
}

impl Row {
    /// The smallest length it copies, in bytes.
    pub const fn first(&self) -> usize {
        self.first
    }

    /// The largest length it copies, in bytes; [`usize::MAX`] where there is no upper end.
    pub const fn last(&self) -> usize {
        self.last
    }

    /// Whether it copies `n` bytes.
    pub const fn contains(&self, n: usize) -> bool {
        self.first <= n && n <= self.last
    }

    /// The canonical text of the recipe or routine, by which the tool makes the same code again.
    pub const fn recipe(&self) -> &'static str {
        self.recipe
    }

    /// Whether its lengths may also be moved, between regions that overlap: the first word of a recipe says which.
    pub const fn moves(&self) -> bool {
        let (text, word) = (self.recipe.as_bytes(), b"move ");
        let mut at = 0;
        // The cuts of a routine come before its recipes. No other word of a recipe has a space behind "move".
        while at + word.len() <= text.len() {
            let mut same = 0;
            while same < word.len() && text[at + same] == word[same] {
                same += 1;
            }
            if same == word.len() {
                return true;
            }
            at += 1;
        }
        false
    }

    /// The function.
    pub const fn entry(&self) -> Entry {
        self.entry
    }

    /// What it was chosen on.
    pub const fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// The function's machine code as it is linked.
    #[cfg(target_arch = "x86_64")]
    pub fn code(&self) -> &'static [u8] {
        // SAFETY: every row is printed together with a naked function of exactly so many bytes, which are never written,
        // and code on x86-64 Linux is readable.
        unsafe { core::slice::from_raw_parts(self.entry as *const u8, self.bytes) }
    }

    /// Whether the rows are in order and copy every length exactly once. Every table asserts it when it is compiled.
    pub const fn cover(rows: &[Row]) -> bool {
        let mut next = 0;
        let mut at = 0;
        while at < rows.len() {
            let Row { first, last, .. } = rows[at];
            if first != next || last < first {
                return false;
            }
            at += 1;
            if last == usize::MAX {
                return at == rows.len();
            }
            next = last + 1;
        }
        false
    }
}

/// The answer for one machine: the routine that copies any length, and the kernels, one a length class.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    pub(super) machine: &'static str,
    pub(super) needs: &'static [Feature],
    pub(super) routine: Row,
    pub(super) rows: &'static [Row],
}

impl Table {
    /// The machine it was made on, as `amd-1ah-02h`: vendor, family and model in hexadecimal.
    pub const fn machine(&self) -> &'static str {
        self.machine
    }

    /// What its code needs of a processor, all rows taken together.
    pub const fn needs(&self) -> &'static [Feature] {
        self.needs
    }

    /// The routine for any length, which [`copy`](super::copy()) runs.
    pub const fn routine(&self) -> &Row {
        &self.routine
    }

    /// The kernels, in order of their lengths.
    pub const fn rows(&self) -> &'static [Row] {
        self.rows
    }
}
