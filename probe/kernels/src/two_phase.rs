//! `kernel two-phase`: a job with an initialization and an event loop, as a simulation of particle physics has.
//!
//! The initialization reads a file that was made once, or fills tables in memory, and then burns CPU time. Each event
//! does a fixed number of steps, so that a slower machine takes longer for the same work, and writes its output.
//! The job says in its log where it is, and on a descriptor that it was given where it is told to announce.
//! Limits: `init_ms` is CPU time by the machine's own clock, the same on a slow machine as on a fast one.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Result;
use crate::aligned::Record;
use crate::cost::{cannot, figure};
use crate::entry::{Entry, HIGHER, LOWER, Method, Metric};
use crate::integer::{jump, step};
use crate::random::Random;
use crate::sys;

pub const ENTRY: Entry = Entry {
    name: "two-phase",
    does: "A job with an initialization and an event loop of fixed work, input and output.",
    rules: "ours",
    metrics: &[
        Metric { name: "init_s", unit: "s", direction: LOWER },
        Metric { name: "event_loop_s", unit: "s", direction: LOWER },
        Metric { name: "events_per_s", unit: "events/s", direction: HIGHER },
    ],
};
const BLOCK: usize = 1 << 16;
const OUTPUT: &str = "two-phase.out";

pub struct Options<'a> {
    /// File to read in the initialization; none: tables in memory.
    pub input: Option<&'a Path>,
    /// Make that file first, of `init_bytes`; its content is in the page cache then.
    pub make: bool,
    pub init_bytes: usize,
    /// Times that the file is read, each time from its start.
    pub reads: usize,
    /// Past the page cache (O_DIRECT); `init_bytes` in whole pages then.
    pub direct: bool,
    pub init_ms: u64,
    pub events: u64,
    /// Steps of a linear congruential generator for each event.
    pub event_work: u64,
    /// Written to a file in the directory for each event.
    pub output_bytes: usize,
    pub directory: &'a Path,
    /// Events between two log lines.
    pub every: u64,
    /// Descriptor for the phases.
    pub announce: Option<i32>,
}

/// The log, and the descriptor that hears of the phases.
struct Teller<'a> {
    log: &'a mut dyn Write,
    phases: Option<File>,
}

impl Teller<'_> {
    /// A phase begins now, whenever who runs us reads it.
    fn begin(&mut self, line: &str, phase: &str) -> Result<()> {
        let now_ns = sys::monotonic_ns();
        self.say(line, &format!("phase {phase} {now_ns}"))
    }

    fn say(&mut self, line: &str, announcement: &str) -> Result<()> {
        writeln!(self.log, "{line}").and_then(|()| self.log.flush()).map_err(cannot("write the log"))?;
        match &mut self.phases {
            Some(phases) if !announcement.is_empty() => {
                phases.write_all(format!("{announcement}\n").as_bytes()).map_err(cannot("announce a phase"))
            }
            _ => Ok(()),
        }
    }
}

/// Makes the file that the initialization reads: numbers that a file system cannot compress away.
pub fn prepare(input: &Path, bytes: usize) -> Result<Value> {
    let what = format!("make {}", input.display());
    let mut random = Random(1);
    let mut file = File::create(input).map_err(cannot(&what))?;
    let mut left = bytes;
    while left > 0 {
        let block: Vec<u8> = (0..BLOCK / 8).flat_map(|_| random.next().to_le_bytes()).collect();
        let now = left.min(BLOCK);
        file.write_all(&block[..now]).map_err(cannot(&what))?;
        left -= now;
    }
    file.sync_all().map_err(cannot(&what))?;
    Ok(json!({"kernel": ENTRY.name, "prepared": input.display().to_string(), "bytes": bytes}))
}

/// Opens the file that the initialization reads.
fn open(input: &Path, direct: bool) -> io::Result<File> {
    let flags = if direct { sys::DIRECT } else { 0 };
    OpenOptions::new().read(true).custom_flags(flags).open(input)
}

/// Reads so many bytes; what they are does not matter, that they are there does.
fn read(input: &Path, options: &Options) -> Result<()> {
    let bytes = options.init_bytes;
    let what = format!("read {bytes} bytes of {}", input.display());
    let file = open(input, options.direct).map_err(cannot(&what))?;
    let mut block = Record::new(BLOCK);
    let (mut file, mut left) = (file.take(bytes as u64), bytes);
    while left > 0 {
        match file.read(block.bytes()) {
            Ok(0) => return Err(format!("cannot {what}: it is {left} bytes too short")),
            Ok(now) => left -= now,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(cannot(&what)(error)),
        }
        black_box(block.bytes());
    }
    Ok(())
}

/// Burns CPU time of this thread.
fn burn(ms: u64) {
    let end = sys::thread_cpu_ns() + ms * 1_000_000;
    let mut x = 1;
    while sys::thread_cpu_ns() < end {
        x = work(x, 10_000);
    }
    black_box(x);
}

#[inline(never)]
fn work(mut x: u64, steps: u64) -> u64 {
    for _ in 0..steps {
        x = step(x);
    }
    x
}

/// Tables, where there is no file; they live as long as the job.
fn initialize(options: &Options) -> Result<Vec<u64>> {
    if let Some(input) = options.input.filter(|_| options.make) {
        prepare(input, options.init_bytes)?;
    }
    let tables = match options.input {
        Some(input) => (0..options.reads).try_for_each(|_| read(input, options)).map(|()| Vec::new())?,
        None => {
            let mut random = Random(1);
            (0..options.init_bytes.div_ceil(8)).map(|_| random.next()).collect()
        }
    };
    burn(options.init_ms);
    Ok(tables)
}

/// Does the events: an error where one came out wrong.
fn events(options: &Options, teller: &mut Teller) -> Result<()> {
    let path = options.directory.join(OUTPUT);
    let what = format!("write {}", path.display());
    let output = (options.output_bytes > 0).then(|| File::create(&path)).transpose().map_err(cannot(&what))?;
    let bytes = vec![0x5a; options.output_bytes];
    for event in 1..=options.events {
        if black_box(work(black_box(event), options.event_work)) != jump(event, options.event_work) {
            return Err(format!("cannot trust this processor: event {event} came out wrong"));
        }
        if let Some(mut output) = output.as_ref() {
            output.write_all(&bytes).map_err(cannot(&what))?;
        }
        if event % options.every == 0 {
            teller.say(&format!("event {event}"), &format!("events {event}"))?;
        }
    }
    Ok(())
}

/// Runs the job; log lines come as it goes, the report is returned.
pub fn two_phase(options: &Options, log: &mut dyn Write) -> Result<Value> {
    let phases = options.announce.map(|fd| sys::given(fd).ok_or(format!("cannot announce on descriptor {fd}")));
    let mut teller = Teller { log, phases: phases.transpose()? };
    teller.begin("init begins", "init")?;
    let start = Instant::now();
    let tables = black_box(initialize(options)?);
    let init_s = start.elapsed().as_secs_f64();
    teller.begin("event loop begins", "event-loop")?;
    let start = Instant::now();
    events(options, &mut teller)?;
    let loop_s = start.elapsed().as_secs_f64();
    teller.say("event loop ends", "")?;
    drop(tables);
    teller.begin("end", "end")?;
    Ok(report(options, init_s, loop_s))
}

fn report(options: &Options, init_s: f64, loop_s: f64) -> Value {
    let rate = (options.events > 0).then(|| options.events as f64 / loop_s);
    let looped = (options.events > 0).then_some(loop_s);
    let figures = [figure("init_s", Some(init_s)), figure("event_loop_s", looped), figure("events_per_s", rate)];
    let facts = json!({
        "init_bytes": options.init_bytes,
        "reads": options.reads,
        "direct": options.direct,
        "init_ms": options.init_ms,
        "events": options.events,
        "event_work": options.event_work,
        "output_bytes": options.output_bytes,
    });
    ENTRY.report(&Method { repetitions: 1, statistic: "single", warm_up: "none" }, &figures, facts)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    fn options(directory: &Path) -> Options<'_> {
        let (input, announce) = (None, None);
        let (events, event_work, output_bytes, every) = (5, 100, 10, 2);
        let (make, reads, direct) = (false, 2, false);
        Options {
            input,
            make,
            init_bytes: 1000,
            reads,
            direct,
            init_ms: 1,
            events,
            event_work,
            output_bytes,
            directory,
            every,
            announce,
        }
    }

    fn room(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("assay-two-phase-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        path
    }

    #[test]
    fn the_log_says_where_the_job_is() {
        let (room, mut log) = (room("log"), Vec::new());
        let report = two_phase(&options(&room), &mut log).expect("a report");
        let lines = String::from_utf8(log).expect("text");
        assert_eq!(lines, "init begins\nevent loop begins\nevent 2\nevent 4\nevent loop ends\nend\n");
        assert_eq!(std::fs::metadata(room.join(OUTPUT)).expect("output").len(), 50);
        assert!(report["metrics"][2]["value"].as_f64().is_some_and(|rate| rate > 0.0));
        std::fs::remove_dir_all(room).expect("gone");
    }

    #[test]
    fn phases_are_announced_where_asked_for() {
        let (room, (mut heard, told)) = (room("phases"), sys::pipe().expect("a pipe"));
        let options = Options { announce: Some(told.as_raw_fd()), ..options(&room) };
        two_phase(&options, &mut Vec::new()).expect("a report");
        drop(told);
        let mut text = String::new();
        heard.read_to_string(&mut text).expect("text");
        let lines = text.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "));
        assert!(lines.eq(["phase init", "phase event-loop", "events 2", "events 4", "phase end"]), "{text}");
        let times = text.lines().filter_map(|line| line.split(' ').nth(2)).map(|ns| ns.parse::<u64>().expect("ns"));
        assert!(times.clone().is_sorted() && times.count() == 3, "{text}");
        std::fs::remove_dir_all(room).expect("gone");
    }

    #[test]
    fn a_file_is_made_once_and_read_whole() {
        let room = room("input");
        let input = room.join("in");
        prepare(&input, 100_000).expect("a file");
        assert!(
            two_phase(&Options { input: Some(&input), init_bytes: 100_000, ..options(&room) }, &mut Vec::new())
                .is_ok()
        );
        let fresh = room.join("fresh");
        assert!(two_phase(&Options { input: Some(&fresh), make: true, ..options(&room) }, &mut Vec::new()).is_ok());
        let error =
            two_phase(&Options { input: Some(&input), init_bytes: 100_001, ..options(&room) }, &mut Vec::new());
        assert!(error.is_err_and(|error| error.ends_with("1 bytes too short")));
        std::fs::remove_dir_all(room).expect("gone");
    }

    #[test]
    fn a_file_is_read_past_the_page_cache_where_asked_for() {
        // Of the tree: the folder of temporary files may be memory, which refuses it.
        let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sys.rs");
        let room = room("direct");
        let asked = Options { input: Some(&input), init_bytes: 4096, direct: true, ..options(&room) };
        let report = two_phase(&asked, &mut Vec::new()).expect("a report");
        assert_eq!((&report["direct"], &report["reads"]), (&json!(true), &json!(2)));
        std::fs::remove_dir_all(room).expect("gone");
    }

    #[test]
    fn no_events_have_no_rate() {
        let room = room("none");
        let report = two_phase(&Options { events: 0, ..options(&room) }, &mut Vec::new()).expect("a report");
        assert_eq!(report["metrics"][2]["value"], Value::Null);
        std::fs::remove_dir_all(room).expect("gone");
    }
}
