//! EvtRec: place, time and energy of an event by likelihood, from charges and first times.

use libm::log;

use crate::detector::{BEFORE_NS, JITTER_NS};
use crate::light::expected;
use crate::model::{Fit, Pulses};
use crate::optics::Colour;
use crate::simplex::minimise;
use crate::tables::Tables;
use crate::vector::Vector;

/// Photoelectrons of dark noise expected in a photomultiplier; keeps the logarithm finite, too.
const DARK: f64 = 0.012;
/// Where the way of light is concerned, all has this wavelength.
const MIDDLE_NM: f64 = 430.0;
/// The first photoelectron of n comes so much after the light began: this divided by n, nanoseconds.
const FIRST_NS: f64 = 6.0;
const TIME_SIGMA_NS: f64 = 1.7;
/// Residuals beyond so many sigmas count ever less: scattered light and dark noise.
const TAIL: f64 = 4.0;
const TOLERANCE: f64 = 1e-3;
const MOST_CALLS: u32 = 1000;
/// For each metre that a place lies beyond the edge: the fit finds back.
const BEYOND: f64 = 1000.0;
/// First steps, metres and nanoseconds.
const STEPS: [f64; 4] = [0.3, 0.3, 0.3, 1.0];

/// What one event is fitted with.
struct Likelihood<'a> {
    tables: &'a Tables,
    charge: Vec<f64>,
    /// Nanoseconds; `None` where there was no pulse.
    time: Vec<Option<f64>>,
    total: f64,
    /// Places of the photomultipliers, metres.
    ends: Vec<Vector>,
    delay: f64,
}

/// Fits an event; one without light has no energy and lies in the centre.
pub fn fit(tables: &Tables, event: &Pulses) -> Fit {
    let likelihood = Likelihood::new(tables, event);
    if likelihood.total <= 0.0 {
        return Fit::default();
    }
    let place = likelihood.centroid();
    let least =
        minimise([place.x, place.y, place.z, BEFORE_NS + 0.5 * JITTER_NS], STEPS, (TOLERANCE, MOST_CALLS), |x| {
            likelihood.cost(x)
        });
    let place = likelihood.inside(&least.at);
    let energy = likelihood.photons(&likelihood.light(place)) / tables.detector.shape.photons_per_mev;
    Fit { energy, place, time: least.at[3], cost: least.value }
}

impl<'a> Likelihood<'a> {
    fn new(tables: &'a Tables, event: &Pulses) -> Self {
        let count = tables.detector.pmts.len();
        let (mut charge, mut time) = (vec![0.0; count], vec![None; count]);
        for pulse in &event.pulses {
            charge[pulse.pmt as usize] = f64::from(pulse.charge).max(0.0);
            time[pulse.pmt as usize] = Some(f64::from(pulse.time));
        }
        let total = charge.iter().sum();
        let ends = tables.detector.pmts.iter().map(|pmt| pmt.direction * tables.detector.radius).collect();
        Self { tables, charge, time, total, ends, delay: Colour::of(MIDDLE_NM).delay_scintillator }
    }

    /// Where the charges' centre of gravity points to.
    fn centroid(&self) -> Vector {
        let pmts = self.tables.detector.pmts.iter().zip(&self.charge);
        let sum = pmts.fold(Vector::default(), |sum, (pmt, charge)| sum + pmt.direction * *charge);
        // A source at r gives about two thirds of it as centre of gravity.
        let place = sum * (1.4 * self.tables.detector.radius / self.total);
        self.inside(&[place.x, place.y, place.z, 0.0])
    }

    /// The place, brought back to the scintillator's edge if it lies beyond.
    fn inside(&self, x: &[f64; 4]) -> Vector {
        let place = Vector::new(x[0], x[1], x[2]);
        place * (self.tables.detector.scintillator / place.length()).min(1.0)
    }

    /// Light expected per photon of an event there in each photomultiplier.
    fn light(&self, place: Vector) -> Vec<f64> {
        expected(&self.tables.light, &self.tables.detector, place)
    }

    /// The number of photons that is most likely where so much of their light is seen.
    fn photons(&self, light: &[f64]) -> f64 {
        let dark = DARK * light.len() as f64;
        ((self.total - dark) / light.iter().sum::<f64>()).max(0.0)
    }

    fn cost(&self, x: &[f64; 4]) -> f64 {
        let place = self.inside(x);
        let light = self.light(place);
        let photons = self.photons(&light);
        let beyond = (Vector::new(x[0], x[1], x[2]) - place).length();
        let mut cost = BEYOND * beyond;
        for (pmt, light) in light.iter().enumerate() {
            let expected = photons * light + DARK;
            cost += expected;
            if let Some(time) = self.time[pmt] {
                let way = (self.ends[pmt] - place).length();
                cost += late(time - x[3] - way * self.delay, expected) - self.charge[pmt] * log(expected);
            }
        }
        cost
    }
}

/// Cost of a first photoelectron that comes so late.
fn late(residual: f64, expected: f64) -> f64 {
    let wait = FIRST_NS / expected.max(1.0);
    let variance = TIME_SIGMA_NS * TIME_SIGMA_NS + wait * wait;
    let z = (residual - wait) * (residual - wait) / variance;
    0.5 * TAIL * TAIL * log(1.0 + z / (TAIL * TAIL))
}
