//! Where a program is looked for: `PATH` as far as it is set, and the usual folders after it.

use std::env;
use std::path::{Path, PathBuf};

/// Folders that every search ends with; a login by SSH often lacks the administrator's.
const USUAL: [&str; 6] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin", "/usr/local/sbin"];

/// The search path of this process, completed.
pub fn path() -> String {
    complete(&env::var("PATH").unwrap_or_default())
}

fn complete(path: &str) -> String {
    let mut folders: Vec<&str> = path.split(':').filter(|folder| folder.starts_with('/')).collect();
    for folder in USUAL {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders.join(":")
}

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
    fn the_usual_folders_come_after_the_set_ones() {
        assert_eq!(complete("/opt/x:/bin"), "/opt/x:/bin:/usr/sbin:/usr/bin:/sbin:/usr/local/bin:/usr/local/sbin");
        assert!(complete("").starts_with("/usr/sbin:/usr/bin"));
    }

    #[test]
    fn a_program_with_a_slash_is_not_searched() {
        assert_eq!(candidates("./job", "/bin"), [PathBuf::from("./job")]);
        assert_eq!(candidates("sh", "/bin:/usr/bin"), [PathBuf::from("/bin/sh"), PathBuf::from("/usr/bin/sh")]);
    }
}
