//! Cases whose calls are recorded.

use super::Case;
use crate::time::{FEWEST_RECORDED, Recording, Temperature, Workload};
use copysmith_kernels::Span;

/// Two for each recording: all of its calls, and those above a length alone. Where hardly a call is above it, the second is skipped
/// and says so.
pub fn replay(recordings: &[Recording], above: u64, temperature: Temperature) -> Vec<Case> {
    let both = recordings.iter().flat_map(|recording| [recording.clone(), recording.above(above)]);
    both.enumerate().map(|(index, recording)| case(recording, temperature, index % 2 == 1)).collect()
}

fn case(recording: Recording, temperature: Temperature, skips: bool) -> Case {
    let name = recording.name().to_owned();
    let calls = recording.calls();
    let span = Span::new(recording.first(), recording.last()).unwrap_or(Span::ALL);
    let few = format!("too few calls, {calls}; at least {FEWEST_RECORDED} are timed");
    let workload = Workload { temperature, ..Workload::replay(recording) };
    Case {
        calls: Some(calls),
        skipped: (skips && calls < FEWEST_RECORDED).then_some(few),
        ..Case::new(span, vec![workload.into()]).named(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::import;

    #[test]
    fn each_recording_is_replayed_whole_and_above_a_length_unless_hardly_a_call_is() {
        let list = |length: usize| format!("0 64 {length}\n0 64 8\n").repeat(70);
        let recordings = [list(300), list(8)].map(|text| Recording::from(&import(&text, "mine").unwrap()));
        let cases = replay(&recordings, 128, Temperature::Hot);
        let found: Vec<_> = cases.iter().map(|case| (case.name.as_deref().unwrap(), case.calls.unwrap())).collect();
        let above = "mine, above 128 bytes";
        assert_eq!(found, [("mine", 140), (above, 70), ("mine", 140), (above, 0)]);
        let skipped: Vec<_> = cases.iter().map(|case| case.skipped.as_deref()).collect();
        assert_eq!(skipped, [None, None, None, Some("too few calls, 0; at least 64 are timed")]);
        assert_eq!((cases[1].span.first(), cases[1].span.last()), (300, 300));
    }

    #[test]
    fn a_recording_with_too_few_calls_in_all_is_no_skipped_case_but_a_failure() {
        let few = Recording::from(&import("0 64 300\n", "few").unwrap());
        assert!(replay(&[few], 128, Temperature::Hot)[0].skipped.is_none());
    }
}
