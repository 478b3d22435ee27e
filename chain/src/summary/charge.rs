//! Of ElecSim and PmtRec.

use serde_json::{Value, json};

use super::{Summary, within};
use crate::elecsim::PEDESTAL;
use crate::error::Result;
use crate::model::{Pulses, Waveforms};
use crate::statistics::{Moments, Profile};

/// Waveforms.
#[derive(Default)]
pub struct Samples {
    pmts: Moments,
    charge: Moments,
    samples: u64,
    /// Counts of the first samples, before the light.
    pedestal: Moments,
}

impl Summary for Samples {
    type Part = (u64, u64, f64, Option<f64>);

    fn add(&mut self, (pmts, samples, charge, pedestal): Self::Part) {
        self.pmts.add(pmts as f64);
        self.samples += samples;
        self.charge.add(charge);
        pedestal.into_iter().for_each(|counts| self.pedestal.add(counts));
    }

    fn json(&self) -> Value {
        json!({
            "waveforms": self.pmts.json(),
            "samples": self.samples,
            "charge": self.charge.json(),
            "pedestal_counts": self.pedestal.json(),
        })
    }

    fn trust(&self) -> Result<()> {
        within("a pedestal", &self.pedestal, 5, (PEDESTAL - 2.0, PEDESTAL + 2.0))
    }
}

impl Samples {
    pub fn part(event: &Waveforms) -> (u64, u64, f64, Option<f64>) {
        let (mut samples, mut charge, mut quiet) = (0, 0.0, Moments::default());
        for one in &event.waveforms {
            samples += one.samples.len() as u64;
            charge += f64::from(one.charge);
            one.samples.iter().take(16).for_each(|sample| quiet.add(f64::from(*sample)));
        }
        (event.waveforms.len() as u64, samples, charge, quiet.mean())
    }
}

/// Pulses beside the charges that there were.
pub struct Charges {
    pulses: u64,
    charge: Moments,
    ratio: Moments,
    /// Ratio of found to true by true charge.
    linearity: Profile,
}

impl Default for Charges {
    fn default() -> Self {
        let (pulses, charge, ratio) = (0, Moments::default(), Moments::default());
        Self { pulses, charge, ratio, linearity: Profile::of_root(0.5, 40) }
    }
}

impl Summary for Charges {
    type Part = Vec<(f64, f64)>;

    fn add(&mut self, pulses: Self::Part) {
        self.pulses += pulses.len() as u64;
        let (mut found, mut truth) = (0.0, 0.0);
        for (charge, true_charge) in &pulses {
            found += charge;
            truth += true_charge;
            self.linearity.add(*true_charge, charge / true_charge);
        }
        self.charge.add(found);
        if truth > 100.0 {
            self.ratio.add(found / truth);
        }
    }

    fn json(&self) -> Value {
        json!({
            "pulses": self.pulses,
            "charge": self.charge.json(),
            "charge_ratio": self.ratio.json(),
            "linearity": self.linearity.json("true_charge"),
        })
    }

    fn trust(&self) -> Result<()> {
        within("charges found by charges that there were", &self.ratio, 5, (0.93, 1.07))
    }
}

impl Charges {
    pub fn part(event: &Pulses) -> Vec<(f64, f64)> {
        event.pulses.iter().map(|pulse| (f64::from(pulse.charge), f64::from(pulse.true_charge))).collect()
    }
}
