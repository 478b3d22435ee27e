//! The `cpuN` lines of `/proc/stat`: what each processor did since boot.
//!
//! Source: proc(5). Ten states: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice.
//! Guest time is contained in user time, guest_nice in nice. Limits: steal from kernel 2.6.11 on, guest from 2.6.24,
//! guest_nice from 2.6.33; a processor that is off has no line; idle and iowait of one that comes back may go down.

pub const STATES: usize = 10;

/// One processor's ticks in each state; `None` where the kernel does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTimes {
    pub cpu: u32,
    pub ticks: [Option<u64>; STATES],
}

/// All processors' lines; other lines are passed over.
pub fn parse(text: &str) -> impl Iterator<Item = CpuTimes> {
    text.lines().take_while(|line| line.starts_with("cpu")).filter_map(line)
}

fn line(line: &str) -> Option<CpuTimes> {
    let mut words = line.strip_prefix("cpu")?.split_ascii_whitespace();
    let cpu = words.next()?.parse().ok().filter(|_| !line.starts_with("cpu "))?;
    let mut ticks = [None; STATES];
    for (tick, word) in ticks.iter_mut().zip(words) {
        *tick = word.parse().ok();
    }
    Some(CpuTimes { cpu, ticks })
}

/// Ticks of some processors together that nobody of theirs ran in; `None` where the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unused {
    pub idle: Option<u64>,
    pub iowait: Option<u64>,
    pub steal: Option<u64>,
}

/// The sum over these processors.
pub fn unused(text: &str, cpus: &[u32]) -> Unused {
    let sum = |state: usize| {
        let ours = parse(text).filter(|times| cpus.contains(&times.cpu));
        let mut ticks = ours.map(|times| times.ticks[state]).peekable();
        ticks.peek().is_some().then(|| ticks.sum::<Option<u64>>())?
    };
    Unused { idle: sum(3), iowait: sum(4), steal: sum(7) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = include_str!("../../tests/machines/hybrid-guest/proc/stat");

    #[test]
    fn each_processor_of_a_real_file_is_read_and_their_sum_is_not() {
        let all: Vec<CpuTimes> = parse(HERE).collect();
        assert_eq!(all.iter().map(|times| times.cpu).collect::<Vec<_>>(), [0, 1]);
        assert!(all.iter().all(|times| times.ticks.iter().all(Option::is_some)));
    }

    #[test]
    fn what_nobody_ran_in_is_summed_over_the_processors_asked_for() {
        let text = "cpu  9 9 9 9 9\ncpu0 1 2 3 40 5 6 7 8\ncpu1 1 2 3 400 50 6 7 80\ncpu2 1 2 3 4000\n";
        let sum = Unused { idle: Some(440), iowait: Some(55), steal: Some(88) };
        assert_eq!(unused(text, &[0, 1]), sum);
        assert_eq!(unused(text, &[1, 2]), Unused { idle: Some(4400), iowait: None, steal: None });
        assert_eq!(unused(text, &[7]), Unused::default());
    }

    #[test]
    fn an_old_kernel_has_fewer_states_and_garbage_is_no_figure() {
        let all: Vec<CpuTimes> = parse("cpu  9 9\ncpu7 1 2 x 4\ncpux 1\ncpu\nintr 5\ncpu8 1\n").collect();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].cpu, 7);
        assert_eq!(all[0].ticks[..5], [Some(1), Some(2), None, Some(4), None]);
    }
}
