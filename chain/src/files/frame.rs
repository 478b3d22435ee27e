//! What stands around the events: header, record, trailer as bytes.

use super::values::{Values, put};
use crate::hash::hash;

pub const MAGIC: &[u8; 8] = b"ASCHAIN\n";
pub const VERSION: u32 = 1;
pub const HEADER_BYTES: usize = 64;
/// Marker, length and number before the content of a record.
pub const HEAD_BYTES: usize = 16;
/// Checksum after the content.
pub const TAIL_BYTES: usize = 8;
pub const EVENT: u32 = u32::from_le_bytes(*b"EVNT");
pub const END: u32 = u32::from_le_bytes(*b"ENDS");
/// No event is longer; a damaged length must not take all memory.
pub const MOST_BYTES: usize = 1 << 30;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Tables,
    Particles,
    Hits,
    Waveforms,
    Pulses,
    Events,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Tables, Self::Particles, Self::Hits, Self::Waveforms, Self::Pulses, Self::Events];

    fn code(self) -> u32 {
        self as u32 + 1
    }

    pub fn name(self) -> &'static str {
        ["tables", "particles", "hits", "waveforms", "pulses", "events"][self as usize]
    }
}

/// The first bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    pub seed: u64,
    /// Digest of the detector that the events were made for.
    pub detector: u64,
    pub pmts: u32,
    pub samples: u32,
    /// Number of the first event in this file.
    pub first: u64,
    /// Events of the whole output, in all its files.
    pub events: u64,
}

impl Header {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        put::u32(&mut bytes, VERSION);
        put::u32(&mut bytes, self.kind.code());
        put::u64(&mut bytes, self.seed);
        put::u64(&mut bytes, self.detector);
        put::u32(&mut bytes, self.pmts);
        put::u32(&mut bytes, self.samples);
        put::u64(&mut bytes, self.first);
        put::u64(&mut bytes, self.events);
        let sum = hash(&bytes, 0);
        put::u64(&mut bytes, sum);
        bytes
    }

    /// Reads a header, or says what is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut values = Values::new(bytes);
        let magic = values.bytes(MAGIC.len());
        if magic != Some(MAGIC) {
            return Err("not a file of this chain (no 'ASCHAIN' at its start)".to_owned());
        }
        let short = || "truncated in its header".to_owned();
        let version = values.u32().ok_or_else(short)?;
        if version != VERSION {
            return Err(format!("expected format version {VERSION}, got {version}"));
        }
        let header = Self::fields(&mut values).ok_or_else(short)??;
        let sum = values.u64().ok_or_else(short)?;
        if sum == hash(&bytes[..HEADER_BYTES - 8], 0) { Ok(header) } else { Err("damaged in its header".to_owned()) }
    }

    fn fields(values: &mut Values) -> Option<Result<Self, String>> {
        let code = values.u32()?;
        let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.code() == code) else {
            return Some(Err(format!("unknown kind of file {code}")));
        };
        let (seed, detector, pmts, samples) = (values.u64()?, values.u64()?, values.u32()?, values.u32()?);
        Some(Ok(Self { kind, seed, detector, pmts, samples, first: values.u64()?, events: values.u64()? }))
    }
}

/// A record with its head, and with the checksum of its number and content behind it.
pub fn record(marker: u32, number: u64, content: &[u8]) -> (Vec<u8>, u64) {
    let mut bytes = Vec::with_capacity(HEAD_BYTES + content.len() + TAIL_BYTES);
    put::u32(&mut bytes, marker);
    put::u32(&mut bytes, content.len() as u32);
    put::u64(&mut bytes, number);
    bytes.extend_from_slice(content);
    let sum = hash(content, number);
    put::u64(&mut bytes, sum);
    (bytes, sum)
}
