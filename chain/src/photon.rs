//! The way of one optical photon from the scintillator to a photomultiplier, or to its end.

use crate::detector::Detector;
use crate::optics::{Colour, SHARES};
use crate::random::Random;
use crate::vector::Vector;

/// Shares and times of the scintillator's light, nanoseconds. Source: as in `optics`, without the slowest per cent.
const FAST: (f64, f64) = (0.76, 4.6);
const MIDDLE: (f64, f64) = (0.19, 15.1);
const SLOW_NS: f64 = 76.1;
/// A photon that is reflected so often is taken as absorbed.
const MOST_STEPS: usize = 10_000;

/// What became of a photon in the liquids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Absorbed,
    Arrived(Arrival),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Where on the photomultipliers' sphere, from the centre.
    pub direction: Vector,
    /// Nanoseconds since the event.
    pub time: f64,
    /// Chance to make a photoelectron in a photomultiplier of mean efficiency, if one is there.
    pub chance: f64,
}

/// Makes a photon at a place and follows it.
pub fn follow(detector: &Detector, colours: &[Colour], place: Vector, random: &mut Random) -> Fate {
    let colour = &colours[random.bits() as usize % SHARES];
    let mut photon = Photon { place, direction: random.direction(), time: emission(random) };
    if photon.cross_scintillator(detector, colour, random) {
        Fate::Arrived(photon.arrive(detector, colour))
    } else {
        Fate::Absorbed
    }
}

fn emission(random: &mut Random) -> f64 {
    let which = random.uniform();
    let tau = match which {
        _ if which < FAST.0 => FAST.1,
        _ if which < FAST.0 + MIDDLE.0 => MIDDLE.1,
        _ => SLOW_NS,
    };
    tau * random.exponential()
}

struct Photon {
    place: Vector,
    direction: Vector,
    time: f64,
}

impl Photon {
    /// Distance along the way to a sphere around the centre, from within.
    fn to_sphere(&self, radius: f64) -> f64 {
        let along = self.place.dot(self.direction);
        let under = along * along - self.place.dot(self.place) + radius * radius;
        (under.max(0.0).sqrt() - along).max(0.0)
    }

    fn go(&mut self, metres: f64, delay: f64) {
        self.place = self.place + self.direction * metres;
        self.time += metres * delay;
    }

    /// Follows it in the scintillator: whether it comes out.
    fn cross_scintillator(&mut self, detector: &Detector, colour: &Colour, random: &mut Random) -> bool {
        let mut absorption = colour.absorption * random.exponential();
        let mut scatter = colour.rayleigh * random.exponential();
        for _ in 0..MOST_STEPS {
            let edge = self.to_sphere(detector.scintillator);
            let step = edge.min(scatter);
            if absorption < step {
                return false;
            }
            self.go(step, colour.delay_scintillator);
            absorption -= step;
            if step == edge {
                if self.pass_edge(colour, random) {
                    return true;
                }
                scatter -= step;
            } else {
                self.direction = rayleigh(self.direction, random);
                scatter = colour.rayleigh * random.exponential();
            }
        }
        false
    }

    /// Fresnel's law for unpolarised light at the scintillator's edge: whether the photon goes through.
    fn pass_edge(&mut self, colour: &Colour, random: &mut Random) -> bool {
        let normal = self.place.unit();
        let ratio = colour.index_scintillator / colour.index_water;
        let inside = self.direction.dot(normal);
        let under = 1.0 - ratio * ratio * (1.0 - inside * inside);
        if under > 0.0 {
            let outside = under.sqrt();
            let across = (ratio * inside - outside) / (ratio * inside + outside);
            let along = (inside - ratio * outside) / (inside + ratio * outside);
            if random.uniform() >= 0.5 * (across * across + along * along) {
                self.direction = self.direction * ratio + normal * (outside - ratio * inside);
                return true;
            }
        }
        self.direction = (self.direction - normal * (2.0 * inside)).unit();
        false
    }

    fn arrive(&mut self, detector: &Detector, colour: &Colour) -> Arrival {
        self.go(self.to_sphere(detector.radius), colour.delay_water);
        let direction = self.place.unit();
        // Light that grazes the glass is reflected.
        let grazing = 1.0 - self.direction.dot(direction);
        let squared = grazing * grazing;
        Arrival { direction, time: self.time, chance: colour.efficiency * (1.0 - squared * squared) }
    }
}

/// A new direction with the chance 1 + cos² of the angle.
fn rayleigh(old: Vector, random: &mut Random) -> Vector {
    loop {
        let new = random.direction();
        let cosine = old.dot(new);
        if 2.0 * random.uniform() < 1.0 + cosine * cosine {
            return new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detector::Shape;
    use crate::optics::colours;

    fn photon(place: Vector, direction: Vector) -> Photon {
        Photon { place, direction, time: 0.0 }
    }

    #[test]
    fn light_from_the_centre_arrives_after_its_way() {
        let (detector, colour) = (Detector::make(Shape::default()), Colour::of(430.0));
        let centre = Vector::default();
        let mut one = photon(centre, Vector::new(0.0, 0.0, 1.0));
        one.go(one.to_sphere(detector.scintillator), colour.delay_scintillator);
        let water = detector.radius - detector.scintillator;
        one.arrive(&detector, &colour);
        let expected = detector.scintillator * colour.delay_scintillator + water * colour.delay_water;
        assert!((one.time - expected).abs() < 1e-9);
    }

    #[test]
    fn beyond_the_critical_angle_all_light_stays() {
        let (colour, mut random) = (Colour::of(430.0), Random::of(1, 1, 1));
        let edge = Vector::new(0.0, 0.0, 4.0);
        // The critical angle is 63.5 degrees: a sine of 0.895.
        let through = |sine: f64, random: &mut Random| {
            let direction = Vector::new(sine, 0.0, (1.0_f64 - sine * sine).sqrt());
            (0..1000).filter(|_| photon(edge, direction).pass_edge(&colour, random)).count()
        };
        assert_eq!(through(0.91, &mut random), 0);
        assert!(through(0.5, &mut random) > 990);
    }

    #[test]
    fn refraction_keeps_to_snells_law() {
        let colour = Colour::of(430.0);
        let mut one = photon(Vector::new(0.0, 0.0, 4.0), Vector::new(0.6, 0.0, 0.8));
        while !one.pass_edge(&colour, &mut Random::of(1, 1, 1)) {
            one.direction = Vector::new(0.6, 0.0, 0.8);
        }
        let expected = 0.6 * colour.index_scintillator / colour.index_water;
        assert!((one.direction.x - expected).abs() < 1e-12 && (one.direction.length() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn scattered_light_prefers_forward_and_backward() {
        let (mut random, old) = (Random::of(1, 1, 1), Vector::new(0.0, 0.0, 1.0));
        let squares: f64 = (0..100_000).map(|_| rayleigh(old, &mut random).z).map(|z| z * z).sum();
        // The mean of cos² under 1 + cos² is 2/5.
        assert!((squares / 100_000.0 - 0.4).abs() < 0.005);
    }

    #[test]
    fn one_photon_in_five_or_so_makes_a_photoelectron() {
        let (detector, colours, mut random) = (Detector::make(Shape::default()), colours(), Random::of(1, 1, 1));
        let (mut absorbed, mut sum) = (0, 0.0);
        for _ in 0..20_000 {
            match follow(&detector, &colours, Vector::default(), &mut random) {
                Fate::Absorbed => absorbed += 1,
                Fate::Arrived(arrival) => sum += arrival.chance,
            }
        }
        assert!((1000..8000).contains(&absorbed) && (2500.0..6000.0).contains(&sum), "{absorbed} {sum}");
    }
}
