//! Messages of generic netlink: made and taken apart.
//!
//! Source: netlink(7), Linux include/uapi/linux/netlink.h and genetlink.h. A message is a header of 16 bytes, one of 4
//! and attributes of (length, type, bytes), each at a multiple of 4; all in the machine's own byte order.

const HEADERS: usize = 20;
const REQUEST: u16 = 1;
/// Control family, its command "get family", and its attributes.
const CONTROL: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;

/// A request with one attribute.
pub fn request(family: u16, command: u8, kind: u16, value: &[u8]) -> Vec<u8> {
    let length = HEADERS + 4 + value.len().next_multiple_of(4);
    let mut message = Vec::with_capacity(length);
    message.extend((length as u32).to_ne_bytes());
    message.extend(family.to_ne_bytes());
    message.extend(REQUEST.to_ne_bytes());
    // Sequence number, port (the kernel's), command, version, reserved.
    message.extend([0; 8]);
    message.extend([command, 1, 0, 0]);
    message.extend((4 + value.len() as u16).to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend(value);
    message.resize(length, 0);
    message
}

/// Asks for a family's number.
pub fn ask_family(name: &str) -> Vec<u8> {
    request(CONTROL, GET_FAMILY, FAMILY_NAME, &[name.as_bytes(), &[0]].concat())
}

/// The number in the answer.
pub fn family(answer: &[u8]) -> Option<u16> {
    let message = messages(answer).next().filter(|message| message.family == CONTROL)?;
    let (_, value) = attributes(message.body).find(|(kind, _)| *kind == FAMILY_ID)?;
    Some(u16::from_ne_bytes(value.get(..2)?.try_into().ok()?))
}

/// The number of an error message, 0 for "done"; `None` for any other message.
pub fn error_number(answer: &[u8]) -> Option<i32> {
    const ERROR: u16 = 2;
    let is_error = answer.get(4..6)? == ERROR.to_ne_bytes();
    let number = i32::from_ne_bytes(answer.get(16..20)?.try_into().ok()?);
    is_error.then_some(number.saturating_neg())
}

/// One message of a datagram, without its headers.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    pub family: u16,
    pub body: &'a [u8],
}

/// The messages of a datagram; a cut one ends it.
pub fn messages(mut bytes: &[u8]) -> impl Iterator<Item = Message<'_>> {
    std::iter::from_fn(move || {
        let length = u32::from_ne_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        let family = u16::from_ne_bytes(bytes.get(4..6)?.try_into().ok()?);
        let body = bytes.get(HEADERS..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(Message { family, body })
    })
}

/// (type, bytes) of each attribute; a cut one ends them.
pub fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(bytes.get(2..4)?.try_into().ok()?);
        let value = bytes.get(4..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        // The upper two bits are flags.
        Some((kind & 0x3fff, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &[u8] = include_bytes!("../../tests/netlink/family.bin");

    #[test]
    fn a_recorded_answer_names_the_family_and_a_cut_one_names_none() {
        assert_eq!(family(FAMILY), Some(31));
        for length in 0..FAMILY.len() {
            assert_eq!(family(&FAMILY[..length]), None);
        }
    }

    #[test]
    fn a_recorded_refusal_tells_its_number() {
        const NO_SUCH_PROCESS: i32 = 3;
        assert_eq!(error_number(include_bytes!("../../tests/netlink/refused.bin")), Some(NO_SUCH_PROCESS));
        assert_eq!((error_number(FAMILY), error_number(b"")), (None, None));
    }

    #[test]
    fn a_request_can_be_taken_apart_again() {
        let bytes = request(31, 1, 3, b"0-11\0");
        assert_eq!(bytes.len() % 4, 0);
        let message = messages(&bytes).next().expect("a message");
        assert_eq!(message.family, 31);
        assert_eq!(attributes(message.body).next(), Some((3, &b"0-11\0"[..])));
    }

    #[test]
    fn no_bytes_whatever_make_it_panic_or_run_for_ever() {
        let mut bytes = FAMILY.to_vec();
        for at in 0..bytes.len() {
            for value in [0, 1, 3, 4, 5, 127, 255] {
                let old = std::mem::replace(&mut bytes[at], value);
                for message in messages(&bytes).take(1000) {
                    assert!(attributes(message.body).take(1000).count() < 1000);
                }
                bytes[at] = old;
            }
        }
    }

    #[test]
    fn a_request_has_the_kernels_layout_byte_by_byte() {
        let mut expected = Vec::new();
        expected.extend(28_u32.to_ne_bytes());
        expected.extend([31_u16, 1].map(u16::to_ne_bytes).concat());
        expected.extend([0; 8]);
        expected.extend([5, 1, 0, 0]);
        expected.extend([7_u16, 3].map(u16::to_ne_bytes).concat());
        expected.extend([b'a', b'b', 0, 0]);
        assert_eq!(request(31, 5, 3, b"ab\0"), expected);
        assert_eq!(ask_family("ab"), request(16, 3, 2, b"ab\0"));
    }
}
