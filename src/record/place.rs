//! Where records live.
//!
//! Given on the command line; else in the checkout of copysmith that the command runs in, where the answers are checked in;
//! else with the user's data. The last is the rule of the XDG base directory specification, written out here because it is
//! two lines, and because a crate that reads the environment itself could not be tested with another environment.

use crate::regular;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

/// A directory for records, and why this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The directory; it need not exist yet.
    pub dir: PathBuf,
    /// Why this one.
    pub why: Why,
}

/// Why records live where they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The command line says so.
    Given,
    /// The command runs inside a checkout of copysmith.
    Checkout,
    /// There is no better place than the user's data.
    UserData,
}

/// What the choice of a place depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The current directory, absolute; `None` where it is gone.
    pub current: Option<PathBuf>,
    /// `XDG_DATA_HOME`
    pub data_home: Option<PathBuf>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
}

impl Surroundings {
    /// Those of this process.
    pub fn read() -> Surroundings {
        Surroundings {
            current: env::current_dir().ok(),
            data_home: env::var_os("XDG_DATA_HOME").map(PathBuf::from),
            home: env::home_dir(),
        }
    }
}

impl Place {
    /// The place for records: `given`, or the checkout's, or the user's.
    ///
    /// # Errors
    /// [`PlaceError::Nowhere`] where nothing is given, there is no checkout around, and the user has no home.
    pub fn find(given: Option<&Path>, around: &Surroundings) -> Result<Place, PlaceError> {
        if let Some(dir) = given {
            return match &around.current {
                _ if dir.is_absolute() => Ok(Place { dir: dir.to_owned(), why: Why::Given }),
                Some(current) => Ok(Place { dir: current.join(dir), why: Why::Given }),
                None => Err(PlaceError::Current(dir.to_owned())),
            };
        }
        let current = around.current.as_deref().map(Path::ancestors).into_iter().flatten();
        if let Some(root) = current.into_iter().find(|dir| is_checkout(dir)) {
            return Ok(Place { dir: root.join("tuned").join("record"), why: Why::Checkout });
        }
        // The specification: a relative path is invalid and is to be ignored; so is an empty one.
        let data_home = around.data_home.clone().filter(|dir| dir.is_absolute());
        let home = around.home.as_ref().filter(|dir| dir.is_absolute()).map(|home| home.join(".local").join("share"));
        let data = data_home.or(home).ok_or(PlaceError::Nowhere)?;
        Ok(Place { dir: data.join("copysmith"), why: Why::UserData })
    }

    /// The directory of one machine's records, made where it does not exist.
    ///
    /// # Errors
    /// [`PlaceError::Machine`] where the key is no file name, [`PlaceError::Make`] where the directory cannot be made.
    pub fn of_machine(&self, machine: &str) -> Result<PathBuf, PlaceError> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if machine.is_empty() || !machine.chars().all(plain) {
            return Err(PlaceError::Machine(machine.to_owned()));
        }
        let dir = self.dir.join(machine);
        match fs::create_dir_all(&dir) {
            Ok(()) => Ok(dir),
            Err(source) => Err(PlaceError::Make { dir, source }),
        }
    }
}

/// Whether a directory is the root of copysmith's own source: its package, and the folder that the records go to.
fn is_checkout(dir: &Path) -> bool {
    #[derive(Deserialize)]
    struct Manifest {
        package: Package,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
    }
    // A manifest that cannot be read or parsed is somebody else's: the search goes on above it.
    let text = regular::read_to_string(&dir.join("Cargo.toml")).unwrap_or_default();
    let manifest = toml::from_str::<Manifest>(&text);
    manifest.is_ok_and(|manifest| manifest.package.name == "copysmith") && dir.join("tuned").is_dir()
}

/// Why there is no place for records.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlaceError {
    /// A relative directory was given, and the current one is gone.
    Current(PathBuf),
    /// No directory is given and none can be guessed.
    Nowhere,
    /// The key of a machine that cannot name a directory.
    Machine(String),
    /// The directory cannot be made.
    Make {
        /// The directory.
        dir: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::Current(given) => {
                write!(f, "{} is relative and the current directory is gone; give an absolute one", given.display())
            }
            PlaceError::Nowhere => {
                f.write_str("there is no home directory to keep records in; give --record DIR or set XDG_DATA_HOME")
            }
            PlaceError::Machine(key) => {
                write!(f, "'{key}' cannot name a directory; a machine is named by a-z, 0-9 and -")
            }
            PlaceError::Make { dir, source } => {
                write!(f, "cannot make {}: {source}; give another --record DIR", dir.display())
            }
        }
    }
}

impl std::error::Error for PlaceError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(current: &Path) -> Surroundings {
        Surroundings {
            current: Some(current.to_owned()),
            data_home: Some("/data".into()),
            home: Some("/home/someone".into()),
        }
    }

    fn found(given: Option<&str>, around: &Surroundings) -> (PathBuf, Why) {
        let place = Place::find(given.map(Path::new), around).unwrap();
        (place.dir, place.why)
    }

    #[test]
    fn what_is_given_wins_and_is_relative_to_the_current_directory() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let here = around(root);
        assert_eq!(found(Some("/r"), &here), ("/r".into(), Why::Given));
        assert_eq!(found(Some("r"), &here), (root.join("r"), Why::Given));
        let nowhere = Surroundings { current: None, ..here };
        assert_eq!(found(Some("/r"), &nowhere), ("/r".into(), Why::Given));
        assert!(matches!(Place::find(Some(Path::new("r")), &nowhere), Err(PlaceError::Current(_))));
    }

    #[test]
    fn anywhere_inside_this_checkout_records_go_to_the_tuned_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for current in [root.to_owned(), root.join("src"), root.join("kernels/src")] {
            assert_eq!(found(None, &around(&current)), (root.join("tuned/record"), Why::Checkout));
        }
    }

    #[test]
    fn another_project_or_one_without_the_folder_is_no_checkout() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = dir.path().join("Cargo.toml");
        let user = (PathBuf::from("/data/copysmith"), Why::UserData);
        let ours = "[dependencies]\nname = \"no\"\n[package]\nname = 'copysmith' # ours\n";
        fs::write(&manifest, ours).unwrap();
        assert_eq!(found(None, &around(dir.path())), user);
        fs::create_dir(dir.path().join("tuned")).unwrap();
        assert_eq!(found(None, &around(dir.path())), (dir.path().join("tuned/record"), Why::Checkout));
        for other in ["[package]\nname = \"copysmith-user\"", "[dependencies]\nname = \"copysmith\"", "= broken", ""] {
            fs::write(&manifest, other).unwrap();
            assert_eq!(found(None, &around(dir.path())), user, "{other}");
        }
    }

    #[test]
    fn the_user_data_directory_follows_the_xdg_rules() {
        let mut away = around(Path::new("/"));
        assert_eq!(found(None, &away).0, Path::new("/data/copysmith"));
        for invalid in ["", "relative"] {
            away.data_home = Some(invalid.into());
            assert_eq!(found(None, &away).0, Path::new("/home/someone/.local/share/copysmith"));
        }
        away.home = None;
        assert!(matches!(Place::find(None, &away), Err(PlaceError::Nowhere)));
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_named_with_the_reason() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for dir in [file.path().to_owned(), PathBuf::from("/proc/records")] {
            let place = Place { dir: dir.clone(), why: Why::Given };
            let text = place.of_machine("amd-17h-31h").unwrap_err().to_string();
            assert!(text.starts_with(&format!("cannot make {}/amd-17h-31h: ", dir.display())), "{text}");
            assert!(text.contains("(os error ") && text.ends_with("--record DIR"), "{text}");
        }
    }

    #[test]
    fn each_machine_has_a_directory_of_its_own_and_no_key_leads_out_of_the_place() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place { dir: dir.path().join("a/b"), why: Why::Given };
        assert!(place.of_machine("amd-17h-31h").unwrap().is_dir());
        for key in ["", "..", "a/b", "AMD", "a b"] {
            assert!(matches!(place.of_machine(key), Err(PlaceError::Machine(_))), "{key}");
        }
    }
}
