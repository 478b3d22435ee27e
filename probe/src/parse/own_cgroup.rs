//! `/proc/self/cgroup`: the groups that a process is in.
//!
//! Source: cgroups(7). A v2 line is `0::/path`, a v1 line `4:cpu,cpuacct:/path`.

/// Path of the group of this v1 controller, or of the unified hierarchy for an empty name.
pub fn path<'a>(text: &'a str, controller: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let controllers = parts.next()?;
        let path = parts.next()?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    })
}

/// Paths of all groups.
pub fn paths(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.splitn(3, ':').nth(2)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = include_str!("../../tests/machines/hybrid-guest/proc/self/cgroup");

    #[test]
    fn each_hierarchy_has_its_own_path() {
        assert_eq!(path(HERE, "cpu"), Some("/"));
        assert!(path(HERE, "memory").is_some_and(|path| path.starts_with('/')));
        assert_eq!(path(HERE, ""), Some("/"));
    }

    #[test]
    fn joint_controllers_and_colons_in_paths_are_read() {
        assert_eq!(path("4:cpu,cpuacct:/a:b\n", "cpuacct"), Some("/a:b"));
    }

    #[test]
    fn an_absent_controller_has_no_path() {
        assert_eq!(path("0::/user.slice\n", "memory"), None);
    }

    #[test]
    fn all_groups_are_listed_and_a_broken_line_is_left_out() {
        assert_eq!(paths("4:cpu,cpuacct:/a:b\n0::/\nnonsense\n"), ["/a:b", "/"]);
    }
}
