//! `/etc/os-release`: which distribution this is.
//!
//! Source: os-release(5). Quotes around a value are taken off; escapes inside one are left as they are.

/// Value of a key.
pub fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == key).then(|| bare(value.trim()))
    })
}

fn bare(value: &str) -> &str {
    let quoted = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_taken_off_and_a_key_is_never_found_inside_another() {
        let text = "PRETTY_NAME=\"A Linux 12\"\nVERSION_ID='12'\nID=debian\n";
        assert_eq!(value(text, "PRETTY_NAME"), Some("A Linux 12"));
        assert_eq!((value(text, "ID"), value(text, "VERSION_ID")), (Some("debian"), Some("12")));
        assert_eq!(value(text, "NAME"), None);
    }
}
