//! Fourier transform of a power of two of complex numbers, in place.

use core::f64::consts::PI;
use std::ops::{Add, Mul, Sub};

use libm::{cos, sin};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    pub const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    pub fn conjugate(self) -> Self {
        Self::new(self.re, -self.im)
    }

    pub fn squared(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }
}

/// Transforms of one length.
pub struct Fourier {
    /// exp(-2πi k/n) of the first half of the circle.
    turns: Vec<Complex>,
    length: usize,
}

impl Fourier {
    /// Of a length that is a power of two.
    pub fn new(length: usize) -> Self {
        let turn = |k: usize| -2.0 * PI * k as f64 / length as f64;
        let turns = (0..length / 2).map(|k| Complex::new(cos(turn(k)), sin(turn(k)))).collect();
        Self { turns, length }
    }

    /// Sums of x·exp(-2πi jk/n), without a factor.
    pub fn forward(&self, x: &mut [Complex]) {
        self.reorder(x);
        let mut half = 1;
        while half < self.length {
            let stride = self.length / (2 * half);
            for block in x.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                    let turned = *b * self.turns[k * stride];
                    (*a, *b) = (*a + turned, *a - turned);
                }
            }
            half *= 2;
        }
    }

    /// Undoes `forward`.
    pub fn backward(&self, x: &mut [Complex]) {
        x.iter_mut().for_each(|value| *value = value.conjugate());
        self.forward(x);
        let scale = 1.0 / self.length as f64;
        x.iter_mut().for_each(|value| *value = Complex::new(value.re * scale, -value.im * scale));
    }

    fn reorder(&self, x: &mut [Complex]) {
        let bits = self.length.trailing_zeros();
        for i in 0..self.length {
            let j = i.reverse_bits() >> (usize::BITS - bits);
            if i < j {
                x.swap(i, j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn there_and_back_is_where_it_began() {
        let (fourier, mut random) = (Fourier::new(256), Random::of(1, 1, 1));
        let x: Vec<Complex> = (0..256).map(|_| Complex::new(random.normal(), random.normal())).collect();
        let mut y = x.clone();
        fourier.forward(&mut y);
        fourier.backward(&mut y);
        assert!(x.iter().zip(&y).all(|(a, b)| (*a - *b).squared() < 1e-24));
    }

    #[test]
    fn a_wave_is_one_line() {
        let (fourier, length) = (Fourier::new(64), 64.0);
        let wave = |k: usize| cos(2.0 * PI * 5.0 * k as f64 / length);
        let mut x: Vec<Complex> = (0..64).map(|k| Complex::new(wave(k), 0.0)).collect();
        fourier.forward(&mut x);
        for (k, value) in x.iter().enumerate() {
            let expected = if k == 5 || k == 59 { 32.0 } else { 0.0 };
            assert!((value.re - expected).abs() < 1e-9 && value.im.abs() < 1e-9, "{k} {value:?}");
        }
    }
}
