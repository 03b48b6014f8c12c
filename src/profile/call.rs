//! One copy that a program made, and stretches of them in order.

use std::fmt;

/// The offsets of a call are below this many bytes, whatever the machine's pages are.
pub const PAGE_BYTES: u16 = 4096;

/// Which copy was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// The regions may not overlap.
    Memcpy,
    /// The regions may overlap; `bcopy` is counted here.
    Memmove,
    /// As memcpy, and the end of the destination is returned.
    Mempcpy,
}

/// How it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// By its name.
    Plain,
    /// By its `__*_chk` name, which also gets the destination's size: fortified programs call it.
    Checked,
}

/// Each function in each form, in the order of the recorder's numbers: the symbol that a program links, and the letter of
/// the text format.
const NAMES: [(Function, Form, &str, char); 6] = [
    (Function::Memcpy, Form::Plain, "memcpy", 'c'),
    (Function::Memmove, Form::Plain, "memmove", 'm'),
    (Function::Mempcpy, Form::Plain, "mempcpy", 'p'),
    (Function::Memcpy, Form::Checked, "__memcpy_chk", 'C'),
    (Function::Memmove, Form::Checked, "__memmove_chk", 'M'),
    (Function::Mempcpy, Form::Checked, "__mempcpy_chk", 'P'),
];

/// The symbols, in the order of the recorder's numbers.
pub(super) const SYMBOLS: [&str; 6] = [NAMES[0].2, NAMES[1].2, NAMES[2].2, NAMES[3].2, NAMES[4].2, NAMES[5].2];

impl Function {
    /// The symbol that a program links for it.
    pub fn symbol(self, form: Form) -> &'static str {
        NAMES.iter().find(|names| (names.0, names.1) == (self, form)).map_or("", |names| names.2)
    }

    /// What a letter of the text format stands for.
    pub(super) fn of_letter(letter: &str) -> Option<(Function, Form)> {
        let mut letters = letter.chars();
        let (first, rest) = (letters.next()?, letters.next());
        NAMES.iter().find(|names| names.3 == first && rest.is_none()).map(|names| (names.0, names.1))
    }

    /// What a number of the recorder stands for.
    pub(super) fn of_number(number: usize) -> Option<(Function, Form)> {
        NAMES.get(number).map(|names| (names.0, names.1))
    }
}

/// One call, as it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which copy.
    pub function: Function,
    /// By which name.
    pub form: Form,
    /// Bytes copied.
    pub length: u64,
    /// The destination's address modulo 4096.
    pub dst_offset: u16,
    /// The source's address modulo 4096.
    pub src_offset: u16,
    /// `dst - src` in bytes; `None` where it is large or was dropped: [`super::Header::distances_below`] says which.
    /// Where the regions overlap and the recorder could tell, it is there.
    pub distance: Option<i64>,
    /// Who called: an index into [`super::Header::callers`].
    pub caller: Option<u32>,
}

impl Call {
    /// Whether source and destination have bytes in common.
    pub fn overlaps(&self) -> bool {
        self.distance.is_some_and(|distance| distance.unsigned_abs() < self.length)
    }

    /// The symbol that the program called.
    pub fn symbol(&self) -> &'static str {
        self.function.symbol(self.form)
    }
}

/// Its line in the text format: `c 24 3856 2218 -1638 @3`.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = NAMES.iter().find(|names| (names.0, names.1) == (self.function, self.form)).map_or('c', |n| n.3);
        write!(f, "{letter} {} {} {}", self.length, self.dst_offset, self.src_offset)?;
        if let Some(distance) = self.distance {
            write!(f, " {distance:+}")?;
        }
        if let Some(caller) = self.caller {
            write!(f, " @{caller}")?;
        }
        Ok(())
    }
}

/// Consecutive calls of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The thread, numbered over all processes from 0.
    pub thread: u32,
    /// How many calls the thread had made before.
    pub from: u64,
    /// The calls, in order.
    pub(super) calls: Vec<Call>,
}

impl Stretch {
    /// The calls, in order.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }
}
