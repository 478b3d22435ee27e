//! The event loop of a step: every event in turn, written and added up in their order.

use serde_json::Value;

use super::{Job, kind};
use crate::engine::{Input, in_order};
use crate::error::{Error, Result};
use crate::files::{Header, Pattern, Reader, Writer};
use crate::names::Step;
use crate::summary::Summary;
use crate::tables::Tables;
use crate::teller::{Seconds, Teller};

/// What a step is to do with each event.
pub struct Pass<'a> {
    pub job: &'a Job,
    pub step: Step,
    pub tables: &'a Tables,
    /// Where events come from; `None`: they are generated.
    pub input: Option<Reader>,
    pub seed: u64,
    pub events: u64,
}

/// What came of a pass.
pub struct Outcome {
    pub digest: String,
    pub read: u64,
    pub written: u64,
    pub seconds: Seconds,
    pub physics: Value,
}

impl Pass<'_> {
    /// The event loop: every event in turn, written and added up in their order.
    pub fn events<S: Summary>(
        mut self,
        teller: &mut Teller,
        mut summary: S,
        work: impl Fn(Input) -> Result<(Vec<u8>, S::Part)> + Sync,
    ) -> Result<Outcome> {
        let mut writer = self.writer()?;
        let mut input = self.input.take();
        let init = teller.event_loop()?;
        let (mut next, mut done) = (0, 0);
        let source = || {
            next += 1;
            match &mut input {
                _ if next > self.events => Ok(None),
                None => Ok(Some((next - 1, Vec::new()))),
                Some(input) => input.event()?.map(Some).ok_or_else(|| Error::failed("BUG: the input ended early")),
            }
        };
        in_order(self.job.threads, source, work, |(content, part)| {
            writer.event(&content)?;
            summary.add(part);
            done += 1;
            teller.event(done)
        })?;
        finish(input.as_mut(), self.events)?;
        writer.end()?;
        let event_loop = teller.end_loop(done)?;
        summary.trust()?;
        Ok(Outcome {
            digest: writer.digest.hex(),
            read: input.map_or(0, |input| input.bytes),
            written: writer.bytes,
            seconds: Seconds { init, event_loop },
            physics: summary.json(),
        })
    }

    fn writer(&self) -> Result<Writer> {
        let pattern = if self.step == Step::Analysis { Pattern::Nothing } else { self.job.pattern };
        let path = self.job.directory.join(match pattern {
            Pattern::Appends => self.job.style.output(self.step).to_owned(),
            _ => format!("{}.chain", self.job.style.output(self.step)),
        });
        let shape = self.tables.detector.shape;
        let (pmts, samples) = (shape.pmts, shape.samples);
        let (seed, detector, events) = (self.seed, self.tables.digest, self.events);
        Writer::create(
            path,
            Header { kind: kind(self.step), seed, detector, pmts, samples, first: 0, events },
            pattern,
        )
    }
}

/// Where all events were wanted, the input's end is held against them, too.
fn finish(input: Option<&mut Reader>, events: u64) -> Result<()> {
    match input {
        Some(input) if input.header.events == events => input.event().map(|_| ()),
        _ => Ok(()),
    }
}
