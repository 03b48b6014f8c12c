//! The project's own battery, run on functions of a shared library that C's tools made of the exported files.

use crate::exported::Exported;
use copysmith::run::battery::{Avx, Coverage, Depth, Rejection, Subject, check};
use copysmith::run::isolate::{Outcome, isolate};
use copysmith::run::{CopyFn, Entry};
use copysmith_kernels::Span;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// `mempcpy` with the result that the battery looks for, and a copy that is wrong, to see that it looks.
const BESIDE: &str = "
#include \"copies.h\"
void *like_memcpy(void *dst, const void *src, size_t n) { return (char *)copysmith_mempcpy(dst, src, n) - n; }
void *one_short(void *dst, const void *src, size_t n) { return n ? (copysmith_memcpy(dst, src, n - 1), dst) : dst; }
";

fn battery(library: &Path, symbol: &str) -> Result<Coverage, Rejection> {
    let (path, name) = (CString::new(library.as_os_str().as_bytes()).unwrap(), CString::new(symbol).unwrap());
    // SAFETY: both texts end in a zero byte; the library has no initializers of its own.
    let found = unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), name.as_ptr()) };
    assert!(!found.is_null(), "{symbol}");
    // SAFETY: it is a function of this type, by its prototype.
    let function = unsafe { std::mem::transmute::<*mut libc::c_void, CopyFn>(found) };
    let depth = Depth::Full { longest: (64 << 10) + 65 };
    let outcome = isolate(depth.limit(), || {
        // SAFETY: the code needs SSE2 only, and may be wrong: this is a child that may be lost.
        let subject = Subject { entry: unsafe { Entry::linked(function) }, span: Span::ALL, avx: Avx::here() };
        // SAFETY: as above.
        unsafe { check(&subject, depth, None) }.map_err(|error| error.to_string())
    });
    match outcome.unwrap() {
        Outcome::Finished(Ok(result)) => result,
        other => panic!("{symbol}: {other:?}"),
    }
}

/// Makes a library of the files and of [`BESIDE`], and puts its functions through the battery.
fn through(source: &str) {
    let exported = Exported::everywhere();
    exported.write("beside.c", BESIDE);
    let arguments = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wl,--fatal-warnings", source, "beside.c", "-o"];
    if !exported.tool("cc", &[&arguments[..], &["copies.so"]].concat()) {
        return;
    }
    let library = exported.path("copies.so");
    for symbol in ["copysmith_memcpy", "like_memcpy"] {
        let coverage = battery(&library, symbol).unwrap_or_else(|rejection| panic!("{symbol}: {rejection}"));
        assert!(coverage.lengths > 1000 && coverage.longest > 64 << 10, "{coverage:?}");
    }
    assert!(battery(&library, "one_short").is_err());
}

#[test]
fn functions_of_the_object_pass() {
    through("copies.o");
}

#[test]
fn functions_of_the_assembled_text_pass() {
    through("copies.S");
}
