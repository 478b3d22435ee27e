//! A reconstructed event.

use super::pulses::Pulses;
use super::{place, put_place};
use crate::files::{Values, put};
use crate::vector::Vector;

/// What was found by likelihood.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// MeV.
    pub energy: f64,
    pub place: Vector,
    /// Nanoseconds since the window began.
    pub time: f64,
    /// Negative logarithm of the likelihood.
    pub cost: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub fit: Fit,
    pub pulses: Pulses,
}

impl Event {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(88 + 16 * self.pulses.pulses.len());
        put::f64(&mut bytes, self.fit.energy);
        put_place(&mut bytes, self.fit.place);
        put::f64(&mut bytes, self.fit.time);
        put::f64(&mut bytes, self.fit.cost);
        self.pulses.put(&mut bytes);
        bytes
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut values = Values::new(bytes);
        let (energy, place) = (values.f64()?, place(&mut values)?);
        let fit = Fit { energy, place, time: values.f64()?, cost: values.f64()? };
        let pulses = Pulses::take(&mut values)?;
        values.end().map(|()| Self { fit, pulses })
    }
}
