//! What keeps the threads of the event loop together: nobody reads too far ahead of what was handed on.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Lets those pass whose place is less than `ahead` from the next to be handed on; closed, nobody.
pub struct Gate {
    ahead: u64,
    /// The next place to be handed on; none where closed.
    next: Mutex<Option<u64>>,
    moved: Condvar,
}

impl Gate {
    pub fn new(ahead: u64) -> Gate {
        Gate { ahead, next: Mutex::new(Some(0)), moved: Condvar::new() }
    }

    /// Waits until a place may be read, and tells whether it may.
    pub fn pass(&self, place: u64) -> bool {
        let waits = |next: &mut Option<u64>| next.is_some_and(|next| place >= next + self.ahead);
        let next = self.moved.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        next.is_some()
    }

    /// Says that all places before `next` were handed on.
    pub fn advance(&self, next: u64) {
        if let Some(at) = self.lock().as_mut() {
            *at = next;
        }
        // Only one can wait: it keeps the source.
        self.moved.notify_one();
    }

    /// Closes the gate when what is returned goes out of scope.
    pub fn closed_at_end(&self) -> Closing<'_> {
        Closing(self)
    }

    fn lock(&self) -> MutexGuard<'_, Option<u64>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See `Gate::closed_at_end`.
pub struct Closing<'a>(&'a Gate);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
        self.0.moved.notify_all();
    }
}
