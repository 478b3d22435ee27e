//! Small settings of sysfs.

/// The chosen word of `always [madvise] never`.
pub fn chosen(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    let (word, _) = rest.split_once(']')?;
    Some(word.to_owned())
}

/// Bytes of a cache size, `32768K`.
pub fn cache_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix('M').map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_in_brackets_is_the_one_in_force() {
        assert_eq!(chosen("always [madvise] never\n").as_deref(), Some("madvise"));
        assert_eq!(chosen("none\n"), None);
    }

    #[test]
    fn cache_sizes_carry_their_unit() {
        assert_eq!(cache_size("48K\n"), Some(49152));
        assert_eq!(cache_size("2M"), Some(2 << 20));
        assert_eq!(cache_size("big"), None);
    }
}
