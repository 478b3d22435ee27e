//! The file system of a folder.
//!
//! Source: proc(5), `mountinfo`. Limits: a bind mount shows the device, not the folder that it came from.

use std::path::Path;

use serde_json::{Value, json};

use crate::parse::mountinfo;
use crate::read::Root;

/// Kind, device and options; null where the kernel does not tell.
pub fn facts(root: &Root, folder: &Path) -> Value {
    let mounts = mountinfo::parse(&root.text("/proc/self/mountinfo").unwrap_or_default());
    let fact = |mount: &mountinfo::Mount| json!({"kind": mount.kind, "source": mount.source, "flags": mount.flags, "options": mount.options});
    mountinfo::holding(&mounts, folder).map_or(Value::Null, fact)
}
