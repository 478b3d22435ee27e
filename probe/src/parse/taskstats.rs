//! Records of taskstats: what a thread, or a whole process, used and waited for.
//!
//! Source: Linux Documentation/accounting/taskstats.rst, include/uapi/linux/taskstats.h. The structure grows with its
//! version: fields beyond its length are absent. Limits: version 15 (kernel 6.14 and some after it) put fields in the
//! middle, which version 16 took back: it is not read. Of a process (`group`) `run_ns` and the delays contain threads
//! that have ended (Linux kernel/taskstats.c, `fill_tgid_exit`), CPU times by mode and switches do not, the rest is
//! zero; of one that never had a second thread all is zero once it has ended. `*_char` and `*_bytes` are rounded down
//! to 1024 bytes for each thread. Times in user and system mode count in ticks; `run_ns` is exact.

use super::genetlink::{attributes, messages};

const PID: u16 = 1;
const TGID: u16 = 2;
const STATS: u16 = 3;
const AGGR_PID: u16 = 4;
const AGGR_TGID: u16 = 5;
const SHIFTED_VERSION: u16 = 15;

/// One record.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// Number of the thread, or of the process where `group` is set.
    pub id: i32,
    pub group: bool,
    pub stats: Stats<'a>,
}

/// The structure as the kernel sent it.
#[derive(Clone, Copy, Debug)]
pub struct Stats<'a>(&'a [u8]);

impl Stats<'_> {
    fn u64(&self, at: usize) -> Option<u64> {
        Some(u64::from_ne_bytes(self.0.get(at..at + 8)?.try_into().ok()?))
    }

    fn i32(&self, at: usize) -> Option<i32> {
        Some(i32::from_ne_bytes(self.0.get(at..at + 4)?.try_into().ok()?))
    }

    pub fn cpu_delay_ns(&self) -> Option<u64> {
        self.u64(24)
    }

    pub fn block_io_delay_ns(&self) -> Option<u64> {
        self.u64(40)
    }

    pub fn swap_in_delay_ns(&self) -> Option<u64> {
        self.u64(56)
    }

    /// Time on a processor.
    pub fn run_ns(&self) -> Option<u64> {
        self.u64(72)
    }

    /// Waiting for memory to be reclaimed.
    pub fn reclaim_delay_ns(&self) -> Option<u64> {
        self.u64(320)
    }

    pub fn exit(&self) -> Option<Exit> {
        Some(Exit {
            pid: self.i32(128)?,
            tgid: self.i32(368),
            ppid: self.i32(132)?,
            run_ns: self.run_ns()?,
            utime_us: self.u64(152)?,
            stime_us: self.u64(160)?,
            minflt: self.u64(168)?,
            majflt: self.u64(176)?,
            read_char: self.u64(216),
            write_char: self.u64(224),
            read_bytes: self.u64(248),
            write_bytes: self.u64(256),
            nvcsw: self.u64(272),
            nivcsw: self.u64(280),
        })
    }
}

/// What a thread had used when it ended. Its process's total is the sum over the process's threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Number of the thread.
    pub pid: i32,
    /// Number of its process; told from version 12 (kernel 5.19) on.
    pub tgid: Option<i32>,
    /// Its parent when it ended: who adopted it, if its first parent was gone.
    pub ppid: i32,
    /// Time on a processor, exact.
    pub run_ns: u64,
    pub utime_us: u64,
    pub stime_us: u64,
    pub minflt: u64,
    pub majflt: u64,
    pub read_char: Option<u64>,
    pub write_char: Option<u64>,
    pub read_bytes: Option<u64>,
    pub write_bytes: Option<u64>,
    pub nvcsw: Option<u64>,
    pub nivcsw: Option<u64>,
}

/// The records of a datagram from this family; answers that refuse hold none.
pub fn records(datagram: &[u8], family: u16) -> impl Iterator<Item = Record<'_>> {
    let ours = messages(datagram).filter(move |message| message.family == family);
    ours.flat_map(|message| attributes(message.body)).filter_map(|(kind, bytes)| record(kind, bytes))
}

fn record(kind: u16, bytes: &[u8]) -> Option<Record<'_>> {
    let group = match kind {
        AGGR_PID => false,
        AGGR_TGID => true,
        _ => return None,
    };
    let find = |wanted: u16| attributes(bytes).find(|(kind, _)| *kind == wanted).map(|(_, value)| value);
    let id = find(if group { TGID } else { PID })?;
    let stats = find(STATS)?;
    let version = u16::from_ne_bytes(stats.get(..2)?.try_into().ok()?);
    let id = i32::from_ne_bytes(id.get(..4)?.try_into().ok()?);
    (version != SHIFTED_VERSION).then_some(Record { id, group, stats: Stats(stats) })
}

#[cfg(test)]
mod tests {
    use super::*;

    // `sh -c 'head … | head … > FILE; exit 3'`, and a Python process of three threads, of which two had ended.
    const EXIT: &[u8] = include_bytes!("../../tests/netlink/exit.bin");
    const GROUP: &[u8] = include_bytes!("../../tests/netlink/group.bin");
    const REFUSED: &[u8] = include_bytes!("../../tests/netlink/refused.bin");
    const FAMILY: u16 = 31;

    fn first(datagram: &[u8]) -> Option<Record<'_>> {
        records(datagram, FAMILY).next()
    }

    #[test]
    fn a_recorded_exit_is_read() {
        let record = first(EXIT).expect("a record");
        let exit = record.stats.exit().expect("an exit");
        assert_eq!((record.id, record.group, exit.pid, exit.tgid), (15627, false, 15627, Some(15627)));
        assert!(exit.run_ns > 0 && exit.minflt > 0 && exit.ppid > 0);
        assert!(exit.nvcsw >= Some(1) && exit.write_bytes.is_some());
    }

    #[test]
    fn a_recorded_process_tells_of_threads_that_have_ended() {
        let record = first(GROUP).expect("a record");
        assert_eq!((record.id, record.group), (15624, true));
        assert!(record.stats.run_ns() > Some(50_000_000) && record.stats.cpu_delay_ns().is_some());
    }

    #[test]
    fn a_refusal_and_another_family_are_no_record() {
        assert!(first(REFUSED).is_none());
        assert!(records(EXIT, FAMILY + 1).next().is_none());
    }

    #[test]
    fn fields_that_an_older_version_does_not_have_are_absent() {
        let stats = first(EXIT).expect("a record").stats;
        let exit = Stats(&stats.0[..272]).exit().expect("an exit");
        assert_eq!((exit.nvcsw, exit.tgid, Stats(&stats.0[..272]).reclaim_delay_ns()), (None, None, None));
        assert!(exit.read_char.is_some());
        assert_eq!(Stats(&stats.0[..100]).exit(), None);
    }

    #[test]
    fn the_version_with_shifted_fields_is_not_read() {
        let mut bytes = EXIT.to_vec();
        let version = bytes.len() - first(EXIT).expect("a record").stats.0.len();
        bytes[version..version + 2].copy_from_slice(&SHIFTED_VERSION.to_ne_bytes());
        assert!(first(&bytes).is_none());
    }

    #[test]
    fn cut_and_broken_messages_never_panic() {
        for length in 0..EXIT.len() {
            assert!(first(&EXIT[..length]).is_none());
        }
        let mut bytes = EXIT.to_vec();
        for at in 0..bytes.len() {
            let old = std::mem::replace(&mut bytes[at], 0xff);
            records(&bytes, FAMILY).for_each(|record| assert!(record.stats.exit().is_none_or(|exit| exit.ppid != 0)));
            bytes[at] = old;
        }
    }

    #[test]
    fn each_figure_is_read_from_its_place() {
        // Every field of 64 bits holds the place that it begins at.
        let bytes: Vec<u8> = (0..376_u64).step_by(8).flat_map(u64::to_ne_bytes).collect();
        let stats = Stats(&bytes);
        assert_eq!((stats.cpu_delay_ns(), stats.block_io_delay_ns()), (Some(24), Some(40)));
        assert_eq!((stats.swap_in_delay_ns(), stats.run_ns()), (Some(56), Some(72)));
        assert_eq!(stats.reclaim_delay_ns(), Some(320));
        let exit = stats.exit().expect("an exit");
        assert_eq!((exit.utime_us, exit.stime_us, exit.minflt, exit.majflt), (152, 160, 168, 176));
        assert_eq!((exit.read_char, exit.write_char), (Some(216), Some(224)));
        assert_eq!((exit.read_bytes, exit.write_bytes), (Some(248), Some(256)));
        assert_eq!((exit.nvcsw, exit.nivcsw, exit.run_ns), (Some(272), Some(280), 72));
    }
}
