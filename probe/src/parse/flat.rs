//! Files of `key value` or `key: value` lines: `cpu.stat`, `memory.events`, `/proc/PID/io`, `/proc/meminfo`.

/// Number of the line with this key; `None` where it is absent or no number.
pub fn number(text: &str, key: &str) -> Option<u64> {
    word(text, key)?.parse().ok()
}

/// First word after this key.
pub fn word<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        (name.strip_suffix(':').unwrap_or(name) == key).then(|| words.next())?
    })
}

/// Numbers of many keys in one pass, in the order of `keys`; `None` where a key is absent or its word no number.
///
/// Fastest where the keys stand in the file's order.
pub fn numbers<const N: usize>(text: &str, keys: &[&str; N]) -> [Option<u64>; N] {
    let mut found = [None; N];
    let mut next = 0;
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(name) = words.next() else { continue };
        let name = name.strip_suffix(':').unwrap_or(name);
        let Some(at) = (next..N).chain(0..next).find(|at| keys[*at] == name) else { continue };
        found[at] = words.next().and_then(|word| word.parse().ok());
        next = at + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = include_str!("../../tests/machines/hybrid-guest/proc/meminfo");
    const IO: &str = include_str!("../../tests/machines/hybrid-guest/proc/self/io");

    #[test]
    fn real_files_are_read() {
        assert_eq!(number(MEMINFO, "MemTotal"), Some(24_684_096));
        assert!(number(IO, "read_bytes").is_some());
    }

    #[test]
    fn a_key_is_never_found_inside_another() {
        assert_eq!(number("cancelled_write_bytes: 7\nwrite_bytes: 5\n", "write_bytes"), Some(5));
        assert_eq!(number("oom 3\noom_kill 1\n", "oom_kill"), Some(1));
    }

    #[test]
    fn absent_and_broken_values_are_unknown() {
        assert_eq!(number("low 0\n", "oom_kill"), None);
        assert_eq!(number("oom_kill\n", "oom_kill"), None);
        assert_eq!(number("oom_kill many\n", "oom_kill"), None);
    }
    #[test]
    fn many_keys_are_found_in_one_pass_in_any_order() {
        let text = "b 2\na: 1 kB\nnot here 7\nc many\n\n";
        assert_eq!(numbers(text, &["a", "b", "c", "d"]), [Some(1), Some(2), None, None]);
        assert_eq!(numbers(MEMINFO, &["MemTotal"]), [number(MEMINFO, "MemTotal")]);
        assert_eq!(numbers("", &["a"]), [None]);
    }
}
