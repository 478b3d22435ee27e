//! `limits`: what a job may use.

use serde_json::Value;

use super::values;
use crate::error::Result;
use crate::fields::Fields;

pub const FIELDS: [&str; 7] =
    ["cpus", "memory_bytes", "cpu_quota", "read_bytes_per_s", "write_bytes_per_s", "disks", "pause"];

/// `None` and an empty list are "no limit".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    pub cpus: Vec<u32>,
    pub memory_bytes: Option<u64>,
    /// Share of the time of its processors, above 0 and at most 1.
    pub cpu_quota: Option<f64>,
    /// From each of the disks.
    pub read_bytes_per_s: Option<u64>,
    /// To the disk that carries its directory.
    pub write_bytes_per_s: Option<u64>,
    /// What reads are limited from: block devices, or files and folders whose disks are meant; empty is the disk that carries its directory.
    pub disks: Vec<String>,
    /// Share of the time in which it stands still, above 0 and at most 0.9.
    pub pause: Option<f64>,
}

impl Limits {
    pub fn any(&self) -> bool {
        !self.cpus.is_empty()
            || self.memory_bytes.is_some()
            || self.cpu_quota.is_some()
            || self.disk()
            || self.pause.is_some()
    }

    pub fn disk(&self) -> bool {
        self.read_bytes_per_s.is_some() || self.write_bytes_per_s.is_some()
    }
}

pub fn read(value: &Value) -> Result<Limits> {
    let fields = Fields::of(value, "limits", &FIELDS)?;
    let above_zero =
        |name: &str, expected: &str| fields.read(name, expected, |value| value.as_u64().filter(|n| *n > 0));
    Ok(Limits {
        cpus: fields.read("cpus", "a list of processor numbers", values::cpus)?.unwrap_or_default(),
        memory_bytes: above_zero("memory_bytes", "bytes above 0")?,
        cpu_quota: fields.read("cpu_quota", "a share above 0 and at most 1", values::share)?,
        read_bytes_per_s: above_zero("read_bytes_per_s", "bytes a second above 0")?,
        write_bytes_per_s: above_zero("write_bytes_per_s", "bytes a second above 0")?,
        disks: fields.read("disks", "a list of absolute paths", values::paths)?.unwrap_or_default(),
        pause: fields.read("pause", "a share above 0 and at most 0.9", values::part)?,
    })
}
