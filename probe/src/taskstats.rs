//! taskstats: asks what a process waited for, and hears what each thread had used when it ended.
//!
//! Source and limits of the records: `parse/taskstats.rs`. Needs CAP_NET_ADMIN in the first user namespace; to listen
//! also the first network and PID namespaces.

use std::cell::RefCell;
use std::thread;

use crate::error::plain;
use crate::parse::genetlink::{ask_family, error_number, family, request};
use crate::parse::taskstats::{Exit, Record, Stats, records};
use crate::read::Root;
use crate::sys::Netlink;

const GET: u8 = 1;
const ATTRIBUTE_PID: u16 = 1;
const ATTRIBUTE_TGID: u16 = 2;
const ATTRIBUTE_REGISTER_CPUMASK: u16 = 3;
const ATTRIBUTE_DEREGISTER_CPUMASK: u16 = 4;
/// A datagram holds a thread's record and at most its process's: two times 600 bytes today.
const DATAGRAM_BYTES: usize = 8192;
/// Room for some thousand exits between two looks; the kernel uses it only when they come.
const ROOM_BYTES: i32 = 4 << 20;

const STACK_BYTES: usize = 128 << 10;

struct Line {
    socket: Netlink,
    family: u16,
    buffer: RefCell<Vec<u8>>,
}

impl Line {
    fn open() -> Result<Self, String> {
        let refused = |error: std::io::Error| format!("taskstats cannot be asked: {}", plain(&error));
        let socket = Netlink::open().map_err(refused)?;
        socket.send(&ask_family("TASKSTATS")).map_err(refused)?;
        let mut buffer = vec![0; DATAGRAM_BYTES];
        let family = family(socket.receive(&mut buffer).map_err(refused)?);
        let family = family.ok_or("taskstats cannot be asked: this kernel or network namespace has none")?;
        Ok(Self { socket, family, buffer: RefCell::new(buffer) })
    }
}

/// Asks for processes that live.
pub struct Taskstats(Line);

impl Taskstats {
    /// Opens, and asks once for a process that is sure to live, to see whether we may.
    pub fn open() -> Result<Self, String> {
        let line = Self(Line::open()?);
        let me = i32::try_from(std::process::id()).unwrap_or(1);
        let told = line.of_process(me, |stats| stats.run_ns().is_some());
        if told == Some(true) { Ok(line) } else { Err("taskstats cannot be asked: not permitted".to_owned()) }
    }

    /// What a process, with the threads of it that ended, used and waited for; `None` where it is gone.
    pub fn of_process<T>(&self, pid: i32, read: impl FnOnce(Stats) -> T) -> Option<T> {
        self.ask(pid, ATTRIBUTE_TGID, read)
    }

    /// The same, also of one that has ended and is not yet reaped: where it never had a second thread the kernel has
    /// nothing of the process any more, but still its thread.
    pub fn of_process_or_ended<T>(&self, pid: i32, read: impl Fn(Stats) -> T) -> Option<T> {
        let told = self.ask(pid, ATTRIBUTE_TGID, |stats| (stats.run_ns() > Some(0)).then(|| read(stats)));
        told.flatten().or_else(|| self.ask(pid, ATTRIBUTE_PID, read))
    }

    fn ask<T>(&self, pid: i32, attribute: u16, read: impl FnOnce(Stats) -> T) -> Option<T> {
        let Line { socket, family, buffer } = &self.0;
        socket.send(&request(*family, GET, attribute, &pid.to_ne_bytes())).ok()?;
        let mut buffer = buffer.borrow_mut();
        loop {
            let answer = socket.receive(&mut buffer).ok()?;
            if error_number(answer).is_some() {
                return None;
            }
            // Exits that a socket of this port was registered for before us may come between.
            let group = attribute == ATTRIBUTE_TGID;
            let ours = |record: &Record| record.group == group && record.id == pid;
            let record = records(answer, *family).find(ours);
            if let Some(record) = record {
                return Some(read(record.stats));
            }
        }
    }
}

/// Hears of every thread of the machine that ends.
pub struct ExitListener {
    line: Line,
    deregister: Vec<u8>,
}

impl ExitListener {
    pub fn open() -> Result<Self, String> {
        let line = Line::open()?;
        line.socket.set_room(ROOM_BYTES);
        let cpus = Root::here().word("/sys/devices/system/cpu/possible").ok_or("the processors are not told")?;
        let mask = [cpus.as_bytes(), &[0]].concat();
        let refused = |cause: String| format!("exits cannot be heard of: {cause}");
        let register = request(line.family, GET, ATTRIBUTE_REGISTER_CPUMASK, &mask);
        let deregister = request(line.family, GET, ATTRIBUTE_DEREGISTER_CPUMASK, &mask);
        line.socket.send(&register).map_err(|error| refused(plain(&error)))?;
        // A success is not answered.
        let number = line.socket.receive(&mut line.buffer.borrow_mut()).ok().and_then(error_number);
        if let Some(number) = number.filter(|number| *number != 0) {
            return Err(refused(plain(&std::io::Error::from_raw_os_error(number))));
        }
        let listener = Self { line, deregister };
        if listener.hears() { Ok(listener) } else { Err(refused("this is another network namespace".to_owned())) }
    }

    /// Ends a thread of ours and waits for its record: in another network namespace the kernel registers us and sends
    /// everything to the first one.
    fn hears(&self) -> bool {
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(crate::sys::thread_id);
        let Some(ended) = thread.ok().and_then(|thread| thread.join().ok()) else { return false };
        let mut heard = false;
        self.drain(|exit| heard |= exit.pid == ended);
        heard
    }

    /// Hands over all exits since the last call; false where some were lost, as more came than there was room for.
    ///
    /// A thread's record is there before its parent can reap it.
    pub fn drain(&self, mut each: impl FnMut(Exit)) -> bool {
        let Line { socket, family, buffer } = &self.line;
        let (mut buffer, mut whole) = (buffer.borrow_mut(), true);
        loop {
            match socket.receive(&mut buffer) {
                Ok(datagram) => {
                    let threads = records(datagram, *family).filter(|record| !record.group);
                    threads.filter_map(|record| record.stats.exit()).for_each(&mut each);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return whole,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // Told once; what is still queued follows.
                Err(error) if error.raw_os_error() == Some(crate::sys::ENOBUFS) => whole = false,
                Err(_) => return false,
            }
        }
    }
}

/// The kernel keeps a closed socket's port registered, and the next socket may get that port.
impl Drop for ExitListener {
    fn drop(&mut self) {
        let _ = self.line.socket.send(&self.deregister);
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, id};

    use super::*;

    #[test]
    fn a_living_process_is_told_of_where_we_may_ask_and_a_dead_one_never() {
        let Ok(taskstats) = Taskstats::open() else { return };
        let me = i32::try_from(id()).expect("a number");
        assert!(taskstats.of_process(me, |stats| stats.run_ns()).flatten() > Some(0));
        assert_eq!(taskstats.of_process(0x3fff_ffff, |_| ()), None);
        assert!(taskstats.of_process(me, |stats| stats.cpu_delay_ns()).flatten().is_some());
    }

    #[test]
    fn the_end_of_a_child_is_heard_of_before_it_is_reaped() {
        let Ok(listener) = ExitListener::open() else { return };
        let script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
        let mut child = Command::new("sh").args(["-c", script]).spawn().expect("sh");
        let pid = i32::try_from(child.id()).expect("a number");
        child.wait().expect("ended");
        let mut found = None;
        assert!(listener.drain(|exit| found = if exit.pid == pid { Some(exit) } else { found }));
        let exit = found.expect("its record");
        assert_eq!(exit.ppid, i32::try_from(id()).expect("a number"));
        assert!(exit.run_ns > 1_000_000);
    }
}
