use copysmith::print::write::{Written, same, writable, write};
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::Command;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_made_then_replaced_then_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.rs");
    assert_eq!(write(&file, "one\n").unwrap(), Written::Replaced);
    assert_eq!(write(&file, "two\n").unwrap(), Written::Replaced);
    let made = fs::metadata(&file).unwrap().modified().unwrap();
    assert_eq!(write(&file, "two\n").unwrap(), Written::Unchanged);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), made);
    assert_eq!(fs::read_to_string(&file).unwrap(), "two\n");
    assert_eq!(names(folder.path()), ["table.rs"]);
}

#[test]
fn a_reader_sees_the_old_text_or_the_new_one_and_never_a_part() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.rs");
    let texts = ["a".repeat(200_000), "b".repeat(300_000)];
    write(&file, &texts[0]).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..20).for_each(|turn| assert!(write(&file, &texts[turn % 2]).is_ok())));
        while !writer.is_finished() {
            let seen = fs::read_to_string(&file).unwrap();
            assert!(texts.contains(&seen), "{} bytes", seen.len());
        }
    });
}

#[test]
fn a_folder_in_place_of_the_file_is_an_error_before_and_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("taken");
    fs::create_dir_all(file.join("full")).unwrap();
    let message = write(&file, "text").unwrap_err().to_string();
    assert!(message.ends_with("taken was not written and is as it was: is a directory"), "{message}");
    assert_eq!(writable(&file).unwrap_err().to_string(), message);
    assert_eq!(names(folder.path()), ["taken"]);
    assert_eq!(names(&file), ["full"]);
}

#[test]
fn a_folder_that_is_not_there_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let message = write(&folder.path().join("none/table.rs"), "text").unwrap_err().to_string();
    assert!(message.contains("none/table.rs was not written"), "{message}");
    assert_eq!(
        write(Path::new("/"), "text").unwrap_err().to_string(),
        "/ was not written and is as it was: is a directory"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn in_a_folder_that_takes_no_files_nothing_is_lost() {
    // Permissions do not stop root; this folder takes no file from anybody.
    let file = Path::new("/proc/version");
    let before = fs::read_to_string(file).unwrap();
    let message = write(file, "text").unwrap_err().to_string();
    assert!(message.starts_with("/proc/version was not written and is as it was: "), "{message}");
    assert_eq!(fs::read_to_string(file).unwrap(), before);
}

#[test]
fn what_cannot_be_written_is_known_before_and_asking_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("table.rs");
    fs::write(&file, "old").unwrap();
    for wrong in ["none/table.rs", "table.rs/table.rs", "..", ""] {
        assert!(writable(&dir.path().join(wrong)).is_err(), "{wrong}");
    }
    writable(&file).unwrap();
    writable(&dir.path().join("new.rs")).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_link_is_followed_even_where_nothing_is_there_yet() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("elsewhere")).unwrap();
    fs::write(at("elsewhere/old"), "old").unwrap();
    for (link, to) in [("first", "elsewhere/old"), ("second", "elsewhere/new"), ("third", "second")] {
        symlink(to, at(link)).unwrap();
        writable(&at(link)).unwrap();
        assert_eq!(write(&at(link), link).unwrap(), Written::Replaced);
        assert_eq!(fs::read_link(at(link)).unwrap(), Path::new(to));
    }
    assert_eq!(names(&at("elsewhere")), ["new", "old"]);
    assert_eq!(fs::read_to_string(at("elsewhere/old")).unwrap(), "first");
    assert_eq!(fs::read_to_string(at("elsewhere/new")).unwrap(), "third");
}

#[test]
fn a_fifo_gets_the_text_and_asking_does_not_wait_for_its_reader() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    writable(&fifo).unwrap();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| fs::read_to_string(&fifo).unwrap());
        assert_eq!(write(&fifo, "text").unwrap(), Written::Sent);
        assert_eq!(reader.join().unwrap(), "text");
    });
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
    assert_eq!(names(dir.path()), ["fifo"]);
}

#[test]
fn a_device_stays_one_and_says_what_is_wrong_with_it() {
    assert_eq!(write(Path::new("/dev/null"), "text").unwrap(), Written::Sent);
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    writable(Path::new("/dev/full")).unwrap();
    let message = write(Path::new("/dev/full"), "text").unwrap_err().to_string();
    assert!(message.starts_with("/dev/full was not written in full: No space left"), "{message}");
}

#[test]
fn a_reader_that_has_gone_has_seen_enough() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
    assert_eq!(write(Path::new(&path), "text").unwrap(), Written::Sent);
}

#[test]
fn one_file_is_known_by_any_of_its_names() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("there"), "").unwrap();
    symlink("there", at("link")).unwrap();
    symlink("free", at("loose")).unwrap();
    for (one, other, is_same) in [
        ("there", "folder/../there", true),
        ("there", "link", true),
        ("free", "folder/../free", true),
        ("free", "loose", true),
        ("free", "there", false),
        ("free", "folder/free", false),
    ] {
        assert_eq!(same(&at(one), &at(other)).unwrap(), is_same, "{one} {other}");
    }
    assert!(same(Path::new("/dev/null"), Path::new("/dev/../dev/null")).unwrap());
    assert!(same(&at("none/free"), &at("free")).is_err());
}
