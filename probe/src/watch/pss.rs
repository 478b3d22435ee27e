//! Proportional set size of each process of the job, as often as 0.1 % of a processor allows.
//!
//! Source and limits: `parse/smaps.rs`; before kernel 4.14, or for want of the rollup, the sum over `smaps`. Rows carry
//! the moment of their own read, `read_s` is what it took; a round over all processes may take longer than the
//! interval (`watch/spaced.rs`). What reads of one round add up to is the job's size, as far as that stands still.

use crate::clock::Moment;
use crate::parse::smaps::{Pss, pss};
use crate::read::Root;

use super::spaced::Spaced;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "pss",
    columns: &["pid", "pss_bytes", "anon_bytes", "file_bytes", "shmem_bytes", "swap_bytes", "read_s"],
    open,
};

/// What one process held at a moment of its own.
struct Read {
    at: Moment,
    pid: i32,
    pss: Pss,
    read_ns: i64,
}

struct Sizes(Spaced<Read>);

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let root = around.root.clone();
    let me = around.mains.first().copied().unwrap_or_else(|| i32::try_from(std::process::id()).unwrap_or(1));
    let rollup = root.path(format!("/proc/{me}/smaps_rollup")).exists();
    if !rollup && !root.path(format!("/proc/{me}/smaps")).exists() {
        return Err("neither /proc/PID/smaps_rollup nor /proc/PID/smaps is there".to_owned());
    }
    Ok(Box::new(Sizes(Spaced::start(move |pid| read(&root, pid, rollup))?)))
}

fn read(root: &Root, pid: i32, rollup: bool) -> Option<Read> {
    let file = if rollup { "smaps_rollup" } else { "smaps" };
    let at = Moment::now();
    let text = root.text(format!("/proc/{pid}/{file}"))?;
    let read_ns = Moment::now().mono_ns - at.mono_ns;
    let pss = pss(&text);
    // A process that has ended and is not waited for has no mappings.
    pss.all_bytes.map(|_| Read { at, pid, pss, read_ns })
}

impl Collector for Sizes {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        for Read { at, pid, pss, read_ns } in self.0.take(view.members()) {
            let row = rows.row(at).cell(Some(pid)).cell(pss.all_bytes).cell(pss.anon_bytes);
            let row = row.cell(pss.file_bytes).cell(pss.shmem_bytes).cell(pss.swap_bytes);
            row.cell(Some(read_ns as f64 / 1e9));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_read_and_the_rollup_agrees_with_the_sum() {
        let me = i32::try_from(std::process::id()).expect("a number");
        let rolled = read(&Root::here(), me, true).expect("a read");
        let summed = read(&Root::here(), me, false).expect("a read");
        let (rolled_bytes, summed_bytes) = (rolled.pss.all_bytes.expect("pss"), summed.pss.all_bytes.expect("pss"));
        // smaps rounds down to 1024 bytes for each mapping; other threads of the tests allocate meanwhile.
        assert!(rolled_bytes.abs_diff(summed_bytes) < rolled_bytes / 2, "{rolled_bytes} {summed_bytes}");
        assert!(rolled.read_ns > 0 && read(&Root::here(), 0x3fff_ffff, true).is_none());
    }
}
