use crate::{copy, copy_raw, memcpy, memmove, mempcpy};

fn pattern<const N: usize>() -> [u8; N] {
    core::array::from_fn(|at| (at % 251) as u8)
}

#[test]
fn copy_copies_every_byte_of_every_length_and_nothing_beside_it() {
    let src = pattern::<4200>();
    for n in (0..=1100).chain([2047, 2048, 2049, 4095, 4096]) {
        for offset in [0, 1, 31] {
            let mut dst = [0xa5u8; 4300];
            copy(&mut dst[offset..offset + n], &src[..n]);
            assert_eq!(dst[offset..offset + n], src[..n], "{n} bytes at offset {offset}");
            let outside = dst[..offset].iter().chain(&dst[offset + n..]);
            assert!(outside.into_iter().all(|&byte| byte == 0xa5), "{n} bytes at offset {offset}");
        }
    }
}

#[test]
fn copy_raw_takes_the_source_first() {
    let src = pattern::<300>();
    let mut dst = [0u8; 300];
    // SAFETY: both arrays have 300 bytes and are apart.
    unsafe { copy_raw(src.as_ptr(), dst.as_mut_ptr(), 300) };
    assert_eq!(dst, src);
}

#[test]
fn copying_nothing_touches_no_memory() {
    copy(&mut [], &[]);
}

#[test]
#[should_panic(expected = "dst has 3 bytes, src has 4")]
fn unequal_lengths_panic_and_name_both() {
    copy(&mut [0; 3], &[0; 4]);
}

#[test]
fn functions_of_c_copy_and_return_what_c_says() {
    let src = pattern::<700>();
    for n in [0, 1, 15, 16, 17, 100, 699, 700] {
        let (mut one, mut other) = ([0xa5u8; 701], [0xa5u8; 701]);
        // SAFETY: all arrays have at least 700 bytes and are apart.
        let (start, end) =
            unsafe { (memcpy(one.as_mut_ptr(), src.as_ptr(), n), mempcpy(other.as_mut_ptr(), src.as_ptr(), n)) };
        assert_eq!((start, end), (one.as_mut_ptr(), other.as_mut_ptr().wrapping_add(n)));
        assert_eq!(one, other);
        assert!(one[..n] == src[..n] && one[n..].iter().all(|&byte| byte == 0xa5), "{n}");
    }
}

/// Moves within one array as the function does, against a byte-by-byte model.
fn check_overlaps(function: impl Fn(*mut u8, *const u8, usize) -> *mut u8) {
    for n in (0..=300).chain([511, 512, 513, 1000]) {
        for distance in [-300isize, -65, -64, -17, -16, -15, -1, 0, 1, 15, 16, 17, 31, 64, 65, 300] {
            let mut expected = pattern::<1700>();
            let mut array = expected;
            let (from, to) = (350, 350usize.wrapping_add_signed(distance));
            expected.copy_within(from..from + n, to);
            let start = array.as_mut_ptr();
            let returned = function(start.wrapping_add(to), start.wrapping_add(from), n);
            assert_eq!(returned, start.wrapping_add(to));
            assert!(array == expected, "n {n}, dst = src{distance:+}");
        }
    }
}

#[test]
fn memmove_moves_under_every_overlap() {
    // SAFETY: both regions lie inside one array.
    check_overlaps(|dst, src, n| unsafe { memmove(dst, src, n) });
}

#[test]
#[cfg(all(feature = "tables", target_arch = "x86_64", target_os = "linux", target_pointer_width = "64", not(miri)))]
fn the_baseline_needs_nothing_and_moves_under_every_overlap() {
    let table = crate::baseline().expect("tables are compiled in");
    assert!(table.needs().is_empty() && table.routine().moves());
    assert!(crate::table().is_none_or(|table| table.machine() != "x86-64"), "it was measured nowhere");
    // SAFETY: both regions lie inside one array, and the routine is for every length and processor.
    check_overlaps(|dst, src, n| unsafe { table.routine().entry()(dst, src, n) });
}
