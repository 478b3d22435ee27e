//! Reads events in their order, from one file or from many small ones, and refuses what is damaged or incomplete.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use super::frame::{END, EVENT, HEAD_BYTES, HEADER_BYTES, Header, Kind, MOST_BYTES, TAIL_BYTES};
use super::values::Values;
use super::writer::part_path;
use crate::error::{Error, Result, cannot};
use crate::hash::{Digest, hash};

const BUFFER: usize = 1 << 20;

pub struct Reader {
    /// Of the first file.
    pub header: Header,
    path: PathBuf,
    parts: Option<PathBuf>,
    file: BufReader<File>,
    part: Digest,
    in_part: u64,
    next: u64,
    /// Digest of all events so far.
    pub digest: Digest,
    pub bytes: u64,
}

impl Reader {
    /// Opens `NAME.chain` or the folder `NAME` with many small files.
    pub fn open(directory: &Path, name: &str, kind: Kind) -> Result<Self> {
        let (whole, folder) = (directory.join(format!("{name}.chain")), directory.join(name));
        let parts = (!whole.exists() && part_path(&folder, 0).exists()).then_some(folder);
        let path = parts.as_deref().map_or(whole, |folder| part_path(folder, 0));
        let (header, file) = open(&path)?;
        if header.kind != kind {
            return Err(Error::content(&path, format!("expected {}, got {}", kind.name(), header.kind.name())));
        }
        if header.first != 0 {
            return Err(Error::content(&path, format!("expected event 0 first, got {}", header.first)));
        }
        let (part, digest, bytes) = (Digest::default(), Digest::default(), HEADER_BYTES as u64);
        Ok(Self { header, path, parts, file, part, in_part: 0, next: 0, digest, bytes })
    }

    /// The next event; `None` once all that the header promises were read.
    pub fn event(&mut self) -> Result<Option<(u64, Vec<u8>)>> {
        loop {
            let (marker, number, content, sum) = self.record()?;
            match marker {
                EVENT if number == self.next && self.next < self.header.events => {
                    self.digest.add(sum);
                    self.part.add(sum);
                    self.next += 1;
                    self.in_part += 1;
                    return Ok(Some((number, content)));
                }
                EVENT => {
                    return Err(self.wrong(format!("expected event {}, got event {number}", self.next)));
                }
                END => self.end_part(number, &content)?,
                other => {
                    return Err(self.wrong(format!("damaged after event {}: marker {other:08x}", self.next)));
                }
            }
            if self.next == self.header.events {
                return Ok(None);
            }
            self.open_part()?;
        }
    }

    fn end_part(&mut self, count: u64, content: &[u8]) -> Result<()> {
        if count != self.in_part {
            return Err(self.wrong(format!("expected {count} events, got {}", self.in_part)));
        }
        if Values::new(content).u64() != Some(self.part.0) {
            return Err(self.wrong("the digest of its events is not the one at its end"));
        }
        let mut rest = [0];
        match self.file.read(&mut rest).map_err(cannot("read", &self.path))? {
            0 => Ok(()),
            _ => Err(self.wrong("something follows its end")),
        }
    }

    fn open_part(&mut self) -> Result<()> {
        let (have, want) = (self.next, self.header.events);
        let Some(folder) = &self.parts else {
            return Err(self.wrong(format!("{} of {want} events are missing", want - have)));
        };
        self.path = part_path(folder, have);
        let (header, file) = open(&self.path).map_err(|error| Error {
            message: format!("{} ({} of {want} events are missing)", error.message, want - have),
            ..error
        })?;
        if (Header { first: have, ..self.header }) != header {
            return Err(self.wrong("its header does not continue that of the file before"));
        }
        (self.file, self.part, self.in_part) = (file, Digest::default(), 0);
        self.bytes += HEADER_BYTES as u64;
        Ok(())
    }

    fn record(&mut self) -> Result<(u32, u64, Vec<u8>, u64)> {
        let head = self.take(HEAD_BYTES)?;
        let mut values = Values::new(&head);
        let (marker, length, number) = (values.u32(), values.u32(), values.u64());
        let (Some(marker), Some(length), Some(number)) = (marker, length, number) else {
            return Err(self.wrong("truncated"));
        };
        if length as usize > MOST_BYTES {
            return Err(self.wrong(format!("damaged after event {}: a record of {length} bytes", self.next)));
        }
        let content = self.take(length as usize)?;
        let told = Values::new(&self.take(TAIL_BYTES)?).u64();
        let sum = hash(&content, number);
        if told != Some(sum) {
            return Err(self.wrong(format!("damaged: the checksum of event {number} does not match")));
        }
        Ok((marker, number, content, sum))
    }

    fn take(&mut self, count: usize) -> Result<Vec<u8>> {
        // Grows as bytes come: a damaged length takes no memory that the file does not fill.
        let mut bytes = Vec::with_capacity(count.min(BUFFER));
        let read = (&mut self.file).take(count as u64).read_to_end(&mut bytes);
        self.bytes += read.map_err(cannot("read", &self.path))? as u64;
        if bytes.len() == count {
            return Ok(bytes);
        }
        Err(self.wrong(format!("truncated after {} of {} events", self.next, self.header.events)))
    }

    /// The header's file, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::content(&self.path, what)
    }
}

fn open(path: &Path) -> Result<(Header, BufReader<File>)> {
    let file = File::open(path).map_err(cannot("open", path))?;
    let mut file = BufReader::with_capacity(BUFFER, file);
    let mut bytes = Vec::new();
    (&mut file).take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(cannot("read", path))?;
    let header = Header::parse(&bytes).map_err(|what| Error::content(path, what))?;
    Ok((header, file))
}
