//! Block devices with a size, without loop and memory devices; no serial numbers.
//!
//! Source: Linux `Documentation/ABI/stable/sysfs-block`, `Documentation/block/queue-sysfs.rst`,
//! `Documentation/admin-guide/md.rst`. A controller's RAID shows as one disk, by its model and driver.

use serde_json::{Value, json};

use super::table::{As, Row, gather, read, unless_empty};
use crate::read::Root;

/// Unit of `size`, whatever the device's own sectors are.
const SECTOR_BYTES: i64 = 512;
const ROWS: [Row; 14] = [
    ("size_bytes", As::Times(SECTOR_BYTES), "size"),
    ("model", As::Text, "device/model"),
    ("rotational", As::Switch, "queue/rotational"),
    ("scheduler", As::Chosen, "queue/scheduler"),
    ("queue_depth", As::Number, "device/queue_depth"),
    ("requests", As::Number, "queue/nr_requests"),
    ("read_ahead_bytes", As::Times(1024), "queue/read_ahead_kb"),
    ("most_request_bytes", As::Times(1024), "queue/max_sectors_kb"),
    ("logical_block_bytes", As::Number, "queue/logical_block_size"),
    ("physical_block_bytes", As::Number, "queue/physical_block_size"),
    ("write_cache", As::Text, "queue/write_cache"),
    ("merges_off", As::Number, "queue/nomerges"),
    ("completion_affinity", As::Number, "queue/rq_affinity"),
    ("writeback_target_us", As::Number, "queue/wbt_lat_usec"),
];
/// Of an md array.
const RAID: [Row; 4] = [
    ("level", As::Text, "level"),
    ("disks", As::Number, "raid_disks"),
    ("missing", As::Number, "degraded"),
    ("chunk_bytes", As::Number, "chunk_size"),
];
const NOT_DISKS: [&str; 4] = ["loop", "ram", "zram", "fd"];

pub fn facts(root: &Root) -> Value {
    let names = root.names("/sys/block");
    let real = names.into_iter().filter(|name| !NOT_DISKS.iter().any(|kind| numbered(name, kind)));
    let disks = gather(&mut real.map(|name| (name.clone(), disk(root, &name))));
    if disks.is_empty() { Value::Null } else { Value::Object(disks) }
}

fn numbered(name: &str, kind: &str) -> bool {
    name.strip_prefix(kind).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn disk(root: &Root, name: &str) -> Value {
    let folder = format!("/sys/block/{name}");
    let mut facts = read(root, &folder, &ROWS);
    let queues = root.names(format!("{folder}/mq")).len();
    facts.insert("queues".to_owned(), json!((queues > 0).then_some(queues)));
    facts.insert("driver".to_owned(), json!(root.link(format!("{folder}/device/driver"))));
    let raid = unless_empty(read(root, &format!("{folder}/md"), &RAID));
    if !raid.is_null() {
        facts.insert("raid".to_owned(), raid);
    }
    Value::Object(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_only_begins_like_a_loop_is_a_disk() {
        assert!(numbered("loop0", "loop") && !numbered("loopy", "loop") && !numbered("vda", "loop"));
    }
}
