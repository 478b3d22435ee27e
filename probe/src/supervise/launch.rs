//! From a spec to a child that waits to be released.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use crate::clock::Moment;
use crate::error::plain;
use crate::folder::Folder;
use crate::search;
use crate::spec::{NAMESPACES, Spec};
use crate::sys::{Launch, Report, Step, reports};

use super::Doubt;

/// Makes everything that the child needs.
pub fn prepare(spec: &Spec, folder: &Folder) -> Result<Launch, String> {
    let open = |name: &str| folder.create(name).map_err(|error| format!("cannot write {name}: {}", plain(&error)));
    let environment = environment(spec);
    let path = environment.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let candidates = search::candidates(&spec.command[0], path);
    let null = OpenOptions::new().read(true).open("/dev/null");
    Ok(Launch {
        candidates: candidates.iter().filter_map(|path| string(path.to_str()?)).collect(),
        arguments: spec.command.iter().filter_map(|word| string(word)).collect(),
        environment: environment.iter().filter_map(|(name, value)| string(&format!("{name}={value}"))).collect(),
        directory: string(&spec.directory).ok_or("cannot use the directory: it holds a zero byte")?,
        stdin: null.map_err(|error| format!("cannot open /dev/null: {}", plain(&error)))?.into(),
        stdout: open("stdout")?.into(),
        stderr: open("stderr")?.into(),
        namespace: spec.network_namespace.as_deref().map(namespace).transpose()?,
    })
}

/// `None` cannot be: the spec has no text with a zero byte.
fn string(text: &str) -> Option<CString> {
    CString::new(text).ok()
}

/// The same small environment on every machine, whoever started the probe, and what the spec adds or replaces.
fn environment(spec: &Spec) -> Vec<(String, String)> {
    let least = [("PATH", search::PATH), ("HOME", &spec.directory), ("LC_ALL", "C.UTF-8"), ("LANG", "C.UTF-8")];
    let given = |name: &str| spec.environment.iter().any(|(key, _)| key == name);
    let kept = least.into_iter().filter(|(name, _)| !given(name));
    let kept = kept.map(|(name, value)| (name.to_owned(), value.to_owned()));
    kept.chain(spec.environment.iter().cloned()).collect()
}

fn namespace(name: &str) -> Result<OwnedFd, String> {
    let file = File::open(Path::new(NAMESPACES).join(name));
    let cannot = |error| format!("cannot enter network namespace '{name}': {}", plain(&error));
    file.map(OwnedFd::from).map_err(cannot)
}

/// Lets the child execute the program; the job's time begins here.
pub fn release(pipe: OwnedFd) -> Moment {
    let mut pipe = File::from(pipe);
    let started = Moment::now();
    // A child that is gone already is found by its ending.
    let _ = pipe.write_all(b"!");
    started
}

/// What the child told: one sentence where it could not execute the program, and what was refused to it.
pub fn told(pipe: OwnedFd, spec: &Spec) -> (Option<String>, Vec<Doubt>) {
    let mut bytes = Vec::new();
    let _ = File::from(pipe).read_to_end(&mut bytes);
    let (mut failure, mut doubts) = (None, Vec::new());
    for report in reports(&bytes) {
        match report {
            Report::Failed(step, error) => failure = Some(sentence(step, &plain(&error), spec)),
            Report::Nice(value) => doubts.push(("nice", format!("The job ran at nice {value} instead of 0."))),
            Report::Policy(value) => {
                let sentence = format!("The job ran under scheduling policy {value} instead of 0 (SCHED_OTHER).");
                doubts.push(("scheduling-policy", sentence));
            }
            Report::Resource(value) => {
                let sentence = format!("Resource limit {value} of the job could not be set.");
                doubts.push(("resource-limit", sentence));
            }
        }
    }
    (failure, doubts)
}

fn sentence(step: Step, error: &str, spec: &Spec) -> String {
    let what = match step {
        Step::Prepare => "prepare the job".to_owned(),
        Step::Namespace => format!("enter network namespace '{}'", spec.network_namespace.as_deref().unwrap_or("")),
        Step::Directory => format!("enter directory '{}'", spec.directory),
        Step::Execute => format!("start '{}'", spec.command[0]),
    };
    format!("cannot {what}: {error}")
}
