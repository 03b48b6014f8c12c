//! The project's own battery, run on functions of a shared library that C's tools made of the exported files.

use crate::exported::{Exported, MOVE};
use copysmith::run::battery::{Avx, Coverage, Depth, Rejection, Subject, check};
use copysmith::run::isolate::{Outcome, isolate};
use copysmith::run::{CopyFn, Entry};
use copysmith_kernels::Span;
use copysmith_kernels::recipe::Operation;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// `mempcpy` with the result that the battery looks for, and a copy that is wrong, to see that it looks.
const BESIDE: &str = "
#include \"copies.h\"
void *like_memcpy(void *dst, const void *src, size_t n) { return (char *)copysmith_mempcpy(dst, src, n) - n; }
void *one_short(void *dst, const void *src, size_t n) { return n ? (copysmith_memcpy(dst, src, n - 1), dst) : dst; }
";

fn battery(library: &Path, symbol: &str, operation: Operation) -> Result<Coverage, Rejection> {
    let (path, name) = (CString::new(library.as_os_str().as_bytes()).unwrap(), CString::new(symbol).unwrap());
    // SAFETY: both texts end in a zero byte; the library has no initializers of its own.
    let found = unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), name.as_ptr()) };
    assert!(!found.is_null(), "{symbol}");
    // SAFETY: it is a function of this type, by its prototype.
    let function = unsafe { std::mem::transmute::<*mut libc::c_void, CopyFn>(found) };
    let depth = Depth::Full { longest: (64 << 10) + 65 };
    let outcome = isolate(depth.limit(), || {
        // SAFETY: the code needs SSE2 only, and may be wrong: this is a child that may be lost.
        let entry = unsafe { Entry::linked(function) };
        let subject = Subject { entry, operation, span: Span::ALL, avx: Avx::here() };
        // SAFETY: as above.
        unsafe { check(&subject, depth, None) }.map_err(|error| error.to_string())
    });
    match outcome.unwrap() {
        Outcome::Finished(Ok(result)) => result,
        other => panic!("{symbol}: {other:?}"),
    }
}

/// Makes a library of the files and of [`BESIDE`], and puts its functions through the battery.
fn through(exported: &Exported, source: &str, functions: &[(&str, Operation)]) {
    exported.write("beside.c", BESIDE);
    let arguments = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wl,--fatal-warnings", source, "beside.c", "-o"];
    if !exported.tool("cc", &[&arguments[..], &["copies.so"]].concat()) {
        return;
    }
    let library = exported.path("copies.so");
    for &(symbol, operation) in functions {
        let coverage = battery(&library, symbol, operation).unwrap_or_else(|rejection| panic!("{symbol}: {rejection}"));
        assert!(coverage.lengths > 1000 && coverage.longest > 64 << 10, "{coverage:?}");
    }
    assert!(battery(&library, "one_short", Operation::Copy).is_err());
}

const COPIES: [(&str, Operation); 2] = [("copysmith_memcpy", Operation::Copy), ("like_memcpy", Operation::Copy)];

#[test]
fn functions_of_the_object_pass() {
    through(&Exported::everywhere(), "copies.o", &COPIES);
}

#[test]
fn functions_of_the_assembled_text_pass() {
    through(&Exported::everywhere(), "copies.S", &COPIES);
}

#[test]
fn a_memmove_passes_with_operands_that_overlap_and_a_copy_would_not() {
    let exported = Exported::new(&[MOVE]);
    through(&exported, "copies.o", &[("copysmith_memmove", Operation::Move)]);
    let copies = Exported::everywhere();
    if copies.tool("cc", &["-shared", "copies.o", "-o", "copies.so"]) {
        assert!(battery(&copies.path("copies.so"), "copysmith_memcpy", Operation::Move).is_err());
    }
}
