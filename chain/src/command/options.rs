//! Options that several commands share.

use std::env;
use std::path::PathBuf;

use crate::args::Args;
use crate::error::{Error, Result};
use crate::files::Pattern;
use crate::job::Job;
use crate::names::{Step, Style};
use crate::phygen::{Source, Spectrum};

pub fn directory(args: &mut Args) -> Result<PathBuf> {
    Ok(args.option("--directory")?.unwrap_or_else(|| ".".to_owned()).into())
}

pub fn every(args: &mut Args) -> Result<u64> {
    Ok(args.number("--every", "events from 1", |n| *n >= 1)?.unwrap_or(10))
}

pub fn events(args: &mut Args) -> Result<Option<u64>> {
    args.number("--events", "0 to 1000000000", |n| *n <= 1_000_000_000)
}

pub fn seed(args: &mut Args) -> Result<Option<u64>> {
    args.number("--seed", "a number from 0", |_| true)
}

pub fn job(args: &mut Args, style: Style, step: Option<Step>) -> Result<Job> {
    let directory = directory(args)?;
    let (events, threads, seed) = (events(args)?, threads(args)?, seed(args)?);
    let pattern = match (args.switch("--no-output"), style) {
        (true, _) if step.is_none() => {
            return Err(Error::usage("--no-output is of one step: with run the next would have no input"));
        }
        (true, _) => Pattern::Nothing,
        (false, Style::Neutrino) => Pattern::Stream,
        (false, Style::Collider) => Pattern::Appends,
    };
    Ok(Job { style, directory, events, threads, seed, pattern, source: source(args, step)? })
}

pub fn source(args: &mut Args, step: Option<Step>) -> Result<Source> {
    if step.is_some_and(|step| ![Step::Generate, Step::Fast].contains(&step)) {
        return Ok(Source { positron: true, spectrum: Spectrum::Uniform });
    }
    if args.has("--spectrum") && args.has("--energy") {
        return Err(Error::usage("--energy and --spectrum: one of the two says what energies there are"));
    }
    let positron = args.choice("--particle", &["positron", "electron"])? == "positron";
    let spectrum = match args.choice("--spectrum", &["uniform", "reactor"])? {
        "reactor" => Spectrum::Reactor,
        _ => Spectrum::Uniform,
    };
    let energy = args.number("--energy", "MeV from 0 to 100", |mev| (0.0..=100.0).contains(mev))?;
    Ok(Source { positron, spectrum: energy.map_or(spectrum, Spectrum::Fixed) })
}

/// Those of the option, else as many as whoever runs us says, else one.
pub fn threads(args: &mut Args) -> Result<usize> {
    let good = |n: &usize| (1..=4096).contains(n);
    if let Some(threads) = args.number("--threads", "1 to 4096", good)? {
        return Ok(threads);
    }
    let Ok(text) = env::var("ASSAY_THREADS") else {
        return Ok(1);
    };
    let wrong = || Error::usage(format!("ASSAY_THREADS: expected 1 to 4096, got '{text}'"));
    text.parse().ok().filter(good).ok_or_else(wrong)
}

/// Where whoever runs us wants to hear of phases; nobody may want to.
pub fn phase_descriptor() -> Option<i32> {
    env::var("ASSAY_PHASE_FD").ok()?.parse().ok()
}
