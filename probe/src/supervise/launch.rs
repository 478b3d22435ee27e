//! From a spec to a child that waits to be released.

use std::ffi::CString;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use crate::error::plain;
use crate::folder::Folder;
use crate::search;
use crate::spec::{NAMESPACES, Spec, State};
use crate::sys::{self, Launch, Report, Step, reports};

use super::Doubt;

/// Makes everything that a copy needs, and the end where its announcements arrive.
pub fn prepare(spec: &Spec, folder: &Folder, index: usize) -> Result<(Launch, Option<OwnedFd>), String> {
    let open = |name: String| folder.create(&name).map_err(|error| format!("cannot write {name}: {}", plain(&error)));
    let directory = directory(spec, index)?;
    let announced = spec.phases.as_ref().is_some_and(|phases| phases.announce);
    let (ours, theirs) = if announced { pipe()? } else { (None, None) };
    let mut environment = environment(spec, &directory, index);
    if let Some(theirs) = &theirs {
        environment.push(("ASSAY_PHASE_FD".to_owned(), theirs.as_raw_fd().to_string()));
        environment.push(("ASSAY_PHASE_SOCKET".to_owned(), folder.socket().display().to_string()));
    }
    let path = environment.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value);
    let command: Vec<String> = spec.command.iter().map(|word| filled(word, index)).collect();
    let candidates = search::candidates(&command[0], path);
    let launch = Launch {
        candidates: candidates.iter().filter_map(|path| string(path.to_str()?)).collect(),
        arguments: command.iter().filter_map(|word| string(word)).collect(),
        environment: environment.iter().filter_map(|(name, value)| string(&format!("{name}={value}"))).collect(),
        directory: string(&directory).ok_or("cannot use the directory: it holds a zero byte")?,
        stdin: sys::nothing().map_err(|error| format!("cannot open /dev/null: {}", plain(&error)))?,
        stdout: open(output("stdout", index))?.into(),
        stderr: open(output("stderr", index))?.into(),
        namespace: spec.network_namespace.as_deref().map(namespace).transpose()?,
        nice: spec.placement.nice,
        memory_nodes: spec.placement.nodes_of(index).to_vec(),
        announce: theirs,
    };
    Ok((launch, ours))
}

/// Makes what reads the files of a spec, one after another; `None` where nothing is to be read ahead.
pub fn ahead(spec: &Spec, folder: &Folder) -> Result<Option<Launch>, String> {
    let wanted = spec.cache.as_ref().filter(|cache| cache.state == State::ReadAhead && !cache.paths.is_empty());
    let Some(cache) = wanted else { return Ok(None) };
    let open = |name: &str| folder.create(name).map_err(|error| format!("cannot write {name}: {}", plain(&error)));
    let words = ["assay-probe", "cache", "preload"].into_iter().chain(cache.paths.iter().map(String::as_str));
    Ok(Some(Launch {
        candidates: vec![c"/proc/self/exe".to_owned()],
        arguments: words.filter_map(string).collect(),
        environment: vec![c"LC_ALL=C.UTF-8".to_owned()],
        directory: c"/".to_owned(),
        stdin: sys::nothing().map_err(|error| format!("cannot open /dev/null: {}", plain(&error)))?,
        stdout: open("ahead.stdout")?.into(),
        stderr: open("ahead.stderr")?.into(),
        namespace: None,
        nice: spec.placement.nice,
        memory_nodes: Vec::new(),
        announce: None,
    }))
}

/// Name of a copy's output: that of the first has no number.
pub fn output(name: &str, index: usize) -> String {
    if index == 0 { name.to_owned() } else { format!("{name}.{index}") }
}

/// Where a copy runs: several copies have a folder each.
pub fn directory(spec: &Spec, index: usize) -> Result<String, String> {
    if spec.placement.copies == 1 {
        return Ok(spec.directory.clone());
    }
    let path = format!("{}/copy-{index}", spec.directory);
    std::fs::create_dir_all(&path).map_err(|error| format!("cannot make {path}: {}", plain(&error)))?;
    Ok(path)
}

fn filled(word: &str, index: usize) -> String {
    word.replace("{copy}", &index.to_string())
}

fn pipe() -> Result<(Option<OwnedFd>, Option<OwnedFd>), String> {
    let made = sys::pipe().and_then(|(ours, theirs)| sys::never_wait(&ours).map(|()| (ours, theirs)));
    let (ours, theirs) = made.map_err(|error| format!("cannot make a pipe: {}", plain(&error)))?;
    Ok((Some(ours), Some(theirs)))
}

/// `None` cannot be: the spec has no text with a zero byte.
fn string(text: &str) -> Option<CString> {
    CString::new(text).ok()
}

/// The same small environment on every machine, whoever started the probe, and what the spec adds or replaces.
fn environment(spec: &Spec, directory: &str, index: usize) -> Vec<(String, String)> {
    let several = spec.placement.copies > 1;
    let numbers = [
        several.then_some(index),
        several.then_some(spec.placement.copies),
        spec.placement.threads.map(|threads| threads as usize),
    ];
    let names = ["ASSAY_COPY", "ASSAY_COPIES", "ASSAY_THREADS"];
    let told = names.into_iter().zip(numbers).filter_map(|(name, number)| Some((name, number?.to_string())));
    let least = [("PATH", search::PATH), ("HOME", directory), ("LC_ALL", "C.UTF-8"), ("LANG", "C.UTF-8")];
    let least = least.into_iter().map(|(name, value)| (name, value.to_owned())).chain(told);
    let given = |name: &str| spec.environment.iter().any(|(key, _)| key == name);
    let kept = least.filter(|(name, _)| !given(name)).map(|(name, value)| (name.to_owned(), value));
    let added = spec.environment.iter().map(|(name, value)| (name.clone(), filled(value, index)));
    kept.chain(added).collect()
}

fn namespace(name: &str) -> Result<OwnedFd, String> {
    let file = File::open(Path::new(NAMESPACES).join(name));
    let cannot = |error| format!("cannot enter network namespace '{name}': {}", plain(&error));
    file.map(OwnedFd::from).map_err(cannot)
}

/// What the child told: one sentence where it could not execute the program, and what was refused to it.
pub fn told(pipe: OwnedFd, spec: &Spec) -> (Option<String>, Vec<Doubt>) {
    let mut bytes = Vec::new();
    let _ = File::from(pipe).read_to_end(&mut bytes);
    let (mut failure, mut doubts) = (None, Vec::new());
    for report in reports(&bytes) {
        match report {
            Report::Failed(step, error) => failure = Some(sentence(step, &plain(&error), spec)),
            Report::Nice(value) => doubts.push(("nice", {
                let wanted = spec.placement.nice;
                format!("The job ran at nice {value} instead of {wanted}.")
            })),
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
        Step::MemoryNodes => "bind the job to its memory nodes".to_owned(),
        Step::Execute => format!("start '{}'", spec.command[0]),
    };
    format!("cannot {what}: {error}")
}
