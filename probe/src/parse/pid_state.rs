//! `/proc/PID/stat`: state, page faults and threads of one process.
//!
//! Source: proc(5). Faults contain those of the children that it has waited for. Limits: the state is that of the main
//! thread; a process whose main thread has ended is `Z` while others of its threads run.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PidState {
    pub state: char,
    pub threads: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
}

/// Reads the one line; `None` where fields are missing. Fields start after the last `)`, the third is the first then.
pub fn parse(bytes: &[u8]) -> Option<PidState> {
    let end = bytes.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&bytes[end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let mut fields = fields.skip(6);
    let mut next = || fields.next()?.parse::<u64>().ok();
    let (minor, minor_of_children, major, major_of_children) = (next()?, next()?, next()?, next()?);
    let threads = fields.nth(6)?.parse().ok()?;
    let (minor_faults, major_faults) = (minor.checked_add(minor_of_children)?, major.checked_add(major_of_children)?);
    Some(PidState { state, threads, minor_faults, major_faults })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &[u8] = include_bytes!("../../tests/machines/hybrid-guest/proc/self/stat");
    const TAIL: &[u8] = b" S 1 5 5 0 -1 4194304 10 20 3 4 100 7 30 4 20 0 9 0 999 123456 321 0 0";

    #[test]
    fn a_real_line_is_read() {
        let expected = PidState { state: 'R', threads: 1, minor_faults: 120, major_faults: 0 };
        assert_eq!(parse(HERE), Some(expected));
    }

    #[test]
    fn no_name_shifts_fields_and_waited_for_children_count() {
        let expected = PidState { state: 'S', threads: 9, minor_faults: 30, major_faults: 7 };
        for name in [&b"spin"[..], b"my spin", b"(sd-pam)", b"a) R 1 (b", b"", b"\xff\xfe )"] {
            assert_eq!(parse(&[b"42 (", name, b")", TAIL].concat()), Some(expected));
        }
    }

    #[test]
    fn a_cut_line_is_no_value_or_the_same() {
        let line = [b"42 (spin)", TAIL].concat();
        for length in 0..line.len() {
            assert!(parse(&line[..length]).is_none_or(|state| state.minor_faults == 30 && state.state == 'S'));
        }
    }
}
