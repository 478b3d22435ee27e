//! The probe: runs one workload on a machine, measures it and stays out of its way (`docs/probe.md`).

mod args;
mod cgroup;
mod clock;
mod cpu_time;
mod digest;
mod error;
mod facts;
mod fields;
mod folder;
mod home;
mod kernel;
mod nearest;
mod parse;
mod phases;
mod prmon;
mod read;
mod run;
mod search;
mod serve;
mod spec;
mod status;
mod subreaper;
mod supervise;
#[allow(unsafe_code)]
mod sys;
mod watch;

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use args::Args;
use error::{Error, Result};
use read::Root;

const HELP: &str = "\
assay-probe: runs one workload on a machine, measures it and stays out of its way

  assay-probe run SPEC.json --into DIR      start a job, detached; its record is DIR/probe.json
  assay-probe status DIR                    what became of it
  assay-probe stop DIR                      end it
  assay-probe facts [--root DIR]            what this machine is
  assay-probe digest PROGRAM                a program and its libraries by SHA-256
  assay-probe clock                         both clocks of this machine
  assay-probe kernel flops [--seconds 3] [--threads 1]
  assay-probe kernel stream --array-bytes N [--repetitions 5] [--threads 1]
  assay-probe prmon [options] -- PROGRAM…   prmon's options and files (prmon --help)
  assay-probe subreaper -- COMMAND…         run a command and take in its orphans
  assay-probe serve --home DIR              answer requests, one JSON object a line

exit codes: 0 good, 1 failed, 2 wrong argument or spec, 4 something is missing
";
const COMMANDS: [&str; 10] =
    ["run", "status", "stop", "facts", "digest", "clock", "kernel", "prmon", "subreaper", "serve"];
const MOST_THREADS: usize = 4096;

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
    let mut args = Args::new(words);
    let root = Root::new(args.flag("--root")?.unwrap_or_else(|| "/".to_owned()));
    match args.word("a command (see --help)")?.as_str() {
        "run" => run_file(args),
        "status" => tell(status::status(&last_word(args, "DIR")?)?),
        "stop" => tell(status::stop(&last_word(args, "DIR")?)?),
        "facts" => args.end().and_then(|()| tell(facts::facts(&root)?)),
        "digest" => tell(digest::digest(&root, &last_word(args, "PROGRAM")?)?),
        "clock" => args.end().and_then(|()| tell(clock::Moment::now().json())),
        "kernel" => kernel(args),
        "serve" => serve(args, &root),
        other => Err(unknown("command", other, &COMMANDS)),
    }
}

fn unknown(what: &str, word: &str, known: &[&str]) -> Error {
    let near = nearest::nearest(word, known).unwrap_or("nothing");
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
    let pid = run::run(&spec::parse(&bytes)?, &into)?;
    tell(json!({"pid": pid}))
}

fn serve(mut args: Args, root: &Root) -> Result<u8> {
    let home = needed(&mut args, "--home")?;
    args.end()?;
    serve::serve(root, &home).map(|()| 0)
}

fn kernel(mut args: Args) -> Result<u8> {
    let name = args.word("a kernel (flops or stream)")?;
    let threads = args.number("--threads", 1, "1 to 4096", |n| (1..=MOST_THREADS).contains(n))?;
    let result = match name.as_str() {
        "flops" => {
            let seconds = args.number("--seconds", 3.0, "0.01 to 86400", |n| (0.01..=86400.0).contains(n))?;
            args.end()?;
            kernel::flops::flops(seconds, threads)?
        }
        "stream" => {
            let bytes = args.number("--array-bytes", 0, "bytes from 8", |n: &u64| *n >= 8)?;
            let repetitions = args.number("--repetitions", 5, "2 to 100000", |n| (2..=100_000).contains(n))?;
            args.end()?;
            if bytes == 0 {
                return Err(Error::usage("cannot read the arguments: --array-bytes is missing"));
            }
            kernel::stream::stream(bytes, repetitions, threads)?
        }
        other => return Err(unknown("kernel", other, &["flops", "stream"])),
    };
    tell(result)
}

fn tell(value: Value) -> Result<u8> {
    print(&format!("{value}\n"))
}

fn print(text: &str) -> Result<u8> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| Error::io("print", &error))?;
    Ok(0)
}
