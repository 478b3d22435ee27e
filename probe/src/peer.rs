//! `peer` and the arguments of the network kernels, which speak to it (`docs/kernels.md`).

use std::net::SocketAddrV4;

use assay_kernels as kernels;
use serde_json::Value;

use crate::args::Args;
use crate::error::{Error, Result};

/// Of the server of the network kernels.
const PORT: u16 = 12866;

/// Runs a network kernel.
pub fn transactions(mut args: Args, run: fn(SocketAddrV4, f64) -> kernels::Result<Value>) -> Result<Value> {
    let seconds = args.seconds(3.0)?;
    run(address(args, "--server")?, seconds).map_err(Error::failed)
}

/// `peer`: the server of the network kernels, at one address of this machine, until it is ended.
pub fn peer(args: Args) -> Result<u8> {
    let echo = kernels::echo::Echo::bind(address(args, "--bind")?).map_err(Error::failed)?;
    echo.serve().map(|()| 1).map_err(Error::failed)
}

/// The last arguments: an address of one machine, and the port beside it.
fn address(mut args: Args, name: &'static str) -> Result<SocketAddrV4> {
    let port = args.number("--port", PORT, "1 to 65535", |port| *port > 0)?;
    let given = args.flag(name)?;
    args.end()?;
    let one = given.as_ref().and_then(|text| text.parse().ok()).filter(|ip| kernels::echo::is_one(*ip));
    one.map(|ip| SocketAddrV4::new(ip, port)).ok_or_else(|| {
        let got = given.map_or("none".to_owned(), |text| format!("'{text}'"));
        let expected = "expected the IPv4 address of one machine";
        Error::usage(format!("cannot read the arguments: {name}: {expected}, got {got}"))
    })
}
