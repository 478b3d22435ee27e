//! PhyGen: positrons or electrons, uniformly in the scintillator.

use libm::exp;

use crate::detector::Detector;
use crate::model::{Particle, Truth};
use crate::random::Random;

/// MeV of the positron and the electron that annihilate, and become light.
const ANNIHILATION: f64 = 1.022;
/// Of neutron and proton, and what a neutrino needs to make a positron, MeV.
const THRESHOLD: f64 = 1.806;
const MOST: f64 = 10.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spectrum {
    /// Kinetic energies from 0 to 10 MeV.
    Uniform,
    /// Positrons as of a reactor's antineutrinos.
    Reactor,
    /// All of one kinetic energy, MeV.
    Fixed(f64),
}

/// What is generated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    pub positron: bool,
    pub spectrum: Spectrum,
}

pub fn generate(source: Source, detector: &Detector, random: &mut Random) -> Particle {
    let kinetic = match source.spectrum {
        Spectrum::Uniform => MOST * random.uniform(),
        Spectrum::Fixed(energy) => energy,
        Spectrum::Reactor => reactor(random),
    };
    let radius = detector.scintillator * libm::cbrt(random.uniform());
    let place = random.direction() * radius;
    let energy = if source.positron { kinetic + ANNIHILATION } else { kinetic };
    Particle { truth: Truth { energy, place }, kinetic }
}

/// Flux of 235-U (P. Vogel, J. Engel, Phys. Rev. D 39 (1989) 3378) times the cross-section of inverse beta decay
/// in lowest order; nuclear recoil is left out.
fn reactor(random: &mut Random) -> f64 {
    loop {
        let positron = MOST * random.uniform();
        let neutrino = positron + THRESHOLD;
        let flux = exp(0.870 - 0.160 * neutrino - 0.0910 * neutrino * neutrino);
        let total = positron + 0.511;
        let density = flux * total * (total * total - 0.511 * 0.511).sqrt();
        // The density's maximum is 5.8, at 2.2 MeV.
        if 6.0 * random.uniform() < density {
            return positron;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detector::Shape;

    fn mean(spectrum: Spectrum, what: impl Fn(&Particle) -> f64) -> f64 {
        let (detector, mut random) = (Detector::make(Shape::default()), Random::of(1, 1, 1));
        let source = Source { positron: true, spectrum };
        (0..20_000).map(|_| what(&generate(source, &detector, &mut random))).sum::<f64>() / 20_000.0
    }

    #[test]
    fn events_fill_the_sphere_evenly() {
        let radius = Detector::make(Shape::default()).scintillator;
        let share = mean(Spectrum::Uniform, |particle| libm::pow(particle.truth.place.length() / radius, 3.0));
        assert!((share - 0.5).abs() < 0.01, "{share}");
    }

    #[test]
    fn energies_are_those_of_the_spectrum() {
        let kinetic = |particle: &Particle| particle.kinetic;
        assert!((mean(Spectrum::Uniform, kinetic) - 5.0).abs() < 0.05);
        // Most likely about 2.2 MeV kinetic, with a long tail: the reactor's mean positron.
        assert!((mean(Spectrum::Reactor, kinetic) - 2.6).abs() < 0.25, "{}", mean(Spectrum::Reactor, kinetic));
        assert!((mean(Spectrum::Fixed(2.0), |particle| particle.truth.energy) - 3.022).abs() < 1e-9);
    }
}
