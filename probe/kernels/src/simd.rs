//! The loops whose speed is the figure of `flops` and `stream`, and half of that of `integer`.
//!
//! On x86-64 they are written out in SSE2, which every such processor has, two numbers an instruction: so the figure
//! does not depend on whether a compiler vectorises a loop at the level that it was asked for. Elsewhere they are plain
//! loops. Both give the same bits: each multiplication and each addition is rounded by itself. The `unsafe` here is
//! loads and stores through pointers.

#[cfg(not(target_arch = "x86_64"))]
pub use plain::{add, chains, copy, scale, shifts, triad};
#[cfg(target_arch = "x86_64")]
pub use sse2::{add, chains, copy, scale, shifts, triad};

/// Chains that run side by side in `chains`.
pub const CHAINS: usize = 16;
/// Chains that run side by side in `shifts`.
pub const SHIFT_CHAINS: usize = 8;

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128d, __m128i, _mm_add_pd, _mm_castsi128_pd, _mm_load_sd, _mm_loadu_pd, _mm_loadu_si128, _mm_mul_pd,
        _mm_set1_epi64x, _mm_set1_pd, _mm_slli_epi64, _mm_srli_epi64, _mm_store_sd, _mm_storeu_pd, _mm_storeu_si128,
        _mm_xor_pd, _mm_xor_si128,
    };

    use super::{CHAINS, SHIFT_CHAINS};

    /// x := x * a + b in each chain, so many times. All chains stay in registers, or it would be memory that is timed.
    #[inline(never)]
    pub fn chains(x: &mut [f64; CHAINS], steps: u32, a: f64, b: f64) {
        let place = x.as_mut_ptr();
        // SAFETY: eight pairs are loaded and stored, which are the sixteen numbers; SSE2 is part of x86-64.
        unsafe {
            let (a, b) = (_mm_set1_pd(a), _mm_set1_pd(b));
            let pair = |at: usize| _mm_loadu_pd(place.add(2 * at));
            let (mut x0, mut x1, mut x2, mut x3) = (pair(0), pair(1), pair(2), pair(3));
            let (mut x4, mut x5, mut x6, mut x7) = (pair(4), pair(5), pair(6), pair(7));
            for _ in 0..steps {
                x0 = _mm_add_pd(_mm_mul_pd(x0, a), b);
                x1 = _mm_add_pd(_mm_mul_pd(x1, a), b);
                x2 = _mm_add_pd(_mm_mul_pd(x2, a), b);
                x3 = _mm_add_pd(_mm_mul_pd(x3, a), b);
                x4 = _mm_add_pd(_mm_mul_pd(x4, a), b);
                x5 = _mm_add_pd(_mm_mul_pd(x5, a), b);
                x6 = _mm_add_pd(_mm_mul_pd(x6, a), b);
                x7 = _mm_add_pd(_mm_mul_pd(x7, a), b);
            }
            for (at, pair) in [x0, x1, x2, x3, x4, x5, x6, x7].into_iter().enumerate() {
                _mm_storeu_pd(place.add(2 * at), pair);
            }
        }
    }

    /// Marsaglia's xorshift64 in each chain, so many times.
    #[inline(never)]
    pub fn shifts(x: &mut [u64; SHIFT_CHAINS], steps: u64) {
        let place = x.as_mut_ptr().cast::<__m128i>();
        // SAFETY: four pairs are loaded and stored, which are the eight numbers; SSE2 is part of x86-64.
        unsafe {
            let pair = |at: usize| _mm_loadu_si128(place.add(at));
            let (mut x0, mut x1, mut x2, mut x3) = (pair(0), pair(1), pair(2), pair(3));
            for _ in 0..steps {
                (x0, x1, x2, x3) = (shift(x0), shift(x1), shift(x2), shift(x3));
            }
            for (at, pair) in [x0, x1, x2, x3].into_iter().enumerate() {
                _mm_storeu_si128(place.add(at), pair);
            }
        }
    }

    #[inline(always)]
    fn shift(x: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let x = _mm_xor_si128(x, _mm_slli_epi64::<13>(x));
            let x = _mm_xor_si128(x, _mm_srli_epi64::<7>(x));
            _mm_xor_si128(x, _mm_slli_epi64::<17>(x))
        }
    }

    #[inline(never)]
    pub fn copy(c: &mut [f64], a: &[f64], zero: u64) {
        // SAFETY: SSE2 is part of x86-64.
        let zero = unsafe { _mm_castsi128_pd(_mm_set1_epi64x(zero as i64)) };
        // SAFETY: as above.
        each(c, a, a, |a, _| unsafe { _mm_xor_pd(a, zero) });
    }

    #[inline(never)]
    pub fn scale(b: &mut [f64], c: &[f64], scalar: f64) {
        // SAFETY: SSE2 is part of x86-64.
        let scalar = unsafe { _mm_set1_pd(scalar) };
        // SAFETY: as above.
        each(b, c, c, |c, _| unsafe { _mm_mul_pd(scalar, c) });
    }

    #[inline(never)]
    pub fn add(c: &mut [f64], a: &[f64], b: &[f64]) {
        // SAFETY: SSE2 is part of x86-64.
        each(c, a, b, |a, b| unsafe { _mm_add_pd(a, b) });
    }

    #[inline(never)]
    pub fn triad(a: &mut [f64], b: &[f64], c: &[f64], scalar: f64) {
        // SAFETY: SSE2 is part of x86-64.
        let scalar = unsafe { _mm_set1_pd(scalar) };
        // SAFETY: as above.
        each(a, b, c, |b, c| unsafe { _mm_add_pd(b, _mm_mul_pd(scalar, c)) });
    }

    /// Four numbers a turn, as LLVM does it; those that are left one by one.
    #[inline(always)]
    fn each(to: &mut [f64], one: &[f64], other: &[f64], act: impl Fn(__m128d, __m128d) -> __m128d) {
        let count = to.len().min(one.len()).min(other.len());
        let (to, one, other) = (to.as_mut_ptr(), one.as_ptr(), other.as_ptr());
        let mut at = 0;
        // SAFETY: `at` and the numbers behind it that are touched lie below the length of all three.
        unsafe {
            while at + 4 <= count {
                let low = act(_mm_loadu_pd(one.add(at)), _mm_loadu_pd(other.add(at)));
                let high = act(_mm_loadu_pd(one.add(at + 2)), _mm_loadu_pd(other.add(at + 2)));
                _mm_storeu_pd(to.add(at), low);
                _mm_storeu_pd(to.add(at + 2), high);
                at += 4;
            }
            while at < count {
                _mm_store_sd(to.add(at), act(_mm_load_sd(one.add(at)), _mm_load_sd(other.add(at))));
                at += 1;
            }
        }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    use super::{CHAINS, SHIFT_CHAINS};

    #[inline(never)]
    pub fn chains(x: &mut [f64; CHAINS], steps: u32, a: f64, b: f64) {
        for _ in 0..steps {
            for value in x.iter_mut() {
                *value = *value * a + b;
            }
        }
    }

    #[inline(never)]
    pub fn shifts(x: &mut [u64; SHIFT_CHAINS], steps: u64) {
        for _ in 0..steps {
            for x in x.iter_mut() {
                *x ^= *x << 13;
                *x ^= *x >> 7;
                *x ^= *x << 17;
            }
        }
    }

    #[inline(never)]
    pub fn copy(c: &mut [f64], a: &[f64], zero: u64) {
        for (c, a) in c.iter_mut().zip(a) {
            *c = f64::from_bits(a.to_bits() ^ zero);
        }
    }

    #[inline(never)]
    pub fn scale(b: &mut [f64], c: &[f64], scalar: f64) {
        for (b, c) in b.iter_mut().zip(c) {
            *b = scalar * c;
        }
    }

    #[inline(never)]
    pub fn add(c: &mut [f64], a: &[f64], b: &[f64]) {
        for ((c, a), b) in c.iter_mut().zip(a).zip(b) {
            *c = a + b;
        }
    }

    #[inline(never)]
    pub fn triad(a: &mut [f64], b: &[f64], c: &[f64], scalar: f64) {
        for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
            *a = b + scalar * c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_have_the_bits_of_plain_loops() {
        let start: [f64; CHAINS] = std::array::from_fn(|chain| 2.0 + chain as f64);
        let (mut x, mut expected) = (start, start);
        chains(&mut x, 1000, 0.999_99, 0.000_01);
        plain::chains(&mut expected, 1000, 0.999_99, 0.000_01);
        assert_eq!(x.map(f64::to_bits), expected.map(f64::to_bits));
    }

    #[test]
    fn shifts_are_those_of_plain_loops() {
        let (mut x, mut expected) = ([1, 2, 3, 4, 5, 6, 7, u64::MAX], [1, 2, 3, 4, 5, 6, 7, u64::MAX]);
        shifts(&mut x, 1000);
        plain::shifts(&mut expected, 1000);
        assert_eq!(x, expected);
    }

    #[test]
    fn arrays_of_every_length_have_the_bits_of_plain_loops() {
        for length in 0..19 {
            let one: Vec<f64> = (0..length).map(|at| 1.0 / f64::from(at + 1)).collect();
            let other: Vec<f64> = one.iter().map(|one| one.sqrt()).collect();
            let same = |act: &dyn Fn(&mut [f64]), expected: &dyn Fn(&mut [f64])| {
                // The last one belongs to nobody and must stay.
                let (mut found, mut wanted) = (vec![7.0; one.len() + 1], vec![7.0; one.len() + 1]);
                act(&mut found);
                expected(&mut wanted);
                assert_eq!(found, wanted, "{length}");
            };
            same(&|to| copy(to, &one, 0), &|to| plain::copy(to, &one, 0));
            same(&|to| scale(to, &one, 3.1), &|to| plain::scale(to, &one, 3.1));
            same(&|to| add(to, &one, &other), &|to| plain::add(to, &one, &other));
            same(&|to| triad(to, &one, &other, 3.1), &|to| plain::triad(to, &one, &other, 3.1));
        }
    }
}
