//! What is held for each process or thread from one sample to the next.

use std::collections::HashMap;

use crate::read::{Kept, Root};

/// Things by number of process or thread; those not asked for in a sample are let go at its end.
pub struct Each<T> {
    held: HashMap<i32, (u64, T)>,
    sample: u64,
}

impl<T> Each<T> {
    pub fn new() -> Self {
        Self { held: HashMap::new(), sample: 0 }
    }

    /// The thing of this number; made where it is new, `None` where it cannot be made.
    pub fn get(&mut self, number: i32, make: impl FnOnce() -> Option<T>) -> Option<&mut T> {
        use std::collections::hash_map::Entry;
        let (sample, thing) = match self.held.entry(number) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert((0, make()?)),
        };
        *sample = self.sample;
        Some(thing)
    }

    /// Lets one go at the end of this sample, though it was asked for: what it tells of is gone.
    pub fn leave(&mut self, number: i32) {
        if let Some((sample, _)) = self.held.get_mut(&number) {
            *sample = self.sample.wrapping_sub(1);
        }
    }

    /// Ends a sample; shows what is let go.
    pub fn end(&mut self, mut gone: impl FnMut(&T)) {
        let sample = self.sample;
        self.held.retain(|_, (last, thing)| {
            let stays = *last == sample;
            if !stays {
                gone(thing);
            }
            stays
        });
        self.sample += 1;
    }

    pub fn things(&self) -> impl Iterator<Item = &T> {
        self.held.values().map(|(_, thing)| thing)
    }
}

/// One file of each process, all read into one buffer.
pub struct Files {
    root: Root,
    name: &'static str,
    held: Each<Kept>,
    buffer: Vec<u8>,
}

impl Files {
    /// `/proc/PID/NAME`.
    pub fn new(root: &Root, name: &'static str) -> Self {
        Self { root: root.clone(), name, held: Each::new(), buffer: Vec::new() }
    }

    /// Shows the content of each that is there.
    pub fn read(&mut self, pids: &[i32], mut call: impl FnMut(&[u8])) {
        for pid in pids {
            let open = || self.root.keep(format!("/proc/{pid}/{}", self.name)).ok();
            let Some(kept) = self.held.get(*pid, open) else { continue };
            match kept.bytes_in(&mut self.buffer) {
                Ok(bytes) => call(bytes),
                Err(_) => self.held.leave(*pid),
            }
        }
        self.held.end(|_| ());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_or_left_is_let_go_once() {
        let mut each = Each::new();
        let mut sample = |numbers: &[i32], left: &[i32]| {
            for number in numbers {
                assert!(each.get(*number, || Some(*number)).is_some());
            }
            left.iter().for_each(|number| each.leave(*number));
            let mut gone = Vec::new();
            each.end(|thing| gone.push(*thing));
            gone.sort_unstable();
            gone
        };
        assert!(sample(&[1, 2, 3], &[]).is_empty());
        assert_eq!(sample(&[1, 3], &[3]), [2, 3]);
        assert_eq!(sample(&[], &[]), [1]);
        assert!(sample(&[], &[]).is_empty());
    }

    #[test]
    fn what_cannot_be_made_is_not_held() {
        let mut each = Each::<u8>::new();
        assert!(each.get(1, || None).is_none());
        assert_eq!(each.things().count(), 0);
    }
}
