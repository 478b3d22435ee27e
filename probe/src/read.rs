//! The only place that opens files of the machine for reading, all of them below one root.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::arrange;

/// Room for kept files below the usual limit of 1,024 descriptors.
const DEFAULT_ROOM: usize = 900;
/// Most files of one process or attribute fit; larger ones make their buffer grow once.
const FIRST_BYTES: usize = 1024;

/// Files that may still be kept open; set once from the descriptor limit, which may be 1,024 and not raisable.
static ROOM: AtomicUsize = AtomicUsize::new(DEFAULT_ROOM);

/// Allows so many kept files from now on.
pub fn set_room(files: usize) {
    ROOM.store(files, Ordering::Relaxed);
}

/// A file that is read again and again from its start.
///
/// It stays open, as an open of a `/proc` file costs more than a read of it; where there is no room for one more
/// descriptor it is opened at each read.
#[derive(Debug)]
pub struct Kept {
    path: PathBuf,
    file: Option<fs::File>,
    buffer: Vec<u8>,
}

impl Kept {
    fn open(path: PathBuf) -> io::Result<Self> {
        let file = fs::File::open(&path)?;
        let room = ROOM.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(1)).is_ok();
        Ok(Self { path, file: room.then_some(file), buffer: Vec::new() })
    }

    /// The content now; an error once what the file tells of is gone.
    pub fn bytes(&mut self) -> io::Result<&[u8]> {
        self.read(false)
    }

    /// As `text`, of a file that the kernel gives in one piece: no second read asks for its end.
    pub fn piece(&mut self) -> Option<&str> {
        std::str::from_utf8(self.read(true).ok()?).ok()
    }

    fn read(&mut self, one_piece: bool) -> io::Result<&[u8]> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let length = self.read_in(&mut buffer, one_piece).map(<[u8]>::len);
        self.buffer = buffer;
        Ok(&self.buffer[..length?])
    }

    /// As `bytes`, in a buffer that many files share.
    pub fn bytes_in<'a>(&self, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        self.read_in(buffer, false)
    }

    /// As `bytes_in`, of a file that the kernel gives in one piece: what leaves room in the buffer is all of it.
    pub fn piece_in<'a>(&self, buffer: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        self.read_in(buffer, true)
    }

    fn read_in<'a>(&self, buffer: &'a mut Vec<u8>, one_piece: bool) -> io::Result<&'a [u8]> {
        let length = match &self.file {
            Some(file) => fill(file, buffer, one_piece)?,
            None => fill(&fs::File::open(&self.path)?, buffer, one_piece)?,
        };
        Ok(&buffer[..length])
    }

    /// As `text`, in a buffer that many files share.
    pub fn text_in<'a>(&self, buffer: &'a mut Vec<u8>) -> Option<&'a str> {
        std::str::from_utf8(self.bytes_in(buffer).ok()?).ok()
    }

    /// The content now as text; `None` where it cannot be read or is no UTF-8.
    pub fn text(&mut self) -> Option<&str> {
        std::str::from_utf8(self.bytes().ok()?).ok()
    }

    /// The only number of a file such as a sysfs attribute.
    pub fn number(&mut self) -> Option<u64> {
        self.text()?.trim().parse().ok()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.file.is_some() {
            ROOM.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn fill(file: &fs::File, buffer: &mut Vec<u8>, one_piece: bool) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            buffer.resize((filled * 2).max(FIRST_BYTES), 0);
        }
        match file.read_at(&mut buffer[filled..], filled as u64) {
            Ok(0) => return Ok(filled),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if one_piece && filled < buffer.len() {
            return Ok(filled);
        }
    }
}

/// The folder that stands for `/`: the machine itself, or a recorded one.
#[derive(Clone, Debug)]
pub struct Root {
    prefix: PathBuf,
    notes: Option<Arc<Mutex<Notes>>>,
}

/// What was found below a root: all that a recorded machine needs for the same answers.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Files that were read.
    pub files: BTreeSet<PathBuf>,
    /// Files and folders that were only asked for or listed.
    pub seen: BTreeSet<PathBuf>,
    /// Symbolic links, with the last part of where they lead.
    pub links: BTreeMap<PathBuf, String>,
    /// What no file tells, by name.
    pub told: BTreeMap<&'static str, String>,
}

/// Folder of a recorded machine for what no file of a machine tells.
pub const TOLD: &str = "/assay";

fn locked(notes: &Mutex<Notes>) -> MutexGuard<'_, Notes> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Root {
    pub fn new(prefix: impl Into<PathBuf>) -> Self {
        Self { prefix: prefix.into(), notes: None }
    }

    /// The same root, which keeps in mind from now on what is found below it.
    pub fn noting(&self) -> Self {
        Self { prefix: self.prefix.clone(), notes: Some(Arc::default()) }
    }

    /// What was found so far; empty where nobody wants to know.
    pub fn notes(&self) -> Notes {
        self.notes.as_ref().map(|notes| locked(notes).clone()).unwrap_or_default()
    }

    fn note(&self, write: impl FnOnce(&mut Notes)) {
        if let Some(notes) = &self.notes {
            write(&mut locked(notes));
        }
    }

    /// This machine.
    pub fn here() -> Self {
        Self::new("/")
    }

    /// Whether this is the machine itself, so that the kernel may be asked directly.
    pub fn is_here(&self) -> bool {
        self.prefix.as_os_str() == "/"
    }

    /// Where an absolute path really lies.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.prefix.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// A file that is going to be read many times.
    pub fn keep(&self, path: impl AsRef<Path>) -> io::Result<Kept> {
        Kept::open(self.path(path))
    }

    /// The whole file.
    pub fn bytes(&self, path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        let bytes = fs::read(self.path(&path))?;
        self.note(|notes| notes.files.extend([path.as_ref().to_owned()]));
        Ok(bytes)
    }

    /// The whole file as text, `None` where it cannot be read; bytes that are no UTF-8 are replaced.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        self.bytes(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The only word of a file such as a sysfs attribute.
    pub fn word(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = self.text(path)?;
        let word = text.trim();
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// Names in a folder, sorted; empty where it cannot be read.
    pub fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        self.names_from(path, "")
    }

    /// Those that begin with a word.
    pub fn names_from(&self, path: impl AsRef<Path>, start: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(&path)) else { return Vec::new() };
        let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.retain(|name| name.starts_with(start));
        arrange::sort(&mut names);
        self.note(|notes| notes.seen.extend(names.iter().map(|name| path.as_ref().join(name))));
        names
    }

    /// Whether something lies there.
    pub fn holds(&self, path: impl AsRef<Path>) -> bool {
        let there = self.path(&path).symlink_metadata().is_ok();
        if there {
            self.note(|notes| notes.seen.extend([path.as_ref().to_owned()]));
        }
        there
    }

    /// The last part of where a symbolic link leads; a recorded machine has a file with it, as links get lost on the way.
    pub fn link(&self, path: impl AsRef<Path>) -> Option<String> {
        if !self.is_here() {
            return self.word(path);
        }
        let target = fs::read_link(self.path(&path)).ok()?.file_name()?.to_str()?.to_owned();
        self.note(|notes| drop(notes.links.insert(path.as_ref().to_owned(), target.clone())));
        Some(target)
    }

    /// What no file tells: asked of this machine, read from a recorded one.
    pub fn told(&self, name: &'static str, ask: impl FnOnce() -> Option<String>) -> Option<String> {
        if !self.is_here() {
            return self.word(format!("{TOLD}/{name}"));
        }
        let answer = ask()?;
        self.note(|notes| drop(notes.told.insert(name, answer.clone())));
        Some(answer)
    }

    /// A file that anybody could have put there: text only of a regular one, not too large, that is ours or root's.
    pub fn own_text(&self, path: &str, most_bytes: u64) -> Option<String> {
        let path = self.path(path);
        let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
        let mut file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
        let about = file.metadata().ok()?;
        let ours = about.uid() == 0 || fs::metadata("/proc/self").is_ok_and(|me| me.uid() == about.uid());
        let mut text = String::new();
        (about.is_file() && ours && about.len() <= most_bytes).then_some(())?;
        file.read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// At most `length` bytes from `offset`.
    pub fn span(&self, path: impl AsRef<Path>, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        // A program's path may have become anything since it was mapped.
        let mut file = fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(self.path(path))?;
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(length as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Hands the file's content to `sink` in pieces.
    pub fn stream(&self, path: impl AsRef<Path>, mut sink: impl FnMut(&[u8])) -> io::Result<()> {
        let mut file = fs::File::open(self.path(path))?;
        let mut piece = vec![0_u8; 1 << 16];
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(()),
                count => sink(&piece[..count]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_one_piece_is_read_whole_and_anew_whatever_its_size() {
        let folder = std::env::temp_dir().join(format!("assay-piece-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("stat");
        fs::write(&path, "").unwrap();
        let mut kept = Root::new("/").keep(&path).unwrap();
        for size in [0, 1, FIRST_BYTES - 1, FIRST_BYTES, FIRST_BYTES + 1, 5 * FIRST_BYTES, 7] {
            let content = "x".repeat(size);
            fs::write(&path, &content).unwrap();
            assert_eq!(kept.piece(), Some(content.as_str()));
            assert_eq!(kept.text(), Some(content.as_str()));
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
