//! What went wrong, in one line, and how a program tells.

use std::fmt;
use std::io;

/// Exit code of a wrong argument or a wrong spec.
pub const USAGE: u8 = 2;
/// Exit code of something that is not there: a program, a folder, a processor, a namespace.
pub const MISSING: u8 = 4;
/// Exit code of everything else.
pub const FAILED: u8 = 1;

/// One sentence that starts with "cannot", and the exit code that goes with it.
#[derive(Debug)]
pub struct Error {
    pub code: u8,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, message: message.into() }
    }

    pub fn missing(message: impl Into<String>) -> Self {
        Self { code: MISSING, message: message.into() }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self { code: FAILED, message: message.into() }
    }

    /// Says what the kernel refused; an absent file is "missing".
    pub fn io(what: impl fmt::Display, error: &io::Error) -> Self {
        let code = if error.kind() == io::ErrorKind::NotFound { MISSING } else { FAILED };
        Self { code, message: format!("cannot {what}: {}", plain(error)) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The kernel's words in lower case without Rust's "(os error 2)".
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let cut = text.split(" (os error").next().unwrap_or(&text);
    cut.to_ascii_lowercase()
}
