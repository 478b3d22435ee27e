//! The groups of series that the spec switched on, each in a file of its own.

use std::fs::File;
use std::io::Write;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::watch::{self, Collector, Group, Rows, Surroundings, View};

/// A group that is collected.
struct Open {
    group: &'static Group,
    collector: Box<dyn Collector>,
    file: File,
    samples: u64,
}

/// All groups that were asked for.
#[derive(Default)]
pub struct Series {
    open: Vec<Open>,
    /// Groups that this machine has not got, and why.
    absent: Vec<(&'static str, String)>,
    rows: Rows,
}

impl Series {
    /// Opens the groups; one that is not to be had is noted, and is no failure.
    pub fn open(names: &[String], folder: &Folder, around: &Surroundings) -> Self {
        let mut series = Self::default();
        for group in names.iter().filter_map(|name| watch::group(name)) {
            match (group.open)(around).and_then(|collector| with_file(group, collector, folder)) {
                Ok(open) => series.open.push(open),
                Err(why) => series.absent.push((group.name, why)),
            }
        }
        series
    }

    /// Takes one sample of each; a full disk loses rows, never the job.
    pub fn sample(&mut self, view: &View) {
        for open in &mut self.open {
            open.collector.collect(view, &mut self.rows);
            let file = &mut open.file;
            self.rows.take(|bytes| {
                let _ = file.write_all(bytes);
            });
            open.samples += 1;
        }
    }

    /// What was collected, and what was not to be had.
    pub fn json(&self) -> Value {
        let collected = |open: &Open| {
            let file = format!("{}.csv", open.group.name);
            json!({"group": open.group.name, "file": file, "samples": open.samples, "absent": null})
        };
        let absent = |(name, why): &(&str, String)| json!({"group": name, "file": null, "samples": 0, "absent": why});
        self.open.iter().map(collected).chain(self.absent.iter().map(absent)).collect()
    }
}

fn with_file(group: &'static Group, collector: Box<dyn Collector>, folder: &Folder) -> Result<Open, String> {
    let write = || {
        let mut file = folder.create(&format!("{}.csv", group.name))?;
        file.write_all(format!("mono_ns,real_ns,{}\n", group.columns.join(",")).as_bytes())?;
        Ok(file)
    };
    let file = write().map_err(|error: std::io::Error| format!("cannot write: {}", crate::error::plain(&error)))?;
    Ok(Open { group, collector, file, samples: 0 })
}
