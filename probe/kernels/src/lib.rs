//! Work that is built into the probe, for machines where nothing is installed (`docs/kernels.md`).
//!
//! Each kernel is a file of its own with an [`Entry`](entry::Entry) that says what it does, by whose rules and what
//! it yields, and a function that runs it. A wrong result is an error, never a figure. Nothing here reads arguments.

mod aligned;
pub mod astar;
pub mod context_switch;
mod cost;
pub mod echo;
pub mod entry;
pub mod files;
pub mod flops;
pub mod fork;
pub mod integer;
pub mod latency;
pub mod mmap;
pub mod page_fault;
pub mod pipe;
mod random;
mod scratch;
#[allow(unsafe_code)]
mod simd;
pub mod stream;
#[allow(unsafe_code)]
mod sys;
pub mod syscall;
mod threads;
pub mod transactions;
pub mod two_phase;

/// What a kernel says, or one sentence that starts with "cannot".
pub type Result<T> = std::result::Result<T, String>;

/// All kernels, in the order shown.
pub const ENTRIES: [&entry::Entry; 16] = [
    &flops::ENTRY,
    &integer::ENTRY,
    &astar::ENTRY,
    &stream::ENTRY,
    &latency::ENTRY,
    &syscall::ENTRY,
    &context_switch::ENTRY,
    &fork::ENTRY,
    &page_fault::ENTRY,
    &mmap::ENTRY,
    &pipe::ENTRY,
    &transactions::TCP_RR,
    &transactions::TCP_CRR,
    &transactions::UDP_RR,
    &files::ENTRY,
    &two_phase::ENTRY,
];
