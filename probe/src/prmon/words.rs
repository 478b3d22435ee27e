//! What the log tells at the beginning and at the end.

use super::log::{Level, Log};
use super::monitors::Monitors;
use super::options::Options;
use super::pss::Pss;
use super::session::Over;
use crate::sys::Ending;

/// What is watched, how, and what is not.
pub fn introduce(log: &mut Log, options: &Options, monitors: &Monitors) {
    let mut tell = |level, who, what: String| log.tell(level, who, &what);
    let (pid, s) = (monitors.subject.pid(), options.interval_s);
    tell(Level::Info, "prmon", format!("watching process {pid}, a sample each {s} s"));
    tell(Level::Info, "cpumon", format!("CPU time is taken over: {}", monitors.subject.scope()));
    if let Some(network) = &monitors.network {
        let devices = network.devices().join(", ");
        tell(Level::Info, "netmon", format!("traffic of: {}; devices: {devices}", network.scope));
        for name in options.devices.iter().filter(|name| !network.devices().contains(&name.as_str())) {
            tell(Level::Warning, "netmon", format!("there is no device '{name}'"));
        }
    }
    let on = |name: &str| !options.disabled.iter().any(|off| off == name);
    if on("nvidiamon") {
        tell(Level::Info, "nvidiamon", "off: the probe reads no GPU".to_owned());
    }
    if on("iomon") && !monitors.counts_io() {
        tell(Level::Warning, "iomon", "off: the kernel does not tell us the I/O of this process".to_owned());
    }
    if on("memmon") && on("pss") && monitors.pss.is_none() {
        tell(Level::Warning, "memmon", "no PSS: the kernel does not tell it of this process".to_owned());
    }
    for name in &options.disabled {
        tell(Level::Info, name.as_str(), "off, as asked".to_owned());
    }
}

/// How it ended.
pub fn conclude(log: &mut Log, over: Over, left: usize, pss: Option<&Pss>) {
    let what = match over {
        Over::Ended(Ending::Exit(code)) => format!("the job has ended with code {code}"),
        Over::Ended(Ending::Signal(signal)) => format!("the job was killed by signal {signal}"),
        Over::Gone => "the watched process has ended".to_owned(),
        Over::Left(_) => "monitoring was stopped, the job goes on".to_owned(),
    };
    log.tell(Level::Info, "prmon", &what);
    if left > 0 {
        log.tell(Level::Warning, "prmon", &format!("processes of the job that go on without us: {left}"));
    }
    let Some(Pss { readings, repeated, refused, .. }) = pss else { return };
    let limit = "reading may take 0.1 % of a processor";
    log.tell(Level::Info, "memmon", &format!("PSS was read {readings} times and repeated {repeated} times: {limit}"));
    if *refused > 0 {
        log.tell(Level::Warning, "memmon", &format!("PSS of single processes was refused to us {refused} times"));
    }
}
