//! `cost`: what one sample of a job costs on this machine.

use serde_json::{Value, json};

use crate::args::Args;
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::spec::{self, PROTOCOL, Spec};
use crate::supervise::{Measured, hot_loop};

/// Reads the arguments before `--`, and runs the command after it.
pub fn cost(mut words: Vec<String>) -> Result<Value> {
    let at = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let command = Args::new(words.split_off(at)).rest();
    let mut args = Args::new(words);
    let measured = Measured {
        samples: args.number("--samples", 1000, "1 to 1000000", |n| (1..=1_000_000).contains(n))?,
        every_s: args.number("--every", 0.0, "seconds from 0 to 3600", |n| (0.0..=3600.0).contains(n))?,
        grouped: args.choice("--scope", &["group", "tree"])? == "group",
        processes: args.number("--processes", 1, "a number from 1", |n| *n >= 1)?,
    };
    let process_io = args.choice("--process-io", &["false", "true"])? == "true";
    let watch = args.flag("--watch")?.unwrap_or_default();
    args.end()?;
    let folder = std::env::temp_dir().join(format!("assay-cost-{}", std::process::id()));
    let folder = folder.display().to_string();
    let spec = spec(&command, &folder, process_io, &watch)?;
    std::fs::create_dir(&folder).map_err(|error| Error::io(format!("make {folder}"), &error))?;
    let told = hot_loop(&spec, &Folder::at(&folder)?, &measured).map_err(Error::failed);
    let _ = std::fs::remove_dir_all(&folder);
    told
}

fn spec(command: &[String], folder: &str, process_io: bool, watch: &str) -> Result<Spec> {
    let watch: Vec<&str> = watch.split(',').filter(|name| !name.is_empty()).collect();
    spec::read(json!({
        "protocol": PROTOCOL,
        "command": command,
        "directory": folder,
        "process_io": process_io,
        "watch": watch,
    }))
}
