//! Counters of all threads of the job, from one file of each.

use std::os::linux::fs::MetadataExt;

use crate::read::{Kept, Root};

use super::each::Each;

/// The sum of one file's figures over all threads.
///
/// A thread that ended counts with what it was last seen with: what it did after that, and threads that came and went
/// between two samples, are missing. The sum never goes down.
pub struct Tasks<const N: usize> {
    root: Root,
    file: &'static str,
    parse: fn(&str) -> Option<[u64; N]>,
    held: Each<Task<N>>,
    ended: [u64; N],
    seen: bool,
    tids: Vec<i32>,
    buffer: Vec<u8>,
}

struct Task<const N: usize> {
    kept: Kept,
    last: [u64; N],
}

impl<const N: usize> Tasks<N> {
    pub fn new(root: &Root, file: &'static str, parse: fn(&str) -> Option<[u64; N]>) -> Self {
        Self {
            root: root.clone(),
            file,
            parse,
            held: Each::new(),
            ended: [0; N],
            seen: false,
            tids: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// The sum now; `None` as long as no thread has shown its file.
    pub fn sum(&mut self, members: &[i32]) -> Option<[u64; N]> {
        for pid in members {
            let mut tids = std::mem::take(&mut self.tids);
            list(&self.root, *pid, &mut tids);
            tids.iter().for_each(|tid| self.read(*pid, *tid));
            self.tids = tids;
        }
        let ended = &mut self.ended;
        self.held.end(|task| add(ended, &task.last));
        let mut sum = self.ended;
        self.held.things().for_each(|task| add(&mut sum, &task.last));
        self.seen.then_some(sum)
    }

    fn read(&mut self, pid: i32, tid: i32) {
        let (root, file) = (&self.root, self.file);
        let open = || Some(Task { kept: root.keep(format!("/proc/{pid}/task/{tid}/{file}")).ok()?, last: [0; N] });
        let Some(task) = self.held.get(tid, open) else { return };
        match task.kept.text_in(&mut self.buffer).and_then(self.parse) {
            Some(figures) => {
                task.last = figures;
                self.seen = true;
            }
            None => self.held.leave(tid),
        }
    }
}

/// Adds figure by figure.
pub fn add<const N: usize>(sum: &mut [u64; N], figures: &[u64; N]) {
    for (sum, figure) in sum.iter_mut().zip(figures) {
        *sum = sum.saturating_add(*figure);
    }
}

/// Threads of a process; most have one, and the folder's link count tells without listing it.
///
/// Source: Linux fs/proc/base.c, `proc_task_getattr`: two links and one a thread.
fn list(root: &Root, pid: i32, tids: &mut Vec<i32>) {
    tids.clear();
    let folder = format!("/proc/{pid}/task");
    match std::fs::metadata(root.path(&folder)) {
        Ok(about) if about.st_nlink() == 3 => tids.push(pid),
        Ok(_) => tids.extend(root.names(&folder).iter().filter_map(|name| name.parse::<i32>().ok())),
        Err(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::schedstat;

    fn me() -> i32 {
        i32::try_from(std::process::id()).expect("a number")
    }

    #[test]
    fn a_thread_that_ended_still_counts_and_the_sum_never_goes_down() {
        let mut tasks = Tasks::new(&Root::here(), "schedstat", schedstat::parse);
        let (tell, told) = std::sync::mpsc::channel();
        let (stop, wait) = std::sync::mpsc::channel::<()>();
        let busy = std::thread::spawn(move || {
            while crate::sys::thread_cpu_ns() < 5_000_000 {}
            tell.send(()).expect("told");
            let _ = wait.recv();
        });
        told.recv().expect("told");
        let with = tasks.sum(&[me()]).expect("a sum");
        drop(stop);
        busy.join().expect("ended");
        let without = tasks.sum(&[me()]).expect("a sum");
        assert!(with[0] > 0 && without[0] >= with[0]);
        assert!(tasks.sum(&[]).expect("a sum")[0] >= without[0]);
    }

    #[test]
    fn a_file_that_no_thread_has_is_no_sum() {
        assert_eq!(Tasks::new(&Root::here(), "not-there", schedstat::parse).sum(&[me()]), None);
        assert_eq!(Tasks::new(&Root::here(), "schedstat", schedstat::parse).sum(&[]), None);
    }
}
