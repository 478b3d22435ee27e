//! Series that a spec can switch on: a group, its collector, its file `GROUP.csv`.
//!
//! The core set is not here: it is always on (`supervise/sampler.rs`).

mod asked;
mod cpus;
mod delay;
mod disks;
mod each;
mod energy;
mod exits;
mod faults;
mod frequency;
mod guest;
mod guests;
mod meminfo;
mod memory;
mod network;
mod pressure;
mod pss;
mod rows;
mod spaced;
mod switches;
mod tasks;
mod temperature;
#[cfg(test)]
mod tests;
mod threads;
mod vmstat;

use std::cell::OnceCell;

use crate::cgroup::Group as ControlGroup;
use crate::clock::Moment;
use crate::read::Root;

pub use delay::accounted as delay_accounted;
pub use rows::Rows;

/// What a collector finds when it is opened, before the job is released.
pub struct Surroundings<'a> {
    pub root: &'a Root,
    /// The job's control group, if it has one.
    pub group: Option<&'a ControlGroup>,
    /// First process of each copy.
    pub mains: &'a [i32],
    /// The job has a network namespace of its own.
    pub own_network: bool,
}

/// What a collector may ask at a sample.
pub struct View<'a> {
    pub now: Moment,
    list: &'a dyn Fn() -> Vec<i32>,
    members: OnceCell<Vec<i32>>,
}

impl<'a> View<'a> {
    pub fn new(now: Moment, list: &'a dyn Fn() -> Vec<i32>) -> Self {
        Self { now, list, members: OnceCell::new() }
    }

    /// Processes of the job, listed once a sample and only if somebody asks.
    pub fn members(&self) -> &[i32] {
        self.members.get_or_init(self.list)
    }
}

/// Reads one group's figures; holds its files open between samples.
pub trait Collector {
    /// Appends the rows of this sample: any number of them, as wide as the group's columns.
    fn collect(&mut self, view: &View, rows: &mut Rows);
}

/// A group of series.
pub struct Group {
    pub name: &'static str,
    /// Columns after `mono_ns,real_ns`.
    pub columns: &'static [&'static str],
    /// Opens the collector, or says in one sentence why this machine has nothing to collect.
    pub open: fn(&Surroundings) -> Result<Box<dyn Collector>, String>,
}

/// All groups, by name.
pub const GROUPS: [Group; 17] = [
    cpus::GROUP,
    delay::GROUP,
    disks::GROUP,
    energy::GROUP,
    exits::GROUP,
    faults::GROUP,
    frequency::GROUP,
    guests::GROUP,
    meminfo::GROUP,
    memory::GROUP,
    network::GROUP,
    pressure::GROUP,
    pss::GROUP,
    switches::GROUP,
    temperature::GROUP,
    threads::GROUP,
    vmstat::GROUP,
];

/// The group of this name.
pub fn group(name: &str) -> Option<&'static Group> {
    GROUPS.iter().find(|group| group.name == name)
}
