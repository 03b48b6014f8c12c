//! Profiles from other tools' lists: of sizes with weights, or of calls.

use super::call::{Call, Form, Function, PAGE_BYTES, Stretch};
use super::counts::Counts;
use super::error::ParseError;
use super::header::{Header, SCHEMA};
use super::layout::DISTANCES_BELOW;
use super::{MOST_CALLS, Profile};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Calls drawn from a list of sizes.
const DRAWN: usize = 65_536;
/// The seed of the draw: any number does as long as it is always the same.
const SEED: u64 = 1;

/// The profile that a list stands for; which kind of list is told by its first line. Empty lines and those that begin with `#`
/// are left out; numbers are decimal, or hexadecimal after `0x`.
///
/// - `SIZE WEIGHT`: how often a length occurs, in whole calls. A list has no order, so one is drawn: 65,536 calls at random
///   places, always the same ones. The counts are the list's.
/// - `DST SRC N`: calls in order, by addresses.
///
/// # Errors
/// [`ParseError`] names the first line that is not allowed, and what would be.
pub fn import(text: &str, name: &str) -> Result<Profile, ParseError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut rows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let numbers = line.split_ascii_whitespace().map(parse).collect::<Result<Vec<u64>, String>>();
        let numbers = numbers.map_err(|why| ParseError { line: number, why })?;
        let columns = rows.first().map_or(numbers.len(), |(_, first): &(usize, Vec<u64>)| first.len());
        if numbers.len() != columns || !(2..=3).contains(&columns) {
            let allowed = ["'SIZE WEIGHT'", "'DST SRC N'"];
            let allowed =
                if rows.is_empty() { allowed.join(" or ") } else { allowed[columns.clamp(2, 3) - 2].to_owned() };
            let why = format!("{} numbers are not allowed here; {allowed} is", numbers.len());
            return Err(ParseError { line: number, why });
        }
        if rows.len() as u64 == MOST_CALLS {
            return Err(ParseError { line: number, why: format!("more than {MOST_CALLS} lines are not allowed") });
        }
        rows.push((number, numbers));
    }
    let last = rows.last().map_or(1, |(number, _)| *number);
    let profile = match rows.first().map(|(_, numbers)| numbers.len()) {
        None => return Err(ParseError { line: 1, why: "there is nothing to import; at least one line is".to_owned() }),
        Some(2) => sizes(&rows, name)?,
        Some(_) => calls(&rows, name)?,
    };
    profile.map_err(|why| ParseError { line: last, why })
}

fn parse(word: &str) -> Result<u64, String> {
    let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let number = hexadecimal.map_or_else(|| word.parse(), |digits| u64::from_str_radix(digits, 16));
    number.map_err(|_| format!("'{word}' is not allowed; a whole number below 2^64, decimal or after 0x, is"))
}

fn header(name: &str, source: &str) -> Header {
    Header {
        schema: SCHEMA,
        name: name.to_owned(),
        source: source.to_owned(),
        threads: 1,
        processes: 1,
        distances_below: DISTANCES_BELOW,
        ..Header::default()
    }
}

fn sizes(rows: &[(usize, Vec<u64>)], name: &str) -> Result<Result<Profile, String>, ParseError> {
    let mut counts = Counts::default();
    let (mut ends, mut total) = (Vec::new(), 0u64);
    for (line, row) in rows {
        let (size, weight) = (row[0], row[1]);
        let bytes = size.checked_mul(weight).filter(|bytes| bytes.checked_add(counts.bytes()).is_some());
        let sum = total.checked_add(weight);
        let (Some(bytes), Some(sum)) = (bytes, sum) else {
            let why = format!("{weight} calls of {size} bytes are too much; below 2^64 bytes in all are allowed");
            return Err(ParseError { line: *line, why });
        };
        total = sum;
        counts.add_length(size, weight, bytes);
        ends.push((total, size));
    }
    counts.add_function(Function::Memcpy.symbol(Form::Plain), total);
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    // No more than there are: a profile never has more calls in order than in all.
    let drawn = DRAWN.min(usize::try_from(total).unwrap_or(DRAWN));
    let one = |_| {
        let at = random.random_range(0..total);
        let length = ends[ends.partition_point(|(end, _)| *end <= at)].1;
        let (dst_offset, src_offset) = (random.random_range(0..PAGE_BYTES), random.random_range(0..PAGE_BYTES));
        call(Function::Memcpy, length, dst_offset, src_offset, None)
    };
    let calls: Vec<Call> = (0..drawn).map(one).collect();
    let mut header = header(name, &format!("imported sizes; order and places drawn at random, seed {SEED}"));
    header.set(&counts);
    Ok(Profile::new(header, stretches(calls)))
}

fn calls(rows: &[(usize, Vec<u64>)], name: &str) -> Result<Result<Profile, String>, ParseError> {
    let mut calls = Vec::with_capacity(rows.len());
    for (line, row) in rows {
        let (dst, src, length) = (row[0], row[1], row[2]);
        if length >> 63 != 0 {
            let why = format!("{length} bytes are not allowed; below 2^63 are");
            return Err(ParseError { line: *line, why });
        }
        let distance = dst.wrapping_sub(src).cast_signed();
        let overlaps = distance.unsigned_abs() < length;
        let known = overlaps || distance.unsigned_abs() < DISTANCES_BELOW;
        let function = if overlaps { Function::Memmove } else { Function::Memcpy };
        let offset = |address: u64| (address % u64::from(PAGE_BYTES)) as u16;
        calls.push(call(function, length, offset(dst), offset(src), known.then_some(distance)));
    }
    let mut header = header(name, "imported calls");
    header.set(&Counts::of(&calls));
    Ok(Profile::new(header, stretches(calls)))
}

fn call(function: Function, length: u64, dst_offset: u16, src_offset: u16, distance: Option<i64>) -> Call {
    Call { function, form: Form::Plain, length, dst_offset, src_offset, distance, caller: None }
}

fn stretches(calls: Vec<Call>) -> Vec<Stretch> {
    if calls.is_empty() { Vec::new() } else { vec![Stretch { thread: 0, from: 0, calls }] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_keep_their_counts_and_calls_are_drawn_by_weight() {
        let profile = import("# sizes\n16 300000\n0x40 100000\n\n5000 7\n", "x").unwrap();
        let header = profile.header();
        assert_eq!((header.calls, header.bytes), (400_007, 16 * 300_000 + 64 * 100_000 + 5000 * 7));
        let drawn = profile.calls().filter(|call| call.length == 16).count() as f64 / profile.calls().count() as f64;
        assert!((drawn - 0.75).abs() < 0.01, "{drawn}");
        assert_eq!(profile, import("16 300000\n64 100000\n5000 7", "x").unwrap());
    }

    #[test]
    fn calls_keep_their_order_offsets_and_distances() {
        let profile = import("0x1010 4096 8\n0x1000 0x1010 32\n0x7f0000001000 16 0\n", "x").unwrap();
        let seen: Vec<String> = profile.calls().map(Call::to_string).collect();
        assert_eq!(seen, ["c 8 16 0 +16", "m 32 0 16 -16", "c 0 0 16"]);
    }

    #[test]
    fn a_line_that_is_not_allowed_is_named() {
        for (text, line, why) in [
            ("", 1, "nothing to import"),
            ("1 2\n1 2 3\n", 2, "3 numbers are not allowed here; 'SIZE WEIGHT' is"),
            ("#\n1\n", 2, "1 numbers are not allowed here; 'SIZE WEIGHT' or 'DST SRC N' is"),
            ("1 2 3\n4 5 x\n", 2, "'x' is not allowed"),
            ("16 -1\n", 1, "'-1' is not allowed"),
            ("0xffffffffffffffff 2\n", 1, "too much"),
            ("0 0 0x8000000000000000\n", 1, "below 2^63 are"),
        ] {
            let error = import(text, "x").unwrap_err();
            assert!(error.line == line && error.why.contains(why), "{text:?}: {error}");
        }
    }
}
