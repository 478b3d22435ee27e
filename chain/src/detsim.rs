//! DetSim: the scintillation light of a particle, photon by photon.
//!
//! Limits: all energy becomes light at one place, in proportion (no quenching, no Cherenkov light).

use crate::model::{Hit, Hits, Particle};
use crate::photon::{Fate, follow};
use crate::random::Random;
use crate::tables::Tables;

pub fn simulate(tables: &Tables, particle: &Particle, random: &mut Random) -> Hits {
    let (detector, truth) = (&tables.detector, particle.truth);
    let photons = random.poisson(truth.energy * detector.shape.photons_per_mev);
    let mut hits = Vec::new();
    for _ in 0..photons {
        let Fate::Arrived(arrival) = follow(detector, &tables.colours, truth.place, random) else {
            continue;
        };
        let Some(pmt) = detector.pmt_at(arrival.direction) else {
            continue;
        };
        if random.uniform() < arrival.chance * detector.pmts[pmt as usize].efficiency {
            hits.push(Hit { pmt, time: arrival.time as f32 });
        }
    }
    Hits { truth, photons, hits }
}
