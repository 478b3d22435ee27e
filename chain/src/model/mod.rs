//! What the files hold of an event, as bytes and back (`docs/chain.md`).

mod event;
mod hits;
mod particle;
mod pulses;
mod waveforms;

pub use event::{Event, Fit};
pub use hits::{Hit, Hits};
pub use particle::Particle;
pub use pulses::{Pulse, Pulses};
pub use waveforms::{Waveform, Waveforms};

use crate::files::{Values, put};
use crate::vector::Vector;

/// What was generated; carried through all steps, so that every file can be held against it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Truth {
    /// Energy that becomes light, MeV.
    pub energy: f64,
    /// Metres from the centre.
    pub place: Vector,
}

fn put_place(bytes: &mut Vec<u8>, place: Vector) {
    [place.x, place.y, place.z].into_iter().for_each(|value| put::f64(bytes, value));
}

fn place(values: &mut Values) -> Option<Vector> {
    Some(Vector::new(values.f64()?, values.f64()?, values.f64()?))
}

impl Truth {
    fn put(&self, bytes: &mut Vec<u8>) {
        put::f64(bytes, self.energy);
        put_place(bytes, self.place);
    }

    fn take(values: &mut Values) -> Option<Self> {
        Some(Self { energy: values.f64()?, place: place(values)? })
    }
}
