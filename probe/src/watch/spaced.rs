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
        let shared = Arc::new(Shared { state: Mutex::new(State::new()), news: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || theirs.work(read));
        thread.map_err(|error| format!("a thread cannot be started: {error}"))?;
        Ok(Self { shared })
    }

    /// Tells which processes there are now, and takes what has been read since the last call.
    ///
    /// Each is read at most once a call; where that takes longer, the round goes on over the following ones.
    pub fn take(&self, pids: &[i32]) -> Vec<T> {
        let done = self.shared.lock().take(pids);
        self.shared.news.notify_one();
        done
    }
}

impl<T> State<T> {
    fn new() -> Self {
        Self { pids: Vec::new(), next: 0, due: 0, done: Vec::new(), over: false }
    }

    fn take(&mut self, pids: &[i32]) -> Vec<T> {
        let last = self.next.checked_sub(1).and_then(|at| self.pids.get(at).copied());
        self.pids.clear();
        self.pids.extend(pids);
        arrange::sort(&mut self.pids);
        self.next = last.map_or(0, |last| self.pids.partition_point(|pid| *pid <= last));
        self.due = self.pids.len();
        std::mem::take(&mut self.done)
    }

    /// The process whose turn it is; one must be due.
    fn turn(&mut self) -> Option<i32> {
        let at = if self.next < self.pids.len() { self.next } else { 0 };
        self.next = at + 1;
        self.due -= 1;
        self.pids.get(at).copied()
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
            if !self.rest(rest_after(took)) {
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
        state.turn()
    }

    /// False once it is over.
    fn rest(&self, time: Duration) -> bool {
        let going = |state: &mut State<T>| !state.over;
        let waited = self.news.wait_timeout_while(self.lock(), time, going);
        !waited.unwrap_or_else(PoisonError::into_inner).0.over
    }
}

/// How long nothing is read after a read that took so long.
fn rest_after(took: Duration) -> Duration {
    took * (SPACING - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes turns until nothing is due any more, as the thread does.
    fn read_all(state: &mut State<i32>) -> Vec<i32> {
        std::iter::from_fn(|| if state.due > 0 { state.turn() } else { None }).collect()
    }

    #[test]
    fn each_is_read_at_most_once_a_call_in_turn() {
        let mut state = State::new();
        assert!(read_all(&mut state).is_empty());
        state.take(&[7, 5, 3]);
        assert_eq!(read_all(&mut state), [3, 5, 7]);
        state.take(&[5, 7, 3]);
        assert_eq!(read_all(&mut state), [3, 5, 7]);
        state.take(&[]);
        assert!(read_all(&mut state).is_empty());
    }

    #[test]
    fn a_round_that_takes_longer_than_a_call_goes_on_where_it_was() {
        let mut state: State<i32> = State::new();
        state.take(&[1, 2, 3, 4]);
        assert_eq!([state.turn(), state.turn()], [Some(1), Some(2)]);
        state.take(&[1, 2, 3, 4]);
        assert_eq!(read_all(&mut state), [3, 4, 1, 2]);
        state.take(&[1, 3, 9]);
        assert_eq!(state.turn(), Some(3), "2 was the last one, and is gone");
        state.take(&[1]);
        assert_eq!(read_all(&mut state), [1], "nobody comes after 3: the round begins anew");
    }

    #[test]
    fn what_was_read_is_handed_over_once() {
        let mut state = State::new();
        state.done.extend([8, 9]);
        assert_eq!((state.take(&[1]), state.take(&[1])), (vec![8, 9], vec![]));
    }

    #[test]
    fn dear_reads_take_one_part_in_a_thousand_of_the_time() {
        for took in [Duration::from_nanos(1), Duration::from_micros(37), Duration::from_secs(2)] {
            assert_eq!(took + rest_after(took), 1000 * took);
        }
    }

    #[test]
    fn a_thread_reads_who_is_due_and_those_that_are_gone_give_nothing() {
        let (tell, told) = std::sync::mpsc::channel();
        let read = move |pid| {
            let _ = tell.send(pid);
            (pid != 5).then_some(pid)
        };
        let spaced = Spaced::start(read).expect("a thread");
        for pid in [5, 5, 3] {
            assert!(spaced.take(&[pid]).is_empty(), "nothing of 5, which the thread has done with");
            assert_eq!(told.recv(), Ok(pid));
        }
        while spaced.take(&[]) != [3] {
            thread::yield_now();
        }
    }

    #[test]
    fn a_thread_ends_in_the_middle_of_a_rest() {
        let (tell, told) = std::sync::mpsc::channel();
        let read = move |pid| {
            let _ = tell.send(pid);
            // The rest is a second or more.
            thread::sleep(Duration::from_millis(1));
            Some(pid)
        };
        let spaced = Spaced::start(read).expect("a thread");
        spaced.take(&[3]);
        while spaced.take(&[3]) != [3] {
            thread::yield_now();
        }
        drop(spaced);
        assert_eq!((told.recv(), told.recv().is_err()), (Ok(3), true), "one read, then the thread is gone");
    }
}
