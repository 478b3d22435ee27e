//! Where groups can be made: mounts, and the groups that this process is in.
//!
//! Our groups lie below our own group, so that a limit that somebody put on us holds for the job too.

use std::path::{Path, PathBuf};

use super::{Controller, usable};
use crate::parse::mountinfo::{self, Mount};
use crate::parse::own_cgroup;
use crate::read::Root;

/// Mounts and own groups of this process.
pub struct Place {
    mounts: Vec<Mount>,
    own: String,
}

impl Place {
    pub fn read(root: &Root) -> Option<Self> {
        let mounts = mountinfo::parse(&root.text("/proc/self/mountinfo")?);
        Some(Self { mounts, own: root.text("/proc/self/cgroup")? })
    }

    /// Folder of our own group in the v1 hierarchy of a controller.
    pub fn v1(&self, controller: Controller) -> Option<PathBuf> {
        self.named(controller.name())
    }

    /// The same of any controller.
    pub fn named(&self, name: &str) -> Option<PathBuf> {
        Some(folder(self.mount_of(name)?, own_cgroup::path(&self.own, name)?))
    }

    /// Mount point of the v1 hierarchy of a controller.
    pub fn top_of(&self, name: &str) -> Option<PathBuf> {
        self.mount_of(name).map(|mount| PathBuf::from(&mount.point))
    }

    fn mount_of(&self, name: &str) -> Option<&Mount> {
        let carries = |mount: &&Mount| mount.kind == "cgroup" && mount.options.iter().any(|option| option == name);
        self.mounts.iter().find(carries)
    }

    /// Mount point of the v2 hierarchy, and our own group in it.
    pub fn v2(&self) -> Option<(PathBuf, PathBuf)> {
        let mount = self.mounts.iter().find(|mount| mount.kind == "cgroup2")?;
        Some((PathBuf::from(&mount.point), folder(mount, own_cgroup::path(&self.own, "")?)))
    }
}

/// A container may mount a part of the hierarchy only: then its own path begins with that part.
fn folder(mount: &Mount, own: &str) -> PathBuf {
    let inside = Path::new(own).strip_prefix(&mount.root).unwrap_or(Path::new(""));
    Path::new(&mount.point).join(inside)
}

/// `v1`, `v2` or `hybrid` (both are mounted); `None` where no group can be made.
pub fn kind(root: &Root) -> Option<&'static str> {
    let place = Place::read(root)?;
    let good = |folder: PathBuf| usable(&root.path(folder));
    let one = Controller::ALL.into_iter().filter_map(|controller| place.v1(controller)).any(good);
    let two = place.v2().is_some_and(|(_, own)| good(own));
    match (one, two) {
        (true, true) => Some("hybrid"),
        (true, false) => Some("v1"),
        (false, true) => Some("v2"),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(mountinfo: &str, own: &str) -> Place {
        Place { mounts: mountinfo::parse(mountinfo), own: own.to_owned() }
    }

    #[test]
    fn our_groups_lie_below_our_own_group() {
        let mounts = include_str!("../../tests/machines/hybrid-guest/proc/self/mountinfo");
        let here = place(mounts, include_str!("../../tests/machines/hybrid-guest/proc/self/cgroup"));
        assert_eq!(here.v1(Controller::Memory), Some("/sys/fs/cgroup/memory/jobs/7".into()));
        assert_eq!(here.v1(Controller::Cpu), Some("/sys/fs/cgroup/cpu/".into()));
    }

    #[test]
    fn a_unified_machine_has_one_hierarchy() {
        let mounts = "25 24 0:23 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        let here = place(mounts, "0::/user.slice/user-0.slice/session-1.scope\n");
        let own = "/sys/fs/cgroup/user.slice/user-0.slice/session-1.scope";
        assert_eq!(here.v2(), Some(("/sys/fs/cgroup".into(), own.into())));
        assert_eq!(here.v1(Controller::Memory), None);
    }

    #[test]
    fn a_container_sees_its_part_of_the_hierarchy() {
        let mounts = "25 24 0:23 /docker/7 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let here = place(mounts, "4:memory:/docker/7\n");
        assert_eq!(here.v1(Controller::Memory), Some("/sys/fs/cgroup/memory/".into()));
    }

    #[test]
    fn a_machine_without_groups_has_no_place() {
        assert_eq!(place("", "").v2(), None);
    }
}
