//! How long the job's threads ran, and how long they waited: for a processor, for block I/O, for memory.
//!
//! Source: `taskstats` (Linux Documentation/accounting/delay-accounting.rst), a process at a time with all threads
//! that it ever had; where it may not be asked, `schedstat` of each living thread, which tells run and queue only.
//! Since each process, or thread, began; one that ended counts with what it was last seen with.
//! Limits: waits for I/O, swap and reclaim need `kernel.task_delayacct` = 1 (kernel 5.14) or no `nodelayacct` at the
//! boot (before) from before the job on; else they are absent. A wait counts when it ends.

use crate::parse::schedstat;
use crate::parse::taskstats::Stats;
use crate::read::Root;

use super::asked::Asked;
use super::tasks::Tasks;
use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group {
    name: "delay",
    columns: &["source", "run_s", "run_queue_s", "block_io_s", "swap_in_s", "reclaim_s"],
    open,
};

/// As the columns from `run_s` on.
const FIGURES: usize = 5;
/// Those that need no delay accounting.
const ALWAYS: usize = 2;

enum Delay {
    Asked { asked: Asked<FIGURES>, accounted: bool },
    Read(Tasks<ALWAYS>),
}

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let read = || Delay::Read(Tasks::new(around.root, "schedstat", schedstat::parse));
    let asked = |asked| Delay::Asked { asked, accounted: accounted(around.root) };
    Ok(Box::new(Asked::open(around, figures).map_or_else(read, asked)))
}

/// Whether the kernel keeps the waits that cost it something to keep.
pub fn accounted(root: &Root) -> bool {
    match root.word("/proc/sys/kernel/task_delayacct") {
        Some(word) => word == "1",
        None => !root.text("/proc/cmdline").unwrap_or_default().split_whitespace().any(|word| word == "nodelayacct"),
    }
}

impl Collector for Delay {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        let mut figures = [None; FIGURES];
        let source = match self {
            Self::Asked { asked, accounted } => {
                let sum = asked.sum(view.members());
                let known = if *accounted { FIGURES } else { ALWAYS };
                figures.iter_mut().zip(sum).take(known).for_each(|(figure, ns)| *figure = Some(ns));
                "taskstats"
            }
            Self::Read(tasks) => {
                if let Some(sum) = tasks.sum(view.members()) {
                    figures.iter_mut().zip(sum).for_each(|(figure, ns)| *figure = Some(ns));
                }
                "schedstat"
            }
        };
        let mut row = rows.row(view.now).name(source);
        for figure in figures {
            row = row.cell(figure.map(|ns| ns as f64 / 1e9));
        }
    }
}

fn figures(stats: Stats) -> Option<[u64; FIGURES]> {
    Some([
        stats.run_ns()?,
        stats.cpu_delay_ns()?,
        stats.block_io_delay_ns()?,
        stats.swap_in_delay_ns()?,
        stats.reclaim_delay_ns()?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;

    fn cells(delay: &mut Delay) -> Vec<String> {
        let me = i32::try_from(std::process::id()).expect("a number");
        let mut rows = Rows::default();
        delay.collect(&View::new(Moment::now(), &|| vec![me]), &mut rows);
        let mut text = String::new();
        rows.take(|bytes| text = String::from_utf8_lossy(bytes).into_owned());
        text.trim_end().split(',').skip(2).map(str::to_owned).collect()
    }

    #[test]
    fn without_delay_accounting_waits_for_io_are_absent_never_zero() {
        let root = Root::here();
        let around = Surroundings { root: &root, group: None, mains: &[], own_network: false };
        if let Some(asked) = Asked::open(&around, figures) {
            let cells = cells(&mut Delay::Asked { asked, accounted: false });
            assert_eq!((cells[0].as_str(), &cells[3..]), ("taskstats", &[const { String::new() }; 3][..]));
        }
        let cells = cells(&mut Delay::Read(Tasks::new(&root, "schedstat", schedstat::parse)));
        assert_eq!((cells[0].as_str(), &cells[3..]), ("schedstat", &[const { String::new() }; 3][..]));
        assert!(cells[1].parse::<f64>().expect("seconds") > 0.0);
    }

    #[test]
    fn old_kernels_account_unless_told_not_to_and_new_ones_if_told_to() {
        let folder = std::env::temp_dir().join(format!("assay-delay-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        let root = Root::new(&folder);
        write("proc/cmdline", "quiet\n");
        assert!(accounted(&root));
        write("proc/cmdline", "quiet nodelayacct\n");
        assert!(!accounted(&root));
        write("proc/sys/kernel/task_delayacct", "1\n");
        assert!(accounted(&root));
        write("proc/sys/kernel/task_delayacct", "0\n");
        assert!(!accounted(&root));
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
