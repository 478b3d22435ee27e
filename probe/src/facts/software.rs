//! The distribution, the C library and the first process.
//!
//! Source: os-release(5), proc(5). Limits: the C library is the one at its usual places; musl is told by its loader.

use serde_json::{Value, json};

use super::table::{As, value};
use crate::parse::{c_library, os_release};
use crate::read::Root;

/// Where distributions put glibc.
const LIBRARIES: [&str; 5] = [
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/lib/aarch64-linux-gnu/libc.so.6",
    "/lib64/libc.so.6",
    "/usr/lib64/libc.so.6",
    "/usr/lib/libc.so.6",
];
const MUSL: [&str; 2] = ["/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"];

pub fn facts(root: &Root) -> Value {
    let release = root.text("/etc/os-release").or_else(|| root.text("/usr/lib/os-release")).unwrap_or_default();
    let of = |key: &str| os_release::value(&release, key);
    json!({
        "os": of("ID"),
        "os_version": of("VERSION_ID"),
        "os_name": of("PRETTY_NAME"),
        "c_library": root.told("c_library", c_library),
        "tuned_profile": value(root, "/etc/tuned/active_profile", As::Text),
        "first_process": value(root, "/proc/1/comm", As::Text),
    })
}

fn c_library() -> Option<String> {
    let here = Root::here();
    let glibc = LIBRARIES.iter().find_map(|path| c_library::banner(&here.bytes(path).ok()?));
    glibc.or_else(|| MUSL.iter().any(|path| here.holds(path)).then(|| "musl".to_owned()))
}
