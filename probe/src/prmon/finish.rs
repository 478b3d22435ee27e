//! The end of monitoring.

use super::log::Level;
use super::monitors::Subject;
use super::session::{Over, Session};
use super::words;
use crate::clock::Moment;

impl Session {
    /// Takes the last sample, leaves the job alone and writes what is left to write.
    pub fn finish(&mut self, over: Over) {
        let now = Moment::now();
        if let Over::Left(_) = over {
            self.report.partial = true;
            self.sample(now);
        } else {
            let sample = self.monitors.finish(now);
            self.summary.take(&sample, false);
            self.text.row(&sample);
            self.report.largest_gap_ns = self.report.largest_gap_ns.max(now.mono_ns - self.last_ns);
        }
        if let Subject::Launched(job) = &mut self.monitors.subject {
            self.summary.at_least_rss(job.highest_rss_bytes);
            self.report.ending = job.ending;
            self.report.left = job.leave();
        }
        self.write();
        words::conclude(&mut self.log, over, self.report.left, self.monitors.pss.as_ref());
    }

    /// Writes the summary as things stand.
    pub fn write(&mut self) {
        if let Err(error) = self.report.write(&self.summary, &self.monitors) {
            self.log.tell(Level::Error, "prmon", &format!("cannot write the summary: {error}"));
        }
    }
}
