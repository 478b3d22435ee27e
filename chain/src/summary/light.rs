//! Of PhyGen and DetSim.

use serde_json::{Value, json};

use super::{Summary, within};
use crate::error::Result;
use crate::light::expected;
use crate::model::{Hits, Particle};
use crate::statistics::Moments;
use crate::tables::Tables;

/// Particles.
#[derive(Default)]
pub struct Generated {
    energy: Moments,
    kinetic: Moments,
}

impl Summary for Generated {
    type Part = Particle;

    fn add(&mut self, particle: Particle) {
        self.energy.add(particle.truth.energy);
        self.kinetic.add(particle.kinetic);
    }

    fn json(&self) -> Value {
        json!({"energy_mev": self.energy.json(), "kinetic_mev": self.kinetic.json()})
    }

    fn trust(&self) -> Result<()> {
        Ok(())
    }
}

/// Photons and photoelectrons.
#[derive(Default)]
pub struct Light {
    photons: u64,
    hits: u64,
    /// Photoelectrons by those that the light map expects, of events with many.
    share: Moments,
    per_mev: Moments,
}

impl Summary for Light {
    type Part = Lit;

    fn add(&mut self, part: Lit) {
        self.photons += part.photons;
        self.hits += part.hits;
        if part.expected > 100.0 {
            self.share.add(part.hits as f64 / part.expected);
            self.per_mev.add(part.hits as f64 / part.energy);
        }
    }

    fn json(&self) -> Value {
        json!({
            "photons": self.photons,
            "hits": self.hits,
            "hits_per_mev": self.per_mev.json(),
            "hits_by_expected": self.share.json(),
        })
    }

    fn trust(&self) -> Result<()> {
        within("photoelectrons by those expected", &self.share, 5, (0.9, 1.1))
    }
}

/// What one event adds.
pub struct Lit {
    energy: f64,
    photons: u64,
    hits: u64,
    expected: f64,
}

impl Light {
    pub fn part(tables: &Tables, event: &Hits) -> Lit {
        let light: f64 = expected(&tables.light, &tables.detector, event.truth.place).iter().sum();
        Lit {
            energy: event.truth.energy,
            photons: event.photons,
            hits: event.hits.len() as u64,
            expected: light * event.photons as f64,
        }
    }
}
