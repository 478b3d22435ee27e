//! `/proc/PID/limits`: soft and hard limits.
//!
//! Source: proc(5). Names hold blanks, so columns are told apart by two blanks; a value that is no number is
//! `unlimited`.

/// A limit: `None` is unlimited.
pub type Limit = Option<u64>;

/// Soft and hard limit of the line with this name, `Max open files`.
pub fn pair(text: &str, name: &str) -> Option<(Limit, Limit)> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix("  "))?;
    let mut words = line.split_whitespace();
    Some((limit(words.next()?)?, limit(words.next()?)?))
}

fn limit(word: &str) -> Option<Limit> {
    if word == "unlimited" { Some(None) } else { word.parse().ok().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
Limit                     Soft Limit           Hard Limit           Units     \n\
Max file size             unlimited            unlimited            bytes     \n\
Max open files            1024                 524288               files     \n";

    #[test]
    fn soft_and_hard_limits_are_read() {
        assert_eq!(pair(TEXT, "Max open files"), Some((Some(1024), Some(524_288))));
        assert_eq!(pair(TEXT, "Max file size"), Some((None, None)));
    }

    #[test]
    fn an_absent_line_is_unknown() {
        assert_eq!(pair(TEXT, "Max processes"), None);
        assert_eq!(pair("Max open files            many  1\n", "Max open files"), None);
    }
}
