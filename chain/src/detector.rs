//! The detector: a sphere of liquid scintillator in water, photomultipliers as caps of a sphere around both.
//!
//! Proportions of JUNO (F. An et al., J. Phys. G 43 (2016) 030401: scintillator of 35.4 m, photomultipliers of 20 inch
//! at 19.5 m, coverage 75 %), scaled so that any number of photomultipliers of that size covers as much.

use libm::{cos, sin};

use crate::random::Random;
use crate::vector::Vector;

/// The window of a waveform begins so long before the event, and up to the jitter longer.
pub const BEFORE_NS: f64 = 40.0;
pub const JITTER_NS: f64 = 16.0;
/// Of a 20-inch photomultiplier, metres.
const PMT_RADIUS: f64 = 0.254;
/// Before the overlap of neighbours, which takes half a per cent.
const COVERAGE: f64 = 0.75;
/// Radius of the scintillator by that of the photomultipliers' sphere.
const SCINTILLATOR: f64 = 17.7 / 19.5;
/// How much photomultipliers differ from one another.
const EFFICIENCY_SPREAD: f64 = 0.05;
const GAIN_SPREAD: f64 = 0.1;
/// Of the numbers that make the detector: it is the same for every seed of events.
const SEED: u64 = 0x4a55_4e4f;

/// What a user chooses of a detector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub pmts: u32,
    /// Samples of 1 ns in a waveform.
    pub samples: u32,
    pub photons_per_mev: f64,
}

impl Shape {
    pub const PMTS: std::ops::RangeInclusive<u32> = 12..=20_000;
    pub const SAMPLES: std::ops::RangeInclusive<u32> = 128..=4096;
}

impl Default for Shape {
    fn default() -> Self {
        Self { pmts: 1000, samples: 400, photons_per_mev: 10_000.0 }
    }
}

/// One photomultiplier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pmt {
    /// From the centre of the detector.
    pub direction: Vector,
    /// By the mean of all.
    pub efficiency: f64,
    pub gain: f64,
}

#[derive(Clone, Debug)]
pub struct Detector {
    pub shape: Shape,
    pub pmts: Vec<Pmt>,
    /// Of the photomultipliers' sphere, metres.
    pub radius: f64,
    /// Of the scintillator, metres.
    pub scintillator: f64,
    cap: f64,
    cells: Cells,
}

impl Detector {
    /// Makes a detector; its photomultipliers lie on a spiral of equal areas.
    pub fn make(shape: Shape) -> Self {
        let count = shape.pmts;
        let turn = core::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
        let mut random = Random::of(SEED, 0, 0);
        let pmts = (0..count).map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
            let (rho, phi) = ((1.0 - z * z).sqrt(), turn * f64::from(i));
            let efficiency = (1.0 + EFFICIENCY_SPREAD * random.normal()).clamp(0.7, 1.3);
            let gain = (1.0 + GAIN_SPREAD * random.normal()).clamp(0.5, 1.5);
            Pmt { direction: Vector::new(rho * cos(phi), rho * sin(phi), z), efficiency, gain }
        });
        Self::of(shape, pmts.collect())
    }

    /// The detector of given photomultipliers.
    pub fn of(shape: Shape, pmts: Vec<Pmt>) -> Self {
        let cap = 1.0 - 2.0 * COVERAGE / f64::from(shape.pmts);
        let radius = PMT_RADIUS / (1.0 - cap * cap).sqrt();
        let cells = Cells::new(&pmts, cap);
        Self { shape, pmts, radius, scintillator: SCINTILLATOR * radius, cap, cells }
    }

    /// The photomultiplier that lies in a direction from the centre, if one does.
    pub fn pmt_at(&self, direction: Vector) -> Option<u32> {
        let mut best = (self.cap, None);
        for &pmt in self.cells.near(direction) {
            let near = direction.dot(self.pmts[pmt as usize].direction);
            if near > best.0 {
                best = (near, Some(pmt));
            }
        }
        best.1
    }
}

/// Photomultipliers by direction: the faces of a cube, each a grid.
#[derive(Clone, Debug)]
struct Cells {
    side: usize,
    pmts: Vec<Vec<u32>>,
}

impl Cells {
    fn new(pmts: &[Pmt], cap: f64) -> Self {
        let side = ((pmts.len() as f64 / 6.0).sqrt() * 2.0) as usize + 1;
        let mut cells = Self { side, pmts: vec![Vec::new(); 6 * side * side] };
        // Half the diagonal of the largest cell, as a chord, and the chord of a cap.
        let reach = 1.5 / side as f64 + (2.0 - 2.0 * cap).sqrt();
        let least = 1.0 - reach * reach / 2.0;
        for face in 0..6 {
            for cell in 0..side * side {
                let middle = cells.middle(face, cell);
                let near = |pmt: &u32| pmts[*pmt as usize].direction.dot(middle) > least;
                cells.pmts[face * side * side + cell] = (0..pmts.len() as u32).filter(near).collect();
            }
        }
        cells
    }

    fn middle(&self, face: usize, cell: usize) -> Vector {
        let at = |index: usize| (2.0 * index as f64 + 1.0) / self.side as f64 - 1.0;
        let (u, v, w) = (at(cell / self.side), at(cell % self.side), if face % 2 == 0 { 1.0 } else { -1.0 });
        match face / 2 {
            0 => Vector::new(w, u, v),
            1 => Vector::new(u, w, v),
            _ => Vector::new(u, v, w),
        }
        .unit()
    }

    fn near(&self, d: Vector) -> &[u32] {
        let (x, y, z) = (d.x.abs(), d.y.abs(), d.z.abs());
        let (axis, w, u, v) = if x >= y && x >= z {
            (0, d.x, d.y, d.z)
        } else if y >= z {
            (1, d.y, d.x, d.z)
        } else {
            (2, d.z, d.x, d.y)
        };
        let scale = 0.5 * self.side as f64;
        let index = |t: f64| (((t / w.abs() + 1.0) * scale) as usize).min(self.side - 1);
        let face = 2 * axis + usize::from(w < 0.0);
        &self.pmts[(face * self.side + index(u)) * self.side + index(v)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn photomultipliers_cover_three_quarters_of_the_sphere() {
        let detector = Detector::make(Shape::default());
        let mut random = Random::of(1, 1, 1);
        let hit = (0..100_000).filter(|_| detector.pmt_at(random.direction()).is_some()).count();
        assert!((73_000..=75_500).contains(&hit), "{hit}");
        assert!((detector.radius - 4.638).abs() < 0.01, "{}", detector.radius);
    }

    #[test]
    fn the_grid_finds_the_photomultiplier_that_a_search_of_all_finds() {
        for pmts in [12, 100, 2000] {
            let detector = Detector::make(Shape { pmts, ..Shape::default() });
            let mut random = Random::of(2, 1, 1);
            for _ in 0..2000 {
                let direction = random.direction();
                let all = (0..pmts).map(|i| (direction.dot(detector.pmts[i as usize].direction), i));
                let best = all.fold((-1.0, 0), |best, one| if one.0 > best.0 { one } else { best });
                let expected = (best.0 > detector.cap).then_some(best.1);
                assert_eq!(detector.pmt_at(direction), expected);
            }
        }
    }
}
