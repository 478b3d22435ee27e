//! prmon's command line, read as getopt_long(3) reads it: `-i1`, `-i 1`, `--interval=1`, `--interval 1`, `-su`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use super::columns::{ALWAYS, MONITORS};
use super::log::Levels;
use crate::nearest::nearest;

pub const HELP: &str = "\
assay-probe prmon: prmon's options and files, monitored by the probe

  assay-probe prmon [options] -- program [arguments]
  assay-probe prmon [options] --pid PID

  -p, --pid PID             watch this running process and its descendants
  -f, --filename FILE       samples (prmon.txt)
  -j, --json-summary FILE   summary (prmon.json)
  -o, --log-filename FILE   log (prmon.log)
  -i, --interval S          seconds between samples, from 0.01 on (30)
  -s, --suppress-hw-info    no hardware in the summary
  -u, --units               units in the summary
  -n, --netdev DEVICE       count this network device only; may be repeated
  -d, --disable MONITOR     leave a monitor out; may be repeated
  -l, --level [MON:]LEVEL   least level of what is logged, of one monitor or of all
  -m, --fast-memmon         accepted: memory is always read the fast way
  -h, --help                this text

monitors: wallmon (always on), cpumon, memmon, iomon, netmon, countmon, nvidiamon
levels: trace, debug, info, warning, error, critical, off
";

/// Every option: its letter, its name, whether it wants a value.
const KNOWN: [(char, &str, bool); 12] = [
    ('p', "pid", true),
    ('f', "filename", true),
    ('j', "json-summary", true),
    ('o', "log-filename", true),
    ('i', "interval", true),
    ('s', "suppress-hw-info", false),
    ('u', "units", false),
    ('n', "netdev", true),
    ('d', "disable", true),
    ('l', "level", true),
    ('m', "fast-memmon", false),
    ('h', "help", false),
];
const LEAST_INTERVAL_S: f64 = 0.01;
const MOST_INTERVAL_S: f64 = 86_400.0 * 366.0;

/// What to monitor and where to write.
#[derive(Debug)]
pub struct Options {
    pub pid: Option<i32>,
    pub text: OsString,
    pub summary: OsString,
    pub log: OsString,
    pub interval_s: f64,
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
    let mut options = Options::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_bytes() {
            b"--" => {
                options.program = words.by_ref().collect();
                break;
            }
            [b'-', b'-', long @ ..] => options.long(long, &mut words)?,
            [b'-', short @ ..] if !short.is_empty() => options.short(short, &mut words)?,
            _ => return Err(wrong(format!("unexpected '{}' before --", word.display()))),
        }
    }
    options.check()
}

fn wrong(what: impl std::fmt::Display) -> String {
    format!("cannot read the arguments: {what}")
}

impl Options {
    fn long(&mut self, word: &[u8], words: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
        let mut parts = word.splitn(2, |byte| *byte == b'=');
        let name = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        let joined = parts.next().map(os);
        let found = find(&name)?;
        match (found.2, joined) {
            (true, joined) => self.set(found.0, value(found.1, joined, words)?),
            (false, None) => self.set(found.0, OsString::new()),
            (false, Some(_)) => Err(wrong(format!("--{} takes no value", found.1))),
        }
    }

    fn short(&mut self, letters: &[u8], words: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
        for (at, letter) in letters.iter().enumerate() {
            let letter = char::from(*letter);
            let known = KNOWN.iter().find(|known| known.0 == letter);
            let known = known.ok_or_else(|| wrong(format!("unknown option -{letter} (see --help)")))?;
            if known.2 {
                let joined = letters.get(at + 1..).filter(|rest| !rest.is_empty()).map(os);
                return self.set(letter, value(known.1, joined, words)?);
            }
            self.set(letter, OsString::new())?;
        }
        Ok(())
    }

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

fn os(bytes: &[u8]) -> OsString {
    std::ffi::OsStr::from_bytes(bytes).to_owned()
}

fn value(
    name: &str,
    joined: Option<OsString>,
    words: &mut impl Iterator<Item = OsString>,
) -> Result<OsString, String> {
    joined.or_else(|| words.next()).ok_or_else(|| wrong(format!("--{name} wants a value")))
}

/// A long option by its name or, as getopt_long lets one, by the beginning of one name.
fn find(name: &str) -> Result<&'static (char, &'static str, bool), String> {
    let begun: Vec<_> = KNOWN.iter().filter(|known| !name.is_empty() && known.1.starts_with(name)).collect();
    if let Some(known) = KNOWN.iter().find(|known| known.1 == name) {
        return Ok(known);
    }
    if let [one] = begun[..] {
        return Ok(one);
    }
    let near = nearest(name, &KNOWN.map(|known| known.1)).unwrap_or("help");
    Err(wrong(format!("unknown option --{name}, nearest is --{near}")))
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
