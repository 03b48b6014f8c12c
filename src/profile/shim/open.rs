//! This process's own file: made at its first call, and again by a child at its first call after a fork.

use super::layout::*;
use super::system;
use core::ptr::{addr_of, addr_of_mut};
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering::*};

/// Only whoever opens the file uses these, and only one thread of a process opens it, undisturbed.
static mut BUFFER: [u8; 4096] = [0; 4096];
static mut PATH: [u8; 1024] = [0; 1024];
/// How much of [`PATH`] is the directory; 0 until it is known. A child that is forked inherits it.
static DIRECTORY_BYTES: AtomicUsize = AtomicUsize::new(0);
static KEEP: AtomicU8 = AtomicU8::new(0);

const CREATE: usize = 0o100 | 0o200 | 0o2 | 0o2000000 | 0o400000; // O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW
const APPEND: usize = 0o100 | 0o1 | 0o2000 | 0o2000000 | 0o400000; // O_CREAT | O_WRONLY | O_APPEND | the same two
const LONGEST_DIRECTORY: usize = 900;

/// A new file, mapped; `None` where there is no directory for it or no room in it. The caller is alone and undisturbed.
pub fn file() -> Option<usize> {
    if DIRECTORY_BYTES.load(Acquire) == 0 && !directory() {
        return None;
    }
    // Growing a file past the limit would send SIGXFSZ.
    let mut limit = [0u64; 2];
    // SAFETY: room for an `rlimit`; 1 is RLIMIT_FSIZE.
    unsafe { system::call(system::PRLIMIT, 0, 1, 0, (&raw mut limit) as usize, 0, 0) };
    if limit[0] < FILE_BYTES as u64 {
        return None;
    }
    // SAFETY: takes no arguments.
    let process = unsafe { system::call(system::GETPID, 0, 0, 0, 0, 0, 0) } as u64;
    // A process that executes another program keeps its number: each program has a file.
    let file = (0..4096).find_map(|program| {
        name(process, program);
        // SAFETY: nobody else uses the path now.
        system::open(unsafe { &*addr_of!(PATH) }, CREATE)
    })?;
    let mapped = map(file);
    system::close(file);
    if mapped.is_none() {
        // SAFETY: the path is terminated.
        unsafe { system::call(system::UNLINK, (&raw const PATH) as usize, 0, 0, 0, 0, 0) };
    }
    let base = mapped?;
    // SAFETY: the header's page is there and nobody else has it yet.
    unsafe {
        let header = base as *mut u64;
        header.add(PROCESS).write(process);
        header.add(STARTED).write(system::now());
        header.add(KEEPS_CALLERS).write(KEEP.load(Relaxed).into());
        let link = c"/proc/self/exe".as_ptr() as usize;
        let path = system::call(system::READLINK, link, header.add(PROGRAM) as usize, MOST_PROGRAM_BYTES, 0, 0, 0);
        header.add(PROGRAM_BYTES).write(if path > 0 { path as u64 } else { 0 });
        header.write_volatile(MAGIC);
    }
    Some(base)
}

fn map(file: usize) -> Option<usize> {
    // SAFETY: a new mapping that nobody knows; 3 is PROT_READ | PROT_WRITE, 1 MAP_SHARED.
    let base = unsafe {
        if system::call(system::FTRUNCATE, file, FILE_BYTES, 0, 0, 0, 0) < 0 {
            return None;
        }
        system::call(system::MMAP, 0, FILE_BYTES, 3, 1, file, 0)
    };
    let callers = if KEEP.load(Relaxed) != 0 { CALLERS * 8 } else { 0 };
    (base > 0 && system::populate(base as usize, HEADER_BYTES + callers)).then_some(base as usize)
}

/// The file beside this process's own that takes the maps which name its callers; opened to append.
pub fn maps() -> Option<usize> {
    // SAFETY: the path is that of this process's file, and only one thread at a time asks for maps.
    let path = unsafe { &mut *addr_of_mut!(PATH) };
    let end = path.iter().position(|&byte| byte == 0)?;
    let ended = b".maps\0".iter().fold(end, |at, &byte| put(path, at, byte));
    let file = (ended < path.len()).then(|| system::open(path, APPEND))?;
    put(path, end, 0);
    file
}

/// Writes `PROCESS.PROGRAM` and a zero behind the directory.
fn name(process: u64, program: u64) {
    let mut at = DIRECTORY_BYTES.load(Relaxed);
    // SAFETY: nobody else uses the path now, and two numbers end before it does.
    let path = unsafe { &mut *addr_of_mut!(PATH) };
    at = decimal(path, at, process);
    at = put(path, at, b'.');
    at = decimal(path, at, program);
    put(path, at, 0);
}

fn put(path: &mut [u8], at: usize, byte: u8) -> usize {
    if let Some(place) = path.get_mut(at) {
        *place = byte;
    }
    at + 1
}

fn decimal(path: &mut [u8], at: usize, number: u64) -> usize {
    let (mut digits, mut left) = ([b'0'; 20], number);
    let mut first = digits.len();
    for (index, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (left % 10) as u8;
        left /= 10;
        first = index;
        if left == 0 {
            break;
        }
    }
    digits.iter().skip(first).fold(at, |at, &digit| put(path, at, digit))
}

/// Looks the directory up in the environment that this program was started with, by itself: libc may not be ready.
fn directory() -> bool {
    let Some(file) = system::open(c"/proc/self/environ".to_bytes_with_nul(), 0) else { return false };
    // SAFETY: nobody else uses the buffer and the path now.
    let (buffer, path) = unsafe { (&mut *addr_of_mut!(BUFFER), &mut *addr_of_mut!(PATH)) };
    // How much of `VARIABLE=` has been seen from an entry's start; None inside another entry.
    let (mut seen, mut length) = (Some(0), 0);
    let (mut value, mut ended) = (0, false);
    'read: loop {
        let bytes = system::read(file, buffer.as_mut_ptr(), buffer.len());
        if bytes == 0 {
            break;
        }
        for &byte in buffer.iter().take(bytes) {
            match seen {
                Some(at) if at > VARIABLE.len() => {
                    if byte == 0 || length == LONGEST_DIRECTORY {
                        ended = byte == 0;
                        break 'read;
                    }
                    match value {
                        0 => KEEP.store(byte.wrapping_sub(b'0'), Relaxed),
                        1 => {}
                        _ => length = put(path, length, byte),
                    }
                    value += 1;
                }
                _ if byte == 0 => seen = Some(0),
                Some(at) if VARIABLE.get(at).is_some_and(|&expected| expected == byte) => seen = Some(at + 1),
                Some(at) if at == VARIABLE.len() && byte == b'=' => seen = Some(at + 1),
                _ => seen = None,
            }
        }
    }
    system::close(file);
    if ended && length > 0 {
        DIRECTORY_BYTES.store(put(path, length, b'/'), Release);
    }
    ended && length > 0
}
