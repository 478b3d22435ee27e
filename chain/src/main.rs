//! `chain STEP`: see `chain --help` and `docs/chain.md`.

use std::io::{self, Write};
use std::process::ExitCode;

use chain::command::perform;
use chain::error::{Error, Result};

fn main() -> ExitCode {
    match words().and_then(|words| perform(words, &mut io::stdout())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(error.code)
        }
    }
}

/// Returns the arguments; one that is no UTF-8 is an error like any other wrong one.
fn words() -> Result<Vec<String>> {
    std::env::args_os()
        .skip(1)
        .map(|word| word.into_string().map_err(|word| Error::usage(format!("expected UTF-8, got {word:?}"))))
        .collect()
}
