//! Who called: a hash table of return addresses, and the maps of the process that tell what stands there.

use super::layout::*;
use super::{open, system};
use core::ptr::addr_of_mut;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};

/// Executable ranges that the maps already written cover.
static RANGES: [[AtomicU64; 2]; 512] = [const { [const { AtomicU64::new(0) }; 2] }; 512];
static KNOWN: AtomicUsize = AtomicUsize::new(0);
static MAPPING: AtomicBool = AtomicBool::new(false);
static mut TEXT: [u8; 4096] = [0; 4096];

/// How many places are tried before a call is left without its caller.
const TRIES: usize = 16;

/// A child that was forked has the ranges of its parent, but must write the maps again beside its own file.
pub fn forget() {
    KNOWN.store(0, Relaxed);
    MAPPING.store(false, Relaxed);
}

/// The caller's number from 1, 0 where the table has no place for it.
///
/// # Safety
/// `base` is the mapped file of this process.
pub unsafe fn number(base: usize, caller: usize) -> u64 {
    let hash = (caller as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    for step in 0..TRIES {
        let index = (hash as usize + step) % CALLERS;
        // SAFETY: the table has CALLERS words there.
        let place = unsafe { &*((base + CALLERS_AT + index * 8) as *const AtomicU64) };
        let mut found = place.load(Relaxed);
        if found == 0 {
            found = place.compare_exchange(0, caller as u64, Relaxed, Relaxed).unwrap_or_else(|other| other);
            if found == 0 {
                learn(caller as u64);
                found = caller as u64;
            }
        }
        if found == caller as u64 {
            return index as u64 + 1;
        }
    }
    0
}

/// Writes the maps of the process where those written so far do not cover the caller.
#[cold]
#[inline(never)]
fn learn(caller: u64) {
    let _undisturbed = system::Undisturbed::begin();
    let covers = |range: &[AtomicU64; 2]| (range[0].load(Relaxed)..range[1].load(Relaxed)).contains(&caller);
    // Whoever is writing them now, writes those of this caller as well, or has just missed a library that is new.
    if RANGES.iter().take(KNOWN.load(Acquire)).any(covers) || MAPPING.swap(true, Acquire) {
        return;
    }
    if let Some(maps) = system::open(c"/proc/self/maps".to_bytes_with_nul(), 0) {
        if let Some(file) = open::maps() {
            copy(maps, file);
            system::close(file);
        }
        system::close(maps);
    }
    MAPPING.store(false, Release);
}

/// Copies the maps, `START-END PERMISSIONS ...` a line, and keeps the executable ranges.
fn copy(maps: usize, file: usize) {
    // SAFETY: only one thread at a time writes maps.
    let text = unsafe { &mut *addr_of_mut!(TEXT) };
    let mut known = 0;
    let (mut numbers, mut column, mut field) = ([0u64; 2], 0, 0);
    loop {
        let bytes = system::read(maps, text.as_mut_ptr(), text.len());
        if bytes == 0 {
            break;
        }
        system::write(file, text.as_ptr(), bytes);
        for &byte in text.iter().take(bytes) {
            column += 1;
            match byte {
                b'\n' => (numbers, column, field) = ([0; 2], 0, 0),
                b'-' if field == 0 => field = 1,
                b' ' => (field, column) = (field + 1, 0),
                // `rwxp`: the third letter.
                b'x' if field == 2 && column == 3 => {
                    if let Some(range) = RANGES.get(known) {
                        range[0].store(numbers[0], Relaxed);
                        range[1].store(numbers[1], Relaxed);
                        known += 1;
                    }
                }
                _ if field < 2 => {
                    let digit = if byte.is_ascii_digit() { byte - b'0' } else { (byte | 32).wrapping_sub(b'a' - 10) };
                    if let Some(number) = numbers.get_mut(field) {
                        *number = *number << 4 | u64::from(digit & 15);
                    }
                }
                _ => {}
            }
        }
    }
    KNOWN.store(known, Release);
}
