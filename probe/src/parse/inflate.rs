//! Unpacks gzip, for `/proc/config.gz`.
//!
//! Source: RFC 1952 (gzip). Limits: the checksum is not compared: the kernel made the file.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Content of a gzip file of at most `most` bytes; `None` for anything else.
pub fn gunzip(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    decompress_to_vec_with_limit(after_header(bytes)?, most).ok()
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
