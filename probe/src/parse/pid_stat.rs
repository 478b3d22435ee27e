//! `/proc/PID/stat`: what one process used, with the children that it has waited for.
//!
//! Source: proc(5). The name in brackets may itself hold blanks and brackets: fields start after the last `)`.
//! Limits: the resident size may be off by some pages (the kernel batches its count).

/// Numbers of the first and the last field that are read after the state, `ppid` and `rss` in proc(5).
const FIRST: usize = 4;
const LAST: usize = 24;

/// Times in ticks, memory in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PidStat {
    pub state: char,
    pub parent: i32,
    /// User time, of the children that it has waited for too.
    pub user: u64,
    /// System time, of the children that it has waited for too.
    pub system: u64,
    pub threads: u64,
    pub rss_pages: u64,
    /// Page faults without and with a read from storage, of the children that it has waited for too.
    pub minor_faults: u64,
    pub major_faults: u64,
    /// When it was started, in ticks since boot.
    pub start: u64,
    pub virtual_bytes: u64,
}

impl PidStat {
    /// Whether any of its threads still runs: the first may end before the others.
    pub fn runs(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x') || self.threads > 1
    }
}

/// Reads the one line; `None` where fields are missing.
pub fn parse(bytes: &[u8]) -> Option<PidStat> {
    let end = bytes.iter().rposition(|byte| *byte == b')')?;
    let (state, rest) = bytes.get(end + 2..)?.split_first()?;
    let numbers = numbers(rest)?;
    let field = |number: usize| numbers[number - FIRST];
    let both = |own: usize, children: usize| field(own).saturating_add(field(children));
    Some(PidStat {
        state: char::from(*state),
        parent: i32::try_from(field(4)).ok()?,
        user: both(14, 16),
        system: both(15, 17),
        threads: field(20),
        rss_pages: field(24),
        minor_faults: both(10, 11),
        major_faults: both(12, 13),
        start: field(22),
        virtual_bytes: field(23),
    })
}

/// The fields as numbers, those below 0 as 0: one pass over the bytes, as it is done for each process at each sample.
fn numbers(text: &[u8]) -> Option<[u64; LAST - FIRST + 1]> {
    let mut numbers = [0_u64; LAST - FIRST + 1];
    let (mut at, mut digits, mut negative) = (0, false, false);
    for byte in text.iter().chain(b" ") {
        match byte {
            b'0'..=b'9' => {
                numbers[at] = numbers[at].checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
                digits = true;
            }
            b'-' => negative = true,
            b' ' | b'\n' if digits => {
                if negative {
                    numbers[at] = 0;
                }
                at += 1;
                (digits, negative) = (false, false);
                if at == numbers.len() {
                    return Some(numbers);
                }
            }
            b' ' | b'\n' => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &[u8] = include_bytes!("../../tests/machines/hybrid-guest/proc/self/stat");
    const TAIL: &[u8] = b" S 1 5 5 0 -1 4194304 10 20 0 0 100 7 30 4 20 0 1 0 999 123456 321 0 0";

    fn named(name: &[u8]) -> Option<PidStat> {
        parse(&[b"42 (", name, b")", TAIL].concat())
    }

    #[test]
    fn a_real_line_is_read() {
        let stat = parse(HERE).expect("a stat line");
        assert_eq!(stat.state, 'R');
        assert!(stat.parent > 0 && stat.rss_pages > 0);
    }

    #[test]
    fn a_process_runs_until_its_last_thread_has_ended() {
        let stat = |state, threads| PidStat { state, threads, ..PidStat::default() };
        assert!(stat('S', 1).runs() && stat('Z', 2).runs());
        assert!(!stat('Z', 1).runs() && !stat('X', 0).runs());
    }

    #[test]
    fn blanks_and_brackets_in_the_name_do_not_shift_fields() {
        let plain = named(b"spin").expect("a stat line");
        assert_eq!((plain.user, plain.system, plain.rss_pages), (130, 11, 321));
        assert_eq!((plain.minor_faults, plain.major_faults), (30, 0));
        assert_eq!((plain.start, plain.virtual_bytes), (999, 123_456));
        for name in [&b"my spin"[..], b"(sd-pam)", b"a) R 1 (b", b"", b"\xff\xfe )"] {
            assert_eq!(named(name), Some(plain));
        }
    }

    #[test]
    fn a_cut_line_is_no_value() {
        assert_eq!(parse(b"42 (spin) S 1 5"), None);
        assert_eq!(parse(b""), None);
    }
}
