//! The server of the network kernels: gives each byte back plus one, over TCP and UDP, at one address alone.
//!
//! A request with its highest bit set is the last of its connection, which the server then ends. A datagram is a request
//! with this bit alone, and no reply has it: two servers can't be set to answer one another.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::Result;
use crate::cost::cannot;

/// Marks the last request of a connection, and every request by datagram.
pub const LAST: u8 = 0x80;
/// Connections served at once; each has a thread that was there before, so that none is made while it is timed. One
/// thread more ends what comes beyond them at once: it would be answered after the others, not beside them.
pub const CONNECTIONS: usize = 64;
const STACK_BYTES: usize = 64 << 10;
/// After so long without a request the client is gone: a guest may have been switched off.
const IDLE: Duration = Duration::from_secs(60);
/// After a call that failed, so that it does not spin.
const PAUSE: Duration = Duration::from_millis(10);

/// What is given back for a request.
pub fn reply(request: u8) -> u8 {
    request.wrapping_add(1) & !LAST
}

/// A server that is bound and does not answer yet.
pub struct Echo {
    listener: TcpListener,
    socket: UdpSocket,
    address: SocketAddrV4,
}

impl Echo {
    /// Binds to the port of an address, the same for TCP and UDP; port 0 takes a free one.
    pub fn bind(address: SocketAddrV4) -> Result<Self> {
        let unbound = |error| cannot(&format!("serve at {address}"))(error);
        let socket = UdpSocket::bind(address).map_err(unbound)?;
        let port = socket.local_addr().map_err(unbound)?.port();
        let address = SocketAddrV4::new(*address.ip(), port);
        // The listener last: whoever sees it knows that datagrams are answered, too.
        let listener = TcpListener::bind(address).map_err(unbound)?;
        Ok(Self { listener, socket, address })
    }

    /// Where it is bound.
    pub fn address(&self) -> SocketAddrV4 {
        self.address
    }

    /// Answers until the process ends; returns only where not every thread can be made, and the process is to end.
    pub fn serve(self) -> Result<()> {
        let (listener, busy) = (Arc::new(self.listener), Arc::new(AtomicUsize::new(0)));
        for _ in 0..=CONNECTIONS {
            let (listener, busy) = (Arc::clone(&listener), Arc::clone(&busy));
            let worker = thread::Builder::new().stack_size(STACK_BYTES);
            worker.spawn(move || accept(&listener, &busy)).map_err(cannot("make a thread"))?;
        }
        datagrams(&self.socket)
    }
}

/// Whether an address is one machine's own: a server bound to any address would answer the world.
pub fn is_one(address: Ipv4Addr) -> bool {
    !(address.is_unspecified() || address.is_multicast() || address.is_broadcast())
}

fn accept(listener: &TcpListener, busy: &AtomicUsize) {
    loop {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(PAUSE);
            continue;
        };
        if busy.fetch_add(1, Ordering::SeqCst) < CONNECTIONS {
            answer(&stream);
        }
        // Before the stream is closed: a client that has seen its end may come again.
        busy.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Answers one connection until its last request, its end, or for want of requests.
fn answer(mut stream: &TcpStream) {
    let mut byte = [0];
    if stream.set_read_timeout(Some(IDLE)).is_err() {
        return;
    }
    while stream.read_exact(&mut byte).is_ok() && stream.write_all(&[reply(byte[0])]).is_ok() {
        if byte[0] & LAST != 0 {
            return;
        }
    }
}

fn datagrams(socket: &UdpSocket) -> ! {
    let mut byte = [0];
    loop {
        let answered: std::io::Result<(usize, SocketAddr)> = socket.recv_from(&mut byte);
        match answered {
            Ok((1, client)) if byte[0] & LAST != 0 => drop(socket.send_to(&[reply(byte[0])], client)),
            Ok(_) => {}
            // A client that is gone says so at the next call.
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_anybodys_is_none() {
        assert!(is_one(Ipv4Addr::LOCALHOST) && is_one(Ipv4Addr::new(198, 18, 0, 2)));
        for address in [Ipv4Addr::UNSPECIFIED, Ipv4Addr::BROADCAST, Ipv4Addr::new(224, 0, 0, 1)] {
            assert!(!is_one(address));
        }
    }

    #[test]
    fn a_port_that_is_taken_is_told() {
        let first = Echo::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let second = Echo::bind(first.address()).err();
        assert_eq!(second, Some(format!("cannot serve at {}: address already in use", first.address())));
    }
}
