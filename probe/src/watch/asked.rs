//! Counters of all processes of the job, asked of taskstats.

use crate::parse::taskstats::Stats;
use crate::taskstats::Taskstats;

use super::Surroundings;
use super::each::Each;
use super::tasks::add;

/// The sum of some figures over all processes, each with all threads that it ever had: so only
/// figures that the kernel keeps of ended threads, `run_ns` and the delays, may be asked for.
///
/// A process that ended counts with what it was last seen with: what it did after that, and processes that came and
/// went between two samples, are missing. The sum may go down: a thread that is just ending (some 20 µs) is counted
/// twice by the kernel, and once from then on; the highest value would keep the error for ever.
pub struct Asked<const N: usize> {
    taskstats: Taskstats,
    figures: fn(Stats) -> Option<[u64; N]>,
    held: Each<[u64; N]>,
    ended: [u64; N],
}

impl<const N: usize> Asked<N> {
    /// `None` where taskstats may not be asked; the kernel answers for this machine, never for a recorded one.
    pub fn open(around: &Surroundings, figures: fn(Stats) -> Option<[u64; N]>) -> Option<Self> {
        let taskstats = Taskstats::open().ok().filter(|_| around.root.is_here())?;
        Some(Self { taskstats, figures, held: Each::new(), ended: [0; N] })
    }

    pub fn sum(&mut self, members: &[i32]) -> [u64; N] {
        for pid in members {
            let Some(now) = self.taskstats.of_process(*pid, self.figures).flatten() else { continue };
            if let Some(last) = self.held.get(*pid, || Some([0; N])) {
                // Of a process that has ended and is not waited for the kernel may tell zeros.
                if now.iter().any(|figure| *figure > 0) {
                    *last = now;
                }
            }
        }
        let ended = &mut self.ended;
        self.held.end(|last| add(ended, last));
        let mut sum = self.ended;
        self.held.things().for_each(|last| add(&mut sum, last));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Root;

    #[test]
    fn a_thread_that_came_and_went_is_in_the_sum_and_a_process_that_is_gone_stays_in_it() {
        let root = Root::here();
        let around = Surroundings { root: &root, group: None, mains: &[], own_network: false };
        let Some(mut asked) = Asked::open(&around, |stats| Some([stats.run_ns()?])) else { return };
        let me = i32::try_from(std::process::id()).expect("a number");
        // Threads of other tests may be ending just now.
        let [before] = (0..5).map(|_| asked.sum(&[me])).min().expect("sums");
        let busy = || {
            let used = crate::sys::thread_cpu_ns();
            while crate::sys::thread_cpu_ns() < used + 20_000_000 {}
        };
        std::thread::spawn(busy).join().expect("ended");
        let [after] = asked.sum(&[me]);
        assert!(after >= before + 20_000_000, "{before} {after}");
        assert_eq!(asked.sum(&[]), [after]);
    }
}
