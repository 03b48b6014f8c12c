//! The lines of a profile, both ways.

use super::call::{Call, Function, PAGE_BYTES, Stretch};
use super::error::ParseError;
use super::header::Header;
use super::read::{LONGEST_LINE, MOST_CALLS};
use super::{Profile, SCHEMA};
use serde::Deserialize;
use std::fmt;
use std::str::{FromStr, SplitAsciiWhitespace};

/// The whole profile as text.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = serde_json::to_string(&self.header).map_err(|_| fmt::Error)?;
        writeln!(f, "{header}")?;
        for stretch in &self.stretches {
            writeln!(f, "stretch {} {} {}", stretch.thread, stretch.from, stretch.calls.len())?;
            for call in &stretch.calls {
                writeln!(f, "{call}")?;
            }
        }
        Ok(())
    }
}

impl Profile {
    /// The profile that this text is.
    ///
    /// # Errors
    /// [`ParseError`] names the first line that is not allowed, and what would be.
    pub fn parse(text: &str) -> Result<Profile, ParseError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let header = lines.next().map_or_else(|| Err("there is no header".to_owned()), |(_, line)| header(line));
        let header = header.map_err(|why| ParseError { line: 1, why })?;
        let mut stretches: Vec<Stretch> = Vec::new();
        // Calls that the current stretch still promises, and all so far.
        let (mut missing, mut calls, mut last) = (0, 0, 1);
        for (number, line) in lines {
            last = number;
            let fault = |why| ParseError { line: number, why };
            if line.len() > LONGEST_LINE {
                return Err(fault(format!("{} bytes are not allowed; {LONGEST_LINE} are", line.len())));
            }
            if missing == 0 {
                let (stretch, promised) = stretch(line).map_err(fault)?;
                calls += promised;
                let most = header.calls.min(MOST_CALLS);
                if calls > most || stretches.len() as u64 == header.stretches {
                    let (found, allowed) = (stretches.len() + 1, header.stretches);
                    return Err(fault(format!(
                        "{calls} calls in {found} stretches are not allowed; at most {most} in {allowed} are"
                    )));
                }
                missing = promised;
                // What is promised may be a lie: room is taken as lines come.
                stretches.push(stretch);
            } else if let Some(stretch) = stretches.last_mut() {
                stretch.calls.push(call(line, &header).map_err(fault)?);
                missing -= 1;
            }
        }
        let fault = |why| Err(ParseError { line: last + 1, why });
        if missing > 0 {
            return fault(format!("the text ends here, and {missing} more calls were promised"));
        }
        if stretches.len() as u64 != header.stretches {
            let (found, promised) = (stretches.len(), header.stretches);
            return fault(format!("the text ends here with {found} stretches, and {promised} were promised"));
        }
        Ok(Profile { header, stretches })
    }
}

fn header(line: &str) -> Result<Header, String> {
    #[derive(Deserialize)]
    struct Version {
        copysmith_profile: u64,
    }
    let not_json = |error: serde_json::Error| {
        let text = error.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        format!("no header of a profile ({what} at column {})", error.column())
    };
    // The version first, alone: another schema need not look like this one.
    let version: Version = serde_json::from_str(line).map_err(not_json)?;
    if version.copysmith_profile != u64::from(SCHEMA) {
        return Err(format!("schema {} is not known; only {SCHEMA} is", version.copysmith_profile));
    }
    let header: Header = serde_json::from_str(line).map_err(not_json)?;
    header.check()?;
    Ok(header)
}

/// The next word as a number of the kind that is asked for.
fn number<T: FromStr>(words: &mut SplitAsciiWhitespace<'_>, what: &str, allowed: &str) -> Result<T, String> {
    let word = words.next().ok_or_else(|| format!("{what} is missing; {allowed} is allowed"))?;
    word.parse().map_err(|_| format!("{what} '{word}' is not allowed; {allowed} is"))
}

fn no_more(words: &mut SplitAsciiWhitespace<'_>) -> Result<(), String> {
    words.next().map_or(Ok(()), |word| Err(format!("'{word}' is too much; the line ends before it")))
}

/// A stretch without its calls, and how many there shall be.
fn stretch(line: &str) -> Result<(Stretch, u64), String> {
    let mut words = line.split_ascii_whitespace();
    if words.next() != Some("stretch") {
        return Err(format!("'{line}' is not allowed; 'stretch THREAD FROM CALLS' is"));
    }
    let thread = number(&mut words, "thread", "a number below 2^32")?;
    let from: u64 = number(&mut words, "from", "a number below 2^63")?;
    let calls = number(&mut words, "calls", "a number")?;
    no_more(&mut words)?;
    if calls == 0 || calls > MOST_CALLS || from >> 63 != 0 {
        return Err(format!("{calls} calls from {from} on are not allowed; 1 to {MOST_CALLS} from below 2^63 are"));
    }
    Ok((Stretch { thread, from, calls: Vec::new() }, calls))
}

fn call(line: &str, header: &Header) -> Result<Call, String> {
    let mut words = line.split_ascii_whitespace();
    let letter = words.next().unwrap_or_default();
    let (function, form) = Function::of_letter(letter)
        .ok_or_else(|| format!("'{letter}' is not allowed; a call begins with c, m, p, C, M or P"))?;
    let length = number(&mut words, "length", "a number below 2^63")?;
    let dst_offset = number(&mut words, "destination offset", "a number below 4096")?;
    let src_offset = number(&mut words, "source offset", "a number below 4096")?;
    let mut call = Call { function, form, length, dst_offset, src_offset, distance: None, caller: None };
    let mut word = words.next();
    if let Some(distance) = word.filter(|word| word.starts_with(['+', '-'])) {
        let parsed = distance.parse().map_err(|_| format!("distance '{distance}' is not allowed; +N or -N is"))?;
        call.distance = Some(parsed);
        word = words.next();
    }
    if let Some(word) = word {
        let caller = word.strip_prefix('@').and_then(|index| index.parse().ok());
        call.caller = Some(caller.ok_or_else(|| format!("'{word}' is not allowed; +N, -N or @N is"))?);
    }
    no_more(&mut words)?;
    check(&call, header)?;
    Ok(call)
}

/// Whether a call holds together; else what is wrong and what is allowed.
pub(super) fn check(call: &Call, header: &Header) -> Result<(), String> {
    let Call { length, dst_offset, src_offset, .. } = *call;
    if length >> 63 != 0 || dst_offset >= PAGE_BYTES || src_offset >= PAGE_BYTES {
        return Err(format!(
            "length {length} with offsets {dst_offset} and {src_offset} is not allowed; below 2^63 and 4096 is"
        ));
    }
    if let Some(distance) = call.distance {
        let page = i64::from(PAGE_BYTES);
        if distance.rem_euclid(page) != (i64::from(dst_offset) - i64::from(src_offset)).rem_euclid(page) {
            return Err(format!(
                "distance {distance:+} does not fit offsets {dst_offset} and {src_offset} modulo 4096"
            ));
        }
        if distance.unsigned_abs() >= header.distances_below && !call.overlaps() {
            let below = header.distances_below;
            return Err(format!("distance {distance:+} is not allowed; below {below} and overlapping regions are"));
        }
    }
    match call.caller {
        Some(caller) if caller as usize >= header.callers.len() => {
            Err(format!("caller @{caller} is not allowed; the header names {}", header.callers.len()))
        }
        _ => Ok(()),
    }
}
