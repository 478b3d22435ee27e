//! Counters and stacks of the job, opened while its copies wait.

use std::fs::File;
use std::io::BufWriter;
use std::os::fd::RawFd;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::error::plain;
use crate::folder::Folder;
use crate::perf::counters::{Count, Counters};
use crate::perf::profile::{self, Profile, Summary};
use crate::perf::{fold_apart, no_vpmu};
use crate::read::Root;
use crate::spec::{Scope, Spec};

use super::Doubt;

/// File of the folded stacks.
const FOLDED: &str = "profile.folded";

/// What samples stacks, and where it writes.
struct Sampling {
    profile: Profile,
    out: BufWriter<File>,
    raw: PathBuf,
    folded: PathBuf,
}

/// Counters and a profile, as far as they were asked for.
pub struct Events {
    root: Root,
    counters: Option<Counters>,
    sampling: Option<Result<Sampling, String>>,
}

/// A profile that was asked for: what it came to, or why there is none.
pub enum Profiled {
    Taken(Summary),
    Absent(String),
}

impl Events {
    /// Opens what the spec asks for; what this machine has not got is told in the record.
    pub fn open(spec: &Spec, folder: &Folder, root: &Root, pids: &[i32], doubts: &mut Vec<Doubt>) -> Self {
        let counters = (!spec.counters.is_empty()).then(|| Counters::open(root, &spec.counters, pids));
        if counters.is_some() && no_vpmu(root) == Some(true) {
            let sentence = "This guest has no virtual PMU: events of the processor cannot be counted in it.";
            doubts.push(("no-vpmu", sentence.to_owned()));
        }
        let scope = |scope| match scope {
            Scope::Job => profile::Scope::Job(pids),
            Scope::Machine => profile::Scope::Machine,
        };
        let open = |wanted: crate::spec::Profile| Sampling::open(root, folder, scope(wanted.scope), wanted.hz);
        Self { root: root.clone(), counters, sampling: spec.profile.map(open) }
    }

    /// To be waited for; `drain` is due when it is readable.
    pub fn fd(&self) -> Option<RawFd> {
        Some(self.sampling.as_ref()?.as_ref().ok()?.profile.fd())
    }

    /// Copies the stacks that were sampled; a full disk ends the profile, never the job.
    pub fn drain(&mut self) {
        let Some(Ok(sampling)) = &mut self.sampling else { return };
        if let Err(error) = sampling.profile.drain(&mut sampling.out) {
            self.sampling = Some(Err(format!("cannot write the profile: {}", plain(&error))));
        }
    }

    /// What was counted so far.
    pub fn counts(&mut self) -> Vec<Count> {
        self.counters.as_mut().map(Counters::read).unwrap_or_default()
    }

    /// Ends the sampling and folds the stacks, once nothing of the job is left.
    pub fn finish(&mut self) -> Option<Profiled> {
        let sampling = self.sampling.take()?;
        Some(sampling.and_then(|sampling| sampling.finish(&self.root)).map_or_else(Profiled::Absent, Profiled::Taken))
    }
}

impl Sampling {
    fn open(root: &Root, folder: &Folder, scope: profile::Scope, hz: u64) -> Result<Self, String> {
        let cannot = |error: std::io::Error| format!("cannot write the profile: {}", plain(&error));
        let mut profile = Profile::open(root, scope, hz)?;
        let mut out = BufWriter::new(folder.create("profile.raw").map_err(cannot)?);
        profile.begin(root, &mut out).map_err(cannot)?;
        Ok(Self { profile, out, raw: folder.file("profile.raw"), folded: folder.file(FOLDED) })
    }

    fn finish(mut self, root: &Root) -> Result<Summary, String> {
        let summary = self.profile.finish(&mut self.out);
        let summary = summary.map_err(|error| format!("cannot write the profile: {}", plain(&error)))?;
        drop(self.out);
        fold_apart(root, &self.raw, &self.folded).map_err(|error| error.message)?;
        // The stacks are in the folded file; where they were taken one by one is of no further use.
        let _ = std::fs::remove_file(&self.raw);
        Ok(summary)
    }
}

impl Profiled {
    pub fn json(&self) -> Value {
        match self {
            Self::Absent(why) => json!({"file": null, "absent": why}),
            Self::Taken(summary) => {
                let mut value = summary.json();
                value["file"] = json!(FOLDED);
                value["absent"] = Value::Null;
                value
            }
        }
    }
}

/// How much was counted between two moments.
pub fn between(from: &[Count], to: &[Count]) -> Value {
    let count = |(index, to): (usize, &Count)| {
        let before = from.get(index).map_or(Some(0), |from| from.value);
        json!({"name": to.name, "value": to.value.zip(before).map(|(to, from)| to.saturating_sub(from))})
    };
    to.iter().enumerate().map(count).collect()
}
