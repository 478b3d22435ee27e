//! A particle that was generated.

use super::Truth;
use crate::files::{Values, put};

/// A particle that was generated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    pub truth: Truth,
    /// MeV.
    pub kinetic: f64,
}

impl Particle {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(40);
        self.truth.put(&mut bytes);
        put::f64(&mut bytes, self.kinetic);
        bytes
    }

    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut values = Values::new(bytes);
        let particle = Self { truth: Truth::take(&mut values)?, kinetic: values.f64()? };
        values.end().map(|()| particle)
    }
}
