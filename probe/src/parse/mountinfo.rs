//! `/proc/self/mountinfo`: what is mounted where.
//!
//! Source: proc(5). Blanks in paths are written `\040`.

/// One mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Folder of the file system that is mounted.
    pub root: String,
    /// Where it is mounted.
    pub point: String,
    /// Type of the file system, `cgroup2`.
    pub kind: String,
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
        kind: system.next()?.to_owned(),
        options: system.nth(1).unwrap_or("").split(',').map(str::to_owned).collect(),
    })
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
    fn a_broken_line_is_left_out() {
        assert_eq!(parse("nonsense\n1 2 3:4 /\n"), vec![]);
    }
}
