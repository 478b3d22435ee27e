//! Digitised waveforms of an event.

use super::Truth;
use crate::detector::Detector;
use crate::files::{Values, put};

#[derive(Clone, Debug, PartialEq)]
pub struct Waveform {
    pub pmt: u32,
    /// Photoelectrons, weighted with the charge that each made.
    pub charge: f32,
    pub samples: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Waveforms {
    pub truth: Truth,
    pub waveforms: Vec<Waveform>,
}

impl Waveforms {
    /// All are of photomultipliers that there are, and of the detector's length.
    pub fn fit(&self, detector: &Detector) -> bool {
        let length = detector.shape.samples as usize;
        self.waveforms.iter().all(|one| one.pmt < detector.shape.pmts && one.samples.len() == length)
    }
}

impl Waveforms {
    pub fn bytes(&self) -> Vec<u8> {
        let samples = self.waveforms.first().map_or(0, |one| one.samples.len());
        let mut bytes = Vec::with_capacity(40 + self.waveforms.len() * (8 + 2 * samples));
        self.truth.put(&mut bytes);
        put::u32(&mut bytes, self.waveforms.len() as u32);
        put::u32(&mut bytes, samples as u32);
        for one in &self.waveforms {
            put::u32(&mut bytes, one.pmt);
            put::f32(&mut bytes, one.charge);
            one.samples.iter().for_each(|sample| put::u16(&mut bytes, *sample));
        }
        bytes
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut values = Values::new(bytes);
        let (truth, count, samples) = (Truth::take(&mut values)?, values.u32()?, values.u32()? as usize);
        let mut waveform = || {
            let (pmt, charge) = (values.u32()?, values.f32()?);
            let samples = values.bytes(2 * samples)?.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
            Some(Waveform { pmt, charge, samples: samples.collect() })
        };
        let waveforms = (0..count).map(|_| waveform()).collect::<Option<_>>()?;
        values.end().map(|()| Self { truth, waveforms })
    }
}
