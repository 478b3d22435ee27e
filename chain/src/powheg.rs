//! `powheg-like`: an event generator that writes as POWHEG does: text, a small write for each line, many files.
//!
//! It makes quark and antiquark to a Z to two leptons at lowest order, unweighted; its files follow the Les Houches
//! format (J. Alwall et al., Comput. Phys. Commun. 176 (2007) 300). Limits: a toy of the physics, not POWHEG.

use core::f64::consts::PI;
use std::fmt::Write as _;

use libm::{cos, cosh, exp, log, pow, sin, sinh};

use crate::random::Random;

const BEAM: f64 = 6500.0;
const MASS: f64 = 91.1876;
const WIDTH: f64 = 2.4952;
/// Masses that are generated, GeV.
const RANGE: (f64, f64) = (60.0, 120.0);
/// Calls of the integrand in the initialization.
const CALLS: u64 = 200_000;
/// Room above the largest weight that was seen.
const ROOM: f64 = 1.2;
const STEP: u64 = 100;

/// What the initialization finds.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub largest: f64,
    pub cross_section: f64,
    pub error: f64,
}

/// One point of the phase space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub mass: f64,
    pub rapidity: f64,
    pub cosine: f64,
    pub phi: f64,
    pub down: bool,
}

/// A generated event: its point, how many were tried for it, its text.
pub struct Made {
    pub point: Point,
    pub tried: u64,
    pub text: String,
}

fn draw(random: &mut Random) -> Point {
    let mass = RANGE.0 + (RANGE.1 - RANGE.0) * random.uniform();
    let most = log(2.0 * BEAM / mass);
    Point {
        mass,
        rapidity: most * (2.0 * random.uniform() - 1.0),
        cosine: 2.0 * random.uniform() - 1.0,
        phi: 2.0 * PI * random.uniform(),
        down: random.uniform() < 0.5,
    }
}

/// A density of quarks or antiquarks of the right shape: x f(x).
fn parton(x: f64, sea: bool) -> f64 {
    let hard = pow(1.0 - x, if sea { 7.0 } else { 3.0 });
    hard * (if sea { 0.2 } else { 2.0 * x.sqrt() + 0.2 })
}

/// The weight of a point, in units of our own.
fn weight(point: &Point) -> f64 {
    let tau = point.mass / (2.0 * BEAM);
    let (one, other) = (tau * exp(point.rapidity), tau * exp(-point.rapidity));
    if one >= 1.0 || other >= 1.0 {
        return 0.0;
    }
    let partons = parton(one, false) * parton(other, true) * if point.down { 0.5 } else { 1.0 };
    let s = point.mass * point.mass;
    let off = s - MASS * MASS;
    let line = s / (off * off + MASS * MASS * WIDTH * WIDTH);
    let jacobian = 2.0 * log(2.0 * BEAM / point.mass) / point.mass;
    partons * line * jacobian * (1.0 + point.cosine * point.cosine)
}

/// Integrates, as the first stage of a generator does.
pub fn integrate(seed: u64) -> Grid {
    let mut random = Random::of(seed, STEP, u64::MAX);
    let (mut sum, mut squares, mut largest) = (0.0, 0.0, 0.0_f64);
    for _ in 0..CALLS {
        let weight = weight(&draw(&mut random));
        sum += weight;
        squares += weight * weight;
        largest = largest.max(weight);
    }
    let calls = CALLS as f64;
    let mean = sum / calls;
    Grid { largest: ROOM * largest, cross_section: mean, error: ((squares / calls - mean * mean) / calls).sqrt() }
}

/// One event of weight 1.
pub fn generate(grid: &Grid, seed: u64, number: u64) -> Made {
    let (mut random, mut tried) = (Random::of(seed, STEP, number), 0);
    loop {
        tried += 1;
        let point = draw(&mut random);
        if random.uniform() * grid.largest < weight(&point) {
            let text = text(&point, grid);
            return Made { point, tried, text };
        }
    }
}

/// Px, py, pz and energy, GeV.
type Momentum = [f64; 4];

/// Both quarks, the Z and both leptons.
fn momenta(point: &Point) -> [Momentum; 5] {
    let half = 0.5 * point.mass;
    let (one, other) = (half * exp(point.rapidity), half * exp(-point.rapidity));
    let sine = (1.0 - point.cosine * point.cosine).sqrt();
    let (px, py, pz) = (half * sine * cos(point.phi), half * sine * sin(point.phi), half * point.cosine);
    let (c, s) = (cosh(point.rapidity), sinh(point.rapidity));
    let boosted = |px: f64, py: f64, pz: f64| [px, py, c * pz + s * half, c * half + s * pz];
    [
        [0.0, 0.0, one, one],
        [0.0, 0.0, -other, other],
        [0.0, 0.0, one - other, one + other],
        boosted(px, py, pz),
        boosted(-px, -py, -pz),
    ]
}

fn text(point: &Point, grid: &Grid) -> String {
    let quark = if point.down { 1 } else { 2 };
    // Identity, status, mothers, colours, mass.
    let rows = [
        (quark, -1, (0, 0), (501, 0), 0.0),
        (-quark, -1, (0, 0), (0, 501), 0.0),
        (23, 2, (1, 2), (0, 0), point.mass),
        (11, 1, (3, 3), (0, 0), 0.0),
        (-11, 1, (3, 3), (0, 0), 0.0),
    ];
    let mut text = String::from("<event>\n");
    // Writing to a string never fails.
    let _ = writeln!(text, " 5 10001 {:.8E} {:.8E} 7.81860000E-03 1.18000000E-01", grid.cross_section, point.mass);
    for ((id, status, mothers, colours, mass), [px, py, pz, e]) in rows.into_iter().zip(momenta(point)) {
        let _ = writeln!(
            text,
            "{id:8} {status:3} {:4} {:4} {:4} {:4} {px:.9E} {py:.9E} {pz:.9E} {e:.9E} {mass:.9E} 0. 9.",
            mothers.0, mothers.1, colours.0, colours.1
        );
    }
    text.push_str("</event>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(count: u64) -> Vec<Made> {
        let grid = integrate(1);
        (0..count).map(|number| generate(&grid, 1, number)).collect()
    }

    #[test]
    fn the_mass_peaks_at_that_of_the_z_and_angles_are_even() {
        let made = points(2000);
        let peak = made.iter().filter(|one| (one.point.mass - MASS).abs() < WIDTH).count();
        // A Breit-Wigner has 70 % within one width of its peak.
        assert!((1250..1500).contains(&peak), "{peak}");
        let squares: f64 = made.iter().map(|one| one.point.cosine * one.point.cosine).sum();
        assert!((squares / 2000.0 - 0.4).abs() < 0.02, "{squares}");
        assert!(made.iter().map(|one| one.tried).sum::<u64>() > 10 * 2000);
    }

    #[test]
    fn momentum_is_kept() {
        for one in points(50) {
            let [a, b, z, l, k] = momenta(&one.point);
            for i in 0..4 {
                assert!((a[i] + b[i] - z[i]).abs() < 1e-9 && (l[i] + k[i] - z[i]).abs() < 1e-8, "{:?}", one.point);
            }
        }
    }

    #[test]
    fn an_event_is_text_of_the_les_houches_format() {
        let made = points(1);
        let lines: Vec<&str> = made[0].text.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[7]), (8, "<event>", "</event>"));
        assert!(lines[2..7].iter().all(|line| line.split_whitespace().count() == 13));
    }
}
