//! The folder of a run: its files, and whether its supervisor lives.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::sys;

const MOST_SOCKET_PATH: usize = 107;
/// A name that nobody can have taken before.
static ELSEWHERE: OnceLock<PathBuf> = OnceLock::new();

/// A run's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at this path, taken from where we are now.
    pub fn at(path: &str) -> Result<Self> {
        let path = std::path::absolute(path).map_err(|error| Error::io(format!("find {path}"), &error))?;
        Ok(Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes the folder for a new run; one that holds a run already is refused.
    pub fn begin(&self, spec: &Value) -> Result<()> {
        let place = self.path.display();
        for name in ["spec.json", "pid", "probe.json"] {
            if self.file(name).exists() {
                return Err(Error::usage(format!("cannot run into {place}: it holds a run already ({name})")));
            }
        }
        fs::create_dir_all(&self.path).map_err(|error| Error::io(format!("make {place}"), &error))?;
        self.write("spec.json", spec)
    }

    /// Writes a JSON file so that nobody sees a part of it.
    ///
    /// It is synced once it is there, as that takes as long as the disk is busy and who waits for it need not. A crash
    /// of the machine in that moment may leave it empty: `holds`.
    pub fn write(&self, name: &str, value: &Value) -> Result<()> {
        let (path, part) = (self.file(name), self.file(&format!(".{name}.part")));
        let write = || {
            let mut file = File::create(&part)?;
            file.write_all(format!("{value:#}\n").as_bytes())?;
            fs::rename(&part, &path)?;
            file.sync_all()
        };
        write().map_err(|error| Error::io(format!("write {}", path.display()), &error))
    }

    /// Whether a JSON file was written; an empty one is what a crash left of it.
    pub fn holds(&self, name: &str) -> bool {
        self.file(name).metadata().is_ok_and(|metadata| metadata.len() > 0)
    }

    pub fn create(&self, name: &str) -> io::Result<File> {
        File::create(self.file(name))
    }

    /// Writes our number into `pid` and locks it: while we live, however we end, the lock says so.
    pub fn claim(&self) -> io::Result<File> {
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(self.file("pid"))?;
        sys::lock(&file)?;
        writeln!(file, "{}", std::process::id())?;
        Ok(file)
    }

    /// Where a job's announcements arrive; the address of a socket holds 107 bytes.
    pub fn socket(&self) -> PathBuf {
        let path = self.file("phases.socket");
        let short = path.as_os_str().len() <= MOST_SOCKET_PATH;
        let elsewhere = || PathBuf::from(format!("/tmp/assay-phases-{}-{}", std::process::id(), sys::monotonic_ns()));
        if short { path } else { ELSEWHERE.get_or_init(elsewhere).clone() }
    }

    /// Writes down the job's control groups, for the case that we cannot remove them.
    pub fn note_groups(&self, groups: &[&PathBuf]) -> io::Result<()> {
        let lines: Vec<String> = groups.iter().map(|group| format!("{}\n", group.display())).collect();
        fs::write(self.file("groups"), lines.concat())
    }

    /// The control groups that were written down.
    pub fn groups(&self) -> Vec<PathBuf> {
        let text = fs::read_to_string(self.file("groups")).unwrap_or_default();
        text.lines().map(PathBuf::from).collect()
    }

    /// Number of the living supervisor.
    pub fn supervisor(&self) -> Option<i32> {
        let file = OpenOptions::new().read(true).write(true).open(self.file("pid")).ok()?;
        sys::lock_holder(&file)
    }
}
