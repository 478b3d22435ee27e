//! `prmon.json` and its snapshots.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;

use serde_json::{Value, json};

use super::monitors::Monitors;
use super::network::Network;
use super::summary::Summary;
use crate::parse::flat;
use crate::read::Root;
use crate::sys::{self, Ending};

/// What does not change while monitoring, and what is known of the end.
#[derive(Debug)]
pub struct Report {
    pub path: OsString,
    pub hardware: Option<Value>,
    pub units: bool,
    pub interval_s: f64,
    /// Of one processor; infinite where none was given.
    pub budget_percent: f64,
    pub largest_gap_ns: i64,
    pub ended_by: Option<&'static str>,
    pub ending: Option<Ending>,
    pub left: usize,
    /// Whether the job is still running or was asked to end, so that the figures are of a part of it.
    pub partial: bool,
}

impl Report {
    fn json(&self, summary: &Summary, monitors: &Monitors) -> Value {
        let mut json = json!({
            "Max": summary.highest(),
            "Avg": summary.mean(),
            "prmon": {"Version": concat!("assay-probe-", env!("CARGO_PKG_VERSION"))},
            "probe": self.probe(summary, monitors),
        });
        if let Some(hardware) = &self.hardware {
            json["HW"] = hardware.clone();
        }
        if self.units {
            json["Units"] = summary.units();
        }
        json
    }

    fn probe(&self, summary: &Summary, monitors: &Monitors) -> Value {
        let last = &summary.last;
        let network = monitors.network.as_ref();
        let pss = monitors.pss.as_ref();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "partial": self.partial,
            "ended_by": self.ended_by,
            "exit": exit(self.ending),
            "wall_ns": last.wall_ns,
            "user_ns": last.cpu.user_ns,
            "system_ns": last.cpu.system_ns,
            "cpu_scope": monitors.subject.scope(),
            "network_scope": network.map(|network| network.scope),
            "network_devices": network.map(Network::devices),
            "totals": summary.ours(),
            "interval_s": self.interval_s,
            "samples": summary.samples,
            "largest_gap_ns": self.largest_gap_ns,
            "pss_readings": pss.map(|pss| pss.readings),
            "pss_repeated": pss.map(|pss| pss.repeated),
            "left_processes": self.left,
            "cost": {"cpu_ns": sys::own_cpu_ns(), "rss_bytes": own_rss_bytes(), "budget_percent": self.budget_percent},
        })
    }

    /// Writes the summary.
    pub fn write(&self, summary: &Summary, monitors: &Monitors) -> io::Result<()> {
        fs::write(&self.path, self.text(summary, monitors))
    }

    /// Writes how things stand beside it, and renames that: whole or not there.
    pub fn snapshot(&self, summary: &Summary, monitors: &Monitors) -> io::Result<()> {
        let new = beside(&self.path, "_tmp");
        fs::write(&new, self.text(summary, monitors))?;
        fs::rename(new, beside(&self.path, "_snapshot"))
    }

    fn text(&self, summary: &Summary, monitors: &Monitors) -> String {
        format!("{:#}\n", self.json(summary, monitors))
    }
}

/// Our own highest resident set; getrusage(2) would tell that of who executed us where it is higher.
fn own_rss_bytes() -> Option<u64> {
    flat::number(&Root::here().text("/proc/self/status")?, "VmHWM")?.checked_mul(1024)
}

fn beside(path: &OsStr, suffix: &str) -> OsString {
    let mut path = path.to_owned();
    path.push(suffix);
    path
}

fn exit(ending: Option<Ending>) -> Value {
    match ending {
        None => Value::Null,
        Some(Ending::Exit(code)) => json!({"code": code, "signal": null}),
        Some(Ending::Signal(signal)) => json!({"code": null, "signal": signal}),
    }
}
