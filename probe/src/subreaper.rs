//! `subreaper`: runs a command and takes in the orphans that it leaves, where no init does.

use std::process::Command;

use crate::error::{Error, Result};
use crate::sys::{self, Ending};

const FORWARDED: [i32; 3] = [sys::SIGTERM, sys::SIGINT, sys::SIGHUP];
const SIGNALS: [i32; 4] = [sys::SIGCHLD, sys::SIGTERM, sys::SIGINT, sys::SIGHUP];

/// Runs the command to its end and returns its exit code as a shell gives it.
pub fn subreaper(command: &[String]) -> Result<u8> {
    let (program, arguments) = command.split_first().ok_or_else(|| Error::usage("cannot run: no command given"))?;
    let cannot = |error: std::io::Error| Error::io(format!("run '{program}'"), &error);
    sys::adopt_orphans().map_err(cannot)?;
    sys::hold_signals(&SIGNALS).map_err(cannot)?;
    let child = sys::spawn_hearing(Command::new(program).args(arguments)).map_err(cannot)?;
    let main = i32::try_from(child.id()).unwrap_or(0);
    loop {
        if let Some(signal) = sys::wait_signal(&SIGNALS, None).filter(|signal| FORWARDED.contains(signal)) {
            let _ = sys::kill(main, signal);
        }
        while let Some(pid) = sys::ended_child() {
            let (_, ending, _) = sys::reap(pid).map_err(cannot)?;
            if pid == main {
                return Ok(code(ending));
            }
        }
    }
}

fn code(ending: Ending) -> u8 {
    match ending {
        Ending::Exit(code) => code,
        Ending::Signal(signal) => 128 | signal,
    }
}
