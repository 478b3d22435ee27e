//! `prmon`: takes prmon's options, writes prmon's files, monitors as the probe does (`docs/prmon.md`).
//!
//! The job is our child in the foreground: files, environment, directory, limits, niceness and signals are the caller's.

mod attached;
mod begin;
mod columns;
mod finish;
mod getopt;
mod hardware;
mod launched;
mod log;
mod machine;
mod monitors;
mod network;
mod options;
mod pss;
mod reading;
mod report;
mod sample;
mod session;
mod summary;
mod swap;
mod text;
mod words;

use std::ffi::OsString;
use std::io::{self, Write};

use crate::error::FAILED;
use crate::sys::Ending;

use session::Over;

/// Monitors a program or a process; the exit code is the program's, as a shell gives it, or 1.
pub fn prmon(words: impl IntoIterator<Item = OsString>) -> u8 {
    let options = match options::parse(words) {
        Ok(options) => options,
        Err(cause) => return refuse(&format!("{cause}\n\nhint: assay-probe prmon --help")),
    };
    if options.help {
        let _ = io::stdout().write_all(options::HELP.as_bytes());
        return 0;
    }
    match begin::begin(options) {
        Ok(mut session) => code(session.run()),
        Err((code, cause)) => {
            refuse(&cause);
            code
        }
    }
}

fn refuse(cause: &str) -> u8 {
    let _ = writeln!(io::stderr(), "{cause}");
    FAILED
}

fn code(over: Over) -> u8 {
    match over {
        Over::Ended(Ending::Exit(code)) => code,
        Over::Ended(Ending::Signal(signal)) => 128 | signal,
        Over::Gone | Over::Left(None) => 0,
        Over::Left(Some(signal)) => 128 | u8::try_from(signal).unwrap_or(0),
    }
}
