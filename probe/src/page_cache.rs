//! Files made cold or warm before a job starts, and proof of it.
//!
//! Source: posix_fadvise(2), mincore(2); Linux `Documentation/admin-guide/sysctl/vm.rst` (drop_caches).
//! Limits: pages that a running process has mapped cannot be dropped; what was achieved is read back, never assumed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::sys;

/// What is done to a set of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Only look.
    Residency,
    Evict,
    Preload,
}

impl Act {
    pub const NAMES: [&str; 3] = ["residency", "evict", "preload"];

    pub fn named(name: &str) -> Option<Self> {
        match name {
            "residency" => Some(Self::Residency),
            "evict" => Some(Self::Evict),
            "preload" => Some(Self::Preload),
            _ => None,
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Residency => "look at",
            Self::Evict => "evict",
            Self::Preload => "preload",
        }
    }
}

/// How much of a set of files is in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residency {
    pub files: u64,
    pub bytes: u64,
    pub resident_bytes: u64,
}

impl Residency {
    /// Share in memory; `None` of nothing.
    pub fn share(self) -> Option<f64> {
        (self.bytes > 0).then(|| self.resident_bytes as f64 / self.bytes as f64)
    }

    pub fn json(self) -> Value {
        json!({"files": self.files, "bytes": self.bytes, "resident_bytes": self.resident_bytes})
    }
}

/// Acts on files, and on all files in folders, then reads back what is in memory.
pub fn perform(act: Act, paths: &[String]) -> Result<Residency> {
    let mut files = Vec::new();
    for path in paths {
        gather(Path::new(path), &mut files).map_err(|error| Error::io(format!("read {path}"), &error))?;
    }
    let mut found = Residency::default();
    for path in &files {
        one(act, path, &mut found)
            .map_err(|error| Error::io(format!("{} {}", act.verb(), path.display()), &error))?;
    }
    Ok(found)
}

/// Drops the whole machine's page cache, dentries and inodes that nobody uses.
pub fn drop_caches() -> Result<()> {
    sys::sync_all();
    fs::write("/proc/sys/vm/drop_caches", "3").map_err(|error| Error::io("drop the machine's caches", &error))
}

/// Links are not followed below a path that was given, so that nothing is met twice.
fn gather(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let kind = fs::metadata(path)?;
    if kind.is_file() {
        files.push(path.to_owned());
    }
    if !kind.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !entry.file_type()?.is_symlink() {
            gather(&entry.path(), files)?;
        }
    }
    Ok(())
}

fn one(act: Act, path: &Path, found: &mut Residency) -> io::Result<()> {
    let mut file = File::open(path)?;
    match act {
        Act::Residency => {}
        Act::Evict => {
            // Dirty pages cannot be dropped.
            file.sync_data()?;
            sys::drop_pages(&file)?;
        }
        Act::Preload => {
            let mut piece = vec![0_u8; 1 << 18];
            while file.read(&mut piece)? > 0 {}
        }
    }
    let length = file.metadata()?.len();
    found.files += 1;
    found.bytes += length;
    found.resident_bytes += sys::resident_bytes(&file, length)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_named_as_it_is() {
        let memory = std::env::temp_dir().join(format!("Memory-{}", std::process::id()));
        symlink("/proc/self/mem", &memory).expect("linked"); // reading its first byte fails
        let told = perform(Act::Preload, &[memory.display().to_string()]).expect_err("refused").to_string();
        fs::remove_file(&memory).expect("removed");
        assert_eq!(told, format!("cannot preload {}: input/output error", memory.display()));
    }

    #[test]
    fn files_of_a_folder_are_loaded_and_evicted_and_both_is_seen() {
        // Where the tree lies, a disk is; a temporary folder may be in memory for good.
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("target/cache-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).expect("made");
        fs::write(folder.join("below/a"), vec![1_u8; 3 << 20]).expect("written");
        fs::write(folder.join("b"), vec![1_u8; 5000]).expect("written");
        let paths = [folder.display().to_string()];
        let warm = perform(Act::Preload, &paths).expect("preloaded");
        let cold = perform(Act::Evict, &paths).expect("evicted");
        fs::remove_dir_all(&folder).expect("removed");
        assert_eq!((warm.files, warm.bytes), (2, (3 << 20) + 5000));
        assert_eq!(warm.resident_bytes, warm.bytes);
        assert!(cold.share() < Some(0.01), "{cold:?}");
    }

    #[test]
    fn an_absent_file_is_named() {
        let error = perform(Act::Residency, &["/no/such".to_owned()]).expect_err("absent");
        assert_eq!((error.code, error.message.as_str()), (4, "cannot read /no/such: no such file or directory"));
    }
}
