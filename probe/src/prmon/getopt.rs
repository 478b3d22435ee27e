//! prmon's command line, read as getopt_long(3) reads it: `-i1`, `-i 1`, `--interval=1`, `--interval 1`, `--int 1`, `-su`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use assay_nearest::nearest;

/// Every option: its letter, its name, whether it wants a value.
const KNOWN: [(char, &str, bool); 13] = [
    ('p', "pid", true),
    ('f', "filename", true),
    ('j', "json-summary", true),
    ('o', "log-filename", true),
    ('i', "interval", true),
    ('b', "budget", true),
    ('s', "suppress-hw-info", false),
    ('u', "units", false),
    ('n', "netdev", true),
    ('d', "disable", true),
    ('l', "level", true),
    ('m', "fast-memmon", false),
    ('h', "help", false),
];

/// Options by their letters with their values (empty where they take none), and the program after `--`.
type Split = (Vec<(char, OsString)>, Vec<OsString>);

/// Takes the words apart.
pub fn split(words: impl IntoIterator<Item = OsString>) -> Result<Split, String> {
    let mut options = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_bytes() {
            b"--" => return Ok((options, words.collect())),
            [b'-', b'-', long @ ..] => options.push(split_long(long, &mut words)?),
            [b'-', short @ ..] if !short.is_empty() => split_short(short, &mut words, &mut options)?,
            _ => return Err(wrong(format!("unexpected '{}' before --", word.to_string_lossy()))),
        }
    }
    Ok((options, Vec::new()))
}

pub fn wrong(what: impl std::fmt::Display) -> String {
    format!("cannot read the arguments: {what}")
}

fn split_long(word: &[u8], words: &mut impl Iterator<Item = OsString>) -> Result<(char, OsString), String> {
    let mut parts = word.splitn(2, |byte| *byte == b'=');
    let name = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let joined = parts.next().map(|bytes| OsStr::from_bytes(bytes).to_owned());
    let (letter, name, wants) = *find(&name)?;
    match (wants, joined) {
        (true, joined) => Ok((letter, value(name, joined, words)?)),
        (false, None) => Ok((letter, OsString::new())),
        (false, Some(_)) => Err(wrong(format!("--{name} takes no value"))),
    }
}

fn split_short(
    letters: &[u8],
    words: &mut impl Iterator<Item = OsString>,
    options: &mut Vec<(char, OsString)>,
) -> Result<(), String> {
    for (at, letter) in letters.iter().enumerate() {
        let known = KNOWN.iter().find(|known| known.0 == char::from(*letter));
        let unknown = || wrong(format!("unknown option -{} (see --help)", char::from(*letter)));
        let (letter, name, wants) = *known.ok_or_else(unknown)?;
        if wants {
            let rest = &letters[at + 1..];
            let joined = (!rest.is_empty()).then(|| OsStr::from_bytes(rest).to_owned());
            options.push((letter, value(name, joined, words)?));
            return Ok(());
        }
        options.push((letter, OsString::new()));
    }
    Ok(())
}

fn value(
    name: &str,
    joined: Option<OsString>,
    words: &mut impl Iterator<Item = OsString>,
) -> Result<OsString, String> {
    joined.or_else(|| words.next()).ok_or_else(|| wrong(format!("--{name} wants a value")))
}

/// A long option by its name or, as getopt_long lets one, by the beginning of one name alone.
fn find(name: &str) -> Result<&'static (char, &'static str, bool), String> {
    if let Some(known) = KNOWN.iter().find(|known| known.1 == name) {
        return Ok(known);
    }
    let begun: Vec<_> = KNOWN.iter().filter(|known| !name.is_empty() && known.1.starts_with(name)).collect();
    if let [one] = begun[..] {
        return Ok(one);
    }
    let near = nearest(name, &KNOWN.map(|known| known.1)).unwrap_or("help");
    Err(wrong(format!("unknown option --{name}, nearest is --{near}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Split, String> {
        split(line.split(' ').map(OsString::from))
    }

    #[test]
    fn values_are_joined_or_follow() {
        let expected = (vec![('i', "1".into()), ('s', "".into()), ('n', "lo".into())], vec!["a".into(), "-x".into()]);
        for line in ["-i1 -snlo -- a -x", "--interval=1 --supp --netdev lo -- a -x", "-i 1 -s -n lo -- a -x"] {
            assert_eq!(read(line), Ok(expected.clone()), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (line, words) in [
            ("-i", "--interval wants a value"),
            ("-sx", "unknown option -x"),
            ("--units=1", "--units takes no value"),
            ("--l 3", "nearest is"),
            ("true", "unexpected 'true'"),
            ("-", "unexpected '-'"),
        ] {
            assert!(read(line).is_err_and(|error| error.contains(words)), "{line}");
        }
    }
}
