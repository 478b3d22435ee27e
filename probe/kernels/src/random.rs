//! Numbers that look random and are the same on every machine.

/// SplitMix64. Source: S. Vigna, <https://prng.di.unimi.it/splitmix64.c> (public domain).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is small against 2^64: the bias is below `end` / 2^64.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// The numbers below `end` in random order (Fisher and Yates).
    pub fn order(&mut self, end: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..end).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_source() {
        let mut random = Random(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn an_order_holds_every_number_once() {
        let mut order = Random(7).order(1000);
        assert_ne!(order[..3], [0, 1, 2]);
        order.sort_unstable();
        assert!(order.iter().zip(0..).all(|(found, expected)| *found == expected));
    }
}
