//! What the kernel gives of perf events: counts, and records of a buffer.
//!
//! Source: perf_event_open(2) "Reading results", "MMAP layout". Limits: this machine's byte order; samples hold
//! instruction pointer, thread, time and call chain; every other record ends in thread and time (`sample_id_all`).

/// PERF_FORMAT_TOTAL_TIME_ENABLED and PERF_FORMAT_TOTAL_TIME_RUNNING.
pub const READ_FORMAT: u64 = 0b11;
/// PERF_SAMPLE_IP, _TID, _TIME and _CALLCHAIN.
pub const SAMPLE_TYPE: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 5;

/// A count, and how long it was wanted and held on a counter of the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub raw: u64,
    pub enabled_ns: u64,
    pub running_ns: u64,
}

impl Counted {
    /// The three numbers of a read with `READ_FORMAT`.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        Some(Self { raw: long(bytes, 0)?, enabled_ns: long(bytes, 8)?, running_ns: long(bytes, 16)? })
    }

    /// The count for the whole time, where counters were shared among more events than the processor has;
    /// `None` where the event was never on a counter.
    pub fn scaled(self) -> Option<u64> {
        if self.running_ns == 0 {
            return None;
        }
        let scaled = u128::from(self.raw) * u128::from(self.enabled_ns) / u128::from(self.running_ns);
        u64::try_from(scaled).ok()
    }
}

/// The first eight bytes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: u32,
    pub misc: u16,
    pub bytes: usize,
}

/// Bytes of a `Head`.
pub const HEAD_BYTES: usize = 8;

pub const MMAP: u32 = 1;
pub const LOST: u32 = 2;
pub const COMM: u32 = 3;
pub const THROTTLE: u32 = 5;
pub const FORK: u32 = 7;
pub const SAMPLE: u32 = 9;
pub const MMAP2: u32 = 10;
pub const LOST_SAMPLES: u32 = 13;

impl Head {
    /// `None` where the bytes are cut or no record.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let size = usize::from(u16::from_ne_bytes(bytes.get(6..8)?.try_into().ok()?));
        let misc = u16::from_ne_bytes(bytes.get(4..6)?.try_into().ok()?);
        (size >= HEAD_BYTES).then_some(Self { kind: int(bytes, 0)?, misc, bytes: size })
    }
}

/// Heads and bodies of the records that lie one behind the other; ends at one that is cut.
pub fn records(mut bytes: &[u8]) -> impl Iterator<Item = (Head, &[u8])> {
    std::iter::from_fn(move || {
        let head = Head::parse(bytes)?;
        let body = bytes.get(HEAD_BYTES..head.bytes)?;
        bytes = &bytes[head.bytes..];
        Some((head, body))
    })
}

/// A record that matters to a profile.
#[derive(Debug, PartialEq, Eq)]
pub enum Record {
    Sample(Sample),
    Map(Map),
    /// A thread has a new name, by executing a program or by its own wish.
    Name {
        thread: u32,
        process: u32,
        name: String,
        executed: bool,
        time_ns: u64,
    },
    /// A process or a thread of one begins.
    Fork {
        thread: u32,
        process: u32,
        parent_thread: u32,
        parent: u32,
        time_ns: u64,
    },
    /// So many records did not find room in the buffer.
    Lost(u64),
}

/// Where a thread was.
#[derive(Debug, PartialEq, Eq)]
pub struct Sample {
    pub process: u32,
    pub thread: u32,
    pub time_ns: u64,
    /// The innermost frame first.
    pub frames: Vec<Frame>,
}

/// An address and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub address: u64,
    pub mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Kernel,
    User,
    /// Code of a virtual machine that runs on this one.
    Guest,
}

/// Executable memory of a process that shows a part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    pub process: u32,
    pub start: u64,
    pub bytes: u64,
    pub offset: u64,
    pub file: String,
    pub time_ns: u64,
}

// PERF_RECORD_MISC_COMM_EXEC.
const EXECUTED: u16 = 1 << 13;

/// Reads a record; `None` for kinds that do not matter and for cut ones.
pub fn record(head: Head, body: &[u8]) -> Option<Record> {
    match head.kind {
        SAMPLE => sample(head.misc, body).map(Record::Sample),
        MMAP => map(body, 32).map(Record::Map),
        MMAP2 => map(body, 64).map(Record::Map),
        COMM => Some(Record::Name {
            process: int(body, 0)?,
            thread: int(body, 4)?,
            name: text(body.get(8..)?),
            executed: head.misc & EXECUTED != 0,
            time_ns: time(body)?,
        }),
        FORK => Some(Record::Fork {
            process: int(body, 0)?,
            parent: int(body, 4)?,
            thread: int(body, 8)?,
            parent_thread: int(body, 12)?,
            time_ns: long(body, 16)?,
        }),
        LOST => long(body, 8).map(Record::Lost),
        LOST_SAMPLES => long(body, 0).map(Record::Lost),
        _ => None,
    }
}

fn map(body: &[u8], name: usize) -> Option<Map> {
    Some(Map {
        process: int(body, 0)?,
        start: long(body, 8)?,
        bytes: long(body, 16)?,
        offset: long(body, 24)?,
        file: text(body.get(name..)?),
        time_ns: time(body)?,
    })
}

fn sample(misc: u16, body: &[u8]) -> Option<Sample> {
    let count = usize::try_from(long(body, 24)?).ok()?;
    let chain = body.get(32..)?.chunks_exact(8).take(count).filter_map(|bytes| long(bytes, 0));
    let mut frames = frames(chain);
    if frames.is_empty() {
        // A kernel without call chains, or code in which none can be walked.
        frames.push(Frame { address: long(body, 0)?, mode: mode(misc) });
    }
    Some(Sample { process: int(body, 8)?, thread: int(body, 12)?, time_ns: long(body, 16)?, frames })
}

// PERF_RECORD_MISC_CPUMODE_MASK and its values.
fn mode(misc: u16) -> Mode {
    match misc & 0b111 {
        2 => Mode::User,
        4 | 5 => Mode::Guest,
        _ => Mode::Kernel,
    }
}

/// Addresses of a chain; the kernel puts marks (PERF_CONTEXT_*, the topmost page of numbers) between its parts.
fn frames(chain: impl Iterator<Item = u64>) -> Vec<Frame> {
    const MARKS: u64 = -4095_i64 as u64;
    const KERNEL: u64 = -128_i64 as u64;
    const USER: u64 = -512_i64 as u64;
    let (mut mode, mut frames) = (Mode::Kernel, Vec::new());
    for address in chain {
        match address {
            KERNEL => mode = Mode::Kernel,
            USER => mode = Mode::User,
            MARKS.. => mode = Mode::Guest,
            address => frames.push(Frame { address, mode }),
        }
    }
    frames
}

/// Time in the last eight bytes.
fn time(body: &[u8]) -> Option<u64> {
    long(body, body.len().checked_sub(8)?)
}

/// Text up to its 0.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or(bytes)).into_owned()
}

fn int(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// A record as the kernel would have written it, of a map that was there before.
pub fn write_map(map: &Map) -> Vec<u8> {
    let mut body = [map.process.to_ne_bytes(), map.process.to_ne_bytes()].concat();
    for number in [map.start, map.bytes, map.offset] {
        body.extend(number.to_ne_bytes());
    }
    body.extend(padded(&map.file));
    write(MMAP, map.process, map.time_ns, body)
}

/// A record as the kernel would have written it, of a name that was there before.
pub fn write_name(process: u32, thread: u32, name: &str) -> Vec<u8> {
    let body = [&process.to_ne_bytes()[..], &thread.to_ne_bytes(), &padded(name)].concat();
    write(COMM, process, 0, body)
}

/// At least one 0 behind the text, and a multiple of eight bytes.
fn padded(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 8 * 8 + 8, 0);
    bytes
}

fn write(kind: u32, process: u32, time_ns: u64, body: Vec<u8>) -> Vec<u8> {
    let bytes = u16::try_from(HEAD_BYTES + body.len() + 16).unwrap_or(u16::MAX);
    let head = [&kind.to_ne_bytes()[..], &0_u16.to_ne_bytes(), &bytes.to_ne_bytes()].concat();
    let tail = [&process.to_ne_bytes()[..], &process.to_ne_bytes(), &time_ns.to_ne_bytes()].concat();
    [head, body, tail].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longs(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
    }

    #[test]
    fn a_count_of_half_the_time_is_doubled() {
        // As read on a machine with four counters and eight events.
        let counted = Counted::parse(&longs(&[1_234_567_890, 2_000_000_000, 1_000_000_000])).expect("a count");
        assert_eq!(counted.scaled(), Some(2_469_135_780));
        let whole = Counted { raw: 5, enabled_ns: 77, running_ns: 77 };
        assert_eq!(whole.scaled(), Some(5));
    }

    #[test]
    fn large_counts_are_scaled_without_overflow() {
        let counted = Counted { raw: 1 << 62, enabled_ns: 3_000_000_000, running_ns: 1_500_000_000 };
        assert_eq!(counted.scaled(), Some(1 << 63));
        assert_eq!(Counted { raw: u64::MAX, enabled_ns: 2, running_ns: 1 }.scaled(), None);
    }

    #[test]
    fn an_event_that_never_held_a_counter_has_no_value() {
        let counted = Counted::parse(&longs(&[0, 2_000_000_000, 0])).expect("a count");
        assert_eq!(counted.scaled(), None);
        assert_eq!(Counted::parse(&longs(&[1, 2])), None);
    }

    #[test]
    fn a_sample_tells_kernel_and_user_frames_apart() {
        let (kernel, user) = (-128_i64 as u64, -512_i64 as u64);
        let ids = [&7_u32.to_ne_bytes()[..], &8_u32.to_ne_bytes()].concat();
        let chain = longs(&[99, 5, kernel, 0xffff_ffff_8100_0010, user, 0x40_1000, 0x40_2000]);
        let body = [longs(&[1]), ids, chain].concat();
        let Some(sample) = sample(1, &body) else { panic!("a sample") };
        assert_eq!((sample.process, sample.thread, sample.time_ns), (7, 8, 99));
        let modes: Vec<Mode> = sample.frames.iter().map(|frame| frame.mode).collect();
        assert_eq!(modes, [Mode::Kernel, Mode::User, Mode::User]);
    }

    #[test]
    fn a_sample_without_a_chain_is_where_it_was() {
        let ids = [&7_u32.to_ne_bytes()[..], &7_u32.to_ne_bytes()].concat();
        let body = [longs(&[0x1234]), ids, longs(&[99, 0])].concat();
        let frames = sample(4, &body).expect("a sample").frames;
        assert_eq!(frames, [Frame { address: 0x1234, mode: Mode::Guest }]);
    }

    #[test]
    fn what_is_written_reads_back() {
        let map = Map { process: 3, start: 4096, bytes: 8192, offset: 0, file: "/lib/x.so".into(), time_ns: 0 };
        let bytes = [write_map(&map), write_name(3, 4, "a (b) c")].concat();
        let read: Vec<Record> = records(&bytes).filter_map(|(head, body)| record(head, body)).collect();
        let name = Record::Name { process: 3, thread: 4, name: "a (b) c".into(), executed: false, time_ns: 0 };
        assert_eq!(read, [Record::Map(map), name]);
    }

    #[test]
    fn cut_records_end_the_list() {
        let bytes = write_name(3, 4, "job");
        assert_eq!(records(&bytes[..bytes.len() - 1]).count(), 0);
        assert_eq!(records(&[0; 64]).count(), 0);
        assert_eq!(records(&[bytes.clone(), bytes[..4].to_vec()].concat()).count(), 1);
        for end in 0..40 {
            let _ = record(Head { kind: SAMPLE, misc: 0, bytes: end }, &[1; 40][..end]);
        }
    }

    fn ints(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
    }

    #[test]
    fn every_kind_of_record_that_matters_is_read_field_by_field() {
        let read = |kind, misc, body: &[u8]| record(Head { kind, misc, bytes: HEAD_BYTES + body.len() }, body);
        let fork = [ints(&[1, 2, 3, 4]), longs(&[5, 6])].concat();
        let expected = Record::Fork { process: 1, parent: 2, thread: 3, parent_thread: 4, time_ns: 5 };
        assert_eq!(read(FORK, 0, &fork), Some(expected));
        assert_eq!(read(LOST, 0, &longs(&[1, 7, 9])), Some(Record::Lost(7)));
        assert_eq!(read(LOST_SAMPLES, 0, &longs(&[7, 9])), Some(Record::Lost(7)));
        assert_eq!(read(THROTTLE, 0, &longs(&[7, 9, 1])), None);
        let name = [ints(&[1, 2]), b"job\0\0\0\0\0".to_vec(), ints(&[1, 2]), longs(&[77])].concat();
        let named = |executed| Record::Name { process: 1, thread: 2, name: "job".into(), executed, time_ns: 77 };
        assert_eq!((read(COMM, EXECUTED, &name), read(COMM, 1, &name)), (Some(named(true)), Some(named(false))));
        let sample = [longs(&[0x40]), ints(&[1, 2]), longs(&[88, 0])].concat();
        let frames = |mode| vec![Frame { address: 0x40, mode }];
        for (misc, mode) in [(1, Mode::Kernel), (2, Mode::User), (4, Mode::Guest), (5, Mode::Guest)] {
            let expected = Record::Sample(Sample { process: 1, thread: 2, time_ns: 88, frames: frames(mode) });
            assert_eq!(read(SAMPLE, misc, &sample), Some(expected), "{misc}");
        }
        for (kind, more) in [(MMAP, 0), (MMAP2, 32)] {
            let map = [
                ints(&[1, 2]),
                longs(&[4096, 8192, 16]),
                vec![0; more],
                b"/lib/x\0\0".to_vec(),
                ints(&[1, 2]),
                longs(&[99]),
            ];
            let expected =
                Map { process: 1, start: 4096, bytes: 8192, offset: 16, file: "/lib/x".into(), time_ns: 99 };
            assert_eq!(read(kind, 0, &map.concat()), Some(Record::Map(expected)));
        }
    }

    #[test]
    fn a_name_is_padded_to_whole_words_with_a_zero_at_least() {
        let lengths = ["", "1234567", "12345678", "12345678901234567890"].map(|name| padded(name).len());
        assert_eq!(lengths, [8, 8, 16, 24]);
        assert_eq!(padded("ab"), b"ab\0\0\0\0\0\0");
    }
}
