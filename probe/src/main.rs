//! The probe: runs one workload on a machine, measures it and stays out of its way (`docs/probe.md`).

mod args;
mod arrange;
mod cgroup;
mod claim;
mod clock;
mod content;
mod cost;
mod cpu_time;
mod digest;
mod error;
mod facts;
mod fields;
mod folder;
mod hold;
mod home;
mod kernel;
mod page_cache;
mod parse;
mod peer;
mod perf;
mod phases;
mod prmon;
mod read;
mod record;
mod run;
mod search;
mod serve;
mod spec;
mod status;
mod subreaper;
mod supervise;
#[allow(unsafe_code)]
mod sys;
mod taskstats;
mod waited;
mod watch;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use args::Args;
use error::{Error, Result};
use page_cache::Act;
use read::Root;

const HELP: &str = "\
assay-probe: runs one workload on a machine, measures it and stays out of its way

  assay-probe run SPEC.json --into DIR      start a job, detached; its record is DIR/probe.json
  assay-probe status DIR                    what became of it
  assay-probe stop DIR                      end it
  assay-probe facts [--root DIR] [--folder DIR]
                                            what this machine is; the file system is that of the folder
  assay-probe record --into DIR             what the probe reads of this machine, for --root, without names
  assay-probe digest PROGRAM                a program and its libraries by SHA-256
  assay-probe cache ACT PATH…               residency of files in memory; ACT evict or preload first
  assay-probe clock                         both clocks of this machine
  assay-probe kernel list                   built-in kernels and what they yield
  assay-probe kernel NAME [OPTIONS]         run one (docs/kernels.md)
  assay-probe peer --bind ADDRESS           the server of the kernels tcp-rr, tcp-crr and udp-rr, at this address alone
  assay-probe prmon [options] -- PROGRAM…   prmon's options and files (prmon --help)
  assay-probe subreaper -- COMMAND…         run a command and take in its orphans
  assay-probe hold [--while PID]            do nothing until told to end, or a process is gone
  assay-probe count --events A,B -- COMMAND…
  assay-probe profile [--hz 99] [--system yes] --into DIR -- COMMAND…
  assay-probe fold RAW                      stacks of a raw profile as text
  assay-probe serve --home DIR              answer requests, one JSON object a line

exit codes: 0 good, 1 failed, 2 wrong argument or spec, 4 something is missing
";
const COMMANDS: [&str; 18] = [
    "run",
    "status",
    "stop",
    "facts",
    "record",
    "digest",
    "cache",
    "clock",
    "kernel",
    "peer",
    "prmon",
    "subreaper",
    "hold",
    "cost",
    "count",
    "profile",
    "fold",
    "serve",
];

fn main() -> ExitCode {
    // Its own options, and a program's arguments as they are, text or not.
    if std::env::args_os().nth(1).is_some_and(|word| word == "prmon") {
        return ExitCode::from(prmon::prmon(std::env::args_os().skip(2)));
    }
    match perform(std::env::args().skip(1).collect()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(error.code)
        }
    }
}

fn perform(mut words: Vec<String>) -> Result<u8> {
    if words.iter().take_while(|word| *word != "--").any(|word| word == "--help" || word == "-h") {
        return print(HELP);
    }
    if words.first().is_some_and(|word| word == "--version") {
        return print(&format!("assay-probe {}\n", env!("CARGO_PKG_VERSION")));
    }
    if let Some(at) = words.iter().position(|word| word == "subreaper").filter(|at| *at == 0) {
        return subreaper::subreaper(&Args::new(words.split_off(at + 1)).rest());
    }
    if words.first().is_some_and(|word| word == "cost") {
        return tell(cost::cost(words.split_off(1))?);
    }
    let mut args = Args::new(words);
    let root = Root::new(args.flag("--root")?.unwrap_or_else(|| "/".to_owned()));
    match args.word("a command (see --help)")?.as_str() {
        "run" => run_file(args),
        "status" => tell(status::status(&last_word(args, "DIR")?)?),
        "stop" => tell(status::stop(&last_word(args, "DIR")?)?),
        "facts" => facts(args, &root),
        "record" => record(args, &root),
        "digest" => tell(digest::digest(&root, &last_word(args, "PROGRAM")?, None, &Value::Null)?),
        "cache" => cache(args),
        "hold" => hold::hold(args),
        "clock" => args.end().and_then(|()| tell(clock::Moment::now().json())),
        "kernel" => tell(kernel::kernel(args)?),
        "peer" => peer::peer(args),
        "count" => tell(perf::command::count(args, &root)?),
        "profile" => tell(perf::command::profile(args, &root)?),
        "fold" => print(&perf::fold(&root, Path::new(&last_word(args, "RAW")?))?),
        "serve" => serve(args, &root),
        other => Err(unknown("command", other, &COMMANDS)),
    }
}

fn unknown(what: &str, word: &str, known: &[&str]) -> Error {
    let near = assay_nearest::nearest(word, known).unwrap_or("nothing");
    Error::usage(format!("cannot perform '{word}': unknown {what}, nearest is '{near}'"))
}

fn last_word(mut args: Args, what: &str) -> Result<String> {
    let word = args.word(what)?;
    args.end().map(|()| word)
}

fn needed(args: &mut Args, name: &'static str) -> Result<String> {
    let missing = || Error::usage(format!("cannot read the arguments: {name} is missing"));
    args.flag(name)?.ok_or_else(missing)
}

fn run_file(mut args: Args) -> Result<u8> {
    let into = needed(&mut args, "--into")?;
    let path = last_word(args, "SPEC.json")?;
    let bytes = fs::read(&path).map_err(|error| Error::io(format!("read the spec {path}"), &error))?;
    sys::close_files();
    let pid = run::run(&spec::parse(&bytes)?, &into)?;
    tell(json!({"pid": pid}))
}

fn cache(mut args: Args) -> Result<u8> {
    let name = args.word("an act (residency, evict or preload)")?;
    let act = Act::named(&name).ok_or_else(|| unknown("act", &name, &Act::NAMES))?;
    tell(page_cache::perform(act, &args.rest())?.json())
}

fn facts(mut args: Args, root: &Root) -> Result<u8> {
    let folder = args.flag("--folder")?.unwrap_or_else(|| "/".to_owned());
    args.end()?;
    tell(facts::facts(root, Path::new(&folder))?)
}

fn record(mut args: Args, root: &Root) -> Result<u8> {
    let into = needed(&mut args, "--into")?;
    args.end()?;
    tell(record::record(root, &into)?)
}

fn serve(mut args: Args, root: &Root) -> Result<u8> {
    let home = needed(&mut args, "--home")?;
    args.end()?;
    sys::close_files();
    serve::serve(root, &home).map(|()| 0)
}

fn tell(value: Value) -> Result<u8> {
    print(&format!("{value}\n"))
}

fn print(text: &str) -> Result<u8> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| Error::io("print", &error))?;
    Ok(0)
}
