//! The only place that opens files of the machine for reading, all of them below one root.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Room for kept files below the usual limit of 1,024 descriptors.
const DEFAULT_ROOM: usize = 900;
/// The files of one process fit, of which there may be hundreds; larger ones make their buffer grow once or twice.
const FIRST_BYTES: usize = 384;

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
        self.fill(false)
    }

    /// As `bytes`, of a file that the kernel gives in one piece: what leaves room in the buffer is all of it.
    pub fn piece(&mut self) -> io::Result<&[u8]> {
        self.fill(true)
    }

    fn fill(&mut self, one_piece: bool) -> io::Result<&[u8]> {
        let length = match &self.file {
            Some(file) => fill(file, &mut self.buffer, one_piece)?,
            None => fill(&fs::File::open(&self.path)?, &mut self.buffer, one_piece)?,
        };
        Ok(&self.buffer[..length])
    }

    /// The content now as text; `None` where it cannot be read or is no UTF-8.
    pub fn text(&mut self) -> Option<&str> {
        std::str::from_utf8(self.bytes().ok()?).ok()
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
}

impl Root {
    pub fn new(prefix: impl Into<PathBuf>) -> Self {
        Self { prefix: prefix.into() }
    }

    /// This machine.
    pub fn here() -> Self {
        Self::new("/")
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
        fs::read(self.path(path))
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
        let Ok(entries) = fs::read_dir(self.path(path)) else { return Vec::new() };
        let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// At most `length` bytes from `offset`.
    pub fn span(&self, path: impl AsRef<Path>, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut file = fs::File::open(self.path(path))?;
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
