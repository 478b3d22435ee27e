//! Why a job failed.

use crate::spec::Spec;
use crate::sys::Ending;

use super::stopper::Why;

/// Why a job failed: a word for programs, a sentence for people.
pub struct Cause {
    pub kind: &'static str,
    pub sentence: String,
}

impl From<String> for Cause {
    /// What kept the job from starting.
    fn from(sentence: String) -> Self {
        Self { kind: "start", sentence }
    }
}

impl Cause {
    /// `None` where it ended well.
    pub fn of(ending: Ending, why: Option<Why>, oom_killed: bool, spec: &Spec) -> Option<Self> {
        let program = &spec.command[0];
        let (kind, sentence) = match (why, ending) {
            (Some(Why::TimeLimit), _) => {
                let limit = spec.time_limit_s.unwrap_or(0.0);
                ("time-limit", format!("'{program}' ran longer than its time limit of {limit} s and was stopped"))
            }
            (Some(Why::Request), _) => ("stopped", format!("'{program}' was stopped on request")),
            (None, Ending::Exit(0)) => return None,
            (None, _) if oom_killed => {
                let limit = spec.limits.memory_bytes;
                let limit = limit.map_or("no limit of ours".to_owned(), |bytes| format!("limit {bytes} bytes"));
                ("oom-kill", format!("the kernel killed a process of '{program}' for want of memory ({limit})"))
            }
            (None, Ending::Exit(code)) => ("exit", format!("'{program}' exited with {code}")),
            (None, Ending::Signal(signal)) => ("signal", format!("'{program}' was killed by signal {signal}")),
        };
        Some(Self { kind, sentence })
    }
}

/// Exit code as a shell gives it, and the signal.
pub fn exit(ending: Ending) -> (i32, Option<u8>) {
    match ending {
        Ending::Exit(code) => (i32::from(code), None),
        Ending::Signal(signal) => (128 + i32::from(signal), Some(signal)),
    }
}
