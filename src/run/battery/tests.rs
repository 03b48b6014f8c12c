//! The battery on linked routines, in this process: what a table's functions go through.

use super::*;

unsafe extern "sysv64" fn linked_copy(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the battery passes disjoint buffers of n bytes.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, n) };
    dst
}

unsafe extern "sysv64" fn linked_move(dst: *mut u8, src: *const u8, n: usize) -> *mut u8 {
    // SAFETY: the battery passes buffers of n bytes.
    unsafe { std::ptr::copy(src, dst, n) };
    dst
}

fn subject(span: &str) -> Subject<'static> {
    // SAFETY: it copies every length.
    let entry = unsafe { Entry::linked(linked_copy) };
    Subject { entry, operation: Operation::Copy, span: span.parse().unwrap(), avx: Avx::here() }
}

#[test]
fn the_standard_librarys_copy_passes() {
    // SAFETY: the routine is known to be right.
    let coverage = unsafe { check(&subject("0.."), Depth::Gate, None) }.unwrap().unwrap();
    assert_eq!((coverage.shortest, coverage.longest), (0, 1 << 20));
}

#[test]
fn the_standard_librarys_move_passes_as_a_move_with_more_calls() {
    // SAFETY: it moves every length.
    let entry = unsafe { Entry::linked(linked_move) };
    for span in ["0..", "70001..=80000"] {
        let calls = Operation::ALL.map(|operation| {
            let subject = Subject { entry, operation, ..subject(span) };
            // SAFETY: the routine is known to be right.
            unsafe { check(&subject, Depth::Gate, None) }.unwrap().unwrap().calls
        });
        assert!(calls[1] > calls[0], "{span}: {calls:?}");
    }
}

#[test]
fn two_runs_make_the_same_calls() {
    let calls = || {
        let mut rng = input::rng();
        let lengths = input::lengths(Span::ALL, Depth::Gate).into_iter();
        lengths.map(|n| (n, input::places(n, Depth::Gate, &mut rng))).collect::<Vec<_>>()
    };
    assert_eq!(calls(), calls());
}

#[test]
fn every_difference_after_a_call_is_found_and_placed() {
    let mut buffers = Buffers::new(100).unwrap();
    let mut contents = Contents::new(100);
    let input = Input { n: 100, dst: Place::Inside(600), src: Place::Inside(700) };
    let mut after = |change: &dyn Fn(&mut [u8], &mut [u8])| {
        let (dst_at, src_at) = buffers.prepare(input, &mut contents);
        let run = buffers.src.bytes()[src_at..src_at + 100].to_vec();
        buffers.dst.bytes_mut()[dst_at..dst_at + 100].copy_from_slice(&run);
        change(buffers.dst.bytes_mut(), buffers.src.bytes_mut());
        buffers.compare(input, &contents)
    };
    assert_eq!(after(&|_, _| {}), Ok(()));
    assert!(matches!(after(&|dst, _| dst[699] ^= 1), Err(Fault::Dst { at: 99, .. })));
    assert_eq!(after(&|dst, _| dst[599] ^= 1), Err(Fault::BeforeDst { distance: 1 }));
    assert_eq!(after(&|dst, _| dst[88] ^= 1), Err(Fault::BeforeDst { distance: 512 }));
    assert_eq!(after(&|dst, _| dst[700] ^= 1), Err(Fault::AfterDst { distance: 1 }));
    assert_eq!(after(&|dst, _| dst[1211] ^= 1), Err(Fault::AfterDst { distance: 512 }));
    assert_eq!(after(&|_, src| src[700] ^= 1), Err(Fault::SourceChanged { at: 0 }));
    assert_eq!(after(&|_, src| src[699] ^= 1), Err(Fault::SourceChanged { at: -1 }));
}
