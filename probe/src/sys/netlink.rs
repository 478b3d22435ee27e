//! A socket for generic netlink.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::check;

/// A bound socket; reading from it never blocks.
#[derive(Debug)]
pub struct Netlink(OwnedFd);

impl Netlink {
    pub fn open() -> io::Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: no pointers; the descriptor is new and owned by nobody else.
        let socket = unsafe {
            let fd = check(libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_GENERIC))?;
            OwnedFd::from_raw_fd(fd)
        };
        // SAFETY: sockaddr_nl is plain data; all zero means "the kernel gives the number".
        let mut address = unsafe { MaybeUninit::<libc::sockaddr_nl>::zeroed().assume_init() };
        address.nl_family = libc::AF_NETLINK as libc::sa_family_t;
        let length = size_of::<libc::sockaddr_nl>() as libc::socklen_t;
        // SAFETY: the pointer is valid for one sockaddr_nl, and the length is its size.
        check(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) })?;
        Ok(Self(socket))
    }

    /// Asks for room for so many bytes of messages; beyond the system's limit only with the right to.
    pub fn set_room(&self, bytes: i32) {
        for option in [libc::SO_RCVBUF, libc::SO_RCVBUFFORCE] {
            let (value, length) = (&raw const bytes, size_of::<i32>() as libc::socklen_t);
            // SAFETY: the pointer is valid for one int, and the length is its size.
            unsafe { libc::setsockopt(self.0.as_raw_fd(), libc::SOL_SOCKET, option, value.cast(), length) };
        }
    }

    /// Sends a message; what the kernel answers at once can be received after.
    pub fn send(&self, message: &[u8]) -> io::Result<()> {
        // SAFETY: the kernel reads at most the given number of bytes of the message.
        let sent = unsafe { libc::send(self.0.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) };
        if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Receives what one datagram holds; `WouldBlock` where there is none, ENOBUFS where some were lost.
    pub fn receive<'a>(&self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        // SAFETY: the kernel writes at most the given number of bytes into the buffer.
        let count = unsafe { libc::recv(self.0.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
        let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
        Ok(&buffer[..count])
    }
}

impl AsRawFd for Netlink {
    fn as_raw_fd(&self) -> i32 {
        self.0.as_raw_fd()
    }
}
