//! The event loop: events are worked on by any number of threads and come out in their order.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::{Error, Result};
use crate::gate::Gate;

/// An event as it was read: its number and content.
pub type Input = (u64, Vec<u8>);

/// How many events a thread may be ahead of the one that is handed on next: enough that one slow event keeps nobody
/// waiting, few enough that the outcomes of those behind it need little memory.
const AHEAD: u64 = 16;

/// Takes each event from a source, works on it, and hands the outcomes on in the order of the source.
///
/// One thread does everything in turn; with more, the calling one reads nothing and only hands on. No more than `AHEAD`
/// events a thread are read and not yet handed on.
pub fn in_order<T: Send>(
    threads: usize,
    mut source: impl FnMut() -> Result<Option<Input>> + Send,
    work: impl Fn(Input) -> Result<T> + Sync,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    if threads == 1 {
        while let Some(input) = source()? {
            take(work(input)?)?;
        }
        return Ok(());
    }
    let (source, gate) = (Mutex::new((0, source)), Gate::new(AHEAD * threads as u64));
    thread::scope(|scope| {
        let _closing = gate.closed_at_end();
        let (sender, receiver) = sync_channel(2 * threads);
        for _ in 0..threads {
            let (sender, source, gate, work) = (sender.clone(), &source, &gate, &work);
            let started = thread::Builder::new().spawn_scoped(scope, move || serve(source, gate, work, &sender));
            if let Err(error) = started {
                return Err(Error::failed(format!("cannot start {threads} threads: {error}")));
            }
        }
        drop(sender);
        hand_on(receiver, &gate, &mut take)
    })
}

type Source<S> = Mutex<(u64, S)>;

/// One worker: reads an event, works on it, hands it on with its place in the order.
fn serve<T, S: FnMut() -> Result<Option<Input>>>(
    source: &Source<S>,
    gate: &Gate,
    work: &impl Fn(Input) -> Result<T>,
    sender: &SyncSender<(u64, Result<T>)>,
) {
    // Whoever ends, at the end of the source, by an error or a panic, ends those who wait.
    let _closing = gate.closed_at_end();
    loop {
        let (place, input) = {
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            // Who waits here keeps the source: the others would have to wait longer.
            if !gate.pass(source.0) {
                return;
            }
            source.0 += 1;
            (source.0 - 1, (source.1)().transpose())
        };
        let Some(input) = input else { return };
        let failed = input.is_err();
        // Nobody listens any more after an error of an earlier event.
        if sender.send((place, input.and_then(work))).is_err() || failed {
            return;
        }
    }
}

/// Hands outcomes on in their order; those that came too early wait.
fn hand_on<T>(
    receiver: Receiver<(u64, Result<T>)>,
    gate: &Gate,
    take: &mut impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let (mut early, mut next) = (BTreeMap::new(), 0);
    for (place, outcome) in receiver {
        early.insert(place, outcome);
        while let Some(outcome) = early.remove(&next) {
            take(outcome?)?;
            next += 1;
            gate.advance(next);
        }
    }
    if early.is_empty() { Ok(()) } else { Err(Error::failed("BUG: an event was lost between threads")) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn run(threads: usize, events: u64, bad: Option<u64>) -> (Result<()>, Vec<u64>) {
        let (mut next, mut seen) = (0, Vec::new());
        let source = || {
            next += 1;
            Ok((next <= events).then(|| (next - 1, Vec::new())))
        };
        let work = |(number, _): Input| {
            // Early events take longest.
            thread::sleep(std::time::Duration::from_micros(100 * (events - number)));
            if bad == Some(number) { Err(Error::failed(format!("event {number}"))) } else { Ok(number) }
        };
        let done = in_order(threads, source, work, |number| {
            seen.push(number);
            Ok(())
        });
        (done, seen)
    }

    #[test]
    fn events_come_out_in_order_whatever_the_threads() {
        for threads in [1, 2, 3, 8] {
            let (done, seen) = run(threads, 40, None);
            assert!(done.is_ok() && seen == (0..40).collect::<Vec<_>>(), "{threads} {seen:?}");
        }
    }

    #[test]
    fn the_first_event_that_fails_ends_the_loop() {
        for threads in [1, 2, 3] {
            let (done, seen) = run(threads, 40, Some(7));
            assert!(done.is_err_and(|error| error.message == "event 7") && seen == (0..7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_event_is_read_too_far_ahead_of_one_that_takes_long() {
        let (threads, read, ahead) = (3, AtomicU64::new(0), AtomicU64::new(0));
        let source = || {
            let number = read.fetch_add(1, Ordering::Relaxed);
            Ok((number < 5000).then(|| (number, Vec::new())))
        };
        let work = |(number, _): Input| {
            if number == 0 {
                thread::sleep(std::time::Duration::from_millis(200));
                ahead.store(read.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            Ok(number)
        };
        let mut seen = 0;
        let done = in_order(threads, source, work, |number| {
            seen += u64::from(number == seen);
            Ok(())
        });
        assert!(done.is_ok() && seen == 5000, "{seen}");
        assert!(ahead.load(Ordering::Relaxed) <= AHEAD * threads as u64, "{ahead:?}");
    }

    #[test]
    fn an_event_that_cannot_be_written_ends_those_who_wait() {
        let done = in_order(2, || Ok(Some((0, Vec::new()))), Ok, |_| Err(Error::failed("the disk is full")));
        assert!(done.is_err_and(|error| error.message == "the disk is full"));
    }
}
