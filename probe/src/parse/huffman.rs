//! Huffman codes bit by bit, for deflate.
//!
//! Source: RFC 1951, sections 3.1.1 and 3.2.2.

use crate::arrange;

/// Bits of a text, the lowest of each byte first.
pub struct Bits<'a> {
    pub bytes: &'a [u8],
    /// Bits that were taken.
    pub at: usize,
}

impl Bits<'_> {
    /// The next bits as a number, lowest first.
    pub fn take(&mut self, count: u8) -> Option<usize> {
        let mut value = 0;
        for place in 0..count {
            let bit = self.bytes.get(self.at / 8)? >> (self.at % 8) & 1;
            value |= usize::from(bit) << place;
            self.at += 1;
        }
        Some(value)
    }
}

/// Canonical Huffman code: how many codes of each length there are, and their symbols in order.
pub struct Code {
    counts: [u16; 16],
    symbols: Vec<u16>,
}

impl Code {
    /// The code whose symbols have these lengths; 0 is a symbol that does not occur.
    pub fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; 16];
        for length in lengths {
            counts[usize::from(*length)] += 1;
        }
        counts[0] = 0;
        let mut symbols: Vec<u16> = (0_u16..).zip(lengths).filter(|(_, len)| **len > 0).map(|(at, _)| at).collect();
        arrange::sort_by_key(&mut symbols, |at| (lengths[usize::from(*at)], *at));
        Self { counts, symbols }
    }

    /// The next symbol.
    pub fn read(&self, bits: &mut Bits) -> Option<u16> {
        let (mut code, mut first, mut before) = (0_usize, 0_usize, 0_usize);
        for count in self.counts[1..].iter().map(|count| usize::from(*count)) {
            code |= bits.take(1)?;
            if code < first + count {
                return self.symbols.get(before + code.checked_sub(first)?).copied();
            }
            before += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rfcs_own_example_is_read() {
        // Lengths of A to H; F is 00, A 010, H 1111 (section 3.2.2).
        let code = Code::new(&[3, 3, 3, 3, 3, 2, 4, 4]);
        let mut bits = Bits { bytes: &[0b1110_1000, 0b1], at: 0 };
        assert_eq!([code.read(&mut bits), code.read(&mut bits), code.read(&mut bits)], [Some(5), Some(0), Some(7)]);
    }

    #[test]
    fn bits_that_end_are_no_symbol() {
        assert_eq!(Code::new(&[1, 1]).read(&mut Bits { bytes: &[], at: 0 }), None);
        assert_eq!(Bits { bytes: &[1], at: 7 }.take(2), None);
    }
}
