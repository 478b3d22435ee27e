//! What a job writes: each stream is kept up to its limit, and the disk of the run's folder from filling up.
//!
//! The streams stay plain files, for a job that writes to a pipe is another job; their sizes are looked at instead.
//! What lies beyond a limit is cut off at each look, while the job is ended.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::spec::Spec;
use crate::sys;

use super::why::Why;

/// Time between two looks at most; a little more than the usual time between samples, which look too.
const MOST_NS: u64 = 1_100_000_000;
/// Time between two looks at least, and while a job that is too much is being ended.
const LEAST_NS: u64 = 20_000_000;
/// No processor fills a disk faster: what those of today copy into the page cache.
const FASTEST_BYTES_PER_S: u128 = 4 << 30;

/// A stream of a job.
struct Stream {
    name: String,
    file: File,
    /// The most that it was seen to hold; what was written after a cut is not added up.
    most_bytes: u64,
}

/// The streams of all copies, and the room on the disk that they lie on.
pub struct Outputs {
    streams: Vec<Stream>,
    limit_bytes: u64,
    place: PathBuf,
    keep_free_bytes: u64,
    /// Processors that may write at once.
    writers: u64,
    least_free_bytes: Option<u64>,
    due_ns: i64,
}

impl Outputs {
    /// Begins with files that are open for writing, by name.
    pub fn new(spec: &Spec, folder: &Folder, files: impl IntoIterator<Item = (String, OwnedFd)>) -> Self {
        let stream = |(name, file): (String, OwnedFd)| Stream { name, file: file.into(), most_bytes: 0 };
        Self {
            streams: files.into_iter().map(stream).collect(),
            limit_bytes: spec.output_limit_bytes,
            place: folder.path().to_owned(),
            keep_free_bytes: spec.keep_free_bytes,
            writers: writers(spec.placement.copies),
            least_free_bytes: None,
            due_ns: 0,
        }
    }

    /// When to look again.
    pub fn due(&self) -> i64 {
        self.due_ns
    }

    /// Cuts what is beyond its limit, and says why the job has to end.
    pub fn look(&mut self, now_ns: i64) -> Option<Why> {
        self.cut();
        let free_bytes = if self.keep_free_bytes > 0 { free(&self.place) } else { None };
        self.least_free_bytes = self.least_free_bytes.into_iter().chain(free_bytes).min();
        let why = self.why(free_bytes);
        let gap_ns = why.map_or_else(|| gap_ns(free_bytes, self.keep_free_bytes, self.writers), |_| LEAST_NS);
        self.due_ns = now_ns.saturating_add(gap_ns as i64);
        why
    }

    /// Cuts what is beyond its limit.
    pub fn cut(&mut self) {
        for stream in &mut self.streams {
            let bytes = stream.file.metadata().map_or(0, |metadata| metadata.len());
            stream.most_bytes = stream.most_bytes.max(bytes);
            if bytes > self.limit_bytes {
                let _ = stream.file.set_len(self.limit_bytes);
            }
        }
    }

    /// The first stream that was beyond its limit.
    pub fn over(&self) -> Option<&str> {
        self.all_over().next().map(|stream| stream.name.as_str())
    }

    fn all_over(&self) -> impl Iterator<Item = &Stream> {
        self.streams.iter().filter(|stream| stream.most_bytes > self.limit_bytes)
    }

    fn why(&self, free_bytes: Option<u64>) -> Option<Why> {
        if self.over().is_some() {
            return Some(Why::Output);
        }
        free_bytes.is_some_and(|free| free < self.keep_free_bytes).then_some(Why::Room)
    }

    /// Why a job was ended for want of room, or not started.
    pub fn want_of_room(&self) -> String {
        let free = self.least_free_bytes.unwrap_or(0);
        format!("the disk of {} had {free} bytes free and {} are kept", self.place.display(), self.keep_free_bytes)
    }

    /// The fields of a record.
    pub fn json(&self) -> (Value, Value) {
        let told = |stream: &Stream| json!({"stream": stream.name, "bytes": stream.most_bytes});
        let over: Value = self.all_over().map(told).collect();
        let output = json!({"limit_bytes": self.limit_bytes, "over": over});
        (output, json!({"keep_free_bytes": self.keep_free_bytes, "least_free_bytes": self.least_free_bytes}))
    }
}

/// The fields of a record where nothing was started.
pub fn nothing(spec: &Spec) -> (Value, Value) {
    let output = json!({"limit_bytes": spec.output_limit_bytes, "over": []});
    (output, json!({"keep_free_bytes": spec.keep_free_bytes, "least_free_bytes": null}))
}

/// Free bytes of the disk of a path; `None` where it does not tell, as some that are no disks.
fn free(path: &Path) -> Option<u64> {
    told(sys::space(path))
}

fn told(space: io::Result<(u64, u64)>) -> Option<u64> {
    space.ok().filter(|(_, total)| *total > 0).map(|(free, _)| free)
}

/// Copies that this machine has processors for.
fn writers(copies: usize) -> u64 {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    copies.clamp(1, processors) as u64
}

/// Time in which the room above what is kept free cannot be filled.
fn gap_ns(free_bytes: Option<u64>, keep_bytes: u64, writers: u64) -> u64 {
    let Some(free_bytes) = free_bytes else { return MOST_NS };
    let fastest = FASTEST_BYTES_PER_S * u128::from(writers);
    let ns = u128::from(free_bytes.saturating_sub(keep_bytes)) * 1_000_000_000 / fastest;
    ns.clamp(u128::from(LEAST_NS), u128::from(MOST_NS)) as u64
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::spec;

    /// Two streams in a folder of their own, which goes at the end.
    fn with_streams(name: &str, more: Value, check: impl FnOnce(Outputs, &Path)) {
        let place = std::env::temp_dir().join(format!("assay-outputs-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&place).expect("a folder");
        let folder = Folder::at(place.to_str().expect("text")).expect("a folder");
        let mut given = json!({"protocol": spec::PROTOCOL, "command": ["job"], "directory": "/tmp"});
        given.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        let files = ["stdout", "stderr.1"].map(|name| (name.to_owned(), folder.create(name).expect("made").into()));
        check(Outputs::new(&spec::read(given).expect("a good spec"), &folder, files), &place);
        std::fs::remove_dir_all(&place).expect("removed");
    }

    fn grow(place: &Path, name: &str, bytes: usize) {
        let mut file = File::options().append(true).open(place.join(name)).expect("there");
        file.write_all(&vec![b'x'; bytes]).expect("written");
    }

    fn length(place: &Path, name: &str) -> u64 {
        place.join(name).metadata().expect("there").len()
    }

    #[test]
    fn a_stream_may_reach_its_limit_and_is_cut_there_again_and_again() {
        with_streams("cut", json!({"output_limit_bytes": 100, "keep_free_bytes": 0}), |mut outputs, place| {
            grow(place, "stdout", 100);
            assert_eq!((outputs.look(0), outputs.over(), outputs.due()), (None, None, MOST_NS as i64));
            for _ in 0..2 {
                grow(place, "stderr.1", 150);
                assert_eq!((outputs.look(7), outputs.over()), (Some(Why::Output), Some("stderr.1")));
                assert_eq!((length(place, "stderr.1"), length(place, "stdout")), (100, 100));
                assert_eq!(outputs.due(), 7 + LEAST_NS as i64);
            }
            let (output, room) = outputs.json();
            let told = json!({"limit_bytes": 100, "over": [{"stream": "stderr.1", "bytes": 250}]});
            assert_eq!((output, room), (told, json!({"keep_free_bytes": 0, "least_free_bytes": null})));
        });
    }

    #[test]
    fn a_stream_that_nobody_can_find_any_more_is_cut_too() {
        with_streams("gone", json!({"output_limit_bytes": 100}), |mut outputs, place| {
            grow(place, "stdout", 101);
            std::fs::remove_file(place.join("stdout")).expect("removed");
            assert_eq!((outputs.look(0), outputs.over()), (Some(Why::Output), Some("stdout")));
        });
    }

    #[test]
    fn a_disk_that_has_less_than_is_kept_free_ends_the_job() {
        with_streams("room", json!({"keep_free_bytes": 1_u64 << 62}), |mut outputs, place| {
            assert_eq!((outputs.look(0), outputs.over()), (Some(Why::Room), None));
            let free = outputs.json().1["least_free_bytes"].as_u64().expect("a figure");
            let told = format!("the disk of {} had {free} bytes free and {} are kept", place.display(), 1_u64 << 62);
            assert_eq!(outputs.want_of_room(), told);
        });
    }

    #[test]
    fn a_disk_is_looked_at_again_before_it_can_be_full() {
        assert_eq!(gap_ns(None, 64, 1), MOST_NS);
        assert_eq!(gap_ns(Some(u64::MAX), 64, 256), MOST_NS);
        assert_eq!(gap_ns(Some((2 << 30) + 64), 64, 1), 500_000_000);
        assert_eq!(gap_ns(Some((2 << 30) + 64), 64, 5), 100_000_000);
        assert_eq!([gap_ns(Some(65), 64, 1), gap_ns(Some(0), 64, 1)], [LEAST_NS, LEAST_NS]);
        assert_eq!(writers(0), 1);
        assert!((1..=100_000).contains(&writers(100_000)));
        assert_eq!((told(Ok((5, 9))), told(Ok((0, 0)))), (Some(5), None));
        assert_eq!(told(Err(io::Error::from_raw_os_error(libc::ENOSYS))), None);
    }
}
