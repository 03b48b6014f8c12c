//! The three equalities that hold a table to its winners: its text, its linked bytes, and what those bytes do.
//!
//! ```text
//! text      the table printed again is the file
//! bytes     the code that was linked is the code that is emitted, and stands as aligned
//! meaning   the code, read back from its bytes, is proven to copy
//! ```
//!
//! Meaning is shown of the emitted code; the equality of bytes carries it over to what was linked.

use super::function::{Function, functions};
use super::{PrintError, Winners, table};
use copysmith_kernels::{Code, Routine, Target};
use std::fmt;

/// How an equality turned out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Equality {
    /// It holds.
    Holds,
    /// It does not; where it breaks.
    Broken(String),
    /// It was not looked at; why.
    Skipped(String),
}

/// A whole table, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The machine it is for.
    pub machine: String,
    /// Whether the file is what the winners print.
    pub text: Equality,
    /// Whether what was linked has as many functions as the winners.
    pub linked: Equality,
    /// The routine, then each kernel.
    pub rows: Vec<CheckedRow>,
}

/// One function of a table, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedRow {
    /// The routine or recipe.
    pub recipe: String,
    /// Whether the linked code is the emitted code.
    pub bytes: Equality,
    /// Whether the code is proven.
    pub meaning: Equality,
}

/// A function as it was linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linked<'a> {
    /// The routine or recipe it is said to be.
    pub recipe: &'a str,
    /// Its bytes where they are.
    pub code: &'a [u8],
}

/// The functions of a machine's table that were linked into this program, the routine first; `None` where there is no table.
pub fn linked(machine: &str) -> Option<Vec<Linked<'static>>> {
    #[cfg(target_arch = "x86_64")]
    {
        let table = copysmith_tuned::tables().iter().find(|table| table.machine() == machine)?;
        let rows = std::iter::once(table.routine()).chain(table.rows());
        Some(rows.map(|row| Linked { recipe: row.recipe(), code: row.code() }).collect())
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = machine;
        None
    }
}

/// Holds a table to its winners: `file` is the text of its file, `linked` what [`linked`](fn@linked) gives, and `prove` shows that the
/// code does what the routine says or tells why not.
///
/// # Errors
/// [`PrintError`] where the winners cannot be printed at all, so that there is nothing to compare with.
pub fn check(
    winners: &Winners,
    target: &dyn Target,
    file: &str,
    linked: Option<&[Linked<'_>]>,
    prove: &mut dyn FnMut(&Routine, &Code) -> Result<(), String>,
) -> Result<Checked, PrintError> {
    let text = same_text(&table(winners, target)?, file);
    let functions = functions(winners, target)?;
    let count = match linked {
        None => Equality::Skipped(format!("no table for {} was linked into this program", winners.machine)),
        Some(linked) if linked.len() == functions.len() => Equality::Holds,
        Some(linked) => Equality::Broken(format!(
            "{} functions were linked, the winners have {}; after a tune this program is to be built again",
            linked.len(),
            functions.len()
        )),
    };
    let rows = functions.iter().enumerate().map(|(at, function)| CheckedRow {
        recipe: function.routine.to_string(),
        bytes: match linked {
            None => Equality::Skipped("nothing was linked".to_owned()),
            Some(linked) => same_code(function, linked.get(at)),
        },
        meaning: prove(&function.routine, &function.code).map_or_else(Equality::Broken, |()| Equality::Holds),
    });
    Ok(Checked { machine: winners.machine.clone(), text, linked: count, rows: rows.collect() })
}

fn same_text(printed: &str, file: &str) -> Equality {
    if printed == file {
        return Equality::Holds;
    }
    let mut lines = printed.split_inclusive('\n').zip(file.split_inclusive('\n')).enumerate();
    Equality::Broken(match lines.find(|(_, (printed, file))| printed != file) {
        Some((at, (printed, file))) => {
            format!("line {} is {file:?} in the file and {printed:?} when printed again", at + 1)
        }
        None => format!("the file has {} bytes, printed again it has {}", file.len(), printed.len()),
    })
}

fn same_code(function: &Function, linked: Option<&Linked<'_>>) -> Equality {
    let Some(linked) = linked else { return Equality::Broken("it was not linked".to_owned()) };
    let (recipe, code) = (function.routine.to_string(), &function.code.bytes);
    if linked.recipe != recipe {
        return Equality::Broken(format!(
            "what was linked in its place is '{}'; after a tune this program is to be built again",
            linked.recipe
        ));
    }
    if linked.code.len() != code.len() {
        return Equality::Broken(format!("{} bytes were linked, {} are emitted", linked.code.len(), code.len()));
    }
    if let Some(at) = (0..code.len()).find(|&at| linked.code[at] != code[at]) {
        let (linked, emitted) = (linked.code[at], code[at]);
        return Equality::Broken(format!(
            "the byte at offset {at:#x} is {linked:#04x} linked and {emitted:#04x} emitted"
        ));
    }
    match linked.code.as_ptr().addr() % function.align() {
        0 => Equality::Holds,
        beyond => Equality::Broken(format!("it is linked {beyond} bytes beyond a multiple of {}", function.align())),
    }
}

impl Checked {
    /// Whether no equality is broken. Skipped ones are not: [`Checked`]'s text names them.
    pub fn holds(&self) -> bool {
        let rows = self.rows.iter().flat_map(|row| [&row.bytes, &row.meaning]);
        [&self.text, &self.linked].into_iter().chain(rows).all(|equality| !matches!(equality, Equality::Broken(_)))
    }
}

/// One line for each equality that is broken or skipped, and how many hold.
impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = [("text", "table", &self.text), ("linked", "table", &self.linked)];
        let rows = self.rows.iter().flat_map(|row| {
            [("bytes", row.recipe.as_str(), &row.bytes), ("meaning", row.recipe.as_str(), &row.meaning)]
        });
        let mut hold = 0;
        for (equality, of, outcome) in whole.into_iter().chain(rows) {
            match outcome {
                Equality::Holds => hold += 1,
                Equality::Broken(why) => writeln!(f, "{}: {equality} of '{of}' is broken: {why}", self.machine)?,
                Equality::Skipped(why) => writeln!(f, "{}: {equality} of '{of}' is skipped: {why}", self.machine)?,
            }
        }
        write!(f, "{}: {hold} equalities hold", self.machine)
    }
}
