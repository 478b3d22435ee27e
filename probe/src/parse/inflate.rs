//! Unpacks gzip, for `/proc/config.gz`.
//!
//! Source: RFC 1951 (deflate), RFC 1952 (gzip). Limits: the checksum is not compared: the kernel made the file.

use super::huffman::{Bits, Code};

/// Lengths and distances of RFC 1951, section 3.2.5: base and extra bits.
const LENGTHS: [(usize, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];
const CODE_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const DISTANCE_CODES: u16 = 30;

/// Content of a gzip file of at most `most` bytes; `None` for anything else.
pub fn gunzip(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let body = after_header(bytes)?;
    let mut bits = Bits { bytes: body, at: 0 };
    let mut out = Vec::new();
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, &mut out, most)?,
            1 => coded(&mut bits, &mut out, most, &fixed())?,
            2 => {
                let codes = dynamic(&mut bits)?;
                coded(&mut bits, &mut out, most, &codes)?;
            }
            _ => return None,
        }
        if last {
            return Some(out);
        }
    }
}

/// The body after the header, which may carry extra fields, a name, a comment and a checksum.
fn after_header(bytes: &[u8]) -> Option<&[u8]> {
    let flags = *bytes.strip_prefix(&[0x1f, 0x8b, 8])?.first()?;
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + usize::from(*bytes.get(at)?) + 256 * usize::from(*bytes.get(at + 1)?);
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    bytes.get(at + if flags & 2 != 0 { 2 } else { 0 }..)
}

fn fixed() -> (Code, Code) {
    let mut lengths = [8_u8; 288];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    (Code::new(&lengths), Code::new(&[5; 30]))
}

fn dynamic(bits: &mut Bits) -> Option<(Code, Code)> {
    let (literals, distances, codes) = (bits.take(5)? + 257, bits.take(5)? + 1, bits.take(4)? + 4);
    let mut lengths = [0; 19];
    for place in CODE_ORDER.iter().take(codes) {
        lengths[*place] = u8::try_from(bits.take(3)?).ok()?;
    }
    let lengths = run_lengths(bits, &Code::new(&lengths), literals + distances)?;
    Some((Code::new(&lengths[..literals]), Code::new(&lengths[literals..])))
}

fn run_lengths(bits: &mut Bits, code: &Code, count: usize) -> Option<Vec<u8>> {
    let mut lengths: Vec<u8> = Vec::new();
    while lengths.len() < count {
        let (value, times) = match code.read(bits)? {
            16 => (*lengths.last()?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            18 => (0, 11 + bits.take(7)?),
            length => (u8::try_from(length).ok()?, 1),
        };
        lengths.extend(std::iter::repeat_n(value, times));
    }
    (lengths.len() == count).then_some(lengths)
}

fn stored(bits: &mut Bits, out: &mut Vec<u8>, most: usize) -> Option<()> {
    bits.at = bits.at.next_multiple_of(8);
    let length = bits.take(16)?;
    let _complement = bits.take(16)?;
    let from = bits.at / 8;
    out.extend(bits.bytes.get(from..from + length)?);
    bits.at += length * 8;
    (out.len() <= most).then_some(())
}

fn coded(bits: &mut Bits, out: &mut Vec<u8>, most: usize, (literals, distances): &(Code, Code)) -> Option<()> {
    while out.len() <= most {
        match literals.read(bits)? {
            256 => return Some(()),
            byte @ 0..256 => out.push(u8::try_from(byte).ok()?),
            symbol => {
                let (base, extra) = *LENGTHS.get(usize::from(symbol) - 257)?;
                let length = base + bits.take(extra)?;
                copy(out, length, distance(bits, distances)?)?;
            }
        }
    }
    None
}

fn distance(bits: &mut Bits, code: &Code) -> Option<usize> {
    let symbol = code.read(bits).filter(|symbol| *symbol < DISTANCE_CODES)?;
    if symbol < 4 {
        return Some(usize::from(symbol) + 1);
    }
    let extra = u8::try_from(symbol / 2 - 1).ok()?;
    Some(((2 + usize::from(symbol % 2)) << extra) + 1 + bits.take(extra)?)
}

fn copy(out: &mut Vec<u8>, length: usize, distance: usize) -> Option<()> {
    let from = out.len().checked_sub(distance)?;
    for at in from..from + length {
        out.push(out[at]);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKED: &[u8] = include_bytes!("../../tests/config.gz");
    const PLAIN: &[u8] = include_bytes!("../../tests/config");

    #[test]
    fn a_configuration_is_unpacked_byte_by_byte() {
        assert!(gunzip(PACKED, 1 << 20).is_some_and(|bytes| bytes == PLAIN));
    }

    #[test]
    fn what_is_cut_too_large_or_no_gzip_is_refused() {
        for cut in [0, 3, 9, 40, PACKED.len() / 2] {
            assert_eq!(gunzip(&PACKED[..cut], 1 << 20), None, "{cut}");
        }
        assert_eq!(gunzip(PACKED, PLAIN.len() / 2), None);
        assert_eq!(gunzip(b"CONFIG_HZ=250\n", 1 << 20), None);
    }

    #[test]
    fn damaged_bytes_never_stop_the_probe() {
        for at in 10..PACKED.len() {
            let mut damaged = PACKED.to_vec();
            damaged[at] ^= 0x55;
            let _ = gunzip(&damaged, 1 << 20);
        }
    }
}
