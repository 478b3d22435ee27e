//! XXH64 of bytes: finds what was damaged or came out differently, at the speed of reading it.
//!
//! Source: xxHash fast digest algorithm, specification 0.1.1 (Yann Collet). It is no defence against a forger.

const P1: u64 = 0x9E37_79B1_85EB_CA87;
const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P3: u64 = 0x1656_67B1_9E37_79F9;
const P4: u64 = 0x85EB_CA77_C2B2_AE63;
const P5: u64 = 0x27D4_EB2F_1656_67C5;

fn round(sum: u64, lane: u64) -> u64 {
    sum.wrapping_add(lane.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

fn merge(sum: u64, lane: u64) -> u64 {
    (sum ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4)
}

fn word(bytes: &[u8]) -> u64 {
    let mut lane = [0; 8];
    lane.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(lane)
}

fn half(bytes: &[u8]) -> u64 {
    u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// The hash of all bytes, begun with a seed.
pub fn hash(bytes: &[u8], seed: u64) -> u64 {
    let mut stripes = bytes.chunks_exact(32);
    let mut sum = if bytes.len() < 32 { seed.wrapping_add(P5) } else { sum_stripes(&mut stripes, seed) };
    sum = sum.wrapping_add(bytes.len() as u64);
    avalanche(finish(sum, stripes.remainder()))
}

fn sum_stripes(stripes: &mut std::slice::ChunksExact<u8>, seed: u64) -> u64 {
    let mut lanes = [seed.wrapping_add(P1).wrapping_add(P2), seed.wrapping_add(P2), seed, seed.wrapping_sub(P1)];
    for stripe in stripes {
        for (lane, bytes) in lanes.iter_mut().zip(stripe.chunks_exact(8)) {
            *lane = round(*lane, word(bytes));
        }
    }
    let [a, b, c, d] = lanes;
    let sum = [(a, 1), (b, 7), (c, 12), (d, 18)].map(|(lane, turn)| lane.rotate_left(turn));
    lanes.iter().fold(sum.iter().fold(0_u64, |all, lane| all.wrapping_add(*lane)), |all, lane| merge(all, *lane))
}

fn finish(mut sum: u64, rest: &[u8]) -> u64 {
    let mut words = rest.chunks_exact(8);
    for bytes in &mut words {
        sum = (sum ^ round(0, word(bytes))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    let mut rest = words.remainder();
    if rest.len() >= 4 {
        sum = (sum ^ half(rest).wrapping_mul(P1)).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
        rest = &rest[4..];
    }
    rest.iter().fold(sum, |sum, byte| (sum ^ u64::from(*byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1))
}

fn avalanche(mut sum: u64) -> u64 {
    sum = (sum ^ (sum >> 33)).wrapping_mul(P2);
    sum = (sum ^ (sum >> 29)).wrapping_mul(P3);
    sum ^ (sum >> 32)
}

/// A digest of many digests, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest(pub u64);

impl Digest {
    pub fn add(&mut self, next: u64) {
        self.0 = hash(&next.to_le_bytes(), self.0);
    }

    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: the values that xxhsum 0.8 prints.
    #[test]
    fn the_hash_is_that_of_xxhsum() {
        let long = "Nobody inspects the spammish repetition";
        let told = [("", 0xef46_db37_51d8_e999), ("a", 0xd24e_c4f1_a98c_6e5b), ("abc", 0x44bc_2cf5_ad77_0999)];
        for (text, expected) in told {
            assert_eq!(hash(text.as_bytes(), 0), expected, "{text}");
        }
        assert_eq!(hash(long.as_bytes(), 0), 0xfbce_a83c_8a37_8bf1);
    }

    #[test]
    fn a_digest_hangs_on_the_order() {
        let (mut one, mut other) = (Digest::default(), Digest::default());
        [1, 2].into_iter().for_each(|next| one.add(next));
        [2, 1].into_iter().for_each(|next| other.add(next));
        assert_ne!(one, other);
    }
}
