//! What each block device did since boot, with the time that its requests took.
//!
//! Source and limits: `parse/diskstats.rs`. The mean latency between two samples is the difference of `read_s` over
//! that of `reads_count`; the mean queue is that of `weighted_s` over the wall time, the utilisation that of `busy_s`.

use crate::parse::diskstats::{Requests, parse};
use crate::read::Kept;

use super::rows::Row;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "disks",
    columns: &[
        "device",
        "reads_count",
        "reads_merged_count",
        "read_bytes",
        "read_s",
        "writes_count",
        "writes_merged_count",
        "write_bytes",
        "write_s",
        "discards_count",
        "discards_merged_count",
        "discard_bytes",
        "discard_s",
        "flushes_count",
        "flush_s",
        "in_flight_count",
        "busy_s",
        "weighted_s",
    ],
    open,
};

struct Disks(Kept);

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let kept = around.root.keep("/proc/diskstats").map_err(|_| "/proc/diskstats cannot be read".to_owned())?;
    Ok(Box::new(Disks(kept)))
}

impl Collector for Disks {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        for disk in self.0.text().into_iter().flat_map(parse) {
            let mut row = rows.row(view.now).name(disk.name);
            for requests in [disk.reads, disk.writes, disk.discards] {
                row = cells(row, requests);
            }
            let row = row.cell(disk.flushes).cell(seconds(disk.flush_ms)).cell(disk.in_flight);
            row.cell(seconds(disk.busy_ms)).cell(seconds(disk.weighted_ms));
        }
    }
}

fn cells(row: Row<'_>, requests: Requests) -> Row<'_> {
    row.cell(requests.count).cell(requests.merged).cell(requests.bytes).cell(seconds(requests.ms))
}

fn seconds(ms: Option<u64>) -> Option<f64> {
    ms.map(|ms| ms as f64 / 1e3)
}
