//! A file to work on that nobody else sees and that nothing leaves behind.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Result;
use crate::cost::cannot;
use crate::sys;

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// An empty file in the directory, without a name once it is open, so that it goes with the process.
pub fn file(directory: &Path, direct: bool) -> Result<File> {
    let name = format!("assay-kernel.{}.{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = directory.join(name);
    let failed = |error| cannot(&format!("make a file in {}", directory.display()))(error);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    if direct {
        options.custom_flags(sys::DIRECT);
    }
    let file = options.open(&path).map_err(failed);
    // Where the file system refuses O_DIRECT, the file may be there all the same.
    let removed = fs::remove_file(&path).map_err(failed);
    let file = file?;
    removed.map(|()| file)
}

/// Such a file with content: every byte is `byte`, and it is in the page cache.
pub fn filled(directory: &Path, bytes: usize, byte: u8) -> Result<File> {
    let mut file = file(directory, false)?;
    let block = vec![byte; 1 << 16];
    let mut left = bytes;
    while left > 0 {
        let now = left.min(block.len());
        file.write_all(&block[..now]).map_err(cannot("fill a file"))?;
        left -= now;
    }
    // What is still dirty would be written back while we measure.
    file.sync_all().map_err(cannot("write a file back"))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_size_and_no_name() {
        let directory = std::env::temp_dir().join(format!("assay-scratch-{}", process::id()));
        fs::create_dir_all(&directory).expect("a directory");
        let file = filled(&directory, 100_000, 1).expect("a file");
        assert_eq!(file.metadata().expect("its facts").len(), 100_000);
        assert_eq!(fs::read_dir(&directory).expect("a list").count(), 0);
        fs::remove_dir(&directory).expect("an empty directory");
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let error = file(Path::new("/none/there"), false).expect_err("no file");
        assert_eq!(error, "cannot make a file in /none/there: no such file or directory");
    }
}
