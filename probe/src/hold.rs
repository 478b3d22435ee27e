//! `hold`: does nothing until it is told to end; a job that lasts as long as somebody wants a machine watched.

use std::time::Duration;

use crate::args::Args;
use crate::error::{Error, Result};
use crate::read::Root;
use crate::sys;

const ENDING: [i32; 3] = [sys::SIGTERM, sys::SIGINT, sys::SIGHUP];
/// Seldom enough to cost nothing.
const LOOK: Duration = Duration::from_secs(1);

/// Sleeps until a signal comes that ends programs, or the process of `--while` is gone: both are its good end.
///
/// Limits: a process that has got the number of one that is gone is taken for it.
pub fn hold(mut args: Args) -> Result<u8> {
    let process = args.number("--while", 0, "the number of a process", |number: &u32| *number > 0)?;
    args.end()?;
    let root = Root::here();
    let gone = || process > 0 && !root.path(format!("/proc/{process}")).exists();
    sys::hold_signals(&ENDING).map_err(|error| Error::io("hold back signals", &error))?;
    while !gone() && sys::wait_signal(&ENDING, (process > 0).then_some(LOOK)).is_none() {}
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &[&str]) -> Result<u8> {
        hold(Args::new(words.iter().map(|word| (*word).to_owned()).collect()))
    }

    #[test]
    fn it_ends_well_at_once_where_the_process_is_gone() {
        let mut child = std::process::Command::new("true").spawn().expect("a process");
        child.wait().expect("its end");
        assert_eq!(told(&["--while", &child.id().to_string()]).ok(), Some(0));
    }

    #[test]
    fn what_is_no_process_is_refused() {
        for words in [&["--while", "0"][..], &["--while", "x"], &["--whle", "1"], &["more"]] {
            assert_eq!(told(words).expect_err("refused").code, crate::error::USAGE, "{words:?}");
        }
    }
}
