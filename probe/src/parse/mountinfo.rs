//! `/proc/self/mountinfo`: what is mounted where.
//!
//! Source: proc(5). Blanks in paths are written `\040`.

use std::path::Path;

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Folder of the file system that is mounted.
    pub root: String,
    /// Where it is mounted.
    pub point: String,
    /// Type of the file system, `cgroup2`.
    pub kind: String,
    /// What is mounted: a device, or any word.
    pub source: String,
    /// Options of this mount.
    pub flags: Vec<String>,
    /// Options of the file system itself; a v1 hierarchy names its controllers here.
    pub options: Vec<String>,
}

/// All mounts that can be read; a broken line is left out.
pub fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<Mount> {
    let (mount, system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(3);
    let mut system = system.split(' ');
    Some(Mount {
        root: unescape(mount.next()?),
        point: unescape(mount.next()?),
        flags: list(mount.next()),
        kind: system.next()?.to_owned(),
        source: unescape(system.next().unwrap_or("")),
        options: list(system.next()),
    })
}

fn list(text: Option<&str>) -> Vec<String> {
    text.unwrap_or("").split(',').map(str::to_owned).collect()
}

/// The mount that holds a path, the last one where several lie over each other.
pub fn holding<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    let holding = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    holding.max_by_key(|mount| Path::new(&mount.point).components().count())
}

fn unescape(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        match part.get(..3).and_then(|code| u8::from_str_radix(code, 8).ok()) {
            Some(code) => {
                out.push(char::from(code));
                out.push_str(&part[3..]);
            }
            None => {
                out.push('\\');
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = include_str!("../../tests/machines/hybrid-guest/proc/self/mountinfo");

    #[test]
    fn a_hybrid_machine_shows_both_versions_of_groups() {
        let mounts = parse(HERE);
        let memory = mounts.iter().find(|m| m.kind == "cgroup" && m.options.iter().any(|o| o == "memory"));
        assert_eq!(memory.map(|m| m.point.as_str()), Some("/sys/fs/cgroup/memory"));
        let unified = mounts.iter().find(|m| m.kind == "cgroup2");
        assert_eq!(unified.map(|m| m.point.as_str()), Some("/sys/fs/cgroup/unified"));
    }

    #[test]
    fn optional_fields_and_blanks_in_paths_are_read() {
        let mounts = parse("36 35 98:0 /mnt1 /my\\040disk rw,noatime master:1 shared:2 - ext4 /dev/root rw\n");
        assert_eq!((mounts[0].point.as_str(), mounts[0].kind.as_str()), ("/my disk", "ext4"));
    }

    #[test]
    fn the_innermost_and_last_mount_holds_a_path() {
        let mounts = parse(
            "1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:2 / /var rw - xfs /dev/b rw\n3 1 8:3 / /var ro,noatime - btrfs /dev/c rw\n",
        );
        let held = |path: &str| holding(&mounts, Path::new(path)).map(|mount| mount.source.as_str());
        assert_eq!((held("/var/tmp"), held("/variable"), held("relative")), (Some("/dev/c"), Some("/dev/a"), None));
        assert_eq!(mounts[2].flags, ["ro", "noatime"]);
    }

    #[test]
    fn a_broken_line_is_left_out() {
        assert_eq!(parse("nonsense\n1 2 3:4 /\n"), vec![]);
    }
}
