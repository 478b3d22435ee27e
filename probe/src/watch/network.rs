//! What went through each network interface since it was made.
//!
//! Source and limits: `parse/net_dev.rs`. `scope` is `job` where the job has a network namespace of its own; else
//! `machine`: then the traffic of everybody in the probe's namespace is in it.

use crate::parse::net_dev::{Traffic, parse};
use crate::read::Kept;

use super::rows::Row;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "network",
    columns: &[
        "scope",
        "interface",
        "received_bytes",
        "received_packets_count",
        "received_errors_count",
        "received_dropped_count",
        "sent_bytes",
        "sent_packets_count",
        "sent_errors_count",
        "sent_dropped_count",
    ],
    open,
};

struct Network {
    scope: &'static str,
    kept: Kept,
}

/// A job's own namespace is that of its first process, and lives as long as the open file.
fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let own = around.mains.first().filter(|_| around.own_network);
    let (scope, path) = match own {
        Some(main) => ("job", format!("/proc/{main}/net/dev")),
        None => ("machine", "/proc/net/dev".to_owned()),
    };
    let kept = around.root.keep(&path).map_err(|_| format!("{path} cannot be read"))?;
    Ok(Box::new(Network { scope, kept }))
}

impl Collector for Network {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        for interface in self.kept.text().into_iter().flat_map(parse) {
            let row = rows.row(view.now).name(self.scope).name(interface.name);
            cells(cells(row, interface.received), interface.sent);
        }
    }
}

fn cells(row: Row<'_>, traffic: Traffic) -> Row<'_> {
    row.cell(Some(traffic.bytes)).cell(Some(traffic.packets)).cell(Some(traffic.errors)).cell(Some(traffic.dropped))
}
