//! What the tests of whole tunes share: small tunes, the command, and its records.

use assert_cmd::cargo::CommandCargoExt;
use copysmith::host::Host;
use copysmith::record::{Contents, Entry, JOURNAL, read};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

/// Options of a tune of two classes that takes a few seconds: its routine is for one program, not for all.
pub const SMALL: [&str; 10] =
    ["--effort", "quick", "--budget", "1", "--spans", "0..=32,33..", "--seed", "7", "--profile", "gcc"];

/// The command, away from any checkout of copysmith.
pub fn copysmith(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("copysmith").unwrap();
    command.args(args).current_dir("/").env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// A small tune with its record below `record`.
pub fn tune(record: &Path, more: &[&str]) -> Command {
    let mut command = copysmith(&[&["tune"][..], &SMALL, more].concat());
    command.arg("--record").arg(record);
    command
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[track_caller]
pub fn done(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The one line of an error, without the name of the command.
#[track_caller]
pub fn complaint(output: &Output, code: i32) -> String {
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(code), ""), "{said}");
    assert!(said.starts_with("copysmith: ") && said.ends_with('\n') && said.lines().count() == 1, "{said:?}");
    said["copysmith: ".len()..].trim_end().to_owned()
}

/// This machine's folder of a record.
pub fn folder(record: &Path) -> PathBuf {
    record.join(Host::read().machine())
}

/// The journal of this machine in a record.
pub fn journal(record: &Path) -> PathBuf {
    folder(record).join(JOURNAL)
}

/// What a journal holds after its header.
pub fn entries(journal: &Path) -> Vec<Entry> {
    let Contents { entries, .. } = read(journal).unwrap();
    entries
}

/// A record in which a small tune was run to its end; made once, to be copied and never written.
pub fn finished() -> &'static Path {
    static FINISHED: OnceLock<PathBuf> = OnceLock::new();
    FINISHED.get_or_init(|| {
        let record = Path::new(env!("CARGO_TARGET_TMPDIR")).join("finished-tune");
        let _ = fs::remove_dir_all(&record);
        done(&tune(&record, &[]).output().unwrap());
        record
    })
}

/// The finished journal as far as it is about the long class, whose copies from memory are what takes time: a tune that goes on
/// with it still races and confirms the short class and the whole routine.
pub fn long_class_done() -> Vec<u8> {
    let text = fs::read_to_string(journal(finished())).unwrap();
    let kept = |line: &&str| line.contains("\"kind\":\"header\"") || line.contains("\"class\":\"33..\"");
    text.lines().filter(kept).flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}

/// How many whole lines a journal has; none where there is no journal.
pub fn lines(journal: &Path) -> usize {
    fs::read(journal).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

/// Waits until the run has added so many lines to its journal, then sends the signal to it and its children, as a terminal
/// does; the output, and whether it was sent.
pub fn signalled(mut child: Child, journal: &Path, more: usize, signal: i32) -> (Output, bool) {
    let target = lines(journal) + more;
    let sent = loop {
        if child.try_wait().unwrap().is_some() {
            break false;
        }
        if lines(journal) >= target {
            // SAFETY: sends a signal to a group whose leader is ours and not yet reaped.
            unsafe { libc::kill(-(child.id() as libc::pid_t), signal) };
            break true;
        }
        sleep(Duration::from_micros(300));
    };
    (child.wait_with_output().unwrap(), sent)
}

/// Starts a run whose output is kept, in a process group of its own.
pub fn started(mut command: Command) -> Child {
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The lowest-numbered processor that may be used; a tune takes the highest where it is not told.
pub fn lowest_cpu() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    list.split([',', '-']).next().unwrap().to_owned()
}

/// A record with these bytes as this machine's journal.
pub fn with_journal(bytes: &[u8]) -> TempDir {
    let record = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder(record.path())).unwrap();
    fs::write(journal(record.path()), bytes).unwrap();
    record
}
