//! What `serve` does to folders: make, remove, space.
//!
//! A folder directly below its home that it makes gets a marker before anything else lies in it; nothing is removed but
//! what lies in such a folder, or is one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::parse::mountinfo;
use crate::read::Root;
use crate::sys;

/// Name of a marker, as `assay.model.files.marker` writes it, too.
const MARKER: &str = ".assay";

/// Makes a folder and its parents.
pub fn make(home: &str, path: &str) -> Result<Value> {
    own(home, path)?;
    fs::create_dir_all(absolute(path)?).map_err(|error| Error::io(format!("make {path}"), &error))?;
    Ok(json!({}))
}

/// Free and total bytes of the file system that a path lies on.
pub fn space(path: &str) -> Result<Value> {
    let space = sys::space(absolute(path)?).map_err(|error| Error::io(format!("read the space of {path}"), &error));
    let (free, total) = space?;
    Ok(json!({"free_bytes": free, "total_bytes": total}))
}

/// Makes the folder directly below `home` that a path lies in, with its marker; of any other path it makes nothing.
///
/// One that is there already stays as it is; one that holds nothing is marked.
pub fn own(home: &str, path: &str) -> Result<()> {
    let Some(folder) = own_folder(Path::new(home), Path::new(path)) else { return Ok(()) };
    let made = fs::create_dir_all(&folder);
    let made =
        made.and_then(|()| if !is_marked(&folder) && holds_nothing(&folder)? { mark(&folder) } else { Ok(()) });
    made.map_err(|error| Error::io(format!("make {}", folder.display()), &error))
}

fn own_folder(home: &Path, path: &Path) -> Option<PathBuf> {
    match path.strip_prefix(home).ok()?.components().next()? {
        Component::Normal(first) => Some(home.join(first)),
        _ => None,
    }
}

/// Whether a folder is empty but for a marker that was being written.
fn holds_nothing(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(MARKER));
        if !rest.is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".new")) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes the marker, whole or not at all.
fn mark(folder: &Path) -> io::Result<()> {
    let marker = json!({"schema": "assay.folder", "version": [1, 0], "folder": name(folder)});
    let part = folder.join(format!("{MARKER}.{}.new", std::process::id()));
    let mut options = File::options();
    options.write(true).create(true).truncate(true).mode(0o600).custom_flags(sys::O_NOFOLLOW);
    let mut file = options.open(&part)?;
    file.write_all(format!("{marker}\n").as_bytes())?;
    file.sync_all()?;
    fs::rename(part, folder.join(MARKER))
}

/// Whether a folder has a marker that names it.
fn is_marked(folder: &Path) -> bool {
    let marker = folder.join(MARKER);
    let real = |path: &Path, wanted: fn(&fs::FileType) -> bool| {
        path.symlink_metadata().is_ok_and(|found| wanted(&found.file_type()))
    };
    let ours = real(folder, fs::FileType::is_dir) && real(&marker, fs::FileType::is_file);
    let said = || serde_json::from_slice::<Value>(&fs::read(&marker).ok()?).ok();
    ours && said().is_some_and(|said| said["schema"] == "assay.folder" && said["folder"] == name(folder))
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn absolute(path: &str) -> Result<&Path> {
    let found = Path::new(path);
    if found.is_absolute() { Ok(found) } else { Err(Error::usage(format!("cannot use '{path}': no absolute path"))) }
}

/// Removes a file or folder with all that it holds, strictly below `home`; what is not there is removed already.
///
/// It must lie in a folder directly below `home` whose marker names it, or be one, or one that holds nothing. A link is removed itself, never what it points to; a path that holds a mount is refused.
pub fn remove(home: &str, path: &str) -> Result<Value> {
    let Some(real) = real(absolute(path)?)? else { return Ok(json!({})) };
    let top = fs::canonicalize(home).map_err(|error| Error::io(format!("find {home}"), &error))?;
    if real == top || !real.starts_with(&top) {
        return Err(Error::usage(format!("cannot remove {path}: not below {}", top.display())));
    }
    let own = own_folder(&top, &real);
    let is_own = own.as_ref() == Some(&real);
    let nothing = is_own && real.is_dir() && !real.is_symlink() && holds_nothing(&real).unwrap_or(false);
    if !nothing && !own.is_some_and(|folder| is_marked(&folder)) {
        return Err(Error::failed(format!("cannot remove {path}: no marker of assay names its folder")));
    }
    if let Some(mount) = mount_in(&real) {
        return Err(Error::failed(format!("cannot remove {path}: {mount} is mounted")));
    }
    let gone = if is_own { delete_own(&real) } else { delete(&real) };
    gone.map_err(|error| Error::io(format!("remove {path}"), &error))?;
    Ok(json!({}))
}

/// The path with its parents resolved but not itself; `None` where nothing is there.
fn real(path: &Path) -> Result<Option<PathBuf>> {
    let Some((parent, name)) = path.parent().zip(path.file_name()) else {
        return Err(Error::usage(format!("cannot remove {}: it ends in no name", path.display())));
    };
    let real = fs::canonicalize(parent).ok().map(|parent| parent.join(name));
    Ok(real.filter(|real| real.symlink_metadata().is_ok()))
}

fn mount_in(path: &Path) -> Option<String> {
    let mounts = mountinfo::parse(&Root::here().text("/proc/self/mountinfo")?);
    mounts.into_iter().map(|mount| mount.point).find(|point| Path::new(point).starts_with(path))
}

/// Its marker goes last: what is left of a removal that is cut off can still be removed.
fn delete_own(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != MARKER {
            delete(&entry.path())?;
        }
    }
    fs::remove_dir_all(folder)
}

fn delete(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
