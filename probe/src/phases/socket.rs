//! The socket where a job may tell of its phases: one message a datagram.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};

use super::message::{Told, parse};

/// So many messages are taken in one go.
const MOST_MESSAGES: usize = 256;

/// A bound socket; its path goes with it.
#[derive(Debug)]
pub struct Socket {
    path: PathBuf,
    socket: UnixDatagram,
}

impl Socket {
    pub fn bind(path: &Path) -> io::Result<Self> {
        let socket = UnixDatagram::bind(path)?;
        socket.set_nonblocking(true)?;
        Ok(Self { path: path.to_owned(), socket })
    }

    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Takes every message that is there.
    pub fn read(&self, told: &mut Vec<Told>) {
        let mut message = [0_u8; 4096];
        for _ in 0..MOST_MESSAGES {
            let Ok(count) = self.socket.recv(&mut message) else { return };
            told.extend(String::from_utf8_lossy(&message[..count]).lines().filter_map(|line| parse(line, 0)));
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
