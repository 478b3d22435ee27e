//! Limits on the bytes a second that a job reads from and writes to disks.
//!
//! Source: Linux `Documentation/admin-guide/cgroup-v1/blkio-controller.rst` (throttling) and `cgroup-v2.rst` (`io.max`).
//! Limits: whole disks only, so that a partition is limited with its disk. Version 1 knows whose a request is only if
//! its process waits for it: writes through the page cache pass it. The kernel lets some 0.1 s of bytes through in
//! advance, and the first bytes after a rest at once.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::{Controller, Group, Version};
use crate::parse::mountinfo;
use crate::read::Root;

/// A whole disk by its numbers, `254:0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device(String);

/// Bytes a second; `None` is "no limit".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    pub read: Option<u64>,
    pub write: Option<u64>,
}

impl Device {
    /// A block device, or the disk that carries a file or folder; `None` where there is none.
    pub fn at(root: &Root, path: &Path) -> Option<Self> {
        let there = fs::metadata(path).ok()?;
        if there.file_type().is_block_device() {
            Self::whole(root, &numbers(there.rdev()))
        } else {
            Self::of(root, path)
        }
    }

    /// What the kernel calls it, `sda`; its numbers where it does not tell.
    pub fn name(&self, root: &Root) -> String {
        let told = root.text(format!("/sys/dev/block/{}/uevent", self.0)).unwrap_or_default();
        told.lines().find_map(|line| line.strip_prefix("DEVNAME=")).unwrap_or(&self.0).to_owned()
    }

    /// The disk that carries a file or folder; of several the one that its mount names.
    fn of(root: &Root, folder: &Path) -> Option<Self> {
        let folder = fs::canonicalize(folder).ok()?;
        let device = fs::metadata(&folder).ok()?.dev();
        // A file system over several devices has numbers of its own: then its mount names one of them.
        let device = if libc::major(device) == 0 { mounted(root, &folder)? } else { device };
        Self::whole(root, &numbers(device))
    }

    fn whole(root: &Root, numbers: &str) -> Option<Self> {
        let place = format!("/sys/dev/block/{numbers}");
        let disk =
            if root.holds(format!("{place}/partition")) { format!("{place}/../dev") } else { format!("{place}/dev") };
        root.word(disk).map(Self)
    }
}

fn numbers(device: u64) -> String {
    format!("{}:{}", libc::major(device), libc::minor(device))
}

fn mounted(root: &Root, folder: &Path) -> Option<u64> {
    let mounts = mountinfo::parse(&root.text("/proc/self/mountinfo")?);
    let source = mountinfo::holding(&mounts, folder)?.source.clone();
    fs::metadata(source).ok().map(|device| device.rdev()).filter(|numbers| *numbers != 0)
}

impl Group {
    /// Limits what goes to and from a disk, and reads back what is in force.
    pub fn limit_disk(&self, device: &Device, rates: Rates) -> io::Result<Rates> {
        let Device(disk) = device;
        match self.version {
            Version::One => {
                let put = |name: &str, rate: Option<u64>| {
                    rate.map_or(Ok(()), |rate| self.write(Controller::Blkio, name, &format!("{disk} {rate}")))
                };
                put(READ, rates.read)?;
                put(WRITE, rates.write)?;
            }
            Version::Two => {
                let word = |rate: Option<u64>| rate.map_or_else(|| "max".to_owned(), |rate| rate.to_string());
                let line = format!("{disk} rbps={} wbps={}", word(rates.read), word(rates.write));
                self.write(Controller::Blkio, "io.max", &line)?;
            }
        }
        self.disk_rates(disk).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Takes all limits off a disk, as far as the kernel lets us.
    pub fn free_disk(&self, device: &Device) {
        let Device(disk) = device;
        let _ = match self.version {
            Version::One => {
                let nothing = format!("{disk} 0");
                let read = self.write(Controller::Blkio, READ, &nothing);
                self.write(Controller::Blkio, WRITE, &nothing).and(read)
            }
            Version::Two => self.write(Controller::Blkio, "io.max", &format!("{disk} rbps=max wbps=max")),
        };
    }

    fn disk_rates(&self, disk: &str) -> Option<Rates> {
        let of = |name: &str| self.text(Controller::Blkio, name).map(|text| line_of(&text, disk).to_owned());
        Some(match self.version {
            Version::One => Rates { read: of(READ)?.parse().ok(), write: of(WRITE)?.parse().ok() },
            Version::Two => parse_max(&of("io.max")?),
        })
    }
}

const READ: &str = "blkio.throttle.read_bps_device";
const WRITE: &str = "blkio.throttle.write_bps_device";

/// What a file of a line a disk says of one; nothing where it has no line.
fn line_of<'a>(text: &'a str, disk: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(disk)?.strip_prefix(' '));
    line.unwrap_or("").trim()
}

/// Reads `rbps=1048576 wbps=max riops=max wiops=max`.
fn parse_max(line: &str) -> Rates {
    let of = |name: &str| line.split(' ').find_map(|word| word.strip_prefix(name)?.parse().ok());
    Rates { read: of("rbps="), write: of("wbps=") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_limited_with_its_disk() {
        let folder = std::env::temp_dir().join(format!("assay-disk-{}", std::process::id()));
        for (path, text) in
            [("devices/sda/dev", "8:0\n"), ("devices/sda/sda1/dev", "8:1\n"), ("devices/sda/sda1/partition", "1\n")]
        {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        fs::create_dir_all(folder.join("sys/dev/block")).expect("made");
        for (numbers, device) in [("8:0", "sda"), ("8:1", "sda/sda1")] {
            let link = folder.join("sys/dev/block").join(numbers);
            std::os::unix::fs::symlink(folder.join("devices").join(device), link).expect("linked");
        }
        let root = Root::new(&folder);
        let disk = Some(Device("8:0".to_owned()));
        assert_eq!((Device::whole(&root, "8:1"), Device::whole(&root, "8:0")), (disk.clone(), disk));
        assert_eq!(Device::whole(&root, "9:9"), None);
        fs::write(folder.join("devices/sda/uevent"), "MAJOR=8\nDEVNAME=sda\n").expect("written");
        let names = ["8:0", "9:9"].map(|numbers| Device(numbers.to_owned()).name(&root));
        assert_eq!(names, ["sda", "9:9"]);
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn the_rates_in_force_are_read_back() {
        let text = "8:0 rbps=2097152 wbps=max riops=max wiops=max\n8:16 rbps=max wbps=5 riops=max wiops=max\n";
        assert_eq!(parse_max(line_of(text, "8:0")), Rates { read: Some(2_097_152), write: None });
        assert_eq!(parse_max(line_of(text, "8:16")), Rates { read: None, write: Some(5) });
        assert_eq!(parse_max(line_of(text, "8:1")), Rates::default());
        let real = include_str!("../../tests/pieces/group-v2/io.max");
        assert_eq!(parse_max(line_of(real, "254:0")), Rates { read: None, write: Some(2_000_000) });
    }
}
