//! What light does in scintillator and water, by wavelength.
//!
//! Shapes follow LAB with PPO and bis-MSB (F. An et al., J. Phys. G 43 (2016) 030401, chapters 4 and 13); lengths are
//! scaled to a detector a quarter of JUNO's size. Limits: no re-emission, no absorption in water, no reflection by
//! photomultipliers, the refractive indices are Cauchy's formula with two terms.

use libm::{exp, pow};

/// Wavelengths, each the middle of an equal share of the emitted photons.
pub const SHARES: usize = 256;
/// Metres per nanosecond.
pub const LIGHT: f64 = 0.299_792_458;
const FIRST_NM: f64 = 370.0;
const STEP_NM: f64 = 0.5;
const STEPS: usize = 400;

/// Of one share of the photons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Colour {
    pub nm: f64,
    /// Metres.
    pub absorption: f64,
    pub rayleigh: f64,
    pub index_scintillator: f64,
    pub index_water: f64,
    /// Nanoseconds per metre.
    pub delay_scintillator: f64,
    pub delay_water: f64,
    /// Chance that a photon at normal incidence makes a photoelectron.
    pub efficiency: f64,
}

fn gauss(x: f64, mean: f64, sigma: f64) -> f64 {
    let z = (x - mean) / sigma;
    exp(-0.5 * z * z)
}

fn emission(nm: f64) -> f64 {
    gauss(nm, 403.0, 10.0) * 0.6 + gauss(nm, 427.0, 12.0) + gauss(nm, 455.0, 22.0) * 0.5
}

/// Refractive index and the delay of a pulse, by Cauchy's two terms.
fn cauchy(nm: f64, a: f64, b: f64) -> (f64, f64) {
    let part = b / (nm * nm);
    (a + part, (a + 3.0 * part) / LIGHT)
}

impl Colour {
    pub fn of(nm: f64) -> Self {
        let (index_scintillator, delay_scintillator) = cauchy(nm, 1.4620, 4300.0);
        let (index_water, delay_water) = cauchy(nm, 1.3240, 3100.0);
        Self {
            nm,
            absorption: 25.0 / (1.0 + exp((405.0 - nm) / 6.0)) + 0.2,
            rayleigh: 27.0 * pow(nm / 430.0, 4.0),
            index_scintillator,
            index_water,
            delay_scintillator,
            delay_water,
            efficiency: 0.30 * gauss(nm, 410.0, 75.0),
        }
    }
}

/// The wavelengths of the emitted photons.
pub fn colours() -> Vec<Colour> {
    let weights: Vec<f64> = (0..STEPS).map(|i| emission(FIRST_NM + STEP_NM * i as f64)).collect();
    let whole: f64 = weights.iter().sum();
    let (mut colours, mut sum) = (Vec::with_capacity(SHARES), 0.0);
    for (i, weight) in weights.iter().enumerate() {
        sum += weight;
        while colours.len() < SHARES && sum >= whole * (colours.len() as f64 + 0.5) / SHARES as f64 {
            colours.push(Colour::of(FIRST_NM + STEP_NM * i as f64));
        }
    }
    colours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emitted_light_is_blue_and_within_the_tables() {
        let colours = colours();
        assert_eq!(colours.len(), SHARES);
        let mean = colours.iter().map(|colour| colour.nm).sum::<f64>() / SHARES as f64;
        assert!((mean - 430.0).abs() < 5.0, "{mean}");
        assert!(colours.windows(2).all(|pair| pair[0].nm <= pair[1].nm));
    }

    #[test]
    fn scintillator_is_denser_than_water_and_blue_light_slower() {
        let (blue, green) = (Colour::of(400.0), Colour::of(500.0));
        assert!(blue.index_scintillator > blue.index_water && blue.index_water > 1.3);
        assert!(blue.delay_scintillator > green.delay_scintillator);
        assert!((Colour::of(430.0).rayleigh - 27.0).abs() < 1e-9);
    }
}
