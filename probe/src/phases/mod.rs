//! Phases of a job as they are told: by lines of its log, or by the job itself.

mod log;
mod message;
mod socket;
mod timeline;

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::PathBuf;

use crate::clock::Moment;
use crate::folder::Folder;
use crate::spec;
use crate::sys;
use crate::watch::Rows;

use log::Log;
use message::{Message, Told};
use socket::Socket;

pub use timeline::{Reached, Segment, Timeline, most_turns};

/// A log that is written to all the time is looked at so often and no oftener: what phases are known to.
const PAUSE_NS: i64 = 2_000_000;

/// The file of what was told.
pub const FILE: &str = "phases.csv";
/// What the phases' file holds after both clocks.
const COLUMNS: &str = "mono_ns,real_ns,copy,phase,events";

/// Where one copy tells of its phases.
pub struct Source {
    pub log: PathBuf,
    /// Our end of the pipe that it may write to.
    pub announcements: Option<OwnedFd>,
}

/// What a listener waits for.
#[derive(Debug, Default)]
pub struct Wanted {
    pub files: Vec<RawFd>,
    /// To be woken by then in any case.
    pub look_ns: Option<i64>,
    /// To be looked at without being told: a log is not there yet, or holds more.
    pub unwatched: bool,
}

/// Listens for phases and events of all copies.
pub struct Phases {
    logs: Vec<Log>,
    changes: Option<sys::Changes>,
    pipes: Vec<(usize, File, Vec<u8>)>,
    socket: Option<Socket>,
    file: File,
    rows: Rows,
    /// No job told of anything before.
    began_ns: i64,
    looked_ns: i64,
    all_watched: bool,
    /// A log may hold more than was read.
    behind: bool,
    pub timeline: Timeline,
}

impl Phases {
    /// Begins to listen, before the copies are released.
    pub fn listen(phases: &spec::Phases, folder: &Folder, copies: Vec<Source>) -> Result<Self, String> {
        let cannot = |error: std::io::Error| format!("cannot listen for phases: {}", crate::error::plain(&error));
        let mut file = folder.create(FILE).map_err(cannot)?;
        std::io::Write::write_all(&mut file, format!("{COLUMNS}\n").as_bytes()).map_err(cannot)?;
        let matches = !phases.marks.is_empty() || phases.events.is_some();
        let read = copies.iter().filter(|_| matches);
        let logs: Vec<Log> = read.map(|copy| Log::new(copy.log.clone(), phases)).collect();
        let changes = sys::Changes::none().ok().filter(|_| matches);
        let timeline = Timeline::new(copies.len());
        let pipes = copies.into_iter().enumerate();
        let pipes = pipes.filter_map(|(index, copy)| Some((index, copy.announcements?.into(), Vec::new()))).collect();
        let socket = phases.announce.then(|| Socket::bind(&folder.socket())).transpose().map_err(cannot)?;
        let all_watched = logs.is_empty();
        Ok(Self {
            logs,
            changes,
            pipes,
            socket,
            file,
            rows: Rows::default(),
            began_ns: sys::monotonic_ns(),
            looked_ns: 0,
            all_watched,
            behind: false,
            timeline,
        })
    }

    /// The file that grows with what is told.
    pub fn written(&self) -> Option<OwnedFd> {
        self.file.try_clone().ok().map(OwnedFd::from)
    }

    /// What to wait for.
    pub fn wants(&self, now: Moment) -> Wanted {
        let next = self.looked_ns + PAUSE_NS;
        if now.mono_ns < next {
            return Wanted { look_ns: Some(next), ..Wanted::default() };
        }
        let pipes = self.pipes.iter().map(|(_, file, _)| file.as_raw_fd());
        let others = self.changes.as_ref().map(sys::Changes::as_fd).into_iter();
        let others = others.chain(self.socket.as_ref().map(Socket::as_fd)).map(|fd| fd.as_raw_fd());
        let look_ns = match (self.behind, self.all_watched) {
            (true, _) => Some(next),
            (false, true) => None,
            (false, false) => Some(next + 4 * PAUSE_NS),
        };
        Wanted { files: pipes.chain(others).collect(), look_ns, unwatched: self.behind || !self.all_watched }
    }

    /// Takes in what was told since the last look; `reached` is called at each new phase.
    pub fn look(&mut self, mut reached: impl FnMut() -> Reached) {
        if let Some(changes) = &mut self.changes {
            changes.clear();
            // A log that is not there yet is looked for at each turn.
            let missing = self.logs.iter_mut().filter_map(|log| (!log.watch(changes)).then_some(())).count();
            self.all_watched = missing == 0;
        }
        let told = self.told();
        // What was told was told before now.
        let now = Moment::now();
        self.looked_ns = now.mono_ns;
        for Told { copy, message, mono_ns } in told {
            // What the job had used is known of now alone: where we are late, it is more than it was then.
            let first_ns = self.timeline.last_ns(copy).unwrap_or(self.began_ns);
            let at = now.back_to(mono_ns.filter(|at| *at >= first_ns));
            let row = self.rows.row(at).cell(Some(copy));
            match message {
                Message::Phase(name) => {
                    row.name(&name).cell(None::<u64>);
                    self.timeline.phase(copy, name, at, &mut reached);
                }
                Message::Events(count) => {
                    let total = self.timeline.events(copy, count);
                    row.name("").cell(Some(total));
                }
            }
        }
        let file = &mut self.file;
        self.rows.take(|bytes| {
            let _ = std::io::Write::write_all(file, bytes);
        });
    }

    /// Whether there is more to read.
    pub fn is_behind(&self) -> bool {
        self.behind
    }

    fn told(&mut self) -> Vec<Told> {
        let mut told = Vec::new();
        self.behind = false;
        for (copy, log) in self.logs.iter_mut().enumerate() {
            self.behind |= log.read(|message| told.push(Told { copy, message, mono_ns: None }));
        }
        self.pipes.retain_mut(|(copy, file, rest)| message::drain(file, rest, *copy, &mut told));
        if let Some(socket) = &self.socket {
            socket.read(&mut told);
        }
        let copies = self.timeline.copies();
        told.retain(|told| told.copy < copies);
        told
    }
}
