//! The functions of one build, called.

use crate::build::{build, telling};
use crate::library::Library;
use crate::reach::slot;
use copysmith::run::battery::{Avx, Depth, Subject, check};
use copysmith::run::isolate::{Outcome, Signal, isolate};
use copysmith::run::{CopyFn, Entry};
use copysmith_kernels::Span;
use copysmith_kernels::recipe::Operation;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;
use std::time::Duration;

/// A build, loaded into this process.
struct Loaded {
    library: Library,
    base: usize,
}

/// Loaded once. Its directory goes away then; what is mapped stays.
fn loaded() -> &'static Loaded {
    static LOADED: OnceLock<Loaded> = OnceLock::new();
    LOADED.get_or_init(|| {
        let built = build(telling()[3]);
        let library = Library::read(&built.path);
        let path = CString::new(built.path.as_os_str().as_bytes()).unwrap();
        // SAFETY: both texts end in a zero byte, and the library's constructor only asks the processor.
        let memcpy =
            unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL), c"memcpy".as_ptr()) };
        assert!(!memcpy.is_null());
        let base = memcpy as usize - library.exported["memcpy"] as usize;
        Loaded { library, base }
    })
}

fn symbol(name: &str) -> *mut libc::c_void {
    let Loaded { library, base } = loaded();
    (base + library.exported[name] as usize) as *mut libc::c_void
}

fn function(name: &str) -> CopyFn {
    // SAFETY: the library's functions of these names have this type; checked forms are not called through it.
    unsafe { std::mem::transmute::<*mut libc::c_void, CopyFn>(symbol(name)) }
}

#[test]
fn memcpy_and_memmove_pass_the_battery() {
    for (name, operation) in [("memcpy", Operation::Copy), ("memmove", Operation::Move)] {
        let function = function(name);
        let depth = Depth::Full { longest: (64 << 10) + 65 };
        let outcome = isolate(depth.limit(), || {
            // SAFETY: the library chose by this processor; if it is wrong, this child may be lost.
            let entry = unsafe { Entry::linked(function) };
            let subject = Subject { entry, operation, span: Span::ALL, avx: Avx::here() };
            // SAFETY: as above.
            unsafe { check(&subject, depth, None) }.map_err(|error| error.to_string())
        });
        match outcome.unwrap() {
            Outcome::Finished(Ok(Ok(coverage))) => assert!(coverage.lengths > 1000, "{name}: {coverage:?}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn mempcpy_copies_and_returns_the_end() {
    let mempcpy = function("mempcpy");
    let pattern: Vec<u8> = (0..9000_usize).map(|at| (at % 251) as u8).collect();
    for n in (0..=1100).chain([4096, 4097, 8999]) {
        let mut other = vec![0xa5; 9000];
        // SAFETY: both have `n` bytes and are apart.
        let end = unsafe { mempcpy(other.as_mut_ptr(), pattern.as_ptr(), n) };
        assert_eq!(end, other.as_mut_ptr().wrapping_add(n));
        assert!(other[..n] == pattern[..n] && other[n..].iter().all(|&byte| byte == 0xa5), "n {n}");
    }
}

#[test]
fn checked_forms_copy_what_fits_and_end_the_program_where_it_does_not() {
    type Checked = unsafe extern "C" fn(*mut u8, *const u8, usize, usize) -> *mut u8;
    for (name, beyond) in [("__memcpy_chk", 0), ("__memmove_chk", 0), ("__mempcpy_chk", 20)] {
        // SAFETY: the library's functions of these names have this type.
        let function = unsafe { std::mem::transmute::<*mut libc::c_void, Checked>(symbol(name)) };
        let (src, mut dst) = ([7_u8; 20], [0_u8; 40]);
        // SAFETY: both have 20 bytes and are apart.
        let returned = unsafe { function(dst.as_mut_ptr(), src.as_ptr(), 20, 20) };
        assert_eq!(returned, dst.as_mut_ptr().wrapping_add(beyond), "{name}");
        assert!(dst[..20] == src && dst[20..] == [0; 20], "{name}");
        let ended = isolate(Duration::from_secs(20), || {
            let mut dst = [0_u8; 40];
            // SAFETY: nothing is copied: the room is said to be smaller.
            unsafe { function(dst.as_mut_ptr(), src.as_ptr(), 20, 19) };
        });
        assert_eq!(ended.unwrap(), Outcome::Signal(Signal(libc::SIGABRT)), "{name}");
    }
}

#[test]
fn the_constructor_takes_the_table_of_this_processor() {
    let Loaded { library, base } = loaded();
    let pointer = base + slot(library, "memcpy") as usize;
    // SAFETY: the library is loaded, and only its constructor writes the pointer.
    let now = unsafe { (pointer as *const usize).read() };
    let name = &library.functions[&((now - base) as u64)].name;
    let machine = copysmith_tuned::machine().unwrap_or("x86-64").replace('-', "_");
    let expected = format!("5table{}{machine}7routine", machine.len());
    assert!(name.contains(&expected), "{name} is not {expected}");
}
