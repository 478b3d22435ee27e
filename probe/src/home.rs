//! What `serve` does to folders: make, remove, space.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::parse::mountinfo;
use crate::read::Root;
use crate::sys;

/// Makes a folder and its parents.
pub fn make(path: &str) -> Result<Value> {
    fs::create_dir_all(absolute(path)?).map_err(|error| Error::io(format!("make {path}"), &error))?;
    Ok(json!({}))
}

/// Free and total bytes of the file system that a path lies on.
pub fn space(path: &str) -> Result<Value> {
    let space = sys::space(absolute(path)?).map_err(|error| Error::io(format!("read the space of {path}"), &error));
    let (free, total) = space?;
    Ok(json!({"free_bytes": free, "total_bytes": total}))
}

fn absolute(path: &str) -> Result<&Path> {
    let found = Path::new(path);
    if found.is_absolute() { Ok(found) } else { Err(Error::usage(format!("cannot use '{path}': no absolute path"))) }
}

/// Removes a file or folder with all that it holds, strictly below `home`; what is not there is removed already.
///
/// A link is removed itself, never what it points to; a path that holds a mount is refused.
pub fn remove(home: &str, path: &str) -> Result<Value> {
    let Some(real) = real(absolute(path)?)? else { return Ok(json!({})) };
    let top = fs::canonicalize(home).map_err(|error| Error::io(format!("find {home}"), &error))?;
    if real == top || !real.starts_with(&top) {
        return Err(Error::usage(format!("cannot remove {path}: not below {}", top.display())));
    }
    if let Some(mount) = mount_in(&real) {
        return Err(Error::failed(format!("cannot remove {path}: {mount} is mounted")));
    }
    delete(&real).map_err(|error| Error::io(format!("remove {path}"), &error))?;
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

fn delete(path: &Path) -> std::io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
