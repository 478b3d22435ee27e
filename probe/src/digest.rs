//! `digest`: a program and its libraries by content.
//!
//! The loader lists the libraries (`LOADER --list PATH`); the program itself is never run.
//! A script counts its interpreter (and the one that `env` finds) as libraries, with theirs.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::parse::elf::{self, Head};
use crate::parse::loader;
use crate::read::Root;
use crate::search;

/// Enough for an ELF header, and for the first line of a script (the kernel reads 256 bytes of it).
const HEAD_BYTES: usize = 512;
/// A script may name a script; the kernel follows four of them.
const DEEPEST: usize = 5;

/// One file by name, place and content.
struct File {
    name: String,
    path: PathBuf,
}

/// Device, number, size and times of a file: a changed one has others.
type Identity = (u64, u64, u64, i64, i64, i64, i64);

/// What was found of a program, and the files by which it is seen to be the same still.
struct Known {
    seen: Vec<(PathBuf, Option<Identity>)>,
    found: Value,
}

/// Programs that were read before, by path and script: a job of a second must not wait for a second of reading.
static KNOWN: Mutex<BTreeMap<(PathBuf, PathBuf), Known>> = Mutex::new(BTreeMap::new());

/// Identity, as an answer tells it, and SHA-256 by path.
type Hashes = BTreeMap<PathBuf, (String, String)>;

/// Files that were hashed before: most programs share libraries.
static HASHED: Mutex<Hashes> = Mutex::new(BTreeMap::new());
/// It says which libraries the loader takes.
const LOADER_CACHE: &str = "/etc/ld.so.cache";

/// Digest of the program that this name or path stands for, read again where a file of it has changed.
///
/// `script`: absolute path of what the program interprets; counts as a library where it is a regular file.
/// `told`: files as an earlier answer told them. They are read, so that the page cache holds them as it does where they
/// are hashed, but an emulated processor is spared the hashing (seconds for fio's 84 MB).
pub fn digest(root: &Root, program: &str, script: Option<&str>, told: &Value) -> Result<Value> {
    let path = find(root, program)?;
    let script = script.map(PathBuf::from).filter(|script| root.path(script).is_file());
    let key = (root.path(&path), script.clone().unwrap_or_default());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = known.get(&key).filter(|known| known.is_same()) {
        return Ok(same.found.clone());
    }
    let fresh = read(root, &path, script, &hashes(told))?;
    let found = fresh.found.clone();
    known.insert(key, fresh);
    Ok(found)
}

/// Where the program lies that this name or path stands for. Of it the first line is read alone: what a script is
/// interpreted by has to be there too.
pub fn place(root: &Root, program: &str) -> Result<Value> {
    let path = find(root, program)?;
    interpreted(root, &path, DEEPEST)?;
    Ok(json!({"path": path}))
}

fn interpreted(root: &Root, path: &Path, depth: usize) -> Result<()> {
    let Head::Script(words) = elf::head(&span(root, path, 0, HEAD_BYTES)?) else { return Ok(()) };
    for program in interpreters(&words).filter(|_| depth > 0) {
        interpreted(root, &find(root, program)?, depth - 1)?;
    }
    Ok(())
}

/// Programs that run a script, by the words of its first line.
fn interpreters(words: &[String]) -> impl Iterator<Item = &str> {
    let through_env = words[0].ends_with("/env");
    let second = words.get(1).filter(|_| through_env).and_then(|words| wanted_of_env(words));
    [Some(words[0].as_str()), second].into_iter().flatten()
}

impl Known {
    fn is_same(&self) -> bool {
        self.seen.iter().all(|(path, then)| identity(path) == *then)
    }
}

/// What a request tells of files; what is no such file is left out.
fn hashes(told: &Value) -> Hashes {
    let file = |file: &Value| {
        let text = |name: &str| file[name].as_str().map(str::to_owned);
        Some((PathBuf::from(text("path")?), (text("identity")?, text("sha256")?)))
    };
    told.as_array().into_iter().flatten().filter_map(file).collect()
}

fn identity(path: &Path) -> Option<Identity> {
    let data = path.metadata().ok()?;
    let times = (data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec());
    Some((data.dev(), data.ino(), data.size(), times.0, times.1, times.2, times.3))
}

fn read(root: &Root, path: &Path, script: Option<PathBuf>, told: &Hashes) -> Result<Known> {
    let mut libraries = Vec::new();
    follow(root, path, &mut libraries, DEEPEST)?;
    if let Some(script) = script {
        add(&mut libraries, File { name: name(&script), path: script });
    }
    let executable = File { name: name(path), path: path.to_owned() };
    let files = libraries.iter().map(|library| root.path(&library.path));
    let files = [root.path(path), root.path(LOADER_CACHE)].into_iter().chain(files);
    // Looked at before they are read: what changes meanwhile is read again next time.
    let seen = files.map(|file| (file.clone(), identity(&file))).collect();
    let libraries: Result<Vec<Value>> = libraries.iter().map(|library| describe(root, library, told)).collect();
    Ok(Known { seen, found: json!({"executable": describe(root, &executable, told)?, "libraries": libraries?}) })
}

fn find(root: &Root, program: &str) -> Result<PathBuf> {
    let absolute = |path: PathBuf| std::path::absolute(path).ok();
    let places = search::candidates(program, search::PATH).into_iter().filter_map(absolute);
    let found = places.into_iter().find(|path| executable(&root.path(path)));
    found.ok_or_else(|| {
        let place =
            if program.contains('/') { "no executable file".into() } else { format!("not in {}", search::PATH) };
        Error::missing(format!("cannot find program '{program}': {place}"))
    })
}

fn executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Adds what the kernel and the loader bring in beside the program.
fn follow(root: &Root, path: &Path, found: &mut Vec<File>, depth: usize) -> Result<()> {
    let bytes = span(root, path, 0, HEAD_BYTES)?;
    match elf::head(&bytes) {
        Head::Elf(table) => listed(root, path, table, found),
        Head::Script(words) if depth > 0 => {
            for program in interpreters(&words) {
                let program = find(root, program)?;
                add(found, File { name: name(&program), path: program.clone() });
                follow(root, &program, found, depth - 1)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The program in `env -S python3 -u` or `env python3`.
fn wanted_of_env(words: &str) -> Option<&str> {
    words.split_whitespace().find(|word| !word.starts_with('-') && !word.contains('='))
}

fn add(found: &mut Vec<File>, file: File) {
    if !found.iter().any(|known| known.path == file.path) {
        found.push(file);
    }
}

fn span(root: &Root, path: &Path, offset: u64, length: usize) -> Result<Vec<u8>> {
    root.span(path, offset, length).map_err(|error| Error::io(format!("read {}", path.display()), &error))
}

fn listed(root: &Root, path: &Path, table: elf::Table, found: &mut Vec<File>) -> Result<()> {
    let entries = span(root, path, table.offset, table.size())?;
    let Some((offset, length)) = table.interpreter(&entries) else { return Ok(()) };
    let length = usize::try_from(length).unwrap_or(0).min(4096);
    let loader = span(root, path, offset, length)?;
    let loader = String::from_utf8_lossy(&loader).trim_end_matches('\0').to_owned();
    for library in list(&root.path(&loader), &root.path(path))? {
        let place = library.path.map(PathBuf::from).ok_or_else(|| {
            Error::missing(format!("cannot list the libraries of {}: {} is not found", path.display(), library.name))
        })?;
        add(found, File { name: library.name, path: place });
    }
    Ok(())
}

fn list(loader: &Path, program: &Path) -> Result<Vec<loader::Library>> {
    let what = format!("list the libraries of {}", program.display());
    let mut command = Command::new(loader);
    command.arg("--list").arg(program).stdin(Stdio::null());
    // The job gets none of our environment: a LD_LIBRARY_PATH of ours would list other libraries than it loads.
    let output = command.env_clear().env("LC_ALL", "C").output().map_err(|error| Error::io(&what, &error))?;
    let libraries = loader::parse(&String::from_utf8_lossy(&output.stdout));
    if !output.status.success() && libraries.is_empty() {
        let reason = String::from_utf8_lossy(&output.stderr).trim().replace('\n', " ");
        return Err(Error::failed(format!("cannot {what}: {reason}")));
    }
    Ok(libraries)
}

/// A file by name, place, content and identity, the last as an opaque text.
fn describe(root: &Root, file: &File, told: &Hashes) -> Result<Value> {
    let place = root.path(&file.path);
    // Looked at before it is read: what changes meanwhile is another file next time.
    let identity = format!("{:?}", identity(&place));
    let mut hashed = HASHED.lock().unwrap_or_else(PoisonError::into_inner);
    let of =
        |known: Option<&(String, String)>| known.filter(|known| known.0 == identity).map(|known| known.1.clone());
    let sha256 = match (of(hashed.get(&place)), of(told.get(&file.path))) {
        (Some(sha256), _) => sha256,
        (None, Some(sha256)) => stream(root, &file.path, |_| ()).map(|()| sha256)?,
        (None, None) => hash(root, &file.path)?,
    };
    hashed.insert(place, (identity.clone(), sha256.clone()));
    Ok(json!({"name": file.name, "path": file.path.to_string_lossy(), "sha256": sha256, "identity": identity}))
}

fn hash(root: &Root, path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    stream(root, path, |piece| hash.update(piece))?;
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn stream(root: &Root, path: &Path, sink: impl FnMut(&[u8])) -> Result<()> {
    root.stream(path, sink).map_err(|error| Error::io(format!("read {}", path.display()), &error))
}
