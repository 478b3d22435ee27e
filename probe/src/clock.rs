//! Both clocks of the machine, read back to back.

use serde_json::{Value, json};

use crate::sys;

/// One instant on both clocks.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// CLOCK_MONOTONIC.
    pub mono_ns: i64,
    /// CLOCK_REALTIME, ns since 1970.
    pub real_ns: i64,
}

impl Moment {
    pub fn now() -> Self {
        Self { mono_ns: sys::monotonic_ns(), real_ns: sys::realtime_ns() }
    }

    /// An earlier moment, where there is one; a later one cannot be.
    pub fn back_to(self, mono_ns: Option<i64>) -> Self {
        match mono_ns {
            Some(at) if at <= self.mono_ns => Self { mono_ns: at, real_ns: self.real_ns - (self.mono_ns - at) },
            _ => self,
        }
    }

    pub fn json(self) -> Value {
        json!({"mono_ns": self.mono_ns, "real_ns": self.real_ns})
    }
}

/// Seconds as the kernel's ns.
pub fn ns(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}
