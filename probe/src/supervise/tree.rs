//! The descendants of a process.
//!
//! Source: proc(5), `/proc/PID/task/TID/children`. Every thread has children of its own; the main thread's list
//! alone would miss them. Limits: a kernel without these files (before 3.5) is asked for all parents instead.

use crate::parse::pid_stat;
use crate::read::Root;

/// All descendants of a process, zombies among them.
pub fn descendants(root: &Root, pid: i32) -> Vec<i32> {
    if root.path(format!("/proc/{pid}/task/{pid}/children")).exists() {
        let mut found = Vec::new();
        walk(root, pid, &mut found);
        return found;
    }
    by_parents(&parents(root), pid)
}

fn walk(root: &Root, pid: i32, found: &mut Vec<i32>) {
    for thread in root.names(format!("/proc/{pid}/task")) {
        let text = root.text(format!("/proc/{pid}/task/{thread}/children")).unwrap_or_default();
        for child in text.split_whitespace().filter_map(|word| word.parse().ok()) {
            if !found.contains(&child) {
                found.push(child);
                walk(root, child, found);
            }
        }
    }
}

/// (process, parent) of all processes.
fn parents(root: &Root) -> Vec<(i32, i32)> {
    let parent = |pid: i32| Some((pid, pid_stat::parse(&root.bytes(format!("/proc/{pid}/stat")).ok()?)?.parent));
    root.names("/proc").iter().filter_map(|name| parent(name.parse().ok()?)).collect()
}

fn by_parents(parents: &[(i32, i32)], pid: i32) -> Vec<i32> {
    let mut found = vec![pid];
    let mut at = 0;
    while at < found.len() {
        let children = parents.iter().filter(|(_, parent)| *parent == found[at]).map(|(child, _)| *child);
        let new: Vec<i32> = children.filter(|child| !found.contains(child)).collect();
        found.extend(new);
        at += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_of_descendants_are_found() {
        let parents = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 9)];
        assert_eq!(by_parents(&parents, 1), [2, 5, 3, 4]);
        assert!(by_parents(&parents, 4).is_empty());
    }

    #[test]
    fn children_of_every_thread_are_found() {
        let root = Root::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machines/threads"));
        assert_eq!(descendants(&root, 10), [11, 13, 12]);
    }
}
