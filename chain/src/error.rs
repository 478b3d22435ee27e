//! What went wrong, in one line, and how a program tells.

use std::fmt;
use std::io;
use std::path::Path;

/// Exit code of everything else: wrong or damaged input, physics that cannot be right.
pub const FAILED: u8 = 1;
/// Exit code of a wrong argument.
pub const USAGE: u8 = 2;
/// Exit code of something that is not there.
pub const MISSING: u8 = 4;

/// One sentence that starts with "cannot", and the exit code that goes with it.
#[derive(Debug)]
pub struct Error {
    pub code: u8,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn usage(message: impl fmt::Display) -> Self {
        Self { code: USAGE, message: format!("cannot read the arguments: {message}") }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self { code: FAILED, message: message.into() }
    }

    pub fn missing(message: impl Into<String>) -> Self {
        Self { code: MISSING, message: message.into() }
    }

    /// Says what is wrong with the content of a file.
    pub fn content(path: &Path, what: impl fmt::Display) -> Self {
        Self::failed(format!("cannot read {}: {what}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Makes the kernel's words an error about doing something with a file; an absent file is "missing".
pub fn cannot<'a>(act: &'a str, path: &'a Path) -> impl Fn(io::Error) -> Error + use<'a> {
    move |error| {
        let code = if error.kind() == io::ErrorKind::NotFound { MISSING } else { FAILED };
        let text = error.to_string().to_lowercase();
        let text = text.split(" (os error").next().unwrap_or_default();
        Error { code, message: format!("cannot {act} {}: {text}", path.display()) }
    }
}
