//! `/proc/PID/net/dev`: what each network device of a process's namespace carried.
//!
//! Source: proc(5). Two lines of header, then `name: ` and 16 figures: the first eight received, the others sent; of each
//! bytes and packets come first. The figures may follow the colon at once.

/// Bytes and packets received and sent since the device was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Device {
    pub rx_bytes: u64,
    pub rx_packets: u64,
    pub tx_bytes: u64,
    pub tx_packets: u64,
}

/// All devices by name; lines that are not as expected are left out.
pub fn devices(text: &str) -> Vec<(String, Device)> {
    text.lines().skip(2).filter_map(line).collect()
}

fn line(line: &str) -> Option<(String, Device)> {
    let (name, figures) = line.rsplit_once(':')?;
    let figures: Vec<u64> = figures.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let at = |index: usize| figures.get(index).copied();
    let device = Device { rx_bytes: at(0)?, rx_packets: at(1)?, tx_bytes: at(8)?, tx_packets: at(9)? };
    Some((name.trim().to_owned(), device))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Inter-|   Receive      |  Transmit\n face |bytes packets|bytes packets\n    lo: 7 2 0 0 0 0 0 0 \
                        9 3 0 0 0 0 0 0\neth0:1 5 0 0 0 0 0 0 4 6 0 0 0 0 0 0\nbad: 1 2\n";

    #[test]
    fn devices_are_read_with_and_without_a_blank_after_their_name() {
        let device =
            |rx_bytes, rx_packets, tx_bytes, tx_packets| Device { rx_bytes, rx_packets, tx_bytes, tx_packets };
        let expected = [("lo".to_owned(), device(7, 2, 9, 3)), ("eth0".to_owned(), device(1, 5, 4, 6))];
        assert_eq!(devices(TEXT), expected);
    }

    #[test]
    fn nothing_is_no_device() {
        assert!(devices("").is_empty());
    }
}
