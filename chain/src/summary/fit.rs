//! Of EvtRec and the analysis.

use serde_json::{Value, json};

use super::{Summary, within};
use crate::detector::Detector;
use crate::error::{Error, Result};
use crate::model::{Event, Fit, Truth};
use crate::statistics::{Moments, Profile, median};

/// Energies below which light is too little for a figure, MeV.
const LEAST_MEV: f64 = 0.5;
/// No right run has a larger median of the distance between found and true place: this share of the radius, and twice
/// what the centre of gravity of the light alone would tell, where of seven photons one is seen.
const MOST_SHARE: f64 = 0.08;
const SEEN: f64 = 1.0 / 7.0;

/// Fits beside what was generated.
pub struct Fits {
    energy: Moments,
    /// Of energies, (found - true) / true.
    error: Moments,
    by_energy: Profile,
    by_radius: Profile,
    axes: [Moments; 3],
    distances: Vec<f64>,
    scintillator: f64,
    photons_per_mev: f64,
}

impl Fits {
    pub fn new(detector: &Detector) -> Self {
        Self {
            energy: Moments::default(),
            error: Moments::default(),
            by_energy: Profile::even(1.0, 20),
            by_radius: Profile::even(0.1, 10),
            axes: [Moments::default(); 3],
            distances: Vec::new(),
            scintillator: detector.scintillator,
            photons_per_mev: detector.shape.photons_per_mev,
        }
    }

    fn most_metres(&self) -> f64 {
        let seen = SEEN * self.photons_per_mev * self.energy.mean().unwrap_or_default();
        self.scintillator * (MOST_SHARE + 2.0 / seen.max(1.0).sqrt())
    }
}

impl Summary for Fits {
    type Part = (Fit, Truth);

    fn add(&mut self, (fit, truth): Self::Part) {
        self.energy.add(fit.energy);
        if truth.energy < LEAST_MEV {
            return;
        }
        let error = fit.energy / truth.energy - 1.0;
        let off = fit.place - truth.place;
        let share = truth.place.length() / self.scintillator;
        self.error.add(error);
        self.by_energy.add(truth.energy, error);
        self.by_radius.add(share * share * share, error);
        self.axes.iter_mut().zip([off.x, off.y, off.z]).for_each(|(axis, off)| axis.add(off));
        self.distances.push(off.length());
    }

    fn json(&self) -> Value {
        json!({
            "energy_mev": self.energy.json(),
            "energy_error": self.error.json(),
            "energy_error_by_energy": self.by_energy.json("true_mev"),
            "energy_error_by_volume": self.by_radius.json("radius_cubed"),
            "vertex_m": {
                "median_distance": median(&mut self.distances.clone()),
                "x": self.axes[0].json(),
                "y": self.axes[1].json(),
                "z": self.axes[2].json(),
            },
        })
    }

    fn trust(&self) -> Result<()> {
        within("an error of energies", &self.error, 5, (-0.1, 0.1))?;
        match median(&mut self.distances.clone()) {
            Some(metres) if self.distances.len() >= 5 && metres > self.most_metres() => Err(Error::failed(format!(
                "cannot trust the physics: expected vertices within {:.2} m, got a median of {metres:.3} m",
                self.most_metres()
            ))),
            _ => Ok(()),
        }
    }
}

/// A pass over reconstructed events.
pub struct Selection {
    fits: Fits,
    selected: Fits,
    fiducial: f64,
    histogram: Vec<u64>,
    pulses: u64,
    charge: f64,
}

/// What one event adds to it: its fit, pulses and their charge.
pub type Seen = (Fit, Truth, u64, f64);

/// Share of the scintillator's radius that the selection keeps.
const FIDUCIAL: f64 = 0.9;
const BINS: usize = 60;
const BIN_MEV: f64 = 0.2;

impl Selection {
    pub fn new(detector: &Detector) -> Self {
        let (fits, selected) = (Fits::new(detector), Fits::new(detector));
        let fiducial = FIDUCIAL * detector.scintillator;
        Self { fits, selected, fiducial, histogram: vec![0; BINS], pulses: 0, charge: 0.0 }
    }

    pub fn part(event: &Event) -> Seen {
        let charge = event.pulses.pulses.iter().map(|pulse| f64::from(pulse.charge)).sum();
        (event.fit, event.pulses.truth, event.pulses.pulses.len() as u64, charge)
    }
}

impl Summary for Selection {
    type Part = Seen;

    fn add(&mut self, (fit, truth, pulses, charge): Seen) {
        self.pulses += pulses;
        self.charge += charge;
        self.fits.add((fit, truth));
        if fit.place.length() < self.fiducial {
            self.selected.add((fit, truth));
            let bin = ((fit.energy / BIN_MEV) as usize).min(BINS - 1);
            self.histogram[bin] += 1;
        }
    }

    fn json(&self) -> Value {
        json!({
            "pulses": self.pulses,
            "charge": self.charge,
            "all": self.fits.json(),
            "selected": self.selected.json(),
            "fiducial_radius_m": self.fiducial,
            "energy_histogram": {"bin_mev": BIN_MEV, "counts": self.histogram},
        })
    }

    fn trust(&self) -> Result<()> {
        self.fits.trust()
    }
}
