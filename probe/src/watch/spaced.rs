//! Reads that are dear, in a thread of their own and far enough apart that they do not disturb.
//!
//! To read `smaps` the kernel walks the page tables and holds the lock of the address space: a job that maps memory
//! waits as long. So the reads are spaced by what they took: over any long time at most one part in `SPACING` of one
//! processor is spent on them, and of a process's time no larger part can be held up by them.
//! The wall time is taken, which is never less than the CPU time: a reader that lost its processor holds the lock on.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::arrange;

/// 0.1 % of one processor.
const SPACING: u32 = 1000;
const STACK_BYTES: usize = 128 << 10;

/// Reads one process after the other, of those last told.
pub struct Spaced<T> {
    shared: Arc<Shared<T>>,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    news: Condvar,
}

struct State<T> {
    pids: Vec<i32>,
    /// Place in `pids` of the next read.
    next: usize,
    /// Reads that are still due before the next call.
    due: usize,
    done: Vec<T>,
    over: bool,
}

impl<T: Send + 'static> Spaced<T> {
    /// `read` makes a value of a process; `None` where it is gone.
    pub fn start(read: impl FnMut(i32) -> Option<T> + Send + 'static) -> Result<Self, String> {
        let state = State { pids: Vec::new(), next: 0, due: 0, done: Vec::new(), over: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), news: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || theirs.work(read));
        thread.map_err(|error| format!("a thread cannot be started: {error}"))?;
        Ok(Self { shared })
    }

    /// Tells which processes there are now, and takes what has been read since the last call.
    ///
    /// Each is read at most once a call; where that takes longer, the round goes on over the following ones.
    pub fn take(&self, pids: &[i32]) -> Vec<T> {
        let mut state = self.shared.lock();
        let last = state.next.checked_sub(1).and_then(|at| state.pids.get(at).copied());
        state.pids.clear();
        state.pids.extend(pids);
        arrange::sort(&mut state.pids);
        state.next = last.map_or(0, |last| state.pids.partition_point(|pid| *pid <= last));
        state.due = state.pids.len();
        self.shared.news.notify_one();
        std::mem::take(&mut state.done)
    }
}

/// The thread is not waited for: it may be in the middle of a long read.
impl<T> Drop for Spaced<T> {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.news.notify_one();
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut read: impl FnMut(i32) -> Option<T>) {
        while let Some(pid) = self.next() {
            let begin = Instant::now();
            let value = read(pid);
            let took = begin.elapsed();
            if let Some(value) = value {
                self.lock().done.push(value);
            }
            if !self.rest(took * (SPACING - 1)) {
                return;
            }
        }
    }

    /// The next process as soon as one is due; `None` at the end.
    fn next(&self) -> Option<i32> {
        let idle = |state: &mut State<T>| !state.over && state.due == 0;
        let mut state = self.news.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        if state.over {
            return None;
        }
        let at = if state.next < state.pids.len() { state.next } else { 0 };
        state.next = at + 1;
        state.due -= 1;
        state.pids.get(at).copied()
    }

    /// False once it is over.
    fn rest(&self, time: Duration) -> bool {
        let going = |state: &mut State<T>| !state.over;
        let waited = self.news.wait_timeout_while(self.lock(), time, going);
        !waited.unwrap_or_else(PoisonError::into_inner).0.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until<T: Send + 'static>(spaced: &Spaced<T>, pids: &[i32], count: usize) -> Vec<T> {
        let mut all = spaced.take(pids);
        let begin = Instant::now();
        while all.len() < count && begin.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(5));
            all.extend(spaced.take(pids));
        }
        all
    }

    #[test]
    fn processes_are_read_in_turn_and_those_that_are_gone_give_nothing() {
        let spaced = Spaced::start(|pid| (pid != 5).then_some(pid)).expect("a thread");
        let read = until(&spaced, &[7, 5, 3], 6);
        assert_eq!(read[..6], [3, 7, 3, 7, 3, 7]);
    }

    #[test]
    fn each_is_read_at_most_once_a_call() {
        let spaced = Spaced::start(Some).expect("a thread");
        assert!(spaced.take(&[1, 2]).is_empty());
        thread::sleep(Duration::from_millis(100));
        assert_eq!(spaced.take(&[]), [1, 2]);
        thread::sleep(Duration::from_millis(20));
        assert!(spaced.take(&[]).is_empty());
    }

    #[test]
    fn dear_reads_take_no_more_than_their_share() {
        let read = |pid| {
            thread::sleep(Duration::from_millis(1));
            Some((pid, Instant::now()))
        };
        let spaced = Spaced::start(read).expect("a thread");
        let reads = until(&spaced, &[1], 2);
        assert!(reads[1].1 - reads[0].1 >= Duration::from_millis(999));
    }
}
