//! `kernel NAME`: the arguments of the built-in kernels (`docs/kernels.md`).

use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};

use assay_kernels::{self as kernels, ENTRIES};
use serde_json::{Value, json};

use crate::args::Args;
use crate::error::{Error, Result};
use crate::parse::flat;
use crate::peer;
use crate::read::Root;
use assay_nearest::nearest;

/// So that the records of a file can be counted in 32 bits.
const MOST_BYTES: usize = 1 << 43;

/// Runs the kernel that the arguments name, or lists all.
pub fn kernel(mut args: Args) -> Result<Value> {
    match args.word("a kernel (see kernel list)")?.as_str() {
        "list" => args.end().map(|()| list()),
        "flops" => flops(args),
        "integer" => integer(args),
        "astar" => astar(args),
        "stream" => stream(args),
        "latency" => latency(args),
        "syscall" => syscall(args),
        "context-switch" => context_switch(args),
        "fork" => fork(args),
        "page-fault" => page_fault(args),
        "mmap" => mmap(args),
        "pipe" => pipe(args),
        "tcp-rr" => peer::transactions(args, kernels::transactions::tcp_rr),
        "tcp-crr" => peer::transactions(args, kernels::transactions::tcp_crr),
        "udp-rr" => peer::transactions(args, kernels::transactions::udp_rr),
        "files" => files(args),
        "two-phase" => two_phase(args),
        other => Err(unknown(other)),
    }
}

fn list() -> Value {
    json!({"kernels": ENTRIES.iter().map(|entry| entry.json()).collect::<Vec<Value>>()})
}

fn unknown(word: &str) -> Error {
    let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).chain(["list"]).collect();
    let near = nearest(word, &names).unwrap_or("list");
    Error::usage(format!("cannot perform '{word}': unknown kernel, nearest is '{near}'"))
}

fn told(result: kernels::Result<Value>) -> Result<Value> {
    result.map_err(Error::failed)
}

fn threads(args: &mut Args) -> Result<usize> {
    args.number("--threads", 1, "1 to 4096", |n| (1..=4096).contains(n))
}

fn repetitions(args: &mut Args, default: usize) -> Result<usize> {
    args.number("--repetitions", default, "2 to 100000", |n| (2..=100_000).contains(n))
}

fn bytes(args: &mut Args, name: &'static str, default: usize, least: usize) -> Result<usize> {
    args.number(name, default, &format!("bytes from {least}"), |n| (least..=MOST_BYTES).contains(n))
}

fn count(args: &mut Args, name: &'static str, default: usize) -> Result<usize> {
    args.number(name, default, "1 to 1000000000", |n| (1..=1_000_000_000).contains(n))
}

/// A list of numbers with commas.
fn numbers(
    args: &mut Args,
    name: &'static str,
    default: &str,
    expected: &str,
    good: impl Fn(&usize) -> bool,
) -> Result<Vec<usize>> {
    let text = args.flag(name)?.unwrap_or_else(|| default.to_owned());
    let wrong = || Error::usage(format!("cannot read the arguments: {name}: expected {expected}, got '{text}'"));
    text.split(',').map(|word| word.parse().ok().filter(&good).ok_or_else(wrong)).collect()
}

fn directory(args: &mut Args) -> Result<PathBuf> {
    Ok(args.flag("--directory")?.unwrap_or_else(|| ".".to_owned()).into())
}

/// Refuses what would drive the machine into swap, or into the arms of its memory killer.
fn fits(what: &str, bytes: usize) -> Result<()> {
    let meminfo = Root::here().text("/proc/meminfo").unwrap_or_default();
    let available = flat::number(&meminfo, "MemAvailable").map_or(u64::MAX, |kib| kib.saturating_mul(1024));
    if bytes as u64 <= available {
        return Ok(());
    }
    Err(Error::usage(format!("cannot measure memory with {what}: {available} bytes are available")))
}

fn flops(mut args: Args) -> Result<Value> {
    let (seconds, threads) = (args.seconds(3.0)?, threads(&mut args)?);
    args.end()?;
    told(kernels::flops::flops(seconds, threads))
}

fn integer(mut args: Args) -> Result<Value> {
    let (seconds, threads) = (args.seconds(2.0)?, threads(&mut args)?);
    args.end()?;
    told(kernels::integer::integer(seconds, threads))
}

fn astar(mut args: Args) -> Result<Value> {
    let side = args.number("--side", 512, "2 to 16384", |n| (2..=16_384).contains(n))?;
    let seed = args.number("--seed", 1, "a number from 0", |_| true)?;
    let (seconds, threads) = (args.seconds(2.0)?, threads(&mut args)?);
    args.end()?;
    // Of each cell its cost, and for each search its best cost and its place in the heap.
    fits(&format!("a grid of {side} cells a side"), side * side * (1 + 16 * threads))?;
    told(kernels::astar::astar(side, seed, seconds, threads))
}

fn stream(mut args: Args) -> Result<Value> {
    let bytes = args.number("--array-bytes", 0, "bytes from 8", |n: &u64| *n >= 8)?;
    let repetitions = repetitions(&mut args, 5)?;
    let threads = numbers(&mut args, "--threads", "1", "1 to 4096", |n| (1..=4096).contains(n))?;
    args.end()?;
    if bytes == 0 {
        return Err(Error::usage("cannot read the arguments: --array-bytes is missing"));
    }
    fits(&format!("3 arrays of {bytes} bytes"), usize::try_from(bytes.saturating_mul(3)).unwrap_or(usize::MAX))?;
    told(kernels::stream::stream(bytes, repetitions, &threads))
}

fn latency(mut args: Args) -> Result<Value> {
    let max_bytes = bytes(&mut args, "--max-bytes", 64 << 20, 1024)?;
    let min_bytes =
        args.number("--min-bytes", 1024, "bytes from 1024 to --max-bytes", |n| (1024..=max_bytes).contains(n))?;
    let stride =
        args.number("--stride", 64, "a multiple of 8 from 8 to 512", |n| n % 8 == 0 && (8..=512).contains(n))?;
    let (loads, repetitions) = (count(&mut args, "--loads", 200_000)?, repetitions(&mut args, 5)?);
    args.end()?;
    if max_bytes / stride > u32::MAX as usize {
        return Err(Error::usage(format!("cannot number the cells of {max_bytes} bytes: more than {}", u32::MAX)));
    }
    // Beside the working set, the order of its cells.
    fits(&format!("a working set of {max_bytes} bytes"), max_bytes + max_bytes / stride * 4)?;
    let options = kernels::latency::Options { min_bytes, max_bytes, stride, loads, repetitions };
    told(kernels::latency::latency(&options))
}

fn syscall(mut args: Args) -> Result<Value> {
    let (repetitions, calls) = (repetitions(&mut args, 11)?, count(&mut args, "--calls", 10_000)?);
    args.end()?;
    told(kernels::syscall::syscall(repetitions, calls))
}

fn context_switch(mut args: Args) -> Result<Value> {
    let processes = numbers(&mut args, "--processes", "2,8,16", "2 to 200", |n| (2..=200).contains(n))?;
    let sizes = numbers(&mut args, "--bytes", "0,16384", "working sets up to 67108864", |n| *n <= 64 << 20)?;
    let (rounds, repetitions) = (count(&mut args, "--rounds", 500)?, repetitions(&mut args, 11)?);
    let one_cpu = !args.switch("--all-cpus");
    args.end()?;
    let options = kernels::context_switch::Options { processes, sizes, rounds, repetitions, one_cpu };
    told(kernels::context_switch::context_switch(&options))
}

fn fork(mut args: Args) -> Result<Value> {
    let (repetitions, processes) = (repetitions(&mut args, 11)?, count(&mut args, "--processes", 50)?);
    args.end()?;
    let path = std::env::current_exe().map_err(|error| Error::io("find this program", &error))?;
    let path = CString::new(path.into_os_string().into_encoded_bytes()).unwrap_or_default();
    let program = kernels::fork::Program { path, argument: c"--version".to_owned() };
    told(kernels::fork::fork(&program, repetitions, processes))
}

fn page_fault(mut args: Args) -> Result<Value> {
    let (bytes, directory) = (bytes(&mut args, "--bytes", 16 << 20, 1)?, directory(&mut args)?);
    let repetitions = repetitions(&mut args, 11)?;
    args.end()?;
    fits(&format!("{bytes} bytes"), bytes)?;
    told(kernels::page_fault::page_fault(&directory, bytes, repetitions))
}

fn mmap(mut args: Args) -> Result<Value> {
    let good = |n: &usize| (1..=MOST_BYTES).contains(n);
    let sizes = numbers(&mut args, "--bytes", "65536,1048576,16777216", "bytes from 1", good)?;
    let (directory, repetitions) = (directory(&mut args)?, repetitions(&mut args, 21)?);
    args.end()?;
    told(kernels::mmap::mmap(&directory, &sizes, repetitions))
}

fn pipe(mut args: Args) -> Result<Value> {
    let (repetitions, trips) = (repetitions(&mut args, 11)?, count(&mut args, "--trips", 1000)?);
    let bytes = bytes(&mut args, "--bytes", 32 << 20, 1)?;
    args.end()?;
    told(kernels::pipe::pipe_costs(repetitions, trips, bytes))
}

fn files(mut args: Args) -> Result<Value> {
    let directory = directory(&mut args)?;
    let aligned = |n: &usize| n % 4096 == 0 && (4096..=1 << 30).contains(n);
    let record_bytes = args.number("--record-bytes", 65_536, "a multiple of 4096 up to 1073741824", aligned)?;
    let bytes = bytes(&mut args, "--bytes", (64 << 20).max(record_bytes), record_bytes)?;
    let repetitions = args.number("--repetitions", 3, "1 to 100000", |n| (1..=100_000).contains(n))?;
    let direct = args.switch("--direct");
    args.end()?;
    let directory = directory.as_path();
    told(kernels::files::files(&kernels::files::Options { directory, bytes, record_bytes, repetitions, direct }))
}

fn two_phase(mut args: Args) -> Result<Value> {
    let (input, directory) = (args.flag("--input")?, directory(&mut args)?);
    let init_bytes = bytes(&mut args, "--init-bytes", 16 << 20, 0)?;
    let reads = count(&mut args, "--reads", 1)?;
    let init_ms = args.number("--init-ms", 0, "0 to 86400000", |n| (0..=86_400_000).contains(n))?;
    let events = args.number("--events", 100, "0 to 1000000000", |n| (0..=1_000_000_000).contains(n))?;
    let work = args.number("--event-work", 1_000_000, "steps from 0", |n| (0..=1_000_000_000_000).contains(n))?;
    let output_bytes = bytes(&mut args, "--output-bytes", 0, 0)?;
    let every = args.number("--every", 10, "1 to 1000000000", |n| (1..=1_000_000_000).contains(n))?;
    let (prepare, make) = (args.switch("--prepare"), args.switch("--make"));
    let (announce, direct) = (args.switch("--announce"), args.switch("--direct"));
    args.end()?;
    if direct && init_bytes % 4096 != 0 {
        return Err(Error::usage("cannot read the arguments: --direct needs --init-bytes in multiples of 4096"));
    }
    let input = input.as_deref().map(Path::new);
    if (prepare || make) && input.is_none() {
        let which = if prepare { "--prepare" } else { "--make" };
        let sentence = format!("cannot read the arguments: {which} makes the file of --input, which is missing");
        return Err(Error::usage(sentence));
    }
    if let Some(input) = input.filter(|_| prepare) {
        return told(kernels::two_phase::prepare(input, init_bytes));
    }
    let options = kernels::two_phase::Options {
        input,
        make,
        init_bytes,
        reads,
        direct,
        init_ms,
        events,
        event_work: work,
        output_bytes,
        directory: &directory,
        every,
        announce: if announce { phase_descriptor() } else { None },
    };
    told(kernels::two_phase::two_phase(&options, &mut io::stdout()))
}

/// Where whoever runs us wants to hear of phases; nobody may want to.
fn phase_descriptor() -> Option<i32> {
    std::env::var("ASSAY_PHASE_FD").ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Args {
        Args::new(line.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn every_kernel_of_the_list_is_known_by_its_name() {
        for entry in ENTRIES {
            let error = kernel(words(&format!("{} --no-such-option 1", entry.name))).expect_err("no such option");
            assert!(error.message.contains("unknown '--no-such-option', nearest is '--"), "{error}");
        }
    }

    #[test]
    fn ranges_are_held() {
        for line in [
            "stream --array-bytes 80 --threads 1,0",
            "latency --stride 12",
            "context-switch --processes 1",
            "files --record-bytes 1000",
            "files --record-bytes 8192 --bytes 4096",
            "astar --side 1",
            "two-phase --every 0",
            "two-phase --prepare",
            "two-phase --make",
            "two-phase --direct --init-bytes 5000",
        ] {
            assert_eq!(kernel(words(line)).expect_err(line).code, crate::error::USAGE);
        }
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let error = kernel(words("stream --array-bytes 1152921504606846976")).expect_err("too large");
        assert!(error.message.contains("bytes are available"));
    }
}
