//! Groups of both versions on machines of plain folders: what is written where, and what is made of what is read.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A machine of plain folders, which stand still: a group's files are those that a test puts there.
pub struct Machine {
    folder: PathBuf,
    pub root: Root,
}

const VERSION_ONE: [&str; 6] = ["cpuset", "cpu", "cpuacct", "memory", "blkio", "freezer"];

impl Machine {
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("assay-groups-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Self { root: Root::new(&folder), folder }
    }

    /// With a hierarchy a controller, in each of which this process is in the group `/mine`.
    pub fn of_version_one(name: &str) -> Self {
        let machine = Self::new(name);
        let mount = |name| format!("25 24 0:23 / /sys/fs/cgroup/{name} rw - cgroup cgroup rw,{name}\n");
        machine.put("proc/self/mountinfo", &VERSION_ONE.map(mount).concat());
        machine.put("proc/self/cgroup", &VERSION_ONE.map(|name| format!("3:{name}:/mine\n")).concat());
        for name in VERSION_ONE {
            machine.put(&format!("sys/fs/cgroup/{name}/mine/cgroup.procs"), "");
        }
        machine
    }

    /// With one hierarchy, in which this process is in the group `/mine`.
    pub fn of_version_two(name: &str) -> Self {
        let machine = Self::new(name);
        machine.put("proc/self/mountinfo", "25 24 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        machine.put("proc/self/cgroup", "0::/mine\n");
        machine.put("sys/fs/cgroup/mine/cgroup.procs", "");
        machine
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    pub fn put(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// A group of version 1 with all controllers; `v1/NAME` is the folder of each.
    pub fn group_one(&self) -> Group {
        let folder = |controller: Controller| (controller, self.path(&format!("v1/{}", controller.name())));
        let folders: BTreeMap<_, _> = Controller::ALL.into_iter().map(folder).collect();
        folders.values().for_each(|folder| fs::create_dir_all(folder).expect("a folder"));
        Group { version: Version::One, folders }
    }

    /// A group of version 2 with all controllers in the folder `v2`.
    pub fn group_two(&self) -> Group {
        let folder = self.path("v2");
        fs::create_dir_all(&folder).expect("a folder");
        group_of_version_two(&folder)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A group of version 2 whose files lie in a folder.
pub fn group_of_version_two(folder: &Path) -> Group {
    let folders = Controller::ALL.into_iter().map(|controller| (controller, folder.to_owned())).collect();
    Group { version: Version::Two, folders }
}

fn names(group: &Group) -> Vec<String> {
    let name = |folder: &&PathBuf| folder.iter().rev().nth(3).map(|name| name.to_string_lossy().into_owned());
    group.each_folder().iter().filter_map(name).collect()
}

#[test]
fn version_two_calls_the_controller_of_disks_by_another_name() {
    assert_eq!(Controller::ALL.map(Controller::name), VERSION_ONE);
    let unified = ["cpuset", "cpu", "cpuacct", "memory", "io", "freezer"];
    assert_eq!(Controller::ALL.map(Controller::unified_name), unified);
}

#[test]
fn a_job_is_put_under_the_controllers_that_count_and_those_that_its_limits_need() {
    let machine = Machine::of_version_one("serves");
    let made = |number: u32, limits: Limits| {
        let group = v1::make(&machine.root, &number.to_string(), &limits).expect("a group");
        let folder = machine.path(&format!("sys/fs/cgroup/cpu/mine/assay/{number}"));
        assert!(group.each_folder().contains(&&folder) && folder.is_dir());
        (names(&group), group.holds_cpus())
    };
    assert_eq!(made(1, Limits::default()), (vec!["cpu".into(), "cpuacct".into(), "memory".into()], false));
    let cpus = made(2, Limits { cpus: vec![0], ..Limits::default() });
    assert_eq!(cpus, (vec!["cpu".into(), "cpuacct".into(), "cpuset".into(), "memory".into()], true));
    let disk = made(3, Limits { write_bytes_per_s: Some(1), ..Limits::default() });
    assert_eq!(disk.0, ["blkio", "cpu", "cpuacct", "memory"]);
    let pause = made(4, Limits { pause: Some(0.5), ..Limits::default() });
    assert_eq!(pause.0, ["cpu", "cpuacct", "freezer", "memory"]);
}

#[test]
fn a_hierarchy_that_is_not_there_is_left_out_and_no_hierarchy_is_no_group() {
    let machine = Machine::of_version_one("absent");
    fs::remove_dir_all(machine.path("sys/fs/cgroup/memory")).expect("removed");
    let group = v1::make(&machine.root, "1", &Limits::default()).expect("a group");
    assert_eq!(names(&group), ["cpu", "cpuacct"]);
    assert!(group.limit_memory(1).is_err() && group.oom_kills().is_none());
    machine.put("proc/self/mountinfo", "");
    assert!(Group::make(&machine.root, "2", &Limits::default()).is_none());
}

#[test]
fn limits_are_written_in_the_files_of_version_one_and_read_back() {
    let machine = Machine::new("limits-one");
    let group = machine.group_one();
    assert_eq!(group.limit_memory(1 << 20).expect("a limit"), 1 << 20);
    assert!(group.refuse_swap(1 << 20));
    let both = (1 << 20) + sys::page_bytes();
    assert_eq!(machine.text("v1/memory/memory.limit_in_bytes"), "1048576");
    assert_eq!(machine.text("v1/memory/memory.memsw.limit_in_bytes"), both.to_string());
    assert!((group.limit_quota(0.25, 2).expect("a quota") - 0.25).abs() < 1e-12);
    assert_eq!(machine.text("v1/cpu/cpu.cfs_quota_us"), "50000");
    assert_eq!(machine.text("v1/cpu/cpu.cfs_period_us"), "100000");
    machine.put("v1/cpu/cpu.cfs_quota_us", "-1\n");
    assert_eq!(v1::read_quota(&group), Some((None, 100_000)));
    machine.put("v1/cpu/cpu.cfs_period_us", "many\n");
    assert_eq!(v1::read_quota(&group), None);
}

#[test]
fn what_cannot_be_written_or_read_back_is_an_error() {
    for version in [Version::One, Version::Two] {
        let group = Group { version, folders: BTreeMap::new() };
        assert!(
            group.limit_cpus(&[0]).is_err() && group.limit_memory(1).is_err() && group.limit_quota(0.5, 1).is_err()
        );
        assert!(!group.refuse_swap(1) && !group.holds_cpus() && group.freeze(true).is_err() && !group.kill());
        assert_eq!((group.throttled_ns(), group.memory_limit_hits(), group.oom_kills()), (None, None, None));
        assert_eq!((group.processes(), group.each_folder().len(), group.unified()), (None, 0, None));
    }
}

#[test]
fn processors_of_version_one_are_given_to_the_folder_above_first() {
    let machine = Machine::new("cpus-one");
    let folders = BTreeMap::from([(Controller::Cpuset, machine.path("top/assay/7"))]);
    let group = Group { version: Version::One, folders };
    for (path, text) in [
        ("top/cpuset.cpus", "0-3\n"),
        ("top/cpuset.mems", "0-1\n"),
        ("top/assay/cpuset.cpus", "\n"),
        ("top/assay/7/cpuset.cpus", ""),
    ] {
        machine.put(path, text);
    }
    assert_eq!(group.limit_cpus(&[1, 3]).expect("processors"), [1, 3]);
    assert_eq!(
        (machine.text("top/assay/cpuset.cpus"), machine.text("top/assay/cpuset.mems")),
        ("0-3".into(), "0-1".into())
    );
    assert_eq!(
        (machine.text("top/assay/7/cpuset.cpus"), machine.text("top/assay/7/cpuset.mems")),
        ("1,3".into(), "0-1".into())
    );
    machine.put("top/assay/cpuset.cpus", "0,1,2,3\n");
    assert_eq!(group.limit_cpus(&[2]).expect("processors"), [2]);
    assert_eq!(machine.text("top/assay/cpuset.cpus"), "0,1,2,3\n", "nothing is written that holds already");
}

#[test]
fn a_process_is_put_into_each_folder_once() {
    let machine = Machine::new("add");
    machine.group_one().add(77).expect("added");
    for name in VERSION_ONE {
        assert_eq!(machine.text(&format!("v1/{name}/cgroup.procs")), "77");
    }
    let group = machine.group_two();
    group.add(78).expect("added");
    assert_eq!((machine.text("v2/cgroup.procs"), group.each_folder()), ("78".into(), vec![&machine.path("v2")]));
    assert_eq!((group.unified(), machine.group_one().unified()), (Some(machine.path("v2").as_path()), None));
}

#[test]
fn members_of_groups_below_are_members() {
    let machine = Machine::new("members");
    machine.put("v2/cgroup.procs", "30\n2\n");
    let group = machine.group_two();
    let mut gauge = Gauge::new(&group).expect("a gauge");
    assert_eq!((group.processes(), gauge.processes()), (Some(vec![30, 2]), Some(vec![2, 30])));
    machine.put("v2/below/cgroup.procs", "7\n2\n");
    assert_eq!((group.processes(), gauge.processes()), (Some(vec![30, 2, 7, 2]), Some(vec![2, 7, 30])));
    fs::remove_dir_all(machine.path("v2")).expect("removed");
    assert_eq!((group.processes(), gauge.processes().is_some_and(|pids| pids.contains(&7))), (None, false));
    let group = machine.group_one();
    machine.put("v1/cpuset/cgroup.procs", "5\n4\n");
    let mut gauge = Gauge::new(&group).expect("a gauge");
    assert_eq!((gauge.version(), gauge.processes()), (Version::One, Some(vec![4, 5])));
}

#[test]
fn cpu_time_of_version_one_is_split_by_what_the_kernel_has() {
    let machine = Machine::new("split");
    let group = machine.group_one();
    let cpu = || Gauge::new(&group).expect("a gauge").cpu();
    assert_eq!(cpu(), None);
    machine.put("v1/cpuacct/cpuacct.usage", "5000000007\n");
    let told = |user_ticks, system_ticks| Some(GroupCpu { total_ns: 5_000_000_007, user_ticks, system_ticks });
    assert_eq!(cpu(), told(0, 0));
    machine.put("v1/cpuacct/cpuacct.stat", "user 400\nsystem 99\n");
    assert_eq!(cpu(), told(400, 99));
    machine.put("v1/cpuacct/cpuacct.usage_user", "4000000000\n");
    machine.put("v1/cpuacct/cpuacct.usage_sys", "1000000007\n");
    assert_eq!(cpu(), told(4_000_000_000, 1_000_000_007));
}

#[test]
fn resident_memory_is_anonymous_and_mapped() {
    let machine = Machine::new("resident");
    let (one, two) = (machine.group_one(), machine.group_two());
    let rss = |group: &Group| Gauge::new(group).expect("a gauge").rss_bytes();
    assert_eq!((rss(&one), rss(&two)), (None, None));
    machine.put("v1/memory/memory.stat", "rss 1\nmapped_file 2\ntotal_rss 4096\ntotal_mapped_file 8192\n");
    machine.put("v2/memory.stat", "anon 12288\nfile 5\nfile_mapped 4096\n");
    assert_eq!((rss(&one), rss(&two)), (Some(12_288), Some(16_384)));
}

#[test]
fn what_held_a_group_up_is_told_in_the_units_of_its_version() {
    let machine = Machine::new("stalls");
    let (one, two) = (machine.group_one(), machine.group_two());
    machine.put("v1/cpu/cpu.stat", "nr_periods 9\nnr_throttled 5\nthrottled_time 1234567890\n");
    machine.put("v2/cpu.stat", "usage_usec 7\nnr_throttled 5\nthrottled_usec 1234567\nburst_usec 3\n");
    assert_eq!((one.throttled_ns(), two.throttled_ns()), (Some(1_234_567_890), Some(1_234_567_000)));
    machine.put("v1/memory/memory.failcnt", "12\n");
    machine.put("v2/memory.events", "low 1\nhigh 2\nmax 30\noom 4\noom_kill 5\n");
    assert_eq!((one.memory_limit_hits(), two.memory_limit_hits()), (Some(12), Some(30)));
    machine.put("v1/memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 6\n");
    assert_eq!((one.oom_kills(), two.oom_kills()), (Some(6), Some(5)));
    machine.put("v2/cpu.stat", "throttled_usec 18446744073709551615\n");
    assert_eq!(two.throttled_ns(), None, "a time that has no number of ns is unknown");
}

#[test]
fn a_group_stands_still_and_goes_on() {
    let machine = Machine::new("still");
    let (one, two) = (machine.group_one(), machine.group_two());
    for (still, words) in [(true, ("FROZEN", "1")), (false, ("THAWED", "0"))] {
        one.freeze(still).expect("written");
        two.freeze(still).expect("written");
        let written = (machine.text("v1/freezer/freezer.state"), machine.text("v2/cgroup.freeze"));
        assert_eq!(written, (words.0.to_owned(), words.1.to_owned()));
    }
    one.freeze(true).expect("written");
    freezer::let_go(&machine.path("v1/freezer"));
    assert_eq!(machine.text("v1/freezer/freezer.state"), "THAWED");
    freezer::let_go(&machine.path("v2"));
    assert!(!machine.path("v2/freezer.state").exists(), "version 2 has no such file");
}

#[test]
fn version_two_alone_kills_all_at_once() {
    let machine = Machine::new("kill");
    assert!(!machine.group_one().kill() && machine.group_two().kill());
    assert_eq!(machine.text("v2/cgroup.kill"), "1");
}

#[test]
fn rates_of_disks_are_written_read_back_and_taken_off() {
    let machine = Machine::new("rates");
    machine.put("sys/dev/block/1:3/dev", "8:16\n");
    machine.put("proc/self/mountinfo", "27 24 0:25 / /proc rw - proc /dev/null rw\n");
    let device = Device::at(&machine.root, Path::new("/proc")).expect("a disk");
    let (one, two) = (machine.group_one(), machine.group_two());
    let [read, write] = ["read", "write"].map(|way| format!("v1/blkio/blkio.throttle.{way}_bps_device"));
    machine.put(&read, "8:16 5\n");
    let both = Rates { read: Some(7), write: Some(9) };
    assert_eq!(
        (one.limit_disk(&device, both).expect("held"), two.limit_disk(&device, both).expect("held")),
        (both, both)
    );
    assert_eq!((machine.text(&read), machine.text(&write)), ("8:16 7".into(), "8:16 9".into()));
    assert_eq!(machine.text("v2/io.max"), "8:16 rbps=7 wbps=9");
    let reads = Rates { read: Some(3), write: None };
    machine.put(&write, "");
    assert_eq!(
        (one.limit_disk(&device, reads).expect("held"), two.limit_disk(&device, reads).expect("held")),
        (reads, reads)
    );
    assert_eq!((machine.text(&read), machine.text(&write)), ("8:16 3".into(), String::new()));
    assert_eq!(machine.text("v2/io.max"), "8:16 rbps=3 wbps=max");
    one.free_disk(&device);
    two.free_disk(&device);
    assert_eq!((machine.text(&read), machine.text(&write)), ("8:16 0".into(), "8:16 0".into()));
    assert_eq!(machine.text("v2/io.max"), "8:16 rbps=max wbps=max");
}

#[test]
fn a_place_is_named_by_the_versions_in_which_groups_can_be_made() {
    let (one, two, none) =
        (Machine::of_version_one("kind-1"), Machine::of_version_two("kind-2"), Machine::new("kind-0"));
    assert_eq!((kind(&one.root), kind(&two.root), kind(&none.root)), (Some("v1"), Some("v2"), None));
    let both = [&one, &two].map(|machine| machine.text("proc/self/mountinfo")).concat();
    one.put("proc/self/mountinfo", &both.replace("/sys/fs/cgroup rw", "/sys/fs/cgroup/unified rw"));
    one.put("proc/self/cgroup", &(one.text("proc/self/cgroup") + "0::/\n"));
    assert_eq!(kind(&one.root), Some("v1"), "version 2 is named, but is not there");
    fs::create_dir(one.path("sys/fs/cgroup/unified")).expect("made");
    assert_eq!(kind(&one.root), Some("hybrid"));
    fs::remove_dir_all(two.path("sys/fs/cgroup")).expect("removed");
    assert_eq!(kind(&two.root), None);
}

#[test]
fn hierarchies_are_found_by_their_names() {
    let machine = Machine::of_version_one("named");
    let place = Place::read(&machine.root).expect("a place");
    assert_eq!(place.named("memory"), Some("/sys/fs/cgroup/memory/mine".into()));
    assert_eq!((place.top_of("memory"), place.top_of("pids")), (Some("/sys/fs/cgroup/memory".into()), None));
    assert!(place.v2().is_none() && place.named("pids").is_none());
}

#[test]
fn cpu_time_grows_by_what_was_used_since_a_reading() {
    let at = |total_ns, user_ticks, system_ticks| GroupCpu { total_ns, user_ticks, system_ticks };
    let grown = at(5_000, 9, 3).since(at(1_000, 6, 2), CpuTime::default());
    assert_eq!(grown, CpuTime { user_ns: 3_000, system_ns: 1_000 });
    assert_eq!(at(0, 0, 0).since(at(1_000, 6, 2), grown), grown, "it never goes down");
}

#[test]
fn version_two_goes_before_version_one_where_it_carries_the_controllers() {
    let machine = Machine::of_version_one("before");
    let unified = "25 24 0:23 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    machine.put("proc/self/mountinfo", &(machine.text("proc/self/mountinfo") + unified));
    machine.put("proc/self/cgroup", &(machine.text("proc/self/cgroup") + "0::/\n"));
    for (controllers, version) in [("cpu memory\n", Version::Two), ("memory pids\n", Version::One)] {
        for group in ["", "assay/1/"] {
            machine.put(&format!("sys/fs/cgroup/unified/{group}cgroup.controllers"), controllers);
        }
        let group = Group::make(&machine.root, "1", &Limits::default()).expect("a group");
        assert_eq!(group.version, version, "{controllers}");
    }
}

#[test]
fn no_group_is_made_below_what_is_no_folder() {
    let machine = Machine::of_version_two("file");
    fs::remove_dir_all(machine.path("sys/fs/cgroup/mine")).expect("removed");
    machine.put("sys/fs/cgroup/mine", "");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(machine.path("sys/fs/cgroup/mine"), executable).expect("set");
    assert_eq!(kind(&machine.root), None);
}

#[test]
fn a_group_that_is_gone_is_removed_and_one_that_is_not_empty_is_not() {
    let machine = Machine::new("remove");
    fs::create_dir_all(machine.path("top/assay/1/below")).expect("made");
    assert!(group_of_version_two(&machine.path("top/assay/1")).remove());
    assert!(machine.path("top").exists() && !machine.path("top/assay").exists());
    assert!(group_of_version_two(&machine.path("top/assay/1")).remove());
    machine.put("top/assay/2/file", "");
    assert!(!group_of_version_two(&machine.path("top/assay/2")).remove());
}

#[test]
fn the_members_of_a_lost_run_are_killed_and_its_groups_removed() {
    let machine = Machine::new("clear");
    let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("sleep");
    machine.put("1/freezer.state", "FROZEN");
    machine.put("2/below/cgroup.procs", "");
    machine.put("2/cgroup.procs", &format!("{}\n", child.id()));
    let (one, two) = (machine.path("1"), machine.path("2"));
    let state = std::thread::spawn({
        let (one, two) = (one.clone(), two.clone());
        move || {
            assert!(!child.wait().expect("ended").success());
            // What the kernel does with the files of a group that goes.
            let state = fs::read_to_string(one.join("freezer.state"));
            for file in [one.join("freezer.state"), two.join("cgroup.procs"), two.join("below/cgroup.procs")] {
                fs::remove_file(file).expect("removed");
            }
            state.expect("a state")
        }
    });
    let cleared = clear(&[one.clone(), two.clone()]);
    assert_eq!((state.join().expect("killed").as_str(), cleared), ("THAWED", true));
    assert!(!one.exists() && !two.exists());
    assert!(clear(&[]));
}

#[test]
fn a_bare_group_counts_or_is_none() {
    let machine = Machine::of_version_two("bare-two");
    let folder = machine.path("sys/fs/cgroup/mine/assay/1");
    assert!(Group::make_bare(&machine.root, "1").is_none() && !folder.exists());
    machine.put("sys/fs/cgroup/mine/assay/1/cpu.stat", "usage_usec 3\n");
    assert!(Group::make_bare(&machine.root, "1").is_none(), "without a split it is not what counts");
    machine.put("sys/fs/cgroup/mine/assay/1/cpu.stat", "usage_usec 3\nuser_usec 2\nsystem_usec 1\n");
    machine.put("sys/fs/cgroup/mine/assay/1/cgroup.procs", "");
    let group = Group::make_bare(&machine.root, "1").expect("a group");
    assert_eq!((group.version, group.each_folder()), (Version::Two, vec![&folder]));
    let seen = group.inside().expect("opened").metadata().expect("about it");
    assert_eq!(seen.ino(), fs::metadata(&folder).expect("about it").ino());
    let mut entrances = group.entrances().expect("opened");
    assert_eq!(entrances.len(), 1);
    std::io::Write::write_all(&mut entrances[0], b"0").expect("entered");
    assert_eq!(machine.text("sys/fs/cgroup/mine/assay/1/cgroup.procs"), "0");

    let machine = Machine::of_version_one("bare-one");
    assert!(Group::make_bare(&machine.root, "1").is_none());
    machine.put("sys/fs/cgroup/cpuacct/mine/assay/1/cpuacct.usage", "5\n");
    let group = Group::make_bare(&machine.root, "1").expect("a group");
    assert_eq!(
        (group.version, names(&group), group.inside().is_none()),
        (Version::One, vec!["cpuacct".to_owned()], true)
    );
    assert!(group.entrances().is_err(), "it has no such file");
    let joint = machine
        .text("proc/self/mountinfo")
        .replace("/cgroup/cpu rw - cgroup cgroup rw,cpu", "/cgroup/cpuacct rw - cgroup cgroup rw,cpu");
    machine.put("proc/self/mountinfo", &joint);
    assert!(Group::make_bare(&machine.root, "1").is_none(), "who gets processors when they are short would change");
}

#[test]
fn who_is_left_in_a_bare_group_goes_back_to_ours() {
    let machine = Machine::of_version_two("release");
    machine.put("sys/fs/cgroup/mine/assay/1/cpu.stat", "usage_usec 3\nuser_usec 2\nsystem_usec 1\n");
    machine.put("sys/fs/cgroup/mine/assay/1/cgroup.procs", "77\n78\n79\n");
    let group = Group::make_bare(&machine.root, "1").expect("a group");
    assert_eq!(group.release(&machine.root), 3);
    assert_eq!(machine.text("sys/fs/cgroup/mine/cgroup.procs"), "79");
    let machine = Machine::of_version_two("released");
    machine.put("sys/fs/cgroup/mine/assay/1/cpu.stat", "usage_usec 3\nuser_usec 2\nsystem_usec 1\n");
    let group = Group::make_bare(&machine.root, "1").expect("a group");
    assert_eq!((group.release(&machine.root), machine.text("sys/fs/cgroup/mine/cgroup.procs")), (0, String::new()));
}

/// Files of a group of kernel 6.1 in which a job of half a processor and 64 MiB wrote 2 MiB past the page cache.
pub fn recorded_group() -> Group {
    group_of_version_two(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pieces/group-v2")))
}

#[test]
fn the_files_of_a_real_group_of_version_two_are_read_in_their_units() {
    let group = recorded_group();
    let mut gauge = Gauge::new(&group).expect("a gauge");
    let cpu = GroupCpu { total_ns: 3_042_361_000, user_ticks: 1_741_964, system_ticks: 1_300_397 };
    assert_eq!((gauge.version(), gauge.cpu()), (Version::Two, Some(cpu)));
    assert_eq!((gauge.rss_bytes(), gauge.processes()), (Some(344_064 + 405_504), Some(vec![110, 115, 123])));
    assert_eq!(group.throttled_ns(), Some(2_722_862_000));
    assert_eq!((group.memory_limit_hits(), group.oom_kills()), (Some(0), Some(0)));
    let quota = parse_max(&group.text(Controller::Cpu, "cpu.max").expect("a quota")).expect("a quota");
    assert_eq!((quota, quota::share(quota, 1)), ((Some(50_000), 100_000), 0.5));
}
