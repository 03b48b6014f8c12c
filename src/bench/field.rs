//! Who is in a bench: the reference, and a column for each contestant.

use super::functions;
use super::library::{LibraryError, function};
use crate::host::Features;
use crate::proofs::Refusal;
use crate::run::Entry;
use crate::time::{Copier, Emitter, Entered, Entrant, Settings, Situation, Start};
use crate::tune::Admission;
use copysmith_kernels::Routine;
use serde::Serialize;
use std::path::Path;

/// The checked-in table, dispatch included.
pub const TUNED: &str = "copysmith_tuned";
/// What the compiler's library does.
pub const CORE_PTR: &str = "core::ptr";

/// Page offsets at which [`Field::starts`] begins, all of them on a cache line's start.
pub const PAGE_STARTS: [u16; 8] = [0, 512, 1024, 1536, 2048, 2560, 3072, 3584];

/// The contestants of a bench, in the order of their columns, and what they are held against.
#[derive(Clone, Debug)]
pub struct Field {
    reference: (&'static str, Entry<'static>, Entered),
    entrants: Vec<Entrant>,
    legend: Vec<Column>,
    admission: Admission,
}

/// A column, and who it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// What the column is called.
    pub name: String,
    /// Who it is, in words.
    pub what: String,
}

impl Field {
    /// The checked-in table and `core::ptr`, against the system's memcpy. Without a table for this machine it is what it falls back
    /// to, and is left out.
    pub fn copies() -> Field {
        let mut field = Field::against("memcpy", functions::memcpy());
        if let Some(machine) = copysmith_tuned::machine() {
            let what = format!("the linked table of {machine}, dispatch included");
            field.add(Entrant::adapter(TUNED, functions::table()), what);
        }
        let what = "core::ptr::copy_nonoverlapping, as it is compiled here".to_owned();
        field.add(Entrant::adapter(CORE_PTR, functions::core_copy()), what);
        field
    }

    /// The checked-in table, where its routine moves, and `core::ptr`, against the system's memmove.
    pub fn moves() -> Field {
        let mut field = Field::against("memmove", functions::memmove());
        if let Some(table) = copysmith_tuned::table().filter(|table| table.routine().moves()) {
            let what = format!("the linked table of {}, dispatch included", table.machine());
            field.add(Entrant::adapter(TUNED, functions::table_move()), what);
        }
        let what = "core::ptr::copy, as it is compiled here".to_owned();
        field.add(Entrant::adapter(CORE_PTR, functions::core_move()), what);
        field
    }

    /// One routine whose code begins at each byte of a cache line, and at some lines of a page; against the system's memcpy.
    ///
    /// # Errors
    /// As [`Field::add_routine`].
    pub fn starts(routine: &Routine) -> Result<Field, Refusal> {
        let mut field = Field::against("memcpy", functions::memcpy());
        field.admission.admit(routine)?;
        let in_line = (0..64).map(Start::InLine);
        for start in in_line.chain(PAGE_STARTS.map(Start::InPage)) {
            let (name, what) = match start {
                Start::InLine(offset) => (format!("+{offset}"), format!("{offset} bytes behind a line's start")),
                Start::InPage(offset) => (format!("page +{offset}"), format!("{offset} bytes behind a page's start")),
            };
            field.add(Entrant { name, copier: Copier::Moved(routine.clone(), start), slot: None }, what);
        }
        Ok(field)
    }

    fn against(name: &'static str, entry: Entry<'static>) -> Field {
        Field {
            reference: (name, entry, Entered::Directly),
            entrants: Vec::new(),
            legend: Vec::new(),
            admission: Admission::new(Features::read()),
        }
    }

    /// Another library's function as one more column.
    ///
    /// # Errors
    /// [`LibraryError`], where there is none that can be called, or it is wrong.
    pub fn add_library(&mut self, path: &Path, symbol: &str) -> Result<(), LibraryError> {
        let moves = self.reference.0 == "memmove";
        let entry = function(path, symbol, moves)?;
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let is_taken = |name: &str| self.entrants.iter().any(|entrant| entrant.name == name);
        let named = [file, path.display().to_string()].into_iter().find(|name| !is_taken(name));
        let name = named.unwrap_or_else(|| format!("{}, {}", path.display(), self.entrants.len() + 1));
        self.add(
            Entrant::behind_slot(&name, Copier::Function(entry, Entered::ByJump)),
            format!("{symbol} of {}", path.display()),
        );
        Ok(())
    }

    /// A routine that is emitted and proved now, as one more column: `routine 1`, `routine 2`, ...
    ///
    /// # Errors
    /// [`Refusal`], where a proof fails or this CPU lacks an instruction.
    pub fn add_routine(&mut self, routine: &Routine) -> Result<(), Refusal> {
        self.admission.admit(routine)?;
        let earlier = self.entrants.iter().filter(|entrant| matches!(entrant.copier, Copier::Routine(_))).count();
        let copier = Copier::Routine(routine.clone());
        self.add(Entrant::behind_slot(&format!("routine {}", earlier + 1), copier), routine.to_string());
        Ok(())
    }

    fn add(&mut self, entrant: Entrant, what: String) {
        self.legend.push(Column { name: entrant.name.clone(), what });
        self.entrants.push(entrant);
    }

    /// What everything is held against: `memcpy` or `memmove`.
    pub fn reference(&self) -> &'static str {
        self.reference.0
    }

    /// The columns, in order.
    pub fn legend(&self) -> &[Column] {
        &self.legend
    }

    pub(super) fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// Settings that time them on these situations.
    pub(super) fn settings(&self, situations: Vec<Situation>) -> Settings {
        let (_, reference, entered) = self.reference;
        Settings { reference, entered, emitter: self.emitter(), ..Settings::new(situations) }
    }

    fn emitter(&self) -> Emitter {
        self.admission.emitter()
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    fn names(field: &Field) -> Vec<&str> {
        field.legend().iter().map(|column| column.name.as_str()).collect()
    }

    #[test]
    fn routines_are_numbered_and_explained_and_a_wrong_one_is_refused() {
        let mut field = Field::copies();
        let usual = field.legend().len();
        let text = "copy 0..=16 branch-free width=8";
        field.add_routine(&text.parse().unwrap()).unwrap();
        field.add_routine(&"copy 17..=32 pairs width=sse16".parse().unwrap()).unwrap();
        assert_eq!(names(&field)[usual..], ["routine 1", "routine 2"]);
        assert_eq!((field.legend()[usual].what.as_str(), field.entrants().len()), (text, usual + 2));
        assert_eq!((field.reference(), Field::moves().reference()), ("memcpy", "memmove"));
    }

    #[test]
    fn the_same_library_twice_has_two_names() {
        let mut field = Field::copies();
        let usual = field.legend().len();
        let libc = Path::new("/proc/self/map_files");
        assert!(field.add_library(libc, "memcpy").is_err());
        let libc = crate::bench::library::tests::libc();
        (0..3).for_each(|_| field.add_library(&libc, "memcpy").unwrap());
        let names = names(&field);
        assert_eq!(names[usual..].iter().collect::<std::collections::HashSet<_>>().len(), 3, "{names:?}");
    }

    #[test]
    fn starts_are_every_byte_of_a_line_and_some_lines_of_a_page() {
        let field = Field::starts(&"copy 0..=16 branch-free width=8".parse().unwrap()).unwrap();
        let names = names(&field);
        assert_eq!(
            (names.len(), names[0], names[63], names[64], names[71]),
            (72, "+0", "+63", "page +0", "page +3584")
        );
    }
}
