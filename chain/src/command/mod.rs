//! The command line of the chain.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use self::options::{directory, events, every, job, phase_descriptor, seed, threads};
use self::wanted::Wanted;
use crate::args::Args;
use crate::error::{Error, MISSING, Result, cannot};
use crate::job::{run, run_all};
use crate::lhe::{self, Generation};
use crate::names::Style;
use crate::tables;
use crate::teller::Teller;

mod options;
mod wanted;

const HELP: &str = "\
chain: simulation and reconstruction of a liquid-scintillator detector, as a workload (docs/chain.md)

  chain tables [OPTIONS]      make the tables that every step reads (geometry, optics, light map)
  chain phygen [OPTIONS]      generate particles
  chain detsim [OPTIONS]      follow their light, photon by photon
  chain elecsim [OPTIONS]     digitise waveforms
  chain pmtrec [OPTIONS]      waveforms to charge and time, by deconvolution
  chain evtrec [OPTIONS]      vertex and energy, by likelihood
  chain analysis [OPTIONS]    a pass over the reconstructed events
  chain fastsim [OPTIONS]     reconstructed events from a parametrisation, many and quickly, for the analysis
  chain run [OPTIONS]         phygen to evtrec in turn; tables are made where there are none
  chain powheg-like [OPTIONS] a generator that writes text by small appends to --files files

  --directory DIR   where all files lie (.)
  --events N        events (100; later steps: all that there are)
  --threads T       worker threads (ASSAY_THREADS, else 1); the result is the same for any number
  --seed S          of all random numbers (1; later steps: that of their input)
  --no-output       do everything and write nothing (not with run)
  --as NAMES        phygen-to-evtrec, or gen-sim-digi-reco: steps gen, sim, digi, reco, analysis, run, which write
                    many small files by appends of 4 KiB
  --every N         events between two lines of progress (10)
  --particle P      positron or electron (phygen, fastsim, run)
  --spectrum S      uniform (0 to 10 MeV) or reactor (phygen, fastsim, run)
  --energy MEV      all of one kinetic energy (phygen, fastsim, run)
  --files N         files that events are shared out to (powheg-like; 4)

  --tables SIZE     bytes of the tables, such as 4M or 500M (tables, run: 4M)
  --pmts N          photomultipliers, 12 to 20000 (tables, run: 1000)
  --samples N       samples of a waveform at 1 GHz, 128 to 4096 (tables, run: 400)
  --photons-per-mev Y   light yield (tables, run: 10000)

Lines of standard output tell where it is, the last is one JSON object. Phases go to ASSAY_PHASE_FD, too.
exit codes: 0 good, 1 failed (input damaged or incomplete, physics not right), 2 wrong argument, 4 something is missing
";

/// Words that are no steps.
const OTHERS: [&str; 4] = ["fastsim", "tables", "run", "powheg-like"];

/// Does what the words say; lines and the report go to the log.
pub fn perform(words: Vec<String>, log: &mut dyn Write) -> Result<()> {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return say(log, HELP.trim_end());
    }
    if words.first().is_some_and(|word| word == "--version") {
        return say(log, concat!("chain ", env!("CARGO_PKG_VERSION")));
    }
    let mut args = Args::new(words);
    let word = args.word("a step")?;
    let report = match word.as_str() {
        "tables" => make_tables(args)?,
        "powheg-like" => powheg_like(args, log)?,
        "run" => steps(args, None, log)?,
        step => steps(args, Some(step), log)?,
    };
    say(log, &report.to_string())
}

fn say(log: &mut dyn Write, text: &str) -> Result<()> {
    let done = writeln!(log, "{text}").and_then(|()| log.flush());
    done.map_err(cannot("print to", Path::new("standard output")))
}

fn make_tables(mut args: Args) -> Result<Value> {
    let (directory, wanted) = (directory(&mut args)?, Wanted::take(&mut args)?);
    args.end()?;
    let bytes = wanted.make(&directory)?;
    let shape = wanted.shape();
    let digest = format!("{:016x}", tables::header(&directory)?.detector);
    Ok(json!({
        "chain": "tables",
        "version": env!("CARGO_PKG_VERSION"),
        "digest": digest,
        "pmts": shape.pmts,
        "samples": shape.samples,
        "photons_per_mev": shape.photons_per_mev,
        "bytes": {"written": bytes},
    }))
}

fn steps(mut args: Args, word: Option<&str>, log: &mut dyn Write) -> Result<Value> {
    let style = match args.choice("--as", &Style::NAMES)? {
        name if name == Style::NAMES[1] => Style::Collider,
        _ => Style::Neutrino,
    };
    let step = match word {
        Some(word) => Some(style.step(word).map_or_else(|| style.unknown(word, &OTHERS), Ok)?),
        None => None,
    };
    let every = every(&mut args)?;
    let wanted = Wanted::take(&mut args)?;
    let job = job(&mut args, style, step)?;
    args.end()?;
    let made = prepare(&job.directory, &wanted, step.is_none())?;
    let mut teller = Teller::new(log, phase_descriptor(), every)?;
    if made {
        teller.line("tables made")?;
    }
    let report = match step {
        Some(step) => run(&job, step, &mut teller)?,
        None => run_all(&job, &mut teller)?,
    };
    teller.end()?;
    Ok(report)
}

fn powheg_like(mut args: Args, log: &mut dyn Write) -> Result<Value> {
    let every = every(&mut args)?;
    let job = Generation {
        directory: directory(&mut args)?,
        events: events(&mut args)?.unwrap_or(100),
        threads: threads(&mut args)?,
        seed: seed(&mut args)?.unwrap_or(1),
        files: args.number("--files", "1 to 9999", |n| (1..=9999).contains(n))?.unwrap_or(4),
        write: !args.switch("--no-output"),
    };
    args.end()?;
    let mut teller = Teller::new(log, phase_descriptor(), every)?;
    let report = lhe::run(&job, &mut teller)?;
    teller.end()?;
    Ok(report)
}

/// Makes tables where there are none and whoever asks wants all steps; whether it did.
fn prepare(directory: &Path, wanted: &Wanted, make: bool) -> Result<bool> {
    if tables::path(directory).exists() {
        return wanted.check(directory).map(|()| false);
    }
    if make {
        return wanted.make(directory).map(|_| true);
    }
    let path = tables::path(directory);
    let message = format!("cannot open {}: no such file or directory; 'chain tables' makes it", path.display());
    Err(Error { code: MISSING, message })
}
