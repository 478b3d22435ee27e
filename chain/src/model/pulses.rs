//! What the waveforms of an event say.

use super::Truth;
use crate::detector::Detector;
use crate::files::{Values, put};

/// What a waveform says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    pub pmt: u32,
    /// Photoelectrons.
    pub charge: f32,
    /// Of the first, nanoseconds since the window began.
    pub time: f32,
    /// Photoelectrons that there were.
    pub true_charge: f32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Pulses {
    pub truth: Truth,
    pub pulses: Vec<Pulse>,
}

impl Pulses {
    /// All are of photomultipliers that there are.
    pub fn fit(&self, detector: &Detector) -> bool {
        self.pulses.iter().all(|pulse| pulse.pmt < detector.shape.pmts)
    }
}

impl Pulses {
    pub fn put(&self, bytes: &mut Vec<u8>) {
        self.truth.put(bytes);
        put::u64(bytes, self.pulses.len() as u64);
        for pulse in &self.pulses {
            put::u32(bytes, pulse.pmt);
            [pulse.charge, pulse.time, pulse.true_charge].into_iter().for_each(|value| put::f32(bytes, value));
        }
    }

    pub fn take(values: &mut Values) -> Option<Self> {
        let (truth, count) = (Truth::take(values)?, values.u64()?);
        let mut pulse = || {
            let (pmt, charge) = (values.u32()?, values.f32()?);
            Some(Pulse { pmt, charge, time: values.f32()?, true_charge: values.f32()? })
        };
        let pulses = (0..count).map(|_| pulse()).collect::<Option<_>>()?;
        Some(Self { truth, pulses })
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(40 + 16 * self.pulses.len());
        self.put(&mut bytes);
        bytes
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut values = Values::new(bytes);
        let pulses = Self::take(&mut values)?;
        values.end().map(|()| pulses)
    }
}
