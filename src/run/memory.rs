//! Executable memory that is never writable while it is executable.
//!
//! Pages are mapped writable, filled, and made executable. Hosts that forbid making a page executable (systemd's
//! `MemoryDenyWriteExecute`, SELinux `execmem`) still allow mapping a file executable that was written through another
//! mapping: there the code goes through an anonymous file, and its writable side is gone before the first call.

use super::entry::Entry;
use super::mapping::Mapping;
use super::page_bytes;
use copysmith_kernels::Code;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

/// The largest alignment a piece may ask for, in bytes: the smallest page there is.
const LARGEST_ALIGN: usize = 4096;

/// Code to be placed, and where: its first byte lands on an address that is `offset` modulo `align`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'c> {
    /// The instructions, position-independent and at least one byte.
    pub bytes: &'c [u8],
    /// A power of two from 1 to 4096.
    pub align: usize,
    /// Below `align`. Other than 0 it moves code away from the alignment it was emitted for, to see what placement costs.
    pub offset: usize,
}

impl<'c> Piece<'c> {
    /// The same piece, `offset` bytes after a multiple of `align`.
    pub fn placed(self, align: usize, offset: usize) -> Piece<'c> {
        Piece { align, offset, ..self }
    }
}

impl<'c> From<&'c Code> for Piece<'c> {
    /// The code on the alignment it asks for.
    fn from(code: &'c Code) -> Piece<'c> {
        Piece { bytes: &code.bytes, align: code.align, offset: 0 }
    }
}

/// How an arena's pages became executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Written, then made executable in place.
    Protected,
    /// Written through one mapping of an anonymous file, run through another.
    MappedTwice,
}

/// Pieces of code in executable memory. Entries borrow it, so none outlives its pages.
#[derive(Debug)]
pub struct Arena {
    pages: Mapping,
    starts: Vec<usize>,
    way: Way,
}

impl Arena {
    /// All pieces, in order, in one run of executable pages. The gaps between them trap.
    ///
    /// ```
    /// use copysmith::run::{Arena, Piece};
    /// let ret = Piece { bytes: &[0xc3], align: 64, offset: 0 };
    /// # if cfg!(target_arch = "x86_64") {
    /// let arena = Arena::new(&[ret, ret.placed(4096, 48)]).unwrap();
    /// assert_eq!(arena.entry(0).unwrap().address() % 64, 0);
    /// assert_eq!(arena.entry(1).unwrap().address() % 4096, 48);
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`MapError`] for a piece that cannot be placed as it asks, for memory that is not to be had, and where the system
    /// forbids executable memory in both ways.
    pub fn new(pieces: &[Piece]) -> Result<Arena, MapError> {
        if !cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
            return Err(MapError::Architecture);
        }
        let (starts, end) = place(pieces)?;
        let bytes = end.max(1).checked_next_multiple_of(page_bytes()).ok_or(MapError::TooLarge)?;
        let (pages, way) = match protected(pieces, &starts, bytes)? {
            Ok(pages) => (pages, Way::Protected),
            Err(refusal) => (mapped_twice(pieces, &starts, bytes, refusal)?, Way::MappedTwice),
        };
        Ok(Arena { pages, starts, way })
    }

    /// The entry of the piece with this index, as it was passed to [`Arena::new`].
    pub fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let start = *self.starts.get(index)?;
        // SAFETY: `place` put the piece at `start`, inside the pages; they stay executable and unwritten as long as `self`.
        // That it is a function of the right type and correct is what `Entry::call` asks of its caller.
        Some(unsafe { Entry::at(self.pages.start().add(start)) })
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// How the pages became executable.
    pub fn way(&self) -> Way {
        self.way
    }
}

/// The start of each piece and the end of the last, relative to a page boundary.
fn place(pieces: &[Piece]) -> Result<(Vec<usize>, usize), MapError> {
    let mut starts = Vec::with_capacity(pieces.len());
    let mut end: usize = 0;
    for (index, &Piece { bytes, align, offset }) in pieces.iter().enumerate() {
        if bytes.is_empty() {
            return Err(MapError::Empty { index });
        }
        if !align.is_power_of_two() || align > LARGEST_ALIGN {
            return Err(MapError::Align { index, align });
        }
        if offset >= align {
            return Err(MapError::Offset { index, offset, align });
        }
        let gap = offset.wrapping_sub(end) & (align - 1);
        let start = end.checked_add(gap).ok_or(MapError::TooLarge)?;
        end = start.checked_add(bytes.len()).ok_or(MapError::TooLarge)?;
        starts.push(start);
    }
    Ok((starts, end))
}

/// Fills writable pages: `int3` everywhere, then the pieces.
fn fill(pages: &mut Mapping, pieces: &[Piece], starts: &[usize]) {
    // SAFETY: the caller mapped all of `pages` writable, and `&mut` says that nobody else looks.
    let room = unsafe { std::slice::from_raw_parts_mut(pages.start(), pages.bytes()) };
    room.fill(0xcc);
    for (piece, &start) in pieces.iter().zip(starts) {
        room[start..start + piece.bytes.len()].copy_from_slice(piece.bytes);
    }
}

const WRITABLE: i32 = libc::PROT_READ | libc::PROT_WRITE;
const EXECUTABLE: i32 = libc::PROT_READ | libc::PROT_EXEC;

/// Pages made executable in place; the inner error is the system's refusal to do just that.
fn protected(pieces: &[Piece], starts: &[usize], bytes: usize) -> Result<Result<Mapping, io::Error>, MapError> {
    let mut pages =
        Mapping::private(bytes, WRITABLE).map_err(|error| MapError::Memory { bytes, errno: errno(&error) })?;
    fill(&mut pages, pieces, starts);
    Ok(pages.protect(0, bytes, EXECUTABLE).map(|()| pages))
}

/// An executable mapping of a file that was written through a mapping that is already gone.
fn mapped_twice(pieces: &[Piece], starts: &[usize], bytes: usize, refusal: io::Error) -> Result<Mapping, MapError> {
    let forbidden = |action: &'static str| {
        let protect = errno(&refusal);
        move |error: io::Error| MapError::Forbidden { protect, action, errno: errno(&error) }
    };
    let file = anonymous_file().map_err(forbidden("memfd_create"))?;
    let length = libc::off_t::try_from(bytes).map_err(|_| MapError::TooLarge)?;
    // SAFETY: the descriptor is open and ours.
    if unsafe { libc::ftruncate(std::os::fd::AsRawFd::as_raw_fd(&file), length) } != 0 {
        return Err(forbidden("setting the size of a memory file")(io::Error::last_os_error()));
    }
    let mut written =
        Mapping::file(file.as_fd(), bytes, WRITABLE).map_err(forbidden("mapping a memory file writable"))?;
    fill(&mut written, pieces, starts);
    drop(written);
    Mapping::file(file.as_fd(), bytes, EXECUTABLE).map_err(forbidden("mapping a memory file executable"))
}

/// A file in memory without a name. Kernels before 6.3 do not know the flag that asks for an executable one and give one
/// without being asked.
fn anonymous_file() -> io::Result<OwnedFd> {
    const MFD_EXEC: u32 = 0x10;
    let create = |flags: u32| {
        // SAFETY: the name is terminated; flags are checked by the kernel.
        let file = unsafe { libc::memfd_create(c"copysmith".as_ptr(), flags) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a fresh descriptor that nobody else owns.
        Ok(unsafe { OwnedFd::from_raw_fd(file) })
    };
    match create(libc::MFD_CLOEXEC | MFD_EXEC) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => create(libc::MFD_CLOEXEC),
        answer => answer,
    }
}

fn errno(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(0)
}

/// Why code could not be made runnable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MapError {
    /// A piece has no instruction.
    Empty {
        /// Which piece.
        index: usize,
    },
    /// An alignment is not a power of two from 1 to 4096.
    Align {
        /// Which piece.
        index: usize,
        /// The alignment it asks for.
        align: usize,
    },
    /// An offset is not below its alignment.
    Offset {
        /// Which piece.
        index: usize,
        /// The offset it asks for.
        offset: usize,
        /// Its alignment.
        align: usize,
    },
    /// The pieces together are larger than the address space.
    TooLarge,
    /// The system has no memory to give.
    Memory {
        /// How much was asked for, in bytes.
        bytes: usize,
        /// The system's error number.
        errno: i32,
    },
    /// The system allows neither making pages executable nor mapping a written file executable.
    Forbidden {
        /// The error number of `mprotect`.
        protect: i32,
        /// What failed on the other way.
        action: &'static str,
        /// Its error number.
        errno: i32,
    },
    /// Emitted code cannot be made visible to instruction fetch on this architecture yet.
    Architecture,
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = |errno: i32| io::Error::from_raw_os_error(errno);
        match *self {
            MapError::Empty { index } => write!(f, "piece {index} has no instruction"),
            MapError::Align { index, align } => {
                write!(f, "piece {index} asks for alignment {align}; a power of two up to {LARGEST_ALIGN} is allowed")
            }
            MapError::Offset { index, offset, align } => {
                write!(f, "piece {index} asks for offset {offset}; it must be below its alignment {align}")
            }
            MapError::TooLarge => f.write_str("the code is larger than the address space"),
            MapError::Memory { bytes, errno } => write!(f, "no memory for {bytes} bytes of code: {}", system(errno)),
            MapError::Forbidden { protect, action, errno } => write!(
                f,
                "this system forbids executable memory: mprotect: {}; {action}: {}. \
                 The tables in copysmith-tuned need none; to tune, run where systemd MemoryDenyWriteExecute, \
                 SELinux execmem and seccomp allow it",
                system(protect),
                system(errno)
            ),
            MapError::Architecture => write!(f, "running emitted code is not supported on {}", std::env::consts::ARCH),
        }
    }
}

impl std::error::Error for MapError {}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
