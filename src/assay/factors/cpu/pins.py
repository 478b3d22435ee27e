"""Factors of a guest's threads: on which of the host's processors they run, and by which scheduler."""

from __future__ import annotations

from collections.abc import Sequence

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import BOSS_TUNING, Cost, Effect, Factor, Hazard
from assay.factors.base.levels import Words
from assay.factors.base.number_lists import spell_numbers
from assay.factors.cpu.pin_sets import CPUSET, PINS, cpus_named, masks_of, read_cpuset
from assay.factors.cpu.threads import confinement, emulator_threads, io_threads, node_processors, vcpu_threads

_POLICIES = {0: "other", 1: "fifo", 2: "rr", 3: "batch", 5: "idle"}
_REAL_TIME = ("fifo", "rr")
_RT_SHARE = "/sys/fs/cgroup/cpu/cpu.rt_runtime_us"
_THREADS = "/proc/PID/task/TID/status, Cpus_allowed_list of"


def _vcpupin(draft: Draft, level: str) -> None:
    masks = masks_of(level, draft.vcpus, draft.cpus, tuple(draft.nodes.values()))
    draft.drop("cputune/vcpupin")
    for number, mask in enumerate(masks):
        draft.add("cputune/vcpupin", vcpu=str(number), cpuset=spell_numbers(mask))


def _actual_vcpupin(seen: Evidence, wanted: str) -> str:
    masks = [thread.cpus for thread in vcpu_threads(seen)]
    nodes = tuple(node_processors(seen.host).values())
    expected = masks_of(wanted, len(masks), confinement(seen), nodes)
    alone = len(set(masks)) == len(masks)
    return wanted if masks == list(expected) and (alone or wanted != "1:1") else _spell(masks)


def _needs_cpus(host: Host, level: str | None) -> str | None:
    absent = set(cpus_named(level or "")) - set(host.cpus)
    return f"processor {min(absent)} is not there or not online" if absent else None


def _needs_vcpupin(host: Host, level: str | None) -> str | None:
    if level == "node" and len(node_processors(host)) < 2:
        return "this machine has one memory node: node would be none"
    return _needs_cpus(host, level)


def _emulatorpin(draft: Draft, level: str) -> None:
    draft.at("cputune/emulatorpin", cpuset=spell_numbers(read_cpuset(level)))


def _actual_emulatorpin(seen: Evidence, _wanted: str) -> str:
    return _spell(sorted({thread.cpus for thread in emulator_threads(seen)}))


def _iothreadpin(draft: Draft, level: str) -> None:
    if draft.domain.find("iothreads") is None:
        draft.at("iothreads").text = "1"
    draft.drop("cputune/iothreadpin")
    for number in range(int(draft.at("iothreads").text or "1")):
        draft.add("cputune/iothreadpin", iothread=str(number + 1), cpuset=level)


def _actual_iothreadpin(seen: Evidence, _wanted: str) -> str:
    return _spell(sorted({thread.cpus for thread in io_threads(seen)})) or "there is no I/O thread"


def _vcpusched(draft: Draft, level: str) -> None:
    draft.drop("cputune/vcpusched")
    if level == "other":
        return
    pins = draft.add("cputune/vcpusched", vcpus=spell_numbers(range(draft.vcpus)), scheduler=level)
    if level in _REAL_TIME:
        pins.set("priority", "1")


def _actual_vcpusched(seen: Evidence, _wanted: str) -> str:
    policies = {_POLICIES.get(thread.policy, str(thread.policy)) for thread in vcpu_threads(seen)}
    return ", ".join(sorted(policies))


def _needs_vcpusched(host: Host, level: str | None) -> str | None:
    if level not in _REAL_TIME:
        return None
    if len(host.cpus) < 2:
        return "would take the only processor from everything else"
    # a kernel with CONFIG_RT_GROUP_SCHED gives new control groups no real-time share, and libvirt none either
    fixed = host.read(_RT_SHARE) is not None
    return (
        f"libvirt's control groups get no real-time share here ({_RT_SHARE} is 0 in them)" if fixed else None
    )


def _spell(masks: Sequence[tuple[int, ...]]) -> str:
    return "/".join(spell_numbers(mask) for mask in masks)


FACTORS = (
    Factor(
        "cpu.vcpupin",
        "processors of the host that each vCPU may run on",
        PINS,
        "none: all processors of the guest",
        "cputune/vcpupin",
        f"{_THREADS} the vCPUs' threads",
        _actual_vcpupin,
        edit=_vcpupin,
        cost=Cost.LIVE,
        hazards=(Hazard.OTHERS,),
        needs=_needs_vcpupin,
        effects=(Effect("~3 %", "HS06, beside NUMA cells", "CERN 2015"), BOSS_TUNING),
        note="pins of vCPUs that are not there are accepted and ignored; same processors for the baseline",
    ),
    Factor(
        "cpu.emulatorpin",
        "processors of the host for QEMU's own threads",
        CPUSET,
        "all processors of the guest",
        "cputune/emulatorpin",
        f"{_THREADS} QEMU's main thread and its monitor",
        _actual_emulatorpin,
        edit=_emulatorpin,
        cost=Cost.LIVE,
        needs=_needs_cpus,
    ),
    Factor(
        "cpu.iothreadpin",
        "processors of the host for the threads of disks",
        CPUSET,
        "all processors of the guest",
        "cputune/iothreadpin",
        f"{_THREADS} 'IO iothreadN'",
        _actual_iothreadpin,
        edit=_iothreadpin,
        cost=Cost.LIVE,
        needs=_needs_cpus,
    ),
    Factor(
        "cpu.vcpusched",
        "scheduler of the vCPUs' threads; fifo and rr have priority 1",
        Words(("other", "batch", "idle", *_REAL_TIME)),
        "other",
        "cputune/vcpusched[@scheduler, @priority]",
        "/proc/PID/task/TID/stat, policy of the vCPUs' threads",
        _actual_vcpusched,
        edit=_vcpusched,
        hazards=(Hazard.OTHERS,),
        needs=_needs_vcpusched,
        note="fifo and rr need CAP_SYS_NICE and a processor that stays free for everything else",
    ),
)
