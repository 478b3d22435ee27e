"""Settings of hosts of many makes: what would be written, what is seen, what is refused and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.factors.catalogue import FACTORS, refused
from assay.factors.host_acts import planned_acts, verify_host
from tests.factors.parts import FakeHost

CPU = "/sys/devices/system/cpu"
KSM = "/sys/kernel/mm/ksm"
THP = "/sys/kernel/mm/transparent_hugepage"
VM = "/proc/sys/vm"
RECORDED = Path(__file__).parents[2] / "probe/tests/machines"

INTEL = {
    **{f"{CPU}/cpu{cpu}/cpufreq/scaling_governor": "powersave" for cpu in (0, 1)},
    **{f"{CPU}/cpu{cpu}/cpufreq/scaling_available_governors": "performance powersave" for cpu in (0, 1)},
    **{f"{CPU}/cpu{cpu}/cpufreq/energy_performance_preference": "balance_performance" for cpu in (0, 1)},
    **{
        f"{CPU}/cpu{cpu}/cpufreq/energy_performance_available_preferences": "default performance "
        "balance_performance balance_power power"
        for cpu in (0, 1)
    },
    f"{CPU}/intel_pstate/no_turbo": "0",
    f"{CPU}/smt/control": "on",
    "/sys/module/kvm/parameters/halt_poll_ns": "200000",
    "/sys/module/kvm_intel/parameters/ept": "Y",
    "/sys/module/kvm_intel/parameters/ple_gap": "128",
    "/proc/cmdline": "BOOT_IMAGE=/vmlinuz mitigations=off mitigations=auto,nosmt quiet",
    "/sys/devices/system/cpu/isolated": "",
}
"""A machine with ``intel_pstate`` and KVM, as kernel 6.1 shows it (no such machine is at hand)."""
HOST = FakeHost(INTEL, accelerator="kvm")


class Recorded(FakeHost):
    """A recorded machine."""

    def __init__(self, name: str, **facts: object) -> None:
        super().__init__(**facts)  # type: ignore[arg-type]
        object.__setattr__(self, "folder", RECORDED / name)

    def read(self, path: str) -> str | None:
        file = self.folder / path.lstrip("/")
        return file.read_text().strip() if file.is_file() else None

    def writable(self, path: str) -> bool:
        return self.root and self.read(path) is not None


def having(**files: str) -> FakeHost:
    """Return a host with files by the names that follow."""
    places = {"run": KSM, "pages_sharing": KSM, "advisor_mode": KSM, "pages_to_scan": KSM}
    return FakeHost({f"{places.get(name, VM)}/{name}": text for name, text in files.items()})


def typed(host: FakeHost, **settings: str) -> list[str]:
    named = {f"host.{name}": level for name, level in settings.items()}
    return [one.act.typed for one in planned_acts(named, host)]


def undone(host: FakeHost, **settings: str) -> list[str]:
    named = {f"host.{name}": level for name, level in settings.items()}
    return [act.typed for one in planned_acts(named, host) for act in one.undo]


def why(host: FakeHost, **settings: str) -> list[str]:
    return [one.reason for one in refused({f"host.{name}": text for name, text in settings.items()}, host)]


def found(host: FakeHost, name: str, wanted: str) -> str:
    (one,) = verify_host({f"host.{name}": wanted, "disk.cache": "none"}, host)
    return one.actual


def test_every_processor_gets_its_governor_and_gets_it_back() -> None:
    paths = [f"{CPU}/cpu{cpu}/cpufreq/scaling_governor" for cpu in (0, 1)]
    assert typed(HOST, governor="performance") == [f"echo performance > {path}" for path in paths]
    assert undone(HOST, governor="performance") == [f"echo powersave > {path}" for path in paths]


def test_a_governor_that_one_processor_lacks_is_not_in_force() -> None:
    half = replace(HOST, files={**INTEL, f"{CPU}/cpu1/cpufreq/scaling_governor": "performance"})
    assert found(half, "governor", "performance") == "powersave on 1 of 2, performance on 1 of 2"


def test_a_governor_that_the_driver_does_not_offer_is_refused() -> None:
    assert why(HOST, governor="ondemand") == ["the frequency driver offers performance, powersave"]


def test_the_governor_performance_fixes_the_preference() -> None:
    assert why(HOST, governor="performance", energy_performance_preference="power") == [
        "the governor performance fixes energy_performance_preference at performance, not power"
    ]
    assert why(HOST, governor="powersave", energy_performance_preference="power") == []


@pytest.mark.parametrize(
    ("file", "off", "on"), [("intel_pstate/no_turbo", "1", "0"), ("cpufreq/boost", "0", "1")]
)
def test_turbo_is_switched_in_the_driver_s_own_sense(file: str, off: str, on: str) -> None:
    host = FakeHost({f"{CPU}/{file}": on})
    assert typed(host, turbo="off") == [f"echo {off} > {CPU}/{file}"]
    assert (found(host, "turbo", "off"), why(host, turbo="off")) == ("on", [])
    assert why(replace(host, root=False), turbo="off") == [f"only root may: echo {off} > {CPU}/{file}"]
    assert why(replace(host, root=False), turbo="on") == []


def test_threads_of_cores_are_switched_last_and_not_under_cgroup_v1() -> None:
    assert list(FACTORS)[-1] == "host.smt"
    assert typed(HOST, smt="off") == [f"echo off > {CPU}/smt/control"]
    v1 = replace(HOST, files={**INTEL, "/sys/fs/cgroup/cpuset/cpuset.cpus": "0-1"})
    assert why(v1, smt="off")[0].startswith("groups of cgroup v1 would lose the processors for good")
    assert why(v1, smt="on") == []
    without = replace(HOST, files={f"{CPU}/smt/control": "notsupported"})
    assert why(without, smt="off")[0].endswith("(the kernel says notsupported)")


def test_nested_paging_is_found_and_its_change_is_left_to_the_administrator() -> None:
    assert (found(HOST, "ept", "N"), why(HOST, ept="Y")) == ("Y", [])
    (reason,) = why(HOST, ept="N")
    assert reason.endswith(": modprobe -r kvm_intel && modprobe kvm_intel ept=N")
    assert planned_acts({"host.ept": "N"}, HOST) == ()
    old = replace(HOST, files={"/sys/module/kvm_amd/parameters/npt": "1"})
    assert (found(old, "npt", "Y"), why(old, npt="Y")) == ("Y", [])
    assert why(HOST, npt="Y") == ["kvm_amd is not loaded"]
    assert found(HOST, "ple_gap", "0") == "128"


def test_what_concerns_kvm_has_no_effect_on_emulated_guests() -> None:
    (reason,) = why(replace(HOST, accelerator="tcg"), halt_poll_ns="0")
    assert reason == "guests run by emulation here: it would have no effect"
    assert typed(HOST, halt_poll_ns="0") == ["echo 0 > /sys/module/kvm/parameters/halt_poll_ns"]


@pytest.mark.parametrize(
    ("cmdline", "level"),
    [(INTEL["/proc/cmdline"], "auto,nosmt"), ("quiet", "auto"), ("mitigations=off", "off")],
)
def test_mitigations_are_those_of_the_last_word_of_the_command_line(cmdline: str, level: str) -> None:
    host = FakeHost({"/proc/cmdline": cmdline})
    assert found(host, "mitigations", "off") == level
    assert why(host, mitigations=level) == []
    assert why(host, mitigations="auto,other")[0].endswith("command line: mitigations=auto,other")


def test_processors_set_apart_at_boot_are_found() -> None:
    assert found(HOST, "isolcpus", "none") == "none"
    assert found(FakeHost({f"{CPU}/isolated": "2-3"}), "isolcpus", "2-3") == "2-3"
    assert found(FakeHost({f"{CPU}/nohz_full": "(null)"}), "nohz_full", "none") == "none"
    assert why(HOST, isolcpus="1")[0].endswith("isolcpus=1")
    apart = FakeHost({f"{CPU}/isolated": "2-3", f"{CPU}/nohz_full": "2-3"})
    for word in ("isolcpus", "nohz_full"):
        assert (found(apart, word, "2,3"), why(apart, **{word: "2,3"})) == ("2,3", [])
        assert (found(apart, word, "3"), len(why(apart, **{word: "3"}))) == ("2-3", 1)
    assert why(apart, isolcpus="none")[0].endswith("without isolcpus on the kernel's command line")


TUNED = {"/run/tuned/tuned.pid": "77", "/proc/77/comm": "tuned"}


def test_a_profile_that_tuned_left_behind_is_not_in_force() -> None:
    left = {"/etc/tuned/active_profile": "virtual-host"}
    for files in (left, {**left, **TUNED, "/proc/77/comm": "bash"}):
        host = FakeHost(files, programs=("tuned-adm",))
        assert found(host, "tuned", "virtual-host") == "virtual-host, but tuned does not run"
        assert why(host, tuned="virtual-host") == ["tuned does not run: systemctl start tuned"]
        assert (found(host, "tuned", "none"), why(host, tuned="none")) == ("none", [])


def test_a_profile_of_tuned_is_found_and_what_it_sets_is_not_set_beside_it() -> None:
    files = {**TUNED, "/etc/tuned/active_profile": "virtual-host", f"{VM}/swappiness": "10"}
    host = FakeHost(files, programs=("tuned-adm",))
    assert found(host, "tuned", "none") == "virtual-host"
    assert why(host, tuned="none")[0].endswith(": tuned-adm off")
    assert why(host, tuned="balanced")[0].endswith(": tuned-adm profile balanced")
    assert why(host, tuned="virtual-host") == []
    (reason,) = why(host, tuned="virtual-host", swappiness="10")
    assert reason == "tuned's profile virtual-host sets host.swappiness too: compare one or the other"
    assert why(FakeHost(files), tuned="virtual-host") == ["tuned-adm is not installed"]


def test_the_undo_of_merging_takes_apart_what_was_not_merged_before() -> None:
    assert undone(having(run="0", pages_sharing="0"), ksm="1") == [f"echo {n} > {KSM}/run" for n in "20"]
    assert undone(having(run="0", pages_sharing="7"), ksm="1") == [f"echo 0 > {KSM}/run"]
    assert undone(having(run="1", pages_sharing="7"), ksm="2") == [f"echo 1 > {KSM}/run"]


def test_pages_that_are_still_merged_are_told() -> None:
    assert found(having(run="2", pages_sharing="0"), "ksm", "2") == "2"
    assert found(having(run="2", pages_sharing="7"), "ksm", "2") == "2, but 7 pages are still merged"


def test_who_else_tunes_ksm_is_to_be_stopped_first() -> None:
    files = {f"{KSM}/run": "1", "/run/ksmtune.pid": "12", "/proc/12/comm": "ksmtuned"}
    assert why(FakeHost(files), ksm="1")[0].endswith("systemctl stop ksmtuned")
    assert why(FakeHost({**files, "/proc/12/comm": "bash"}), ksm="1") == []
    advised = having(pages_to_scan="100", advisor_mode="none [scan-time]")
    assert why(advised, **{"ksm-pages_to_scan": "200"})[0].endswith(f"echo none > {KSM}/advisor_mode")


def test_merging_across_nodes_waits_until_nothing_is_merged() -> None:
    files = {f"{KSM}/merge_across_nodes": "1", f"{KSM}/run": "1", f"{KSM}/pages_sharing": "7"}
    host = FakeHost(files, nodes=(0, 1))
    assert why(host, **{"ksm-merge_across_nodes": "0"})[0].endswith(f"echo 2 > {KSM}/run")
    assert why(host, **{"ksm-merge_across_nodes": "1"}) == []
    assert undone(host, **{"ksm-merge_across_nodes": "0"}) == [
        f"echo 2 > {KSM}/run",
        f"echo 1 > {KSM}/merge_across_nodes",
        f"echo 1 > {KSM}/run",
    ]


def test_huge_pages_are_put_back_with_the_reserve_that_moves_with_them() -> None:
    files = {f"{THP}/enabled": "always [madvise] never", f"{VM}/min_free_kbytes": "67584"}
    assert undone(FakeHost(files), thp="never") == [
        f"echo madvise > {THP}/enabled",
        f"echo 67584 > {VM}/min_free_kbytes",
    ]


def test_a_ratio_that_replaces_a_limit_in_bytes_is_undone_by_the_bytes() -> None:
    assert undone(having(dirty_ratio="0", dirty_bytes="4096"), dirty_ratio="20") == [
        f"echo 4096 > {VM}/dirty_bytes"
    ]
    assert undone(having(dirty_ratio="40", dirty_bytes="0"), dirty_ratio="20") == [
        f"echo 40 > {VM}/dirty_ratio"
    ]


def test_a_background_ratio_is_below_the_other_also_where_one_alone_is_set() -> None:
    host = having(dirty_ratio="20", dirty_background_ratio="10")
    assert why(host, dirty_ratio="10")[0].startswith("dirty_background_ratio 10 is not below dirty_ratio 10")
    assert why(host, dirty_ratio="10", dirty_background_ratio="5") == []
    assert why(having(dirty_ratio="0", dirty_background_ratio="10"), dirty_background_ratio="40") == []


def test_an_old_kernel_takes_less_swappiness() -> None:
    files = {f"{VM}/swappiness": "60", "/proc/sys/kernel/osrelease": "4.18.0-553.el8_10.x86_64"}
    assert why(FakeHost(files), swappiness="150") == ["kernel 4.18.0-553.el8_10.x86_64 takes 100 at most"]
    assert why(FakeHost({**files, "/proc/sys/kernel/osrelease": "6.1.0"}), swappiness="150") == []


def test_balancing_between_nodes_needs_nodes() -> None:
    files = {"/proc/sys/kernel/numa_balancing": "0"}
    assert why(FakeHost(files), numa_balancing="1") == [
        "this machine has one memory node: it would have no effect"
    ]
    assert why(FakeHost(files), numa_balancing="0") == []
    assert why(FakeHost(files, nodes=(0, 1)), numa_balancing="1") == []


def test_the_disk_is_that_under_the_folder_of_guests() -> None:
    files = {
        "/sys/block/sdb/queue/scheduler": "none [mq-deadline]",
        "/sys/block/sdb/queue/read_ahead_kb": "128",
    }
    host = FakeHost(files, disk="sdb", scheduling_disk="sdb")
    assert typed(host, scheduler="none") == ["echo none > /sys/block/sdb/queue/scheduler"]
    assert undone(host, scheduler="none") == ["echo mq-deadline > /sys/block/sdb/queue/scheduler"]
    assert why(host, scheduler="bfq") == ["sdb offers none, mq-deadline"]
    assert why(host, read_ahead_kb="130") == ["the kernel counts it in pages of 4 KiB"]
    assert found(host, "scheduler", "none") == "mq-deadline"
    for setting in ({"scheduler": "none"}, {"read_ahead_kb": "128"}):
        assert why(replace(host, disk=None, scheduling_disk=None), **setting) == [
            "the folder of guests is not on one disk of this machine"
        ]


def test_the_scheduler_is_that_of_the_disk_below_a_logical_volume_and_the_read_ahead_its_own() -> None:
    files = {
        "/sys/block/dm-0/queue/scheduler": "none",
        "/sys/block/dm-0/queue/read_ahead_kb": "256",
        "/sys/block/sda/queue/scheduler": "none [mq-deadline]",
        "/sys/block/sda/queue/read_ahead_kb": "128",
    }
    host = FakeHost(files, disk="dm-0", scheduling_disk="sda")
    assert found(host, "scheduler", "none") == "mq-deadline"
    assert typed(host, scheduler="none") == ["echo none > /sys/block/sda/queue/scheduler"]
    assert found(host, "read_ahead_kb", "256") == "256"
    assert why(replace(host, scheduling_disk=None), scheduler="none") == [
        "the folder of guests is not on one disk of this machine"
    ]
    assert why(replace(host, scheduling_disk=None), read_ahead_kb="512") == []


def test_a_disk_without_a_choice_of_schedulers_offers_none_alone() -> None:
    host = FakeHost({"/sys/block/pmem0/queue/scheduler": "none"}, disk="pmem0", scheduling_disk="pmem0")
    assert why(host, scheduler="mq-deadline") == ["pmem0 offers none"]
    assert why(host, scheduler="none") == []
    assert why(replace(host, files={}), scheduler="none") == [
        "this kernel shows no /sys/block/pmem0/queue/scheduler"
    ]


def idling(*disabled: str, default: str = "enabled") -> FakeHost:
    """Return a host of two processors and three idle states, each ``0`` allowed or ``1``; the last by
    default.
    """
    place = f"{CPU}/cpu{{}}/cpuidle/state{{}}/"
    files = {place.format(cpu, at) + "disable": off for cpu in (0, 1) for at, off in enumerate(disabled)}
    return FakeHost({**files, **{place.format(cpu, 2) + "default_status": default for cpu in (0, 1)}})


def test_idle_states_below_the_wanted_one_are_forbidden_on_every_processor() -> None:
    host, level = idling("0", "0", "0"), {"cpuidle-state": "1"}
    acts = [one.act for one in planned_acts({"host.cpuidle-state": "1"}, host)]
    assert [act.value for act in acts] == ["0", "0", "1"] * 2
    assert (found(host, "cpuidle-state", "1"), why(host, **level)) == ("2", [])
    assert found(idling("0", "0", "1"), "cpuidle-state", "1") == "1"
    assert why(host, **{"cpuidle-state": "3"}) == ["the deepest idle state here is 2"]


def test_an_idle_state_that_is_off_by_itself_is_not_switched_on() -> None:
    host = idling("0", "0", "1", default="disabled")
    assert all(
        not one.act.path.endswith("state2/disable") for one in planned_acts({"host.cpuidle-state": "2"}, host)
    )


@pytest.mark.parametrize("name", sorted(folder.name for folder in RECORDED.iterdir() if folder.is_dir()))
def test_every_setting_of_a_recorded_machine_is_had_or_refused_with_a_reason(name: str) -> None:
    host = Recorded(name, disk="vda", scheduling_disk="vda")
    for factor in FACTORS.values():
        if not factor.of_host:
            continue
        for level in factor.levels.choices:
            (one,) = verify_host({factor.name: level}, host)
            assert one.actual
            if factor.needs(host, level) is None and factor.acts is not None:
                assert [act.before for act in planned_acts({factor.name: level}, host)]


def test_a_recorded_machine_without_nested_paging_says_so() -> None:
    host = Recorded("host", accelerator="kvm")
    assert (host.read("/sys/module/kvm/parameters/halt_poll_ns"), why(host, ept="Y")) == (
        "200000",
        ["kvm_intel is not loaded"],
    )


def test_a_machine_where_nothing_may_be_written_says_who_may() -> None:
    plain = replace(having(swappiness="60"), root=False)
    assert why(plain, swappiness="10") == [f"only root may: echo 10 > {VM}/swappiness"]
    assert why(plain, swappiness="60") == []
    assert FACTORS["host.swappiness"].needs(plain, None) == "only root may change it"


def test_the_scheduler_s_tunables_are_those_of_debugfs() -> None:
    path = "/sys/kernel/debug/sched/migration_cost_ns"
    host = FakeHost({path: "500000"})
    assert typed(host, **{"sched-migration_cost_ns": "5000000"}) == [f"echo 5000000 > {path}"]
    assert why(FakeHost(), **{"sched-base_slice_ns": "700000"}) == [
        "this kernel has no base_slice_ns, or debugfs is not mounted"
    ]


@pytest.mark.parametrize("name", [name for name, factor in FACTORS.items() if factor.acts is not None])
def test_a_factor_writes_the_files_that_it_says_and_no_others(name: str) -> None:
    factor = FACTORS[name]
    assert factor.files
    assert factor.acts is not None
    for host in (
        HOST,
        *(
            Recorded(path.name, disk="vda", scheduling_disk="vda")
            for path in sorted(RECORDED.iterdir())
            if path.is_dir()
        ),
    ):
        for act in factor.acts(host, factor.levels.choices[0]):
            assert all(factor.writes(one.path) for one in (act, *act.undo))
    for path in (
        "/etc/passwd",
        "/proc/sys/kernel/core_pattern",
        "",
        "/",
        f"{factor.files[0]}/..",
        "../" + factor.files[0],
    ):
        assert not factor.writes(path)


def test_what_stands_for_one_name_is_one_name() -> None:
    governor = FACTORS["host.governor"]
    assert governor.writes(f"{CPU}/cpu12/cpufreq/scaling_governor")
    assert not governor.writes(f"{CPU}/cpu1/../cpufreq/scaling_governor")
    assert not governor.writes(f"{CPU}/cpu1/x/cpufreq/scaling_governor")
    assert not FACTORS["host.scheduler"].writes("/sys/block/../queue/scheduler")
    assert not FACTORS["disk.cache"].writes("/sys/block/vda/queue/scheduler")
