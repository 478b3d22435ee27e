//! ElecSim: what the electronics make of photoelectrons: waveforms of 14 bits at 1 GHz.
//!
//! Charges and noise go through a shaper of two poles at four steps a nanosecond; its output is digitised. Limits: no
//! overshoot, no after-pulses, no saturation of the photomultiplier (the digitiser's is there).

use crate::detector::{BEFORE_NS, JITTER_NS, Pmt};
use crate::model::{Hits, Waveform, Waveforms};
use crate::random::Random;
use crate::tables::Tables;

/// Counts of a photoelectron at gain 1, summed over its samples.
pub const CHARGE_COUNTS: f64 = 200.0;
pub const PEDESTAL: f64 = 500.0;
const MOST_COUNTS: f64 = 16_383.0;
const STEPS: usize = 4;
/// Time constants of the shaper, nanoseconds.
const RISE_NS: f64 = 2.0;
const FALL_NS: f64 = 5.0;
/// Of single photoelectrons, by their mean.
const CHARGE_SPREAD: f64 = 0.3;
const LEAST_CHARGE: f64 = 0.05;
const TRANSIT_SPREAD_NS: f64 = 1.5;
/// 30 kHz.
const DARK_PER_NS: f64 = 3e-5;
/// Before the shaper; what comes out of it has about 1.8 counts.
const NOISE_COUNTS: f64 = 14.0;
const DIGITISER_COUNTS: f64 = 0.5;

/// A charge in a photomultiplier, photoelectrons, at a time since the window began.
#[derive(Clone, Copy, Debug)]
pub struct Charge {
    pub time: f64,
    pub charge: f64,
}

/// Digitises the photomultipliers that saw something.
pub fn digitise(tables: &Tables, hits: &Hits, random: &mut Random) -> Waveforms {
    let samples = tables.detector.shape.samples as usize;
    let event_time = BEFORE_NS + JITTER_NS * random.uniform();
    let charges = charges(tables, hits, event_time, random);
    let mut analog = vec![0.0; samples * STEPS];
    let mut waveforms = Vec::new();
    for (pmt, charges) in charges.iter().enumerate().filter(|(_, charges)| !charges.is_empty()) {
        shape(&mut analog, &tables.detector.pmts[pmt], charges, random);
        let digits = analog.iter().skip(STEPS - 1).step_by(STEPS).map(|y| digit(*y, random)).collect();
        let charge = charges.iter().map(|one| one.charge).sum::<f64>() as f32;
        waveforms.push(Waveform { pmt: pmt as u32, charge, samples: digits });
    }
    Waveforms { truth: hits.truth, waveforms }
}

/// Charges of each photomultiplier: of the hits, and of its dark noise.
fn charges(tables: &Tables, hits: &Hits, event_time: f64, random: &mut Random) -> Vec<Vec<Charge>> {
    let window = f64::from(tables.detector.shape.samples);
    let mut all = vec![Vec::new(); tables.detector.pmts.len()];
    for hit in &hits.hits {
        let time = event_time + f64::from(hit.time) + TRANSIT_SPREAD_NS * random.normal();
        let charge = single(random);
        if (0.0..window).contains(&time) {
            all[hit.pmt as usize].push(Charge { time, charge });
        }
    }
    for pmt in &mut all {
        for _ in 0..random.poisson(DARK_PER_NS * window) {
            pmt.push(Charge { time: window * random.uniform(), charge: single(random) });
        }
    }
    all
}

/// Charge of one photoelectron.
fn single(random: &mut Random) -> f64 {
    loop {
        let charge = 1.0 + CHARGE_SPREAD * random.normal();
        if charge > LEAST_CHARGE {
            return charge;
        }
    }
}

/// Fills in the shaper's output, counts above the pedestal.
fn shape(analog: &mut [f64], pmt: &Pmt, charges: &[Charge], random: &mut Random) {
    analog.fill_with(|| NOISE_COUNTS * random.nearly_normal());
    let scale = pmt.gain * CHARGE_COUNTS * STEPS as f64;
    for one in charges {
        let at = one.time * STEPS as f64;
        let (step, part) = (at as usize, at - (at as usize) as f64);
        analog[step] += one.charge * scale * (1.0 - part);
        if let Some(next) = analog.get_mut(step + 1) {
            *next += one.charge * scale * part;
        }
    }
    filter(analog);
}

/// Two low-passes, one after the other; a sum stays what it was.
fn filter(analog: &mut [f64]) {
    let (rise, fall) = (1.0 / (1.0 + RISE_NS * STEPS as f64), 1.0 / (1.0 + FALL_NS * STEPS as f64));
    let (mut first, mut second) = (0.0, 0.0);
    for y in analog {
        first += rise * (*y - first);
        second += fall * (first - second);
        *y = second;
    }
}

fn digit(counts: f64, random: &mut Random) -> u16 {
    (PEDESTAL + counts + DIGITISER_COUNTS * random.nearly_normal() + 0.5).clamp(0.0, MOST_COUNTS) as u16
}

/// The samples of one photoelectron of mean charge at the window's begin, by its charge in counts.
pub fn response(samples: usize) -> Vec<f64> {
    let mut analog = vec![0.0; samples * STEPS];
    // Wherever between two samples a photoelectron falls.
    analog[..STEPS].fill(1.0);
    filter(&mut analog);
    analog.into_iter().skip(STEPS - 1).step_by(STEPS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shaper_keeps_the_charge() {
        let response = response(400);
        let sum: f64 = response.iter().sum();
        let peak = response.iter().copied().fold(0.0, f64::max);
        assert!((sum - 1.0).abs() < 0.01 && (0.08..0.14).contains(&peak), "{sum} {peak}");
    }

    #[test]
    fn single_photoelectrons_have_mean_one() {
        let mut random = Random::of(1, 1, 1);
        let mean = (0..50_000).map(|_| single(&mut random)).sum::<f64>() / 50_000.0;
        assert!((mean - 1.0).abs() < 0.006, "{mean}");
    }

    #[test]
    fn noise_is_about_two_counts_and_the_digitiser_ends_at_14_bits() {
        let pmt = Pmt { direction: crate::vector::Vector::default(), efficiency: 1.0, gain: 1.0 };
        let (mut analog, mut random) = (vec![0.0; 40_000], Random::of(1, 1, 1));
        shape(&mut analog, &pmt, &[], &mut random);
        let rms = (analog.iter().map(|y| y * y).sum::<f64>() / 40_000.0).sqrt();
        assert!((1.4..2.2).contains(&rms), "{rms}");
        assert_eq!((digit(1e9, &mut random), digit(-1e9, &mut random)), (16_383, 0));
    }
}
