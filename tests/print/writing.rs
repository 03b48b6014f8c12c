use copysmith::print::write::{Written, writable, write};
use std::fs;
use std::path::Path;

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
fn a_rename_that_fails_leaves_the_folder_as_it_was_and_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("taken");
    fs::create_dir_all(file.join("full")).unwrap();
    let message = write(&file, "text").unwrap_err().to_string();
    assert!(message.contains("taken was not written and is as it was: "), "{message}");
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
        "/ was not written and is as it was: it has no file name"
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
