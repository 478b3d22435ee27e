//! The banner that a glibc carries: `GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.`

const MARK: &[u8] = b"GNU C Library ";
const MOST: usize = 200;

/// The banner's first sentence without its start and its full stop.
pub fn banner(bytes: &[u8]) -> Option<String> {
    let first = *MARK.first()?;
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == first).map(|(at, _)| at);
    let at = starts.into_iter().find(|at| bytes[*at..].starts_with(MARK))?;
    let line = bytes[at..].iter().take(MOST).take_while(|byte| byte.is_ascii_graphic() || **byte == b' ');
    let line: String = line.map(|byte| char::from(*byte)).collect();
    line.contains("version").then(|| line.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_is_found_in_a_library() {
        let bytes = b"\x7fELF GNU \0GNU C Library (Some GLIBC 2.36-9) stable release version 2.36.\nCopyright\0";
        assert_eq!(banner(bytes).as_deref(), Some("GNU C Library (Some GLIBC 2.36-9) stable release version 2.36"));
    }

    #[test]
    fn no_banner_is_no_version() {
        assert_eq!(banner(b"\x7fELF GNU C Library"), None);
        assert_eq!(banner(b""), None);
    }
}
