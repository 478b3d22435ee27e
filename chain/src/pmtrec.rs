//! PmtRec: charge and time of each photomultiplier from its waveform, by deconvolution.

use core::f64::consts::PI;

use libm::exp;

use crate::detector::Pmt;
use crate::elecsim::{CHARGE_COUNTS, PEDESTAL, response};
use crate::fft::{Complex, Fourier};
use crate::model::{Pulse, Pulses, Waveform, Waveforms};
use crate::tables::Tables;

/// Width of the bell that a photoelectron becomes, nanoseconds.
const SIGMA_NS: f64 = 2.0;
/// Photoelectrons per nanosecond above which there is one: its bell is 0.2 high.
const THRESHOLD: f64 = 0.06;
/// Of the charges, what the threshold leaves: seen for all charges from two photoelectrons on.
const KEPT: f64 = 0.9975;
/// Samples before and after that still belong to it.
const MARGIN: usize = 5;
/// Counts by which samples of the baseline may differ from it.
const BASELINE_COUNTS: f64 = 5.0;
/// Samples before the first light.
const QUIET: usize = 30;

/// What is prepared in the initialization.
pub struct Deconvolution {
    fourier: Fourier,
    filter: Vec<Complex>,
}

impl Deconvolution {
    pub fn new(samples: usize) -> Self {
        let length = samples.next_power_of_two();
        let fourier = Fourier::new(length);
        let mut filter = vec![Complex::default(); length];
        for (value, response) in filter.iter_mut().zip(response(samples)) {
            value.re = response;
        }
        fourier.forward(&mut filter);
        for (k, value) in filter.iter_mut().enumerate() {
            let frequency = k.min(length - k) as f64 / length as f64;
            let bell = 2.0 * PI * frequency * SIGMA_NS;
            let smooth = exp(-0.5 * bell * bell) / value.squared();
            *value = Complex::new(value.re * smooth, -value.im * smooth);
        }
        Self { fourier, filter }
    }

    /// Photoelectrons per nanosecond of two waveforms: as the filter is real in time, they do not mix.
    fn pair(&self, one: &[f64], other: &[f64]) -> Vec<Complex> {
        let mut x = vec![Complex::default(); self.filter.len()];
        for (value, (re, im)) in x.iter_mut().zip(one.iter().zip(other)) {
            *value = Complex::new(*re, *im);
        }
        self.fourier.forward(&mut x);
        for (value, factor) in x.iter_mut().zip(&self.filter) {
            *value = *value * *factor;
        }
        self.fourier.backward(&mut x);
        x
    }
}

pub fn reconstruct(tables: &Tables, deconvolution: &Deconvolution, event: &Waveforms) -> Pulses {
    let mut pulses = Vec::with_capacity(event.waveforms.len());
    for pair in event.waveforms.chunks(2) {
        let signals: Vec<Vec<f64>> =
            pair.iter().map(|one| signal(&tables.detector.pmts[one.pmt as usize], one)).collect();
        let charges = deconvolution.pair(&signals[0], signals.last().unwrap_or(&signals[0]));
        let samples = signals[0].len();
        let parts = [|value: &Complex| value.re, |value: &Complex| value.im];
        for (waveform, part) in pair.iter().zip(parts) {
            let density: Vec<f64> = charges.iter().take(samples).map(part).collect();
            let pulse = |(charge, time)| Pulse {
                pmt: waveform.pmt,
                charge: charge as f32,
                time: time as f32,
                true_charge: waveform.charge,
            };
            pulses.extend(integrate(&density).map(pulse));
        }
    }
    Pulses { truth: event.truth, pulses }
}

/// Samples without their baseline, in photoelectrons.
fn signal(pmt: &Pmt, waveform: &Waveform) -> Vec<f64> {
    let mut baseline = PEDESTAL;
    for quiet in [QUIET, waveform.samples.len()] {
        baseline = mean_near(&waveform.samples[..quiet.min(waveform.samples.len())], baseline).unwrap_or(baseline);
    }
    let scale = 1.0 / (pmt.gain * CHARGE_COUNTS * KEPT);
    waveform.samples.iter().map(|sample| (f64::from(*sample) - baseline) * scale).collect()
}

fn mean_near(samples: &[u16], baseline: f64) -> Option<f64> {
    let near = samples.iter().map(|sample| f64::from(*sample) - baseline).filter(|x| x.abs() < BASELINE_COUNTS);
    let (sum, count) = near.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
    (count > 0.0).then(|| baseline + sum / count)
}

/// Charge of all that is above the threshold and the time at which the first of it came; nothing where nothing is.
fn integrate(density: &[f64]) -> Option<(f64, f64)> {
    let (mut charge, mut done, mut first) = (0.0, 0, None);
    for (k, value) in density.iter().enumerate() {
        if *value > THRESHOLD {
            first = first.or(Some(k));
            let (from, to) = (k.saturating_sub(MARGIN).max(done), (k + MARGIN + 1).min(density.len()));
            if from < to {
                charge += density[from..to].iter().sum::<f64>();
                done = to;
            }
        }
    }
    first.map(|first| (charge, rise(density, first)))
}

/// When the first pulse reached half of its height.
fn rise(density: &[f64], first: usize) -> f64 {
    let mut top = first;
    while top + 1 < density.len() && density[top + 1] > density[top] {
        top += 1;
    }
    let half = 0.5 * density[top];
    let mut k = top;
    while k > 0 && density[k] > half {
        k -= 1;
    }
    let step = density[k + 1] - density[k];
    k as f64 + if step > 0.0 { (half - density[k]) / step } else { 0.0 }
}
