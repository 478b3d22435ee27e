//! Why a job failed.

use crate::spec::Spec;
use crate::sys::Ending;

use super::outputs::Outputs;
use super::why::Why;

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
    pub fn of(ending: Ending, why: Option<Why>, oom_killed: bool, spec: &Spec, outputs: &Outputs) -> Option<Self> {
        let program = &spec.command[0];
        let wrote = || {
            let (limit, stream) = (spec.output_limit_bytes, outputs.over().unwrap_or("a stream"));
            format!("'{program}' wrote more than its limit of {limit} bytes to {stream}")
        };
        let (kind, sentence) = match (why, ending) {
            (Some(Why::TimeLimit), _) => {
                let limit = spec.time_limit_s.unwrap_or(0.0);
                ("time-limit", format!("'{program}' ran longer than its time limit of {limit} s and was stopped"))
            }
            (Some(Why::Request), _) => ("stopped", format!("'{program}' was stopped on request")),
            (Some(Why::Output), _) => ("output-limit", format!("{} and was stopped", wrote())),
            (Some(Why::Room), _) => ("no-room", format!("{}: '{program}' was stopped", outputs.want_of_room())),
            (None, _) if outputs.over().is_some() => ("output-limit", wrote()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;
    use crate::spec;
    use serde_json::json;

    #[test]
    fn the_reason_for_an_end_goes_before_the_end_itself() {
        let given = json!({"protocol": [1, 1], "command": ["job"], "directory": "/tmp", "time_limit_s": 2.5});
        let mut spec = spec::read(given).expect("a good spec");
        let (good, killed) = (Ending::Exit(0), Ending::Signal(9));
        let folder = Folder::at("/run/0").expect("a folder");
        let outputs = Outputs::new(&spec, &folder, []);
        let of = |ending, why, oom, spec: &Spec| {
            Cause::of(ending, why, oom, spec, &outputs).map(|cause| (cause.kind, cause.sentence))
        };
        let told = |kind, sentence: &str| Some((kind, sentence.to_owned()));
        assert_eq!(of(good, None, false, &spec), None);
        assert_eq!(of(good, None, true, &spec), None, "it went on, and that is a doubt");
        let limit = "'job' ran longer than its time limit of 2.5 s and was stopped";
        assert_eq!(of(good, Some(Why::TimeLimit), true, &spec), told("time-limit", limit));
        assert_eq!(of(killed, Some(Why::Request), true, &spec), told("stopped", "'job' was stopped on request"));
        let room = "the disk of /run/0 had 0 bytes free and 67108864 are kept: 'job' was stopped";
        assert_eq!(of(killed, Some(Why::Room), true, &spec), told("no-room", room));
        let none = "the kernel killed a process of 'job' for want of memory (no limit of ours)";
        assert_eq!(of(killed, None, true, &spec), told("oom-kill", none));
        spec.limits.memory_bytes = Some(4096);
        let limit = "the kernel killed a process of 'job' for want of memory (limit 4096 bytes)";
        assert_eq!(of(Ending::Exit(1), None, true, &spec), told("oom-kill", limit));
        assert_eq!(of(Ending::Exit(1), None, false, &spec), told("exit", "'job' exited with 1"));
        assert_eq!(of(killed, None, false, &spec), told("signal", "'job' was killed by signal 9"));
        assert_eq!((exit(Ending::Exit(7)), exit(killed)), ((7, None), (137, Some(9))));
    }
}
