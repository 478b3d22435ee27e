//! On a hypervisor: what each guest's QEMU process uses.
//!
//! Source: proc(5); qemu(1) (`parse/qemu.rs`); Linux Documentation/virt/kvm and debugfs `kvm/PID-FD` for exits. Rows by
//! `part`: `guest` (all threads' CPU time, resident size, storage, exits by reason), `vcpu N` (its thread's time on a
//! processor and in the queue: the guest's steal seen from outside), `net TAP` (bytes as the guest counts them),
//! `memory` (the resident size split into guest memory and QEMU's own; read seldom, at a moment of its own, as
//! `pss`). All counters since the guest started. Limits: guests are looked for every `AGAIN_NS`; vCPUs only where
//! QEMU names its threads; exits where debugfs is mounted and readable; the split where mappings are as large as the
//! memory backends; storage counts what the page cache of the host did not serve; interfaces of the probe's own
//! network namespace only.

use std::collections::BTreeMap;

use crate::clock::Moment;
use crate::parse::net_dev::{self, Traffic};
use crate::parse::smaps::mappings;
use crate::read::{Kept, Root};

use super::guest::{EXITS, Guest, memory_bytes};
use super::rows::Row;
use super::spaced::Spaced;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "guests",
    columns: &[
        "guest",
        "pid",
        "part",
        "run_s",
        "wait_s",
        "rss_bytes",
        "memory_bytes",
        "overhead_bytes",
        "read_bytes",
        "write_bytes",
        "received_bytes",
        "received_packets_count",
        "sent_bytes",
        "sent_packets_count",
        "exits_count",
        "io_exits_count",
        "mmio_exits_count",
        "halt_exits_count",
        "irq_exits_count",
        "irq_window_exits_count",
        "nmi_window_exits_count",
        "signal_exits_count",
        "hypercalls_count",
        "insn_emulation_count",
        "pf_fixed_count",
        "tlb_flush_count",
    ],
    open,
};

/// A scan of all processes costs some ms on a large machine.
const AGAIN_NS: i64 = 10_000_000_000;

struct Guests {
    root: Root,
    guests: BTreeMap<i32, Guest>,
    looked: Option<i64>,
    network: Option<Kept>,
    split: Spaced<Split>,
}

/// Resident bytes of each mapping of a QEMU process, at a moment of its own.
struct Split {
    at: Moment,
    pid: i32,
    mappings: Vec<crate::parse::smaps::Mapping>,
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let root = around.root.clone();
    let theirs = root.clone();
    let split = Spaced::start(move |pid| {
        let at = Moment::now();
        Some(Split { at, pid, mappings: mappings(&theirs.text(format!("/proc/{pid}/smaps"))?) })
    })?;
    let network = root.keep("/proc/net/dev").ok();
    let mut guests = Guests { root, guests: BTreeMap::new(), looked: None, network, split };
    guests.look();
    let able = guests.root.path("/dev/kvm").exists();
    if guests.guests.is_empty() && !able {
        Err("no guest runs here and there is no /dev/kvm".to_owned())
    } else {
        Ok(Box::new(guests))
    }
}

impl Guests {
    fn look(&mut self) {
        let (root, guests) = (&self.root, &mut self.guests);
        for pid in root.names("/proc").iter().filter_map(|name| name.parse::<i32>().ok()) {
            match guests.get_mut(&pid) {
                Some(guest) => guest.look_again(root),
                None => guests.extend(Guest::find(root, pid).map(|guest| (pid, guest))),
            }
        }
    }

    fn look_seldom(&mut self, now: Moment) {
        if self.looked.is_none_or(|looked| now.mono_ns - looked >= AGAIN_NS) {
            self.look();
            self.looked = Some(now.mono_ns);
        }
    }
}

impl Collector for Guests {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        self.look_seldom(view.now);
        if self.guests.is_empty() {
            return;
        }
        let network = self.network.as_mut().and_then(Kept::text).unwrap_or_default();
        self.guests.retain(|_, guest| collect(guest, network, view.now, rows));
        let pids: Vec<i32> = self.guests.keys().copied().collect();
        for split in self.split.take(&pids) {
            if let Some(guest) = self.guests.get(&split.pid) {
                split_row(guest, &split, rows);
            }
        }
    }
}

/// Rows of one guest; false once it is gone.
fn collect(guest: &mut Guest, network: &str, now: Moment, rows: &mut Rows) -> bool {
    let Some(cpu_ns) = guest.cpu_ns() else { return false };
    let (rss, [read, write]) = (guest.rss_bytes(), guest.io());
    let row = start(rows, now, guest, "guest").cell(seconds(cpu_ns)).cell(NONE).cell(rss).cell(NONE).cell(NONE);
    let mut row = empty(row.cell(read).cell(write), 4);
    for count in guest.exits() {
        row = row.cell(count);
    }
    drop(row);
    let (pid, name) = (guest.pid, guest.name.clone());
    for (number, [run_ns, wait_ns]) in guest.vcpus() {
        let row = rows.row(now).name(&name).cell(Some(pid)).name(&format!("vcpu {number}"));
        empty(row.cell(seconds(run_ns)).cell(seconds(wait_ns)), 9 + EXITS.len());
    }
    for interface in net_dev::parse(network).filter(|interface| guest.taps.iter().any(|tap| tap == interface.name)) {
        let row = empty(start(rows, now, guest, &format!("net {}", interface.name)), 7);
        // What the host sends to the tap, the guest receives.
        empty(traffic(traffic(row, interface.sent), interface.received), EXITS.len());
    }
    true
}

fn split_row(guest: &Guest, split: &Split, rows: &mut Rows) {
    let rss: u64 = split.mappings.iter().map(|mapping| mapping.resident_bytes).sum();
    let memory = memory_bytes(&split.mappings, &guest.memories);
    let row = empty(start(rows, split.at, guest, "memory"), 2);
    let row = row.cell(Some(rss)).cell(memory).cell(memory.and_then(|memory| rss.checked_sub(memory)));
    empty(row, 6 + EXITS.len());
}

const NONE: Option<u64> = None;

fn start<'a>(rows: &'a mut Rows, at: Moment, guest: &Guest, part: &str) -> Row<'a> {
    rows.row(at).name(&guest.name).cell(Some(guest.pid)).name(part)
}

fn traffic(row: Row<'_>, traffic: Traffic) -> Row<'_> {
    row.cell(Some(traffic.bytes)).cell(Some(traffic.packets))
}

fn empty(row: Row<'_>, count: usize) -> Row<'_> {
    (0..count).fold(row, |row, _| row.cell(NONE))
}

fn seconds(ns: u64) -> Option<f64> {
    Some(ns as f64 / 1e9)
}
