//! `serve`: requests on standard input, answers on standard output, one JSON object a line each.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::claim;
use crate::clock::Moment;
use crate::content::content;
use crate::digest::{digest, place};
use crate::error::{Error, MISSING, Result};
use crate::facts::facts;
use crate::home;
use crate::page_cache::{self, Act};
use crate::perf;
use crate::read::Root;
use crate::record::record;
use crate::run::run;
use crate::spec::{self, PROTOCOL, names};
use crate::status;
use crate::watch;
use assay_nearest::nearest;

const OPS: [&str; 16] = [
    "facts", "record", "find", "digest", "clock", "cache", "run", "status", "wait", "stop", "make", "remove",
    "space", "content", "claim", "version",
];

/// Answers until the input ends; jobs that were started go on.
pub fn serve(root: &Root, home: &str) -> Result<()> {
    let cannot = |error: io::Error| Error::io("serve", &error);
    let mut input = BufReader::new(File::from(io::stdin().as_fd().try_clone_to_owned().map_err(cannot)?));
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(cannot)? == 0 {
            return Ok(());
        }
        let silent = || input.buffer().is_empty().then(|| input.get_ref().as_fd());
        let answer = format!("{}\n", answer(root, home, &line, &silent));
        output.write_all(answer.as_bytes()).and_then(|()| output.flush()).map_err(cannot)?;
    }
}

/// The input while nothing that was read of it waits to be heard.
type Silent<'a> = &'a dyn Fn() -> Option<BorrowedFd<'a>>;

fn answer(root: &Root, home: &str, line: &[u8], silent: Silent) -> Value {
    let request: Value = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => return refusal(&Value::Null, &format!("cannot read the request: {error}"), false),
    };
    match perform(root, home, &request, silent) {
        Ok(result) => json!({"id": request["id"], "ok": true, "result": result}),
        Err(error) => refusal(&request["id"], &error.message, error.code == MISSING),
    }
}

fn refusal(id: &Value, error: &str, missing: bool) -> Value {
    json!({"id": id, "ok": false, "error": error, "missing": missing})
}

/// What speaks here, and what a spec may ask it to watch and to count.
fn version() -> Value {
    let watch: Vec<&str> = watch::GROUPS.iter().map(|group| group.name).collect();
    json!({"version": env!("CARGO_PKG_VERSION"), "protocol": PROTOCOL, "watch": watch, "counters": perf::event_names()})
}

fn perform(root: &Root, home: &str, request: &Value, silent: Silent) -> Result<Value> {
    let text = |name: &str| {
        let missing = || Error::usage(format!("cannot perform the request: expected a text '{name}'"));
        request[name].as_str().ok_or_else(missing)
    };
    match text("op")? {
        "facts" => facts(root, Path::new(home)),
        "record" => {
            let into = text("into")?;
            home::own(home, into)?;
            record(root, into)
        }
        "find" => place(root, text("program")?),
        "digest" => digest(root, text("program")?, request["script"].as_str(), &request["known"]),
        "cache" => {
            let paths = names(&request["paths"]);
            let act = Act::named(text("act")?).zip(paths);
            let wrong = || Error::usage("cannot perform the request: expected 'act' and a list 'paths'");
            let (act, paths) = act.ok_or_else(wrong)?;
            page_cache::perform(act, &paths).map(page_cache::Residency::json)
        }
        "clock" => Ok(Moment::now().json()),
        "run" => {
            let (spec, into) = (spec::read(request["spec"].clone())?, text("into")?);
            home::own(home, into)?;
            run(&spec, into).map(|pid| json!({"pid": pid}))
        }
        "status" => status::status(text("into")?),
        "wait" => {
            let wrong = || Error::usage("cannot perform the request: expected a number 'limit_s', 0 or more");
            let limit = request["limit_s"].as_f64().and_then(|limit| Duration::try_from_secs_f64(limit).ok());
            status::wait(text("into")?, limit.ok_or_else(wrong)?, silent())
        }
        "stop" => status::stop(text("into")?),
        "make" => home::make(home, text("path")?),
        "remove" => home::remove(home, text("path")?),
        "space" => home::space(text("path")?),
        "content" => {
            let wrong = || Error::usage("cannot perform the request: expected a whole number 'most_bytes'");
            content(text("path")?, request["most_bytes"].as_u64().ok_or_else(wrong)?)
        }
        "claim" => claim::claim(Path::new(home), &request["by"]),
        "version" => Ok(version()),
        other => {
            let near = nearest(other, &OPS).unwrap_or("nothing");
            Err(Error::usage(format!("cannot perform '{other}': unknown op, nearest is '{near}'")))
        }
    }
}
