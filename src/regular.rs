//! Files that are read whole, or added to: regular ones only.
//!
//! Opening a fifo waits for whoever is at its other end, and a device may never end. So what is no file to be read is refused by a
//! look at it first; and since it may be exchanged after the look, it is opened in the way that waits for nobody.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// The file, open for reading.
///
/// # Errors
/// There is none, it may not be read, or it is a fifo, a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// The same in another way; where the options make a file that is not there, it is made.
///
/// # Errors
/// As [`open`].
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match is_regular(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// The bytes of the file.
///
/// # Errors
/// As [`open`], or it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of the file.
///
/// # Errors
/// As [`read`], or it is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// A file or a fifo, open for reading: a list that another program is still writing is waited for. Anything else that is no regular
/// file is refused.
///
/// # Errors
/// As [`open`].
pub fn open_or_pipe(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.file_type().is_fifo() { File::open(path) } else { open(path) }
}

/// Whether there is a file to be read. A directory is none either, and the system says so better than this could.
///
/// # Errors
/// It is a fifo, a socket or a device; or nothing can be found out about it.
pub fn is_regular(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    match found.is_file() || found.is_dir() {
        true => Ok(()),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    fn fifo(path: &Path) {
        let name = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the name is terminated.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    }

    #[test]
    fn a_fifo_and_a_device_are_refused_at_once_and_a_file_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, link, file) = (dir.path().join("pipe"), dir.path().join("link"), dir.path().join("file"));
        fifo(&pipe);
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [&pipe, &link, Path::new("/dev/zero")] {
            for refused in [open(path).err(), open_with(OpenOptions::new().append(true).create(true), path).err()] {
                assert_eq!(refused.unwrap().to_string(), "it is not a regular file", "{}", path.display());
            }
        }
        assert_eq!(read(&file).unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(&file, "text").unwrap();
        assert_eq!((read_to_string(&file).unwrap().as_str(), read(&file).unwrap().len()), ("text", 4));
        assert_eq!(read(dir.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn a_pipe_is_read_to_its_end_where_one_is_allowed_and_a_device_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        fifo(&pipe);
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::write(pipe, "16 3\n")
        });
        let mut text = String::new();
        open_or_pipe(&pipe).unwrap().read_to_string(&mut text).unwrap();
        writer.join().unwrap().unwrap();
        assert_eq!(text, "16 3\n");
        assert!(open_or_pipe(Path::new("/dev/zero")).is_err());
    }
}
