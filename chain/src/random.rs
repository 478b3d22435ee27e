//! Random numbers that are the same on every machine: xoshiro256++ and distributions made of `libm` alone.
//!
//! Source: D. Blackman, S. Vigna, <https://prng.di.unimi.it>; seeded by splitmix64, as its authors say.

use libm::{exp, log};

use crate::vector::Vector;

#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
    spare: Option<f64>,
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Random {
    /// The numbers of one event in one step: events can be done in any order, by any thread.
    pub fn of(seed: u64, step: u64, event: u64) -> Self {
        let mut mixed = seed;
        for part in [step, event] {
            mixed = splitmix(&mut mixed) ^ part.wrapping_mul(0xD129_0D3E_8B21_4D6B);
        }
        let state = [0; 4].map(|_: u64| splitmix(&mut mixed));
        Self { state, spare: None }
    }

    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -log(1.0 - self.uniform())
    }

    /// Normal with mean 0 and standard deviation 1, by Marsaglia's polar method.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * log(s) / s).sqrt();
                self.spare = Some(v * factor);
                return u * factor;
            }
        }
    }

    /// Sum of four uniform numbers, scaled to mean 0 and standard deviation 1: quick, without tails beyond 3.5.
    pub fn nearly_normal(&mut self) -> f64 {
        let bits = self.bits();
        let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        // Four times a variance of 65536² / 12.
        (sum as f64 - 131_070.0) * (1.0 / 37_837.225)
    }

    /// Poisson: by multiplication in steps of at most 30, exact for any mean.
    pub fn poisson(&mut self, mean: f64) -> u64 {
        let (mut left, mut count) = (mean, 0);
        while left > 30.0 {
            // A sum of Poisson numbers is one; the normal approximation would be seen in the resolution.
            count += self.poisson_small(30.0);
            left -= 30.0;
        }
        count + self.poisson_small(left)
    }

    fn poisson_small(&mut self, mean: f64) -> u64 {
        let (limit, mut product, mut count) = (exp(-mean), self.uniform(), 0);
        while product > limit {
            product *= self.uniform();
            count += 1;
        }
        count
    }

    /// Isotropic direction, by Marsaglia's method.
    pub fn direction(&mut self) -> Vector {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s < 1.0 {
                let factor = 2.0 * (1.0 - s).sqrt();
                return Vector::new(u * factor, v * factor, 1.0 - 2.0 * s);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64) {
        let count = 200_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let x = draw();
            sum += x;
            squares += x * x;
        }
        let mean = sum / f64::from(count);
        (mean, squares / f64::from(count) - mean * mean)
    }

    #[test]
    fn distributions_have_their_mean_and_variance() {
        let mut random = Random::of(1, 2, 3);
        let close = |(mean, variance): (f64, f64), (m, v): (f64, f64)| {
            assert!((mean - m).abs() < 0.012 * v.sqrt() && (variance - v).abs() < 0.03 * v, "{mean} {variance}");
        };
        close(moments(|| random.uniform()), (0.5, 1.0 / 12.0));
        close(moments(|| random.exponential()), (1.0, 1.0));
        close(moments(|| random.normal()), (0.0, 1.0));
        close(moments(|| random.nearly_normal()), (0.0, 1.0));
        close(moments(|| random.poisson(3.5) as f64), (3.5, 3.5));
        close(moments(|| random.poisson(75.0) as f64), (75.0, 75.0));
        close(moments(|| random.direction().z), (0.0, 1.0 / 3.0));
    }

    #[test]
    fn numbers_are_those_of_seed_step_and_event() {
        let first = |seed, step, event| Random::of(seed, step, event).bits();
        assert_eq!(first(1, 2, 3), first(1, 2, 3));
        let others = [first(2, 2, 3), first(1, 3, 3), first(1, 2, 4), first(1, 3, 2)];
        assert!(others.iter().all(|other| *other != first(1, 2, 3)));
    }
}
