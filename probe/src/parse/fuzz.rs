//! Every parser against whatever may come: arbitrary bytes, and captures of real machines that were damaged.
//!
//! A new parser gets its line in `PARSERS`; a new kind of file its line in `captures`.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;

/// Takes bytes to their values, and through what is asked of these.
type Parser = fn(&[u8]);

const PARSERS: &[(&str, Parser)] = &[
    ("c_library", |bytes| drop(c_library::banner(bytes))),
    ("command_line", |bytes| _ = command_line::value(command_line::of_kernel(&text(bytes)), "mitigations")),
    ("cpu_list", |bytes| drop(cpu_list::parse(&text(bytes)))),
    ("cpu_times", |bytes| _ = cpu_times::parse(&text(bytes)).count()),
    ("cpuinfo", |bytes| {
        let text = text(bytes);
        drop((cpuinfo::model(&text), cpuinfo::hypervisor(&text), cpuinfo::all(&text, "flags")));
        assert!(cpuinfo::frequencies(&text).all(|(_, hz)| !hz.is_nan()));
    }),
    ("diskstats", |bytes| _ = diskstats::parse(&text(bytes)).count()),
    ("elf", |bytes| {
        if let elf::Head::Elf(table) = elf::head(bytes) {
            let _ = (table.size(), table.interpreter(bytes));
        }
    }),
    ("elf_symbols", |bytes| {
        let read = |offset: u64, length: usize| {
            let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or(&[]);
            rest[..length.min(rest.len())].to_vec()
        };
        drop(elf_symbols::parse(read).map(|functions| (functions.at(0), functions.at(u64::MAX))));
    }),
    ("flat", |bytes| _ = flat::numbers(&text(bytes), &["MemTotal", "pgfault", "rchar"])),
    ("genetlink", |bytes| {
        let _ = (genetlink::family(bytes), genetlink::error_number(bytes), genetlink::attributes(bytes).count());
    }),
    ("hypervisor", |bytes| {
        let text = text(bytes);
        let _ = (hypervisor::parse(&text).map(|face| hypervisor::tells_steal(&face)), hypervisor::of_firmware(&text));
    }),
    ("inflate", |bytes| drop(inflate::gunzip(bytes, 1 << 16))),
    ("kallsyms", |bytes| _ = kallsyms::Kernel::parse(text(bytes).into_owned()).at(u64::MAX)),
    ("kernel_config", |bytes| {
        let text = text(bytes);
        let _ = (kernel_config::wanted(&text), text.lines().filter_map(kernel_config::setting).count());
    }),
    ("loader", |bytes| drop(loader::parse(&text(bytes)))),
    ("machine_stat", |bytes| _ = machine_stat::parse(&text(bytes))),
    ("maps", |bytes| drop(maps::executable(&text(bytes), 1))),
    ("mountinfo", |bytes| _ = mountinfo::holding(&mountinfo::parse(&text(bytes)), Path::new("/a/b"))),
    ("net_dev", |bytes| _ = net_dev::parse(&text(bytes)).count()),
    ("os_release", |bytes| _ = os_release::value(&text(bytes), "ID")),
    ("own_cgroup", |bytes| drop((own_cgroup::path(&text(bytes), "cpu").is_some(), own_cgroup::paths(&text(bytes))))),
    ("perf_event", |bytes| {
        let _ = perf_event::Counted::parse(bytes).and_then(perf_event::Counted::scaled);
        let records = perf_event::records(bytes).filter_map(|(head, body)| perf_event::record(head, body));
        let _ = records.count();
    }),
    ("pid_stat", |bytes| _ = pid_stat::parse(bytes)),
    ("pid_state", |bytes| _ = pid_state::parse(bytes)),
    ("pressure", |bytes| _ = pressure::parse(&text(bytes))),
    ("qemu", |bytes| {
        let _ = (qemu::is_guest(bytes), qemu::name(bytes), qemu::memories(bytes), qemu::vcpu(&text(bytes)));
    }),
    ("resource_limits", |bytes| _ = resource_limits::pair(&text(bytes), "Max open files")),
    ("schedstat", |bytes| _ = schedstat::parse(&text(bytes))),
    ("setting", |bytes| _ = (setting::chosen(&text(bytes)), setting::cache_size(&text(bytes)))),
    ("smaps", |bytes| _ = (smaps::pss(&text(bytes)), smaps::mappings(&text(bytes)).len())),
    ("strip", |bytes| {
        for path in ["/proc/cpuinfo", "/proc/cmdline", "/proc/self/mountinfo", "/sys/class/dmi/id/product_name"] {
            drop((strip::strip(path, &text(bytes), "host"), strip::path(path)));
        }
    }),
    ("switches", |bytes| _ = (switches::status(&text(bytes)), switches::sched(&text(bytes)))),
    ("taskstats", |bytes| _ = taskstats::records(bytes, 31).filter_map(|record| record.stats.exit()).count()),
    ("turnover", |bytes| _ = (turnover::parse(&text(bytes), "0 0 0 1/2 3"), turnover::parse("", &text(bytes)))),
];

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Files of recorded machines and answers of kernels, each content once.
fn captures() -> Vec<Vec<u8>> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let (mut found, mut folders) = (Vec::new(), vec![tests]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push(fs::read(entry.path()).expect("a file"));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What has led parsers astray: ends of numbers, separators, brackets.
const WORDS: [&str; 11] =
    ["", "-1", " ", "\n", ":", "\0", "(", ")", "18446744073709551615", "99999999999999999999", "e309"];

/// One damage: where it is, how much of it, and what stands there instead.
type Damage = (Index, usize, Vec<u8>);

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let word = select(&WORDS[..]).prop_map(|word| word.as_bytes().to_vec());
    let with = prop_oneof![4 => word, 1 => vec(any::<u8>(), 0..16)];
    vec((any::<Index>(), prop_oneof![4 => 0..24_usize, 1 => Just(usize::MAX)], with), 1..5)
}

fn damaged(capture: &[u8], damages: &[Damage]) -> Vec<u8> {
    let mut bytes = capture.to_vec();
    for (at, length, with) in damages {
        let begin = at.index(bytes.len() + 1);
        let end = begin.saturating_add(*length).min(bytes.len());
        bytes.splice(begin..end, with.iter().copied());
    }
    bytes
}

/// Runs every parser, and says which one it was that panicked.
fn parse_all(bytes: &[u8]) {
    for (name, parser) in PARSERS {
        let caught = std::panic::catch_unwind(|| parser(bytes));
        assert!(caught.is_ok(), "{name} panicked");
    }
}

#[test]
fn every_parser_has_its_line() {
    let here = include_str!("mod.rs");
    let modules = here.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let missing: Vec<&str> = modules.filter(|module| !PARSERS.iter().any(|(name, _)| name == module)).collect();
    assert!(missing.is_empty(), "not in PARSERS: {missing:?}");
}

/// The text with every number in the place of which a larger one does not fit.
fn with_largest_numbers(text: &str, largest: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split(|c: char| c.is_ascii_digit()).enumerate() {
        // Between the digits of one number there is nothing.
        if index > 0 && (!part.is_empty() || out.is_empty()) {
            out.push_str(largest);
        }
        out.push_str(part);
    }
    out
}

#[test]
fn numbers_at_their_limit_make_no_parser_panic() {
    for capture in captures() {
        for largest in [u64::MAX.to_string(), i64::MAX.to_string(), u32::MAX.to_string(), i64::MIN.to_string()] {
            parse_all(with_largest_numbers(&text(&capture), &largest).as_bytes());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })] // PROPTEST_CASES, 256

    #[test]
    fn arbitrary_bytes_make_no_parser_panic(bytes in vec(any::<u8>(), 0..400)) {
        parse_all(&bytes);
    }

    #[test]
    fn arbitrary_lines_make_no_parser_panic(text in "([a-zA-Z_:(){}=/,.-]{0,12}[ \t:=]{0,2}[0-9]{0,22}[ \n]){0,40}") {
        parse_all(text.as_bytes());
    }

    #[test]
    fn damaged_captures_make_no_parser_panic(capture in select(captures()), damages in damages()) {
        parse_all(&damaged(&capture, &damages));
    }

    #[test]
    fn a_list_of_processors_reads_back(cpus in proptest::collection::btree_set(0..1024_u32, 0..40)) {
        let cpus: Vec<u32> = cpus.into_iter().collect();
        prop_assert_eq!(cpu_list::parse(&cpu_list::format(&cpus)), Some(cpus));
    }

    #[test]
    fn a_name_of_any_bytes_shifts_no_field_of_a_process(name in vec(any::<u8>(), 0..32)) {
        const TAIL: &[u8] = b" S 1 5 5 0 -1 4194304 10 20 0 0 100 7 30 4 20 0 1 0 999 123456 321 0 0";
        let plain = pid_stat::parse(&[b"42 (a)", TAIL].concat());
        prop_assert_eq!(pid_stat::parse(&[b"42 (", name.as_slice(), b")", TAIL].concat()), plain);
    }

    #[test]
    fn a_request_to_the_kernel_is_one_message_with_its_attribute(value in vec(any::<u8>(), 0..64), kind in 1..100_u16) {
        let request = genetlink::request(31, 2, kind, &value);
        prop_assert_eq!(genetlink::messages(&request).count(), 1);
    }
}
