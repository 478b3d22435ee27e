//! All groups together: on this machine, and on every recorded one.

use std::path::PathBuf;

use super::*;
use crate::sys;

fn machines() -> Vec<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machines"));
    let entries = std::fs::read_dir(folder).expect("recorded machines");
    entries.map(|entry| entry.expect("a machine").path()).collect()
}

fn me() -> i32 {
    i32::try_from(std::process::id()).expect("a number")
}

/// Rows of one group, or why it has none.
fn rows_of(group: &Group, root: &Root, members: &dyn Fn() -> Vec<i32>) -> Result<String, String> {
    let mains = members();
    let around = Surroundings { root, group: None, mains: &mains, own_network: false };
    let mut collector = (group.open)(&around)?;
    let mut rows = Rows::default();
    collector.collect(&View::new(Moment::now(), members), &mut rows);
    let mut text = String::new();
    rows.take(|bytes| text = String::from_utf8_lossy(bytes).into_owned());
    Ok(text)
}

/// Run it with `--nocapture` to see what each group gives on each machine.
#[test]
fn each_group_gives_rows_of_its_width_on_every_machine_or_says_why_not() {
    for root in std::iter::once(PathBuf::from("/")).chain(machines()) {
        for group in &GROUPS {
            let here = root.as_os_str() == "/";
            let list: &dyn Fn() -> Vec<i32> = if here { &|| vec![me()] } else { &|| vec![] };
            match rows_of(group, &Root::new(&root), list) {
                Ok(text) => {
                    println!(
                        "{} {}:\nmono_ns,real_ns,{}\n{text}",
                        root.display(),
                        group.name,
                        group.columns.join(",")
                    );
                    for row in text.lines() {
                        assert_eq!(row.split(',').count(), group.columns.len() + 2, "{} {row}", group.name);
                    }
                }
                Err(why) => {
                    println!("{} {}: {why}", root.display(), group.name);
                    assert!(!why.is_empty() && !why.contains('\n'));
                }
            }
        }
    }
}

/// Cells of each row of a group on the imitated hypervisor, without the moments.
fn cells(name: &str) -> Vec<String> {
    let root = Root::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pieces/imitated-hypervisor"));
    let text = rows_of(group(name).expect("a group"), &root, &Vec::new).expect("rows");
    let cells = |row: &str| row.splitn(3, ',').nth(2).expect("cells").to_owned();
    text.lines().map(cells).collect()
}

#[test]
fn sensors_of_a_hypervisor_are_told_in_plain_units() {
    assert_eq!(cells("frequency"), ["0,cpufreq,3399812000,7,19,1.25,", "1,cpufreq,1200000000,7,19,1.25,"]);
    let temperatures = [
        "hwmon0,acpitz,temp1,-2.5",
        "hwmon1,coretemp,Package id 0,61",
        "hwmon1,coretemp,Core 0,59",
        "thermal_zone0,x86_pkg_temp,temp,60",
    ];
    assert_eq!(cells("temperature"), temperatures);
    assert_eq!(cells("energy"), ["intel-rapl:0,package-0,0", "intel-rapl:0:0,core,0", "intel-rapl:0:1,dram,0"]);
}

#[test]
fn a_real_group_of_version_two_is_told_in_bytes_and_seconds() {
    let (root, control_group) = (Root::here(), crate::cgroup::tests::recorded_group());
    let around = Surroundings { root: &root, group: Some(&control_group), mains: &[], own_network: false };
    let rows = |name: &str| {
        let (mut rows, mut text) = (Rows::default(), String::new());
        let mut collector = (group(name).expect("a group").open)(&around).expect("a collector");
        collector.collect(&View::new(Moment::now(), &Vec::new), &mut rows);
        rows.take(|bytes| text = String::from_utf8_lossy(bytes).into_owned());
        let cells = |row: &str| row.splitn(3, ',').nth(2).expect("cells").to_owned();
        text.lines().map(cells).filter(|cells| !cells.starts_with("machine")).collect::<Vec<_>>()
    };
    assert_eq!(rows("memory"), ["cgroup-v2,344064,2826240,405504,0,0"]);
    let pressure = ["job,cpu,2.91169,2.811492", "job,io,1.001784,0.994046", "job,memory,0,0"];
    assert_eq!(rows("pressure"), pressure);
}

#[test]
fn the_traffic_of_a_job_with_its_own_network_is_the_jobs() {
    let root = Root::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pieces/imitated-hypervisor"));
    let rows = |own_network| {
        let around = Surroundings { root: &root, group: None, mains: &[4242], own_network };
        let (mut rows, mut text) = (Rows::default(), String::new());
        let mut collector = (group("network").expect("a group").open)(&around).expect("a collector");
        collector.collect(&View::new(Moment::now(), &Vec::new), &mut rows);
        rows.take(|bytes| text = String::from_utf8_lossy(bytes).into_owned());
        text
    };
    assert!(rows(true).ends_with(",job,eth0,5,6,0,0,7,8,0,0\n"));
    assert!(rows(false).ends_with(",machine,vnet0,1000,10,0,0,22000,20,0,0\n"));
}

#[test]
fn a_guest_is_told_by_parts_and_a_shell_that_names_qemu_is_none() {
    let expected = [
        "reco-1,4242,guest,154,,1966080000,,,734003200,104857600,,,,,\
         9000000,120000,3000,45000,70000,900,,12,0,130000,470000,800",
        "reco-1,4242,vcpu 0,70,2.5,,,,,,,,,,,,,,,,,,,,,",
        "reco-1,4242,vcpu 1,61,1.25,,,,,,,,,,,,,,,,,,,,,",
        "reco-1,4242,net vnet0,,,,,,,,22000,20,1000,10,,,,,,,,,,,,",
    ];
    assert_eq!(cells("guests"), expected);
}

#[test]
fn the_resident_size_of_a_guest_is_split_into_its_memory_and_the_rest() {
    let root = Root::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pieces/imitated-hypervisor"));
    let around = Surroundings { root: &root, group: None, mains: &[], own_network: false };
    let mut collector = (group("guests").expect("a group").open)(&around).expect("a collector");
    let (mut rows, mut text) = (Rows::default(), String::new());
    // A thread of its own reads them.
    while !text.contains(",memory,") {
        std::thread::yield_now();
        collector.collect(&View::new(Moment::now(), &Vec::new), &mut rows);
        rows.take(|bytes| text = String::from_utf8_lossy(bytes).into_owned());
    }
    let (memory, overhead) = (1_850_000 * 1024, 50_000 * 1024);
    assert!(text.contains(&format!(",memory,,,{},{memory},{overhead},", memory + overhead)), "{text}");
}

/// Figures of the one row that a group gives of this process and its children.
fn own_figures(name: &str) -> Vec<u64> {
    let text = rows_of(group(name).expect("a group"), &Root::here(), &|| vec![me()]).expect("a row");
    text.trim_end().split(',').skip(2).map_while(|cell| cell.parse().ok()).collect()
}

#[test]
fn faults_of_children_that_were_waited_for_count() {
    let before = own_figures("faults");
    for _ in 0..10 {
        assert!(std::process::Command::new("true").status().expect("true").success());
    }
    let after = own_figures("faults");
    // A program of the C library touches at least some dozen pages.
    assert!(after[0] >= before[0] + 300, "{before:?} {after:?}");
}

#[test]
fn switches_of_every_thread_count_and_so_do_threads() {
    let (tell, told) = std::sync::mpsc::channel();
    let (stop, wait) = std::sync::mpsc::channel::<()>();
    let before = own_figures("switches");
    let thread = std::thread::spawn(move || {
        (0..50).for_each(|_| std::thread::sleep(std::time::Duration::from_micros(100)));
        tell.send(()).expect("told");
        let _ = wait.recv();
    });
    told.recv().expect("told");
    let (after, threads) = (own_figures("switches"), own_figures("threads"));
    drop(stop);
    thread.join().expect("ended");
    // Threads of other tests may have ended meanwhile, with their switches.
    assert!(after[0] >= 50, "{before:?} {after:?}");
    assert!(threads[0] >= 2 && threads[1] == 1, "{threads:?}");
}

#[test]
fn groups_stand_in_order_of_their_names_and_are_found_by_them() {
    assert!(GROUPS.is_sorted_by_key(|group| group.name));
    assert!(GROUPS.iter().all(|one| group(one.name).is_some()));
    assert!(group("nothing").is_none());
}

#[test]
fn each_group_has_its_section_and_its_price_in_the_documentation() {
    let text = include_str!("../../../docs/series.md");
    for group in &GROUPS {
        assert!(text.contains(&format!("\n### {}\n", group.name)), "{}", group.name);
        assert!(text.contains(&format!("\n| `{}` |", group.name)), "{}", group.name);
    }
}

/// Prints CPU time per sample of each group, for one process and for a tree of 201; the figures depend on the machine.
///
/// `cargo test --release -- --nocapture price_of_each_group` gives those of `docs/series.md`.
#[test]
fn price_of_each_group() {
    const SAMPLES: u32 = if cfg!(debug_assertions) { 2 } else { 100 };
    let mut sleepers: Vec<std::process::Child> =
        (0..200).map(|_| std::process::Command::new("sleep").arg("600").spawn().expect("sleep")).collect();
    let tree: Vec<i32> = std::iter::once(me()).chain(sleepers.iter().map(|child| child.id() as i32)).collect();
    let root = Root::here();
    for group in &GROUPS {
        print!("{:<12}", group.name);
        for members in [&tree[..1], &tree[..]] {
            let list = || members.to_vec();
            let around = Surroundings { root: &root, group: None, mains: &members[..1], own_network: false };
            let Ok(mut collector) = (group.open)(&around) else { continue };
            let mut rows = Rows::default();
            collector.collect(&View::new(Moment::now(), &list), &mut rows);
            let before = own_ns();
            for _ in 0..SAMPLES {
                collector.collect(&View::new(Moment::now(), &list), &mut rows);
                rows.take(|_| ());
            }
            print!("{:>10.1} us", (own_ns() - before) as f64 / 1e3 / f64::from(SAMPLES));
        }
        println!();
    }
    for child in &mut sleepers {
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn own_ns() -> u64 {
    let used = sys::own_usage();
    used.user_ns + used.system_ns
}
