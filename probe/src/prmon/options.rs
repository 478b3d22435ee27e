//! What prmon's options mean.

use std::ffi::OsString;

use super::columns::{ALWAYS, MONITORS};
use super::getopt::{self, wrong};
use super::log::Levels;
use assay_nearest::nearest;

pub const HELP: &str = "\
assay-probe prmon: prmon's options and files, monitored by the probe

  assay-probe prmon [options] -- program [arguments]
  assay-probe prmon [options] --pid PID

  -p, --pid PID             watch this running process and its descendants
  -f, --filename FILE       samples (prmon.txt)
  -j, --json-summary FILE   summary (prmon.json)
  -o, --log-filename FILE   log (prmon.log)
  -i, --interval S          seconds between samples, from 0.01 on (30)
  -b, --budget PERCENT      most CPU time of the probe itself, of one processor: samples are left out for it
  -s, --suppress-hw-info    no hardware in the summary
  -u, --units               units in the summary
  -n, --netdev DEVICE       count this network device only; may be repeated
  -d, --disable MONITOR     leave a monitor out; may be repeated
  -l, --level [MON:]LEVEL   least level of what is logged, of one monitor or of all
  -m, --fast-memmon         accepted: memory is always read the fast way
  -h, --help                this text

monitors: wallmon (always on), cpumon, memmon, pss (of memmon), iomon, netmon, countmon, nvidiamon
levels: trace, debug, info, warning, error, critical, off
";

const LEAST_INTERVAL_S: f64 = 0.01;
const LEAST_BUDGET_PERCENT: f64 = 0.001;
const MOST_INTERVAL_S: f64 = 86_400.0 * 366.0;

/// What to monitor and where to write.
#[derive(Debug)]
pub struct Options {
    pub pid: Option<i32>,
    pub text: OsString,
    pub summary: OsString,
    pub log: OsString,
    pub interval_s: f64,
    /// Infinite where none is given.
    pub budget_percent: f64,
    pub hardware: bool,
    pub units: bool,
    pub devices: Vec<String>,
    pub disabled: Vec<String>,
    pub levels: Levels,
    pub help: bool,
    pub program: Vec<OsString>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pid: None,
            text: "prmon.txt".into(),
            summary: "prmon.json".into(),
            log: "prmon.log".into(),
            interval_s: 30.0,
            budget_percent: f64::INFINITY,
            hardware: true,
            units: false,
            devices: Vec::new(),
            disabled: Vec::new(),
            levels: Levels::default(),
            help: false,
            program: Vec::new(),
        }
    }
}

/// Reads the words after `prmon`; an error is one sentence.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Options, String> {
    let (given, program) = getopt::split(words)?;
    let mut options = Options { program, ..Options::default() };
    given.into_iter().try_for_each(|(letter, value)| options.set(letter, value))?;
    options.check()
}

impl Options {
    fn set(&mut self, letter: char, value: OsString) -> Result<(), String> {
        let text = value.to_string_lossy().into_owned();
        match letter {
            'p' => self.pid = Some(number(&text, "--pid", "a process number", |pid| *pid > 0)?),
            'f' => self.text = value,
            'j' => self.summary = value,
            'o' => self.log = value,
            'i' => {
                let good = |s: &f64| (LEAST_INTERVAL_S..=MOST_INTERVAL_S).contains(s);
                self.interval_s = number(&text, "--interval", "seconds from 0.01", good)?;
            }
            'b' => {
                let good = |percent: &f64| (LEAST_BUDGET_PERCENT..=100.0).contains(percent);
                self.budget_percent = number(&text, "--budget", "percent from 0.001 to 100", good)?;
            }
            's' => self.hardware = false,
            'u' => self.units = true,
            'n' => self.devices.push(text),
            'd' => self.disabled.push(monitor(&text)?),
            'l' => self.levels.set(&text).map_err(wrong)?,
            'h' => self.help = true,
            // -m: memory is always read the fast way.
            _ => {}
        }
        Ok(())
    }

    fn check(self) -> Result<Self, String> {
        match (self.pid, self.program.is_empty()) {
            (None, true) if !self.help => Err(wrong("neither --pid nor a program after -- is given")),
            (Some(_), false) => Err(wrong("both --pid and a program are given")),
            _ => Ok(self),
        }
    }

    /// Adds the monitors of `PRMON_DISABLE_MONITOR`; an unknown one is told and left.
    pub fn disable_by_environment(&mut self, list: &str) -> Vec<String> {
        let (known, unknown): (Vec<&str>, Vec<&str>) =
            list.split(',').map(str::trim).filter(|name| !name.is_empty()).partition(|name| monitor(name).is_ok());
        self.disabled.extend(known.into_iter().map(str::to_owned));
        unknown.into_iter().filter_map(|name| monitor(name).err()).collect()
    }
}

fn number<T: std::str::FromStr>(
    text: &str,
    name: &str,
    expected: &str,
    good: impl Fn(&T) -> bool,
) -> Result<T, String> {
    let parsed = text.parse().ok().filter(good);
    parsed.ok_or_else(|| wrong(format!("{name}: expected {expected}, got '{text}'")))
}

fn monitor(name: &str) -> Result<String, String> {
    if name == ALWAYS {
        return Err(wrong(format!("--disable: {ALWAYS} is always on")));
    }
    if MONITORS.contains(&name) {
        return Ok(name.to_owned());
    }
    let near = nearest(name, &MONITORS).unwrap_or("nothing");
    Err(wrong(format!("unknown monitor '{name}', nearest is '{near}' ({})", MONITORS.join(", "))))
}
