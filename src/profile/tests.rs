//! Profiles as text and as files, cut and put together.

use super::layout::DISTANCES_BELOW;
use super::*;
use proptest::prelude::*;
use std::path::Path;

fn header(callers: u32) -> Header {
    Header {
        schema: SCHEMA,
        name: "made \"up\" µ".to_owned(),
        command: vec!["program".to_owned(), "an argument\nof two lines".to_owned()],
        source: "a test".to_owned(),
        machine: Some("amd-17h-31h".to_owned()),
        seconds: Some(1.0 / 3.0),
        processes: 1,
        threads: 4,
        distances_below: DISTANCES_BELOW,
        callers: (0..callers).map(|caller| format!("libx.so+{caller:#x}")).collect(),
        ..Header::default()
    }
}

fn profile(stretches: Vec<Stretch>) -> Profile {
    let mut header = header(3);
    header.set(&Counts::of(stretches.iter().flat_map(|stretch| stretch.calls())));
    Profile::new(header, stretches).unwrap()
}

/// Calls of these lengths in one stretch.
fn lengths(lengths: &[u64]) -> Profile {
    let call = |&length: &u64| Call {
        function: Function::Memcpy,
        form: Form::Plain,
        length,
        dst_offset: 16,
        src_offset: 0,
        distance: None,
        caller: None,
    };
    profile(vec![Stretch { thread: 0, from: 0, calls: lengths.iter().map(call).collect() }])
}

fn calls() -> impl Strategy<Value = Call> {
    let function = prop_oneof![Just(Function::Memcpy), Just(Function::Memmove), Just(Function::Mempcpy)];
    let form = prop_oneof![Just(Form::Plain), Just(Form::Checked)];
    let length = prop_oneof![0..5000u64, 0..=1u64 << 40];
    let near = DISTANCES_BELOW.cast_signed();
    let distance = proptest::option::of(prop_oneof![-5000..5000i64, 1 - near..near]);
    let caller = proptest::option::of(0..3u32);
    (function, form, length, 0..PAGE_BYTES, 0..PAGE_BYTES, distance, caller).prop_map(
        |(function, form, length, dst_offset, src_offset, distance, caller)| {
            let moved = distance.map_or(dst_offset, |distance| {
                (i64::from(src_offset) + distance).rem_euclid(i64::from(PAGE_BYTES)) as u16
            });
            Call { function, form, length, dst_offset: moved, src_offset, distance, caller }
        },
    )
}

fn profiles() -> impl Strategy<Value = Profile> {
    let stretch = (0..4u32, 0..1u64 << 40, prop::collection::vec(calls(), 1..40));
    let stretch = stretch.prop_map(|(thread, from, calls)| Stretch { thread, from, calls });
    prop::collection::vec(stretch, 0..6).prop_map(profile)
}

proptest! {
    #[test]
    fn text_and_back_is_the_same_profile(profile in profiles()) {
        prop_assert_eq!(Profile::parse(&profile.to_string()).unwrap(), profile);
    }

    #[test]
    fn a_compressed_file_is_the_same_profile_and_always_the_same_bytes(profile in profiles()) {
        let text = profile.to_string();
        let bytes = packed(Path::new("x.gz"), &text);
        prop_assert_eq!(&bytes, &packed(Path::new("y.profile.gz"), &text));
        prop_assert_eq!(Profile::of_bytes("x", &bytes).unwrap(), profile);
    }

    #[test]
    fn halves_are_the_calls_in_order_with_counts_of_their_own(profile in profiles()) {
        let (first, second) = profile.halves();
        let both: Vec<Call> = first.calls().chain(second.calls()).copied().collect();
        prop_assert_eq!(both, profile.calls().copied().collect::<Vec<_>>());
        prop_assert!(second.calls().count() - first.calls().count() <= 1);
        for half in [&first, &second] {
            prop_assert_eq!(half.header().calls, half.calls().count() as u64);
            prop_assert_eq!(&Profile::parse(&half.to_string()).unwrap(), half);
        }
    }

    #[test]
    fn a_merge_has_every_call_of_each_and_adds_their_counts(one in profiles(), other in profiles()) {
        let both = merge(&[one.clone(), other.clone()], "both").unwrap();
        prop_assert_eq!(both.header().calls, one.header().calls + other.header().calls);
        prop_assert_eq!(both.header().bytes, one.header().bytes + other.header().bytes);
        let calls: Vec<Call> = one.calls().chain(other.calls()).map(|call| Call { caller: None, ..*call }).collect();
        prop_assert_eq!(both.without_callers().calls().copied().collect::<Vec<_>>(), calls);
    }

    #[test]
    fn a_sample_is_never_too_large_and_counts_all(profile in profiles(), calls in 0..100u64) {
        let sample = profile.sample(calls);
        prop_assert!(sample.calls().count() as u64 <= calls);
        prop_assert_eq!(&sample.header().lengths, &profile.header().lengths);
        prop_assert_eq!(Profile::parse(&sample.to_string()).unwrap(), sample);
    }

    #[test]
    fn no_text_makes_the_reader_panic(profile in profiles(), at in 0..10_000usize, with in "[ -~\n]{0,8}") {
        let text = profile.to_string();
        let at = at % text.len();
        if text.is_char_boundary(at) {
            let _ = Profile::parse(&format!("{}{with}{}", &text[..at], &text[at..]));
            let _ = Profile::parse(&text[..at]);
        }
    }
}

#[test]
fn a_line_that_is_not_allowed_is_named_with_what_is() {
    let text = lengths(&[1, 2, 3]).to_string();
    let (head, calls) = text.split_once('\n').unwrap();
    assert_eq!(calls, "stretch 0 0 3\nc 1 16 0\nc 2 16 0\nc 3 16 0\n");
    for (from, to, line, why) in [
        ("c 2 16 0", "c 2 16 4096", 4, "length 2 with offsets 16 and 4096 is not allowed; below 2^63 and 4096 is"),
        ("c 2 16 0", "d 2 16 0", 4, "'d' is not allowed; a call begins with c, m, p, C, M or P"),
        ("c 2 16 0", "c two 16 0", 4, "length 'two' is not allowed; a number below 2^63 is"),
        ("c 2 16 0", "c 2 16", 4, "source offset is missing; a number below 4096 is allowed"),
        ("c 2 16 0", "c 2 16 0 +17", 4, "distance +17 does not fit offsets 16 and 0 modulo 4096"),
        ("c 2 16 0", "c 2 16 0 +2147483664", 4, "distance +2147483664 is not allowed; below 2147483648"),
        ("c 2 16 0", "c 2 16 0 @3", 4, "caller @3 is not allowed; the header names 3"),
        ("c 2 16 0", "c 2 16 0 @1 1", 4, "'1' is too much"),
        ("c 3 16 0\n", "", 5, "the text ends here, and 1 more calls were promised"),
        ("c 3 16 0\n", "c 3 16 0\nc 4 16 0\n", 6, "'c 4 16 0' is not allowed; 'stretch THREAD FROM CALLS' is"),
        ("stretch 0 0 3", "stretch 0 0 4", 2, "4 calls in 1 stretches are not allowed; at most 3 in 1 are"),
        ("stretch 0 0 3", "stretch 0 0 18446744073709551615", 2, "are not allowed; 1 to 8388608"),
        ("stretch 0 0 3", "stretch 0 0 0", 2, "0 calls from 0 on are not allowed"),
    ] {
        let wrong = format!("{head}\n{}", calls.replacen(from, to, 1));
        let error = Profile::parse(&wrong).unwrap_err();
        assert!(error.line == line && error.why.contains(why), "{to}: {error}");
    }
}

#[test]
fn a_header_that_does_not_add_up_is_refused() {
    let text = lengths(&[1, 2, 5000]).to_string();
    for (from, to, why) in [
        ("\"copysmith_profile\":1", "\"copysmith_profile\":2", "schema 2 is not known; only 1 is"),
        ("\"calls\":3", "\"calls\":4", "calls by function add up to 3, and the whole is 4"),
        ("\"bytes\":5003", "\"bytes\":5004", "bytes by length add up to 5003, and the whole is 5004"),
        ("\"memcpy\":3", "\"strcpy\":3", "function \"strcpy\" is not known"),
        ("[4608,5119,1,5000]", "[4608,5000,1,5000]", "lengths 4608 to 5000 are not allowed here"),
        ("[1,1,1,1],[2,2,1,2]", "[2,2,1,2],[1,1,1,1]", "lengths 1 to 1 are not allowed here; they ascend"),
        ("[2,2,1,2]", "[2,2,1,3]", "1 calls of 2 to 2 bytes cannot have 3 bytes"),
        ("\"name\":", "\"nam\":", "no header of a profile (unknown field `nam`"),
        ("{", "", "no header of a profile"),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        let error = Profile::parse(&text.replacen(from, to, 1)).unwrap_err();
        assert!(error.line == 1 && error.why.contains(why), "{to}: {error}");
    }
    assert_eq!(Profile::parse("").unwrap_err().to_string(), "line 1: there is no header");
}

/// 64 KiB of gzip that would be 64 MiB of text.
#[test]
fn what_is_compressed_is_read_no_further_than_allowed() {
    let bomb = packed(Path::new("x.gz"), &"a".repeat(1 << 26));
    assert!(bomb.len() < 1 << 17);
    assert_eq!(read::text(&bomb[..], 1 << 20).unwrap(), None);
    assert!(read::text(&bomb[..bomb.len() / 2], 1 << 27).is_err());
}

#[test]
fn repeats_and_predictions_are_those_of_the_stated_formula() {
    // Classes 1 2 3 1 2 3 1 2 3: from the fourth prediction on the table knows.
    let summary = Summary::of(&lengths(&[1, 2, 4, 1, 3, 5, 1, 2, 7]));
    assert_eq!((summary.repeats, summary.predicted), (Some(0.0), Some(4.0 / 7.0)));
    let summary = Summary::of(&lengths(&[8, 8, 8, 9]));
    assert_eq!((summary.repeats, summary.predicted), (Some(2.0 / 3.0), Some(0.5)));
    let summary = Summary::of(&lengths(&[8]));
    assert_eq!((summary.repeats, summary.predicted), (None, None));
}

#[test]
fn shares_and_bins_are_of_all_calls() {
    let summary = Summary::of(&lengths(&[0, 127, 128, 5000]));
    assert_eq!(summary.calls_below_128, Some(0.5));
    assert_eq!(summary.bytes_below_128, Some(127.0 / 5255.0));
    let bins: Vec<(u64, u64, u64)> = summary.bins.iter().map(|bin| (bin.first, bin.last, bin.calls)).collect();
    assert_eq!((bins[0], bins[7], bins[8]), ((0, 0, 1), (64, 127, 1), (128, 255, 1)));
    assert_eq!((bins.len(), bins[13]), (14, (4096, 8191, 1)));
    assert_eq!((summary.dst_mod_16[0], summary.src_mod_16[0], summary.same_mod_16), (4, 4, 4));
}

#[test]
fn overlap_is_counted_by_direction() {
    let text = lengths(&[8, 8, 8, 8]).to_string();
    let distances = ["c 8 4 0 +4", "c 8 0 4 -4", "c 8 4 4 +0", "c 8 8 0 +8"];
    let text = distances.iter().fold(text, |text, call| text.replacen("c 8 16 0", call, 1));
    let summary = Summary::of(&Profile::parse(&text).unwrap());
    assert_eq!((summary.overlap_up, summary.overlap_down, summary.overlap_same, summary.with_distance), (1, 1, 1, 4));
}

#[test]
fn distances_that_are_dropped_leave_those_of_overlaps() {
    let profile = import("0x2000 0x1000 16\n0x2000 0x1000 8192\n0x1010 0x1000 4\n", "x").unwrap().near(64);
    let seen: Vec<Option<i64>> = profile.calls().map(|call| call.distance).collect();
    assert_eq!(seen, [None, Some(4096), Some(16)]);
    assert_eq!(Profile::parse(&profile.to_string()).unwrap(), profile);
}

#[test]
fn the_drawing_names_the_profile_and_has_two_bars_a_bin() {
    let drawn = plot(&lengths(&[1, 2, 2])).unwrap();
    for part in ["<svg", "made", "100.0 % below 128 bytes", "bytes copied, from", "per cent"] {
        assert!(drawn.contains(part), "{part}");
    }
    assert!(plot(&lengths(&[])).unwrap().contains("</svg>"));
}
