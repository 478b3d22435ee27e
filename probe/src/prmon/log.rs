//! `prmon.log`: what happened while monitoring, one line each.

use std::fs::File;
use std::io::Write;

use super::columns::MONITORS;
use crate::sys;
use assay_nearest::nearest;

/// Names of the levels, least first; two have a short form.
const LEVELS: [&str; 7] = ["trace", "debug", "info", "warning", "error", "critical", "off"];
const SHORT: [(&str, &str); 2] = [("warn", "warning"), ("err", "error")];
const DAY_S: i64 = 86_400;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Info = 2,
    Warning = 3,
    Error = 4,
}

/// Least level that is written, of all and of single monitors.
#[derive(Debug)]
pub struct Levels {
    all: usize,
    of: Vec<(String, usize)>,
}

impl Default for Levels {
    fn default() -> Self {
        Self { all: Level::Info as usize, of: Vec::new() }
    }
}

impl Levels {
    /// Takes `LEVEL` or `MONITOR:LEVEL`.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        let Some((monitor, name)) = text.split_once(':') else {
            return level(text).map(|level| self.all = level);
        };
        if !MONITORS.contains(&monitor) {
            let near = nearest(monitor, &MONITORS).unwrap_or("nothing");
            return Err(format!("unknown monitor '{monitor}', nearest is '{near}'"));
        }
        level(name).map(|level| self.of.push((monitor.to_owned(), level)))
    }

    fn shows(&self, level: Level, who: &str) -> bool {
        let own = self.of.iter().rev().find(|(monitor, _)| monitor == who).map(|(_, least)| *least);
        level as usize >= own.unwrap_or(self.all)
    }
}

fn level(name: &str) -> Result<usize, String> {
    let long = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, long)| long);
    let near = nearest(name, &LEVELS).unwrap_or("nothing");
    let at = LEVELS.iter().position(|level| *level == long);
    at.ok_or_else(|| format!("unknown level '{name}', nearest is '{near}' ({})", LEVELS.join(", ")))
}

/// The open log; a full disk loses lines, never the job.
#[derive(Debug)]
pub struct Log {
    pub file: File,
    pub levels: Levels,
}

impl Log {
    /// Writes one sentence of a monitor, or of `prmon` itself.
    pub fn tell(&mut self, level: Level, who: &str, what: &str) {
        if self.levels.shows(level, who) {
            let (time, level) = (utc(sys::realtime_ns()), LEVELS[level as usize]);
            let _ = self.file.write_all(format!("[{time}] [{who}] [{level}] {what}\n").as_bytes());
        }
    }
}

/// Date and time in UTC, with ms.
fn utc(real_ns: i64) -> String {
    let (s, ms) = (real_ns.div_euclid(1_000_000_000), real_ns.rem_euclid(1_000_000_000) / 1_000_000);
    let (year, month, day) = date(s.div_euclid(DAY_S));
    let of_day = s.rem_euclid(DAY_S);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Year, month and day of a number of days since 1970.
///
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: a year begins in March.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01 00:00:00.000Z");
        assert_eq!(utc(951_868_799_999_000_000), "2000-02-29 23:59:59.999Z");
        assert_eq!(utc(1_795_225_425_500_000_000), "2026-11-21 01:43:45.500Z");
    }

    #[test]
    fn a_monitor_may_have_its_own_level() {
        let mut levels = Levels::default();
        levels.set("err").expect("a level");
        levels.set("memmon:info").expect("a level of a monitor");
        assert!(levels.shows(Level::Info, "memmon") && !levels.shows(Level::Warning, "prmon"));
        assert!(levels.set("loud").is_err() && levels.set("memon:info").is_err());
    }
}
