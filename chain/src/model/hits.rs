//! Photoelectrons of an event.

use super::Truth;
use crate::detector::Detector;
use crate::files::{Values, put};

/// A photoelectron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub pmt: u32,
    /// Nanoseconds since the event.
    pub time: f32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    pub truth: Truth,
    pub photons: u64,
    pub hits: Vec<Hit>,
}

impl Hits {
    /// All are of photomultipliers that there are.
    pub fn fit(&self, detector: &Detector) -> bool {
        self.hits.iter().all(|hit| hit.pmt < detector.shape.pmts)
    }
}

impl Hits {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(48 + 8 * self.hits.len());
        self.truth.put(&mut bytes);
        put::u64(&mut bytes, self.photons);
        put::u64(&mut bytes, self.hits.len() as u64);
        for hit in &self.hits {
            put::u32(&mut bytes, hit.pmt);
            put::f32(&mut bytes, hit.time);
        }
        bytes
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut values = Values::new(bytes);
        let (truth, photons, count) = (Truth::take(&mut values)?, values.u64()?, values.u64()?);
        let hits =
            (0..count).map(|_| Some(Hit { pmt: values.u32()?, time: values.f32()? })).collect::<Option<_>>()?;
        values.end().map(|()| Self { truth, photons, hits })
    }
}
