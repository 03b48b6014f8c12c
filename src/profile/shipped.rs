//! The profiles that the command carries. `shipped/record.sh` made them, each by the command in its header.

use super::Profile;
use super::error::ReadError;

/// A profile inside the command.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    packed: &'static [u8],
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped { name: $name, packed: include_bytes!(concat!("shipped/", $name, ".profile.gz")) }),*]
    };
}

static ALL: &[Shipped] = shipped![
    "bash",
    "gcc",
    "git",
    "nginx",
    "perl",
    "python3",
    "python3-json",
    "redis",
    "rustc",
    "sqlite3",
    "tar",
    "zstd",
];

/// Every profile that is shipped, by name.
pub fn shipped() -> &'static [Shipped] {
    ALL
}

/// The shipped profile of this name.
pub fn by_name(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|shipped| shipped.name == name)
}

impl Shipped {
    /// The profile.
    ///
    /// # Errors
    /// None, for one that was shipped as `record.sh` made it.
    pub fn profile(&self) -> Result<Profile, ReadError> {
        Profile::of_bytes(self.name, self.packed)
    }

    /// Bytes in the command.
    pub fn packed_bytes(&self) -> usize {
        self.packed.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_named_as_its_file_is_small_and_long_enough_to_replay() {
        for shipped in shipped() {
            let profile = shipped.profile().unwrap();
            let header = profile.header();
            assert_eq!(header.name, shipped.name);
            assert!(!header.command.is_empty() && header.callers.is_empty(), "{}", shipped.name);
            assert!(header.machine.is_some() && header.libc.is_some() && header.seconds.is_some(), "{}", shipped.name);
            assert!(shipped.packed_bytes() <= 200 << 10, "{}: {}", shipped.name, shipped.packed_bytes());
            let kept = profile.calls().count();
            assert!((16_384..=131_072).contains(&kept), "{}: {kept}", shipped.name);
        }
        assert!(shipped().is_sorted_by_key(|shipped| shipped.name));
    }
}
