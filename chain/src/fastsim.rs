//! FastSim: reconstructed events from a parametrisation, so that an analysis has many to read without the whole chain.
//!
//! Charges are drawn from the light map, places and energies smeared as the chain's own fits are (`docs/chain.md`).

use crate::detector::{BEFORE_NS, JITTER_NS};
use crate::light::expected;
use crate::model::{Event, Fit, Particle, Pulse, Pulses, Truth};
use crate::optics::LIGHT;
use crate::random::Random;
use crate::tables::Tables;
use crate::vector::Vector;

/// Of each coordinate, metres, and of the energy at 1 MeV.
const PLACE_M: f64 = 0.03;
const ENERGY: f64 = 0.03;
const TIME_NS: f64 = 3.0;
const CHARGE_SPREAD: f64 = 0.3;
const INDEX: f64 = 1.53;

pub fn simulate(tables: &Tables, particle: &Particle, random: &mut Random) -> Event {
    let truth = particle.truth;
    let pulses = pulses(tables, &truth, random);
    let off = Vector::new(random.normal(), random.normal(), random.normal()) * PLACE_M;
    let energy = truth.energy + ENERGY * truth.energy.sqrt() * random.normal();
    let fit = Fit { energy: energy.max(0.0), place: truth.place + off, time: BEFORE_NS + 0.5 * JITTER_NS, cost: 0.0 };
    Event { fit, pulses: Pulses { truth, pulses } }
}

fn pulses(tables: &Tables, truth: &Truth, random: &mut Random) -> Vec<Pulse> {
    let detector = &tables.detector;
    let photons = truth.energy * detector.shape.photons_per_mev;
    let light = expected(&tables.light, detector, truth.place);
    let mut pulses = Vec::with_capacity(detector.pmts.len());
    for (number, (pmt, light)) in detector.pmts.iter().zip(light).enumerate() {
        let count = random.poisson(photons * light) as f64;
        if count > 0.0 {
            let charge = (count + CHARGE_SPREAD * count.sqrt() * random.normal()).max(0.1);
            let way = (pmt.direction * detector.radius - truth.place).length();
            let time = BEFORE_NS + way * INDEX / LIGHT + TIME_NS * random.exponential();
            let (pmt, charge) = (number as u32, charge as f32);
            pulses.push(Pulse { pmt, charge, time: time as f32, true_charge: charge });
        }
    }
    pulses
}
