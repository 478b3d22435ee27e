//! `/proc/net/dev`: what went through each interface of a network namespace.
//!
//! Source: proc(5). Limits: counted since the interface was made; a driver may reset its figures.

/// Figures of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    pub bytes: u64,
    pub packets: u64,
    pub errors: u64,
    pub dropped: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface<'a> {
    pub name: &'a str,
    pub received: Traffic,
    pub sent: Traffic,
}

/// All interfaces; the two heading lines and broken ones are passed over.
pub fn parse(text: &str) -> impl Iterator<Item = Interface<'_>> {
    text.lines().filter_map(line)
}

/// A name may hold a colon itself (an alias of old kernels), the figures never do.
fn line(line: &str) -> Option<Interface<'_>> {
    let (name, figures) = line.rsplit_once(':')?;
    let mut words = figures.split_ascii_whitespace().map(|word| word.parse::<u64>().ok());
    let mut next = || words.next().flatten();
    let received = Traffic { bytes: next()?, packets: next()?, errors: next()?, dropped: next()? };
    // FIFO errors, frame errors, compressed, multicast.
    for _ in 0..4 {
        next()?;
    }
    let sent = Traffic { bytes: next()?, packets: next()?, errors: next()?, dropped: next()? };
    Some(Interface { name: name.trim_start(), received, sent })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = include_str!("../../tests/machines/hybrid-guest/proc/net/dev");

    #[test]
    fn a_real_file_has_all_interfaces() {
        let names: Vec<&str> = parse(HERE).map(|interface| interface.name).collect();
        assert_eq!(names, ["lo", "ifb0", "ifb1", "eth0"]);
        let eth0 = parse(HERE).last().expect("eth0");
        assert!(eth0.received.bytes > eth0.sent.bytes && eth0.sent.packets > 0);
    }

    #[test]
    fn figures_may_touch_the_colon_and_a_cut_line_is_no_interface() {
        let whole = "eth0:1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n";
        let sent = Traffic { bytes: 5, packets: 6, errors: 7, dropped: 8 };
        assert_eq!(parse(whole).next().expect("an interface").sent, sent);
        for length in 0..whole.len() - 17 {
            assert_eq!(parse(&whole[..length]).count(), 0, "{length}");
        }
        assert_eq!(parse(" a:1: 1 2 3 4 0 0 0 0 5 6 7 8\n").next().expect("an alias").name, "a:1");
    }
}
