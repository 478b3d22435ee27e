//! What perf_event_open(2) gives: counts of events, and stacks at intervals.

pub mod command;
pub mod counters;
mod events;
mod fold;
mod jit;
mod known;
pub mod profile;
mod refused;
mod symbols;
mod timeline;

pub use events::names as event_names;
pub use fold::{fold, fold_apart};
pub use refused::no_vpmu;
