//! The same work on several threads, from a common start, until a time has passed.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// Results of all threads, and seconds from the first start to the end of the last.
pub fn parallel<R: Send>(threads: usize, act: impl Fn() -> R + Sync) -> (Vec<R>, f64) {
    let barrier = Barrier::new(threads);
    let one = || {
        barrier.wait();
        let start = Instant::now();
        (act(), start, Instant::now())
    };
    let done: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(one)).collect();
        let mine = one();
        workers.into_iter().filter_map(|worker| worker.join().ok()).chain([mine]).collect()
    });
    let start = done.iter().map(|(_, start, _)| *start).min();
    let end = done.iter().map(|(_, _, end)| *end).max();
    let taken = end.zip(start).map_or(0.0, |(end, start)| (end - start).as_secs_f64());
    (done.into_iter().map(|(result, _, _)| result).collect(), taken)
}

/// Does pieces of work until the time has passed: their number, or `None` where one came out wrong.
pub fn repeat(time: Duration, mut right: impl FnMut() -> bool) -> Option<u64> {
    let start = Instant::now();
    let mut pieces = 0;
    while start.elapsed() < time {
        if !right() {
            return None;
        }
        pieces += 1;
    }
    Some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_gives_its_result() {
        let (results, taken) = parallel(3, || repeat(Duration::from_millis(5), || true));
        assert_eq!(results.len(), 3);
        assert!(results.iter().all(|pieces| pieces.is_some_and(|pieces| pieces > 0)) && taken >= 0.005);
    }

    #[test]
    fn wrong_work_has_no_count() {
        assert_eq!(repeat(Duration::from_secs(60), || false), None);
    }
}
