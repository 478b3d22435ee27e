//! A directory of its own for a test, and the built chain in it.

#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub struct Room {
    pub path: PathBuf,
}

impl Room {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("assay-chain-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Self { path }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub fn run(&self, line: &str) -> Output {
        command(line, &self.path).output().expect("the chain runs")
    }

    /// The report of a run that succeeds.
    pub fn chain(&self, line: &str) -> Value {
        let done = self.run(line);
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
        let text = String::from_utf8(done.stdout).expect("text");
        serde_json::from_str(text.lines().last().expect("a report")).expect("JSON")
    }

    /// The exit code and the one line of a run that fails.
    pub fn fails(&self, line: &str) -> (i32, String) {
        let done = self.run(line);
        let text = String::from_utf8(done.stderr).expect("text");
        assert_eq!(text.lines().count(), 1, "{line}: {text}");
        (done.status.code().expect("a code"), text.trim_end().to_owned())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

pub fn command(line: &str, directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chain"));
    command.args(line.split_whitespace()).current_dir(directory);
    command.env_remove("ASSAY_THREADS").env_remove("ASSAY_PHASE_FD");
    command
}
