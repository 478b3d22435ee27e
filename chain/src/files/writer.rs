//! Writes events in their order, into one file by large writes or into many by small appends, or nowhere.

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::frame::{END, EVENT, Header, record};
use crate::error::{Result, cannot};
use crate::hash::{Digest, hash};

const BUFFER: usize = 1 << 20;
/// Bytes of one append, as of a program that flushes its small buffer.
const PIECE: usize = 4096;
/// Events in one of many small files.
pub const PART_EVENTS: u64 = 10;

/// How events reach the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One file, large writes.
    Stream,
    /// Ten events a file; each piece of 4 KiB is appended to the file opened anew.
    Appends,
    /// Nothing is written.
    Nothing,
}

pub struct Writer {
    header: Header,
    path: PathBuf,
    pattern: Pattern,
    stream: Option<BufWriter<File>>,
    /// Of the file that is being written.
    part: Digest,
    in_part: u64,
    /// Number of its first event.
    first: u64,
    written: u64,
    /// Digest of all events, whatever the files.
    pub digest: Digest,
    pub bytes: u64,
}

impl Writer {
    /// Begins an output: what was there before under its name is replaced.
    pub fn create(path: PathBuf, header: Header, pattern: Pattern) -> Result<Self> {
        if pattern != Pattern::Nothing {
            clear(&path)?;
        }
        let (part, digest) = (Digest::default(), Digest::default());
        let mut writer =
            Self { header, path, pattern, stream: None, part, in_part: 0, first: 0, written: 0, digest, bytes: 0 };
        match pattern {
            Pattern::Stream => writer.open_stream()?,
            Pattern::Appends => fs::create_dir_all(&writer.path).map_err(cannot("make", &writer.path))?,
            Pattern::Nothing => {}
        }
        Ok(writer)
    }

    fn open_stream(&mut self) -> Result<()> {
        let file = File::create(&self.path).map_err(cannot("create", &self.path))?;
        self.stream = Some(BufWriter::with_capacity(BUFFER, file));
        let header = Header { first: 0, ..self.header };
        self.put(&header.bytes())
    }

    /// Writes the next event.
    pub fn event(&mut self, content: &[u8]) -> Result<()> {
        let number = self.written;
        if self.pattern == Pattern::Nothing {
            self.digest.add(hash(content, number));
        } else {
            if self.pattern == Pattern::Appends && self.in_part == 0 {
                self.first = number;
                self.put(&Header { first: number, ..self.header }.bytes())?;
            }
            let (bytes, sum) = record(EVENT, number, content);
            self.put(&bytes)?;
            self.digest.add(sum);
            self.part.add(sum);
        }
        self.written += 1;
        self.in_part += 1;
        if self.pattern == Pattern::Appends && self.in_part == PART_EVENTS { self.end_part() } else { Ok(()) }
    }

    fn end_part(&mut self) -> Result<()> {
        let (bytes, _) = record(END, self.in_part, &self.part.0.to_le_bytes());
        self.put(&bytes)?;
        (self.part, self.in_part) = (Digest::default(), 0);
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        match &mut self.stream {
            Some(stream) => stream.write_all(bytes).map_err(cannot("write", &self.path)),
            None => self.append(bytes),
        }
    }

    fn append(&self, bytes: &[u8]) -> Result<()> {
        let path = part_path(&self.path, self.first);
        for piece in bytes.chunks(PIECE) {
            let file = OpenOptions::new().append(true).create(true).open(&path);
            file.and_then(|mut file| file.write_all(piece)).map_err(cannot("append to", &path))?;
        }
        Ok(())
    }

    /// Ends the output; a missing end is how a reader knows that something was cut off.
    pub fn end(&mut self) -> Result<()> {
        match self.pattern {
            Pattern::Stream => self.end_part()?,
            Pattern::Appends if self.in_part > 0 => self.end_part()?,
            _ => {}
        }
        self.stream.take().map_or(Ok(()), |mut stream| stream.flush()).map_err(cannot("write", &self.path))
    }
}

/// One of many small files, by the number of its first event.
pub fn part_path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("{first:08}.part"))
}

/// Removes an earlier output in either pattern; what is not ours in its folder stays.
fn clear(path: &Path) -> Result<()> {
    let (whole, folder) = (path.with_extension("chain"), path.with_extension(""));
    if whole.is_file() {
        fs::remove_file(&whole).map_err(cannot("remove", &whole))?;
    }
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(&folder).map_err(cannot("read", &folder))? {
        let entry = entry.map_err(cannot("read", &folder))?.path();
        if entry.extension().is_some_and(|extension| extension == "part") {
            fs::remove_file(&entry).map_err(cannot("remove", &entry))?;
        }
    }
    Ok(())
}
