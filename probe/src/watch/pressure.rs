//! Pressure stall information: how long tasks of the machine, or of the job, waited for a resource.
//!
//! Source: Linux Documentation/accounting/psi.rst: `total` is in µs since boot (of the group: since it was made).
//! `some`: at least one task waited; `full`: all that could run did. Limits: from kernel 4.20 on, where it is built in
//! and not switched off at the boot; a group's only in version 2.

use std::path::PathBuf;

use crate::parse::pressure::parse;
use crate::read::{Kept, Root};

use super::{Collector, Group, Rows, Surroundings, View};

const RESOURCES: [&str; 3] = ["cpu", "io", "memory"];

pub const GROUP: Group = Group { name: "pressure", columns: &["scope", "resource", "some_s", "full_s"], open };

struct File {
    scope: &'static str,
    resource: &'static str,
    kept: Kept,
}

struct Pressure(Vec<File>);

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let mut files = in_folder(around.root, "machine", &PathBuf::from("/proc/pressure"), "");
    if let Some(folder) = around.group.and_then(|group| group.unified()) {
        files.extend(in_folder(&Root::here(), "job", folder, ".pressure"));
    }
    if files.is_empty() { Err("/proc/pressure is not there".to_owned()) } else { Ok(Box::new(Pressure(files))) }
}

fn in_folder(root: &Root, scope: &'static str, folder: &std::path::Path, suffix: &str) -> Vec<File> {
    let keep = |resource: &'static str| {
        let mut kept = root.keep(folder.join(format!("{resource}{suffix}"))).ok()?;
        // Switched off at the boot, the files are there and cannot be read.
        kept.bytes().ok()?;
        Some(File { scope, resource, kept })
    };
    RESOURCES.into_iter().filter_map(keep).collect()
}

impl Collector for Pressure {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        for file in &mut self.0 {
            let Some(pressure) = file.kept.text().map(parse) else { continue };
            let seconds = |us: Option<u64>| us.map(|us| us as f64 / 1e6);
            let row = rows.row(view.now).name(file.scope).name(file.resource);
            row.cell(seconds(pressure.some_us)).cell(seconds(pressure.full_us));
        }
    }
}
