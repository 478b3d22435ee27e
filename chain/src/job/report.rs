//! What a step tells at its end.

use serde_json::{Value, json};

use super::Job;
use super::pass::Outcome;
use crate::files::Pattern;
use crate::names::Step;

/// Of one step, with its seed, events and bytes of tables.
pub fn report(job: &Job, step: Step, (seed, events, tables): (u64, u64, u64), outcome: &Outcome) -> Value {
    let looped = outcome.seconds.event_loop;
    let written = if job.pattern == Pattern::Nothing || step == Step::Analysis { 0 } else { outcome.written };
    json!({
        "chain": job.style.name(step),
        "version": env!("CARGO_PKG_VERSION"),
        "events": events,
        "seed": seed,
        "threads": job.threads,
        "digest": outcome.digest,
        "physics": outcome.physics,
        "bytes": {"tables": tables, "read": outcome.read, "written": written},
        "seconds": {"init": outcome.seconds.init, "event_loop": looped},
        "events_per_s": (events > 0 && looped > 0.0).then(|| events as f64 / looped),
    })
}

/// Of one step among several, whose physics stands elsewhere.
pub fn without_physics(mut report: Value) -> Value {
    if let Some(fields) = report.as_object_mut() {
        fields.remove("physics");
    }
    report
}
