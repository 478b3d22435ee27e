//! The light that a photomultiplier is expected to see of an event, by where the event was.
//!
//! Calibrated with the photon transport itself, as an experiment does with sources: the detector is round, so the light
//! hangs on the event's distance from the centre and the angle to the photomultiplier alone.

use crate::detector::{BEFORE_NS, Detector, JITTER_NS, Pmt};
use crate::optics::Colour;
use crate::photon::{Fate, follow};
use crate::random::Random;
use crate::vector::Vector;

/// Places from the centre to the edge, at equal steps of the squared distance.
pub const RADII: usize = 25;
/// Steps of the sine of half the angle: fine where an event is close to its photomultiplier.
pub const ANGLES: usize = 48;
const PHOTONS: usize = 60_000;
const DIRECTIONS: usize = 400_000;
/// Photons in a step below which its neighbours are averaged in.
const ENOUGH: f64 = 300.0;
const SEED: u64 = 0x4c49_4748;

/// Photoelectrons per emitted photon in one photomultiplier of mean efficiency.
#[derive(Clone, Debug, PartialEq)]
pub struct LightMap {
    pub nodes: Vec<f64>,
}

impl LightMap {
    /// Follows photons from each of the places.
    pub fn calibrate(detector: &Detector, colours: &[Colour]) -> Self {
        let covered = covered(detector) / (PHOTONS as f64 * detector.pmts.len() as f64);
        let row = |node| row(detector, colours, node).map(|light| covered * light);
        Self { nodes: (0..RADII).flat_map(row).collect() }
    }

    /// At a squared distance from the centre by that of the edge, and the sine of half the angle squared; both 0 to 1.
    pub fn at(&self, distance2: f64, sine2: f64) -> f64 {
        let (i, u) = split(distance2 * (RADII - 1) as f64, RADII);
        let (j, v) = split(sine2.max(0.0).sqrt() * ANGLES as f64 - 0.5, ANGLES);
        let at = |i: usize| {
            let (a, b) = (self.nodes[i * ANGLES + j], self.nodes[i * ANGLES + j + 1]);
            a + v * (b - a)
        };
        let (a, b) = (at(i), at(i + 1));
        a + u * (b - a)
    }
}

/// Light of an event at a place in each photomultiplier, for each photon emitted.
pub fn expected(map: &LightMap, detector: &Detector, place: Vector) -> Vec<f64> {
    let (direction, share) = (place.unit(), place.length() / detector.scintillator);
    let at = |pmt: &Pmt| pmt.efficiency * map.at(share * share, (1.0 - direction.dot(pmt.direction)) * 0.5);
    detector.pmts.iter().map(at).collect()
}

/// The node below and how far the next is, within the table.
fn split(x: f64, nodes: usize) -> (usize, f64) {
    let x = x.clamp(0.0, (nodes - 1) as f64);
    let i = (x as usize).min(nodes - 2);
    (i, x - i as f64)
}

/// Share of the sphere behind which a photomultiplier lies.
fn covered(detector: &Detector) -> f64 {
    let mut random = Random::of(SEED, 1, 0);
    let hit = (0..DIRECTIONS).filter(|_| detector.pmt_at(random.direction()).is_some()).count();
    hit as f64 / DIRECTIONS as f64
}

/// Light of one place by angle, per area of the sphere.
fn row(detector: &Detector, colours: &[Colour], node: usize) -> [f64; ANGLES] {
    let share = (node as f64 / (RADII - 1) as f64).sqrt().min(0.9999);
    let place = Vector::new(0.0, 0.0, detector.scintillator * share);
    let mut random = Random::of(SEED, 0, node as u64);
    let latest = f64::from(detector.shape.samples) - BEFORE_NS - JITTER_NS;
    let (mut light, mut counts) = ([0.0; ANGLES], [0.0; ANGLES]);
    for _ in 0..PHOTONS {
        let Fate::Arrived(arrival) = follow(detector, colours, place, &mut random) else {
            continue;
        };
        if arrival.time < latest {
            let sine = ((1.0 - arrival.direction.z) * 0.5).max(0.0).sqrt();
            let angle = ((sine * ANGLES as f64) as usize).min(ANGLES - 1);
            light[angle] += arrival.chance;
            counts[angle] += 1.0;
        }
    }
    std::array::from_fn(|angle| smooth(&light, &counts, angle))
}

/// Light per area of the sphere, over as many neighbours as it takes.
fn smooth(light: &[f64], counts: &[f64], angle: usize) -> f64 {
    let mut reach = 0;
    loop {
        let (first, last) = (angle.saturating_sub(reach), (angle + reach).min(ANGLES - 1));
        let enough = counts[first..=last].iter().sum::<f64>() >= ENOUGH || reach == ANGLES / 8;
        if enough {
            // The area between two angles goes by the difference of the squared sines.
            let area = ((last + 1) * (last + 1) - first * first) as f64 / (ANGLES * ANGLES) as f64;
            return light[first..=last].iter().sum::<f64>() / area;
        }
        reach += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_its_nodes_the_map_is_linear() {
        let nodes = (0..RADII * ANGLES).map(|i| (i / ANGLES) as f64 + 100.0 * (i % ANGLES) as f64);
        let map = LightMap { nodes: nodes.collect() };
        let sine = 10.75 / ANGLES as f64;
        let value = map.at(3.5 / (RADII - 1) as f64, sine * sine);
        assert!((value - (3.5 + 1025.0)).abs() < 1e-9, "{value}");
        assert_eq!(map.at(0.0, 0.0), 0.0);
        assert_eq!(map.at(2.0, 2.0), (RADII - 1) as f64 + 100.0 * (ANGLES - 1) as f64);
    }
}
