use crate::{copy, copy_raw};

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
