//! `record`: copies what the probe reads of this machine into a folder that works as `--root` anywhere.
//!
//! The readers themselves say which files they read, so that nothing they need is forgotten; what the samplers read of
//! a machine is listed beside.

mod sampled;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::facts::facts;
use crate::parse::strip;
use crate::read::{Notes, Root, TOLD};

/// Most bytes of a recorded machine. What does not fit is left out, never cut.
const MOST_BYTES: usize = 1_000_000;
/// Records this machine into a new folder and says what was written and left out.
pub fn record(root: &Root, into: &str) -> Result<Value> {
    let noting = root.noting();
    facts(&noting, Path::new("/"))?;
    let folder = Path::new(into);
    let cannot = |error: io::Error| Error::io(format!("record into {into}"), &error);
    fs::create_dir_all(folder.parent().unwrap_or(folder)).and_then(|()| fs::create_dir(folder)).map_err(cannot)?;
    Writer::new(root, folder).write(&noting.notes()).map_err(cannot)
}

struct Writer<'a> {
    root: &'a Root,
    folder: &'a Path,
    hostname: String,
    bytes: usize,
    files: usize,
    left_out: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(root: &'a Root, folder: &'a Path) -> Self {
        let hostname = root.word("/proc/sys/kernel/hostname").unwrap_or_default();
        Self { root, folder, hostname, bytes: 0, files: 0, left_out: Vec::new() }
    }

    fn write(mut self, notes: &Notes) -> io::Result<Value> {
        for (name, text) in &notes.told {
            self.put(Path::new(&format!("{TOLD}/{name}")), &format!("{}\n", text.trim_end()))?;
        }
        let sampled = sampled::files(self.root).into_iter().filter(|path| !notes.files.contains(path));
        for path in notes.files.iter().cloned().chain(sampled) {
            self.copy(&path)?;
        }
        for (path, target) in &notes.links {
            self.put(path, &format!("{target}\n"))?;
        }
        notes.seen.iter().try_for_each(|path| self.mark(path))?;
        Ok(json!({"folder": self.folder, "files": self.files, "bytes": self.bytes, "left_out": self.left_out}))
    }

    fn place(&self, path: &Path) -> PathBuf {
        let path = strip::path(&path.to_string_lossy());
        self.folder.join(path.trim_start_matches('/'))
    }

    /// Copies a file without what identifies the machine; one that cannot be read is absent there too.
    fn copy(&mut self, path: &Path) -> io::Result<()> {
        let (Some(text), Some(name)) = (self.root.text(path), path.to_str()) else { return Ok(()) };
        let text = strip::strip(name, &text, &self.hostname);
        self.put(path, &text)
    }

    fn put(&mut self, path: &Path, text: &str) -> io::Result<()> {
        if self.bytes + text.len() > MOST_BYTES {
            self.left_out.push(path.display().to_string());
            return Ok(());
        }
        let place = self.place(path);
        fs::create_dir_all(place.parent().unwrap_or(self.folder))?;
        fs::write(place, text)?;
        (self.bytes, self.files) = (self.bytes + text.len(), self.files + 1);
        Ok(())
    }

    /// An empty file for what was only looked for or listed: a folder without files is lost on its way.
    fn mark(&self, path: &Path) -> io::Result<()> {
        let place = self.place(path);
        if place.symlink_metadata().is_ok() || self.left_out.iter().any(|left| Path::new(left) == path) {
            return Ok(());
        }
        fs::create_dir_all(place.parent().unwrap_or(self.folder))?;
        fs::write(place, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emptied(name: &str) -> String {
        let folder = format!("{}/target/recorded-{name}-{}", env!("CARGO_MANIFEST_DIR"), std::process::id());
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    /// What a recorded machine must say otherwise than the machine itself.
    fn without_names(mut facts: Value) -> Value {
        let names = ["/hostname", "/boot_id", "/groups/kernel/command_line", "/groups/storage/file_system/source"];
        // On a machine that takes its memory over lazily, that of a node grows while we look.
        for path in names.into_iter().chain(["/groups/hardware/nodes", "/groups/hardware/networks"]) {
            if let Some(value) = facts.pointer_mut(path) {
                *value = Value::Null;
            }
        }
        facts
    }

    #[test]
    fn this_machine_recorded_gives_the_same_facts_but_its_names() {
        let folder = emptied("here");
        let told = record(&Root::here(), &folder).expect("recorded");
        let again = facts(&Root::new(&folder), Path::new("/")).expect("facts");
        let here = facts(&Root::here(), Path::new("/")).expect("facts");
        assert_eq!((&again["hostname"], &told["left_out"]), (&json!("machine"), &json!([])));
        let (again, here) = (without_names(again), without_names(here));
        for (group, facts) in here["groups"].as_object().expect("groups") {
            assert_eq!(again["groups"][group], *facts, "{group}");
        }
        assert_eq!(again, here);
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn a_folder_that_is_there_is_never_written_over() {
        let folder = emptied("twice");
        fs::create_dir_all(&folder).expect("made");
        let error = record(&Root::here(), &folder).expect_err("is there");
        assert!(error.message.starts_with("cannot record into"), "{}", error.message);
        let _ = fs::remove_dir_all(&folder);
    }
}
