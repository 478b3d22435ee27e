//! What the network devices carried: of the job's network namespace, which is the machine's unless it has its own.
//!
//! Source: network_namespaces(7), proc(5). Limits: everybody's traffic in that namespace counts, that over `lo` too, and
//! a packet through a bridge counts at each device that it passes.

use std::fs;

use super::sample::Traffic;
use crate::parse::net_dev;
use crate::read::{Kept, Root};

/// Devices that are counted, with what they had carried at first.
#[derive(Debug)]
pub struct Network {
    file: Kept,
    first: Vec<(String, Traffic)>,
    last: Traffic,
    /// Whose traffic it is.
    pub scope: &'static str,
}

impl Network {
    /// Counts from now on; `None` where the kernel tells nothing.
    pub fn of(root: &Root, pid: &str, wanted: &[String]) -> Option<Self> {
        let mut file = root.keep(format!("/proc/{pid}/net/dev")).ok()?;
        let mut first = devices(file.text()?);
        first.retain(|(name, _)| wanted.is_empty() || wanted.contains(name));
        Some(Self { file, first, last: Traffic::default(), scope: scope(root, pid) })
    }

    pub fn devices(&self) -> Vec<&str> {
        self.first.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// What they carried since; it never goes down, also where a device goes.
    pub fn read(&mut self) -> Traffic {
        let now = self.file.text().map(devices).unwrap_or_default();
        let pairs = self.first.iter().filter_map(|(name, first)| {
            now.iter().find(|(known, _)| known == name).map(|(_, device)| (first, device))
        });
        let sum = pairs.fold(Traffic::default(), |sum, (first, device)| grown(sum, *first, *device));
        self.last = highest(self.last, sum);
        self.last
    }
}

fn devices(text: &str) -> Vec<(String, Traffic)> {
    let device = |device: net_dev::Interface| {
        let (received, sent) = (device.received, device.sent);
        let carried = Traffic {
            rx_bytes: received.bytes,
            rx_packets: received.packets,
            tx_bytes: sent.bytes,
            tx_packets: sent.packets,
        };
        (device.name.to_owned(), carried)
    };
    net_dev::parse(text).map(device).collect()
}

fn grown(sum: Traffic, first: Traffic, now: Traffic) -> Traffic {
    Traffic {
        rx_bytes: sum.rx_bytes + now.rx_bytes.saturating_sub(first.rx_bytes),
        rx_packets: sum.rx_packets + now.rx_packets.saturating_sub(first.rx_packets),
        tx_bytes: sum.tx_bytes + now.tx_bytes.saturating_sub(first.tx_bytes),
        tx_packets: sum.tx_packets + now.tx_packets.saturating_sub(first.tx_packets),
    }
}

fn highest(one: Traffic, other: Traffic) -> Traffic {
    Traffic {
        rx_bytes: one.rx_bytes.max(other.rx_bytes),
        rx_packets: one.rx_packets.max(other.rx_packets),
        tx_bytes: one.tx_bytes.max(other.tx_bytes),
        tx_packets: one.tx_packets.max(other.tx_packets),
    }
}

/// `machine` where the namespace is that of process 1, `namespace` where it is another; `caller`, the
/// job's and ours, where nobody tells us which that is.
fn scope(root: &Root, pid: &str) -> &'static str {
    let link = |pid: &str| fs::read_link(root.path(format!("/proc/{pid}/ns/net"))).ok();
    match (link(pid), link("1")) {
        (Some(own), Some(first)) if own == first => "machine",
        (Some(own), None) if Some(&own) == link("self").as_ref() => "caller",
        _ => "namespace",
    }
}
