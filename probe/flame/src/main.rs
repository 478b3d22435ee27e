//! Draws folded stacks: flame graphs, their differences, files for speedscope (`docs/profiles.md`).

mod difference;
mod folded;
mod names;
mod picture;
mod speedscope;

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use folded::Folded;

const HELP: &str = "\
assay-flame: draws folded stacks, to standard output

  assay-flame draw FOLDED --title T         a flame graph (SVG)
  assay-flame diff A B --title T            where B spends more (red) and less (blue) of its time than A (SVG)
  assay-flame speedscope FOLDED --name N    a file for speedscope (JSON)

exit codes: 0 good, 1 failed, 2 wrong argument
";

/// One sentence, and the exit code that goes with it.
struct Failure(u8, String);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let wanted = perform(&words).and_then(|bytes| {
        io::stdout().lock().write_all(&bytes).map_err(|error| Failure(1, format!("cannot print: {error}")))
    });
    let Err(Failure(code, message)) = wanted else { return ExitCode::SUCCESS };
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(code)
}

fn perform(words: &[&str]) -> Result<Vec<u8>, Failure> {
    let drawn = |result: io::Result<Vec<u8>>| result.map_err(|error| Failure(1, format!("cannot draw: {error}")));
    match words {
        ["--help"] => Ok(HELP.into()),
        ["draw", file, "--title", title] => drawn(picture::draw(&read(file)?, title)),
        ["diff", one, other, "--title", title] => drawn(difference::draw(&read(one)?, &read(other)?, title)),
        ["speedscope", file, "--name", name] => Ok(speedscope::document(&read(file)?, name).to_string().into()),
        _ => Err(Failure(2, format!("cannot read the arguments\n\n{HELP}"))),
    }
}

/// Reads a file of stacks, of which at least one must have been sampled.
fn read(path: &str) -> Result<Folded, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure(1, format!("cannot read {path}: {error}")))?;
    let folded = folded::parse(&String::from_utf8_lossy(&bytes));
    let folded =
        folded.map_err(|line| Failure(1, format!("cannot read {path}: line {line} is no stack and count")))?;
    if folded.is_empty() { Err(Failure(1, format!("cannot draw {path}: it holds no samples"))) } else { Ok(folded) }
}
