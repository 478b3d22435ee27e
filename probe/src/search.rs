//! Where a program is looked for: the same folders on every machine, whoever started the probe.

use std::path::{Path, PathBuf};

/// Search path of every job, and of what is digested.
pub const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Paths at which the program may lie: itself if it holds a slash, else its name in each folder.
pub fn candidates(program: &str, path: &str) -> Vec<PathBuf> {
    if program.contains('/') {
        return vec![PathBuf::from(program)];
    }
    path.split(':').filter(|folder| !folder.is_empty()).map(|folder| Path::new(folder).join(program)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_a_slash_is_not_searched() {
        assert_eq!(candidates("./job", "/bin"), [PathBuf::from("./job")]);
        assert_eq!(candidates("sh", "/bin:/usr/bin"), [PathBuf::from("/bin/sh"), PathBuf::from("/usr/bin/sh")]);
    }
}
