//! `kernel tcp-rr`, `tcp-crr` and `udp-rr`: a byte to a server and back, over one connection or a new one each time.
//!
//! Source: netperf's manual, "Request/Response" (`TCP_RR`, `TCP_CRR`, `UDP_RR`): one transaction is under way at a
//! time, so that the rate is the inverse of the time there and back. The server is the probe's ([`crate::echo`]).
//! A connection of `tcp-crr` has come to its end when the client has read the server's end of it; the server ends it
//! first, so that no port of the client waits (TIME_WAIT) and the ports do not run out.
//! Limits: a datagram that is lost is a failure, not sent again.

use std::io::{Error, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Result;
use crate::cost::{cannot, figure};
use crate::echo::{CONNECTIONS, LAST, reply};
use crate::entry::{Entry, HIGHER, Method, Metric};

const RATE: &[Metric] = &[Metric { name: "transactions", unit: "1/s", direction: HIGHER }];
pub const TCP_RR: Entry = Entry {
    name: "tcp-rr",
    does: "A byte to a server and back, over one TCP connection.",
    rules: "by netperf's method (TCP_RR)",
    metrics: RATE,
};
pub const TCP_CRR: Entry = Entry {
    name: "tcp-crr",
    does: "A byte to a server and back, over a new TCP connection each time.",
    rules: "by netperf's method (TCP_CRR)",
    metrics: RATE,
};
pub const UDP_RR: Entry = Entry {
    name: "udp-rr",
    does: "A datagram of a byte to a server and back.",
    rules: "by netperf's method (UDP_RR)",
    metrics: RATE,
};

/// A server that says nothing for so long is not there.
const PATIENCE: Duration = Duration::from_secs(5);
/// Transactions between two looks at the clock, which some guests read slowly.
const BATCH: u64 = 16;

/// Puts words to what went wrong between a request and its reply.
fn broken(error: Error) -> String {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("cannot measure the network: no reply within {} s", PATIENCE.as_secs())
        }
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            format!("cannot measure the network: the server ended the connection (it serves {CONNECTIONS} at once)")
        }
        _ => cannot("measure the network")(error),
    }
}

fn right(request: u8, came: u8) -> Result<()> {
    let expected = reply(request);
    if came == expected {
        return Ok(());
    }
    Err(format!("cannot trust the network: {expected} was expected, {came} came"))
}

fn connected(server: SocketAddrV4) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&server.into(), PATIENCE).map_err(unreached(server))?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
    Ok(stream)
}

fn unreached(server: SocketAddrV4) -> impl Fn(Error) -> String {
    move |error| cannot(&format!("reach the server at {server}"))(error)
}

fn exchange(mut stream: &TcpStream, request: u8) -> Result<()> {
    let mut came = [0];
    stream.write_all(&[request]).and_then(|()| stream.read_exact(&mut came)).map_err(broken)?;
    right(request, came[0])
}

/// One connection from its start to the server's end of it.
fn connection(server: SocketAddrV4, request: u8) -> Result<()> {
    let stream = connected(server)?;
    exchange(&stream, request | LAST)?;
    match (&stream).read(&mut [0]).map_err(broken)? {
        0 => Ok(()),
        _ => Err("cannot trust the network: more than the reply came".to_owned()),
    }
}

fn datagram(socket: &UdpSocket, request: u8) -> Result<()> {
    let (request, mut came) = (request | LAST, [0; 2]);
    match socket.send(&[request]).and_then(|_| socket.recv(&mut came)).map_err(broken)? {
        1 => right(request, came[0]),
        bytes => Err(format!("cannot trust the network: a datagram of 1 byte was expected, one of {bytes} came")),
    }
}

/// Does transactions until the time has passed, the first one outside of it: their number, and seconds.
fn timed(seconds: f64, mut one: impl FnMut(u8) -> Result<()>) -> Result<(u64, f64)> {
    one(0)?;
    let time = Duration::from_secs_f64(seconds);
    let (start, mut done) = (Instant::now(), 0);
    while start.elapsed() < time {
        for _ in 0..BATCH {
            done += 1;
            one((done % 128) as u8)?;
        }
    }
    Ok((done, start.elapsed().as_secs_f64()))
}

fn report(entry: &Entry, (done, taken): (u64, f64)) -> Value {
    let method = Method { repetitions: done as usize, statistic: "total", warm_up: "one transaction" };
    entry.report(&method, &[figure("transactions", Some(done as f64 / taken))], json!({"seconds": taken}))
}

/// Runs `tcp-rr`.
pub fn tcp_rr(server: SocketAddrV4, seconds: f64) -> Result<Value> {
    let stream = connected(server)?;
    timed(seconds, |request| exchange(&stream, request)).map(|done| report(&TCP_RR, done))
}

/// Runs `tcp-crr`.
pub fn tcp_crr(server: SocketAddrV4, seconds: f64) -> Result<Value> {
    timed(seconds, |request| connection(server, request)).map(|done| report(&TCP_CRR, done))
}

/// Runs `udp-rr`.
pub fn udp_rr(server: SocketAddrV4, seconds: f64) -> Result<Value> {
    let socket = UdpSocket::bind(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0)).map_err(broken)?;
    socket.connect(server).map_err(unreached(server))?;
    socket.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
    timed(seconds, |request| datagram(&socket, request)).map(|done| report(&UDP_RR, done))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;
    use crate::echo::Echo;

    type Kernel = fn(SocketAddrV4, f64) -> Result<Value>;

    fn served() -> SocketAddrV4 {
        let echo = Echo::bind(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = echo.address();
        thread::spawn(move || echo.serve());
        address
    }

    fn rate(report: &Value) -> f64 {
        report["metrics"][0]["value"].as_f64().expect("a figure")
    }

    /// A server that counts its connections.
    fn counted() -> (SocketAddrV4, Arc<AtomicU64>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let connections = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&connections);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut byte = [0];
                while byte[0] & LAST == 0 && stream.read_exact(&mut byte).is_ok() {
                    stream.write_all(&[reply(byte[0])]).expect("a reply");
                }
            }
        });
        (SocketAddrV4::new(Ipv4Addr::LOCALHOST, port), connections)
    }

    #[test]
    fn each_way_has_its_rate_from_one_server() {
        let server = served();
        for (kernel, entry) in [(tcp_rr as Kernel, &TCP_RR), (tcp_crr, &TCP_CRR), (udp_rr, &UDP_RR)] {
            let report = kernel(server, 0.05).expect("a report");
            let (done, seconds) = (report["repetitions"].as_u64(), report["seconds"].as_f64());
            let (done, seconds) = (done.expect("a number"), seconds.expect("seconds"));
            assert_eq!((&report["kernel"], &report["metrics"][0]["unit"]), (&json!(entry.name), &json!("1/s")));
            assert!(done > 0 && done % BATCH == 0 && seconds >= 0.05);
            assert_eq!(rate(&report), done as f64 / seconds);
        }
    }

    #[test]
    fn a_connection_serves_all_transactions_or_one() {
        for (kernel, each) in [(tcp_rr as Kernel, false), (tcp_crr, true)] {
            let (server, connections) = counted();
            let done = kernel(server, 0.05).expect("a report")["repetitions"].as_u64().expect("a number");
            let wanted = if each { 1 + done } else { 1 };
            assert_eq!(connections.load(Ordering::SeqCst), wanted);
        }
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        let closed = {
            let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
            SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
        };
        for kernel in [tcp_rr, tcp_crr] {
            let sentence = format!("cannot reach the server at {closed}: connection refused");
            assert_eq!(kernel(closed, 0.01), Err(sentence));
        }
        assert_eq!(udp_rr(closed, 0.01), Err("cannot measure the network: connection refused".to_owned()));
    }

    #[test]
    fn another_byte_than_the_expected_one_is_a_failure() {
        let liar = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = liar.local_addr().expect("an address").port();
        thread::spawn(move || {
            for stream in liar.incoming().flatten() {
                let _ = (&stream).read_exact(&mut [0]).and_then(|()| (&stream).write_all(&[77]));
            }
        });
        let server = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        assert_eq!(tcp_rr(server, 0.01), Err("cannot trust the network: 1 was expected, 77 came".to_owned()));
        assert_eq!(tcp_crr(server, 0.01), Err("cannot trust the network: 1 was expected, 77 came".to_owned()));
    }

    #[test]
    fn a_server_that_ends_early_is_a_failure() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::spawn(move || listener.accept().map(|(stream, _)| (&stream).read_exact(&mut [0])));
        let server = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        assert_eq!(
            tcp_rr(server, 0.01),
            Err("cannot measure the network: the server ended the connection (it serves 64 at once)".to_owned())
        );
    }

    #[test]
    fn a_connection_that_cannot_be_served_beside_the_others_is_ended_at_once() {
        let server = served();
        let held: Vec<TcpStream> = (0..CONNECTIONS).map(|_| connected(server).expect("a connection")).collect();
        for stream in &held {
            exchange(stream, 5).expect("a reply");
        }
        let sentence = "cannot measure the network: the server ended the connection (it serves 64 at once)";
        for kernel in [tcp_rr, tcp_crr] {
            assert_eq!(kernel(server, 0.01), Err(sentence.to_owned()));
        }
        assert!(held.iter().all(|stream| exchange(stream, 6).is_ok()));
        connection_ended(held);
        assert!(tcp_rr(server, 0.01).is_ok());
    }

    /// Ends connections and waits for the server's end of each.
    fn connection_ended(held: Vec<TcpStream>) {
        for stream in held {
            exchange(&stream, LAST).expect("a reply");
            assert!(matches!((&stream).read(&mut [0]), Ok(0)));
        }
    }

    #[test]
    fn as_many_as_are_served_come_again_and_again_at_once() {
        let server = served();
        let clients: Vec<_> = (0..CONNECTIONS).map(|_| thread::spawn(move || tcp_crr(server, 0.2))).collect();
        for client in clients {
            assert!(client.join().is_ok_and(|report| report.is_ok()));
        }
    }

    #[test]
    fn a_reply_is_no_request() {
        let server = served();
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        socket.connect(server).expect("a server");
        socket.set_read_timeout(Some(Duration::from_millis(200))).expect("a timeout");
        for request in 0..=u8::MAX {
            assert_eq!(reply(request) & LAST, 0);
        }
        for answer in [0, 1, 127] {
            socket.send(&[answer]).expect("sent");
            assert!(socket.recv(&mut [0]).is_err());
        }
        assert_eq!(datagram(&socket, 127), Ok(()));
    }
}
