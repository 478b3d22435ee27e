"""What a result tells of a guest and its host, as rules of advice ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assay.explain.advice.instructions import missing_in
from assay.explain.advice.situation import Situation
from assay.factors.host.boot import mitigations_of
from assay.factors.start.starts import start_levels
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import AssayError
from assay.model.machines.fingerprint import COMMAND_LINE, flatten
from assay.model.machines.machine import Fingerprint
from assay.model.trial import Arm, State, Trial
from assay.model.work.workload import Workload
from assay.pages.budget import BudgetShown
from assay.results.advice.on_host import on_host
from assay.store.fingerprints import read_kept_fingerprint

HOST_FACTS = {
    "host.thp": ("general", "thp"),
    "host.governor": ("general", "governor"),
    "host.ksm": ("memory", "ksm.run"),
    "host.numa_balancing": ("memory", "numa_balancing"),
    "host.halt_poll_ns": ("virtualisation", "modules.kvm.halt_poll_ns"),
    "host.nx_huge_pages": ("virtualisation", "modules.kvm.nx_huge_pages"),
    "host.ept": ("virtualisation", "modules.kvm_intel.ept"),
    "host.npt": ("virtualisation", "modules.kvm_amd.npt"),
}
"""Factors of a host, by where its fingerprint tells of them."""
MERGED = ("memory", "ksm.pages_shared")
FLAGS = ("hardware", "cpu.flags")
KERNEL = ("general", "kernel")
Facts = Mapping[tuple[str, str], object]


def arm_of(plan: ActivityPlan, budget: BudgetShown) -> PlannedArm | None:
    """Return the treatment of a budget."""
    return next((arm for arm in plan.treatments if budget.treatment in {None, arm.label}), None)


def situation_of(
    plan: ActivityPlan, records: Sequence[Trial], budget: BudgetShown, folder: Path
) -> Situation | None:
    """Return what is known of a budget's treatment; ``None`` where its hypervisor told of no guest.

    Args:
        plan: The activity's plan.
        records: Records of its trials.
        budget: Where the time of one workload went.
        folder: The activity's folder, with the fingerprints of its machines.
    """
    arm = arm_of(plan, budget)
    ran = [one for one in records if _is_of(one, plan, arm) and one.platform is not None]
    if arm is None or not ran:
        return None
    last = ran[-1]
    assert last.platform is not None  # noqa: S101 - chosen so
    here = (one.boot for one in records if one.platform is None and one.machine == arm.machine.name)
    facts, inside = _facts(here, folder), _facts((one.boot for one in reversed(ran)), folder)
    merged = facts.get(MERGED)
    return Situation(
        accelerator=last.platform.accelerator,
        levels={**_of_host(facts), **_of_guest(arm, last)},
        vcpus=last.platform.vcpus,
        memory_bytes=last.platform.memory_bytes,
        shared_bytes=None if arm.guest is None else arm.guest.memory_bytes,
        cpus=len(last.platform.cpus) or len(arm.limits.cpus) or last.platform.vcpus,
        nodes=len(_nodes(facts)) or None,
        own_nodes=_own_nodes(facts, last.platform.cpus or arm.limits.cpus),
        merged=merged if isinstance(merged, int) else None,
        clock_source=last.facts.clock_source,
        counted={one.name: (one.baseline, one.treatment) for one in budget.counted},
        network=any(map(_of_network, (one for one in plan.workloads if one.name == budget.workload))),
        guests=arm.layout.guests,
        missing=_missing(inside, facts),
        on_host=on_host([one for one in ran if _is_counted(one, budget)], folder),
    )


def _is_of(trial: Trial, plan: ActivityPlan, arm: PlannedArm | None) -> bool:
    return trial.planned.arm is Arm.TREATMENT and plan.arm_of(trial.planned) == arm


def _is_counted(trial: Trial, budget: BudgetShown) -> bool:
    return trial.state is State.ENDED and trial.planned.workload == budget.workload


def _of_network(workload: Workload) -> bool:
    """Tell whether a workload measures the network: it talks to the bench network's server, or its figures
    are read by the reader of a tool that does nothing else.
    """
    from assay.workloads import READERS  # all tools: a report that gives no advice needs none

    reader = None if workload.reader is None else READERS.get(workload.reader)
    return workload.needs_network or (reader is not None and reader.of_network)


def _of_guest(arm: PlannedArm, ran: Trial) -> dict[str, str]:
    """Return the levels of a guest's factors: as asked for, as its platform says, as they were seen."""
    platform = ran.platform
    assert platform is not None  # noqa: S101 - asked by the caller
    levels = {"guest.transparent_hugepage": ran.facts.thp or ""}
    levels |= {"disk.cache": platform.disk_cache} if platform.disk_cache else {}
    levels |= {**start_levels(arm.layout), **dict(arm.guest.settings)} if arm.guest else {}
    return levels | {one.name: one.level for one in (*platform.factors, *ran.host_settings)}


def _facts(boots: Iterable[str], folder: Path) -> Facts:
    """Return what a machine is, as a trial in the first of these boots that is kept saw it; empty where none
    did.
    """
    for boot in dict.fromkeys(boots):
        fingerprint = _read(folder / "facts" / f"{boot}.json")
        if fingerprint is not None:
            return flatten(fingerprint)
    return {}


def _missing(inside: Facts, facts: Facts) -> tuple[str, ...] | None:
    """Return the instruction sets that a guest lacks; ``None`` where that is not known: a kernel shows only
    those that it knows, and an older one knows fewer.
    """
    guest, host = inside.get(FLAGS), facts.get(FLAGS)
    older = _release(inside.get(KERNEL)) < _release(facts.get(KERNEL))
    known = isinstance(guest, list | tuple) and isinstance(host, list | tuple) and not older
    return missing_in(tuple(guest), tuple(host)) if known else None  # type: ignore[arg-type]


def _release(kernel: object) -> tuple[int, ...]:
    """Return the first two numbers of a kernel's version; none where they are not known."""
    return tuple(int(part) for part in re.findall(r"\d+", str(kernel or ""))[:2])


def _read(file: Path) -> Fingerprint | None:
    try:
        return read_kept_fingerprint(file)
    except AssayError:  # there is none, or it is damaged: nothing is told of the host
        return None


def _of_host(facts: Facts) -> dict[str, str]:
    seen = {name: facts.get(place) for name, place in HOST_FACTS.items()}
    line = facts.get(COMMAND_LINE)
    if isinstance(line, str):
        seen["host.mitigations"] = mitigations_of(line)
    return {name: str(value) for name, value in seen.items() if value is not None}


def _nodes(facts: Facts) -> set[str]:
    return {path.split(".")[1] for group, path in facts if group == "hardware" and path.startswith("nodes.")}


def _own_nodes(facts: Facts, cpus: Sequence[int]) -> int | None:
    """Return how many of its host's memory nodes a guest's processors belong to; ``None`` is not known."""
    of_nodes = [facts.get(("hardware", f"nodes.{node}.cpus")) for node in _nodes(facts)]
    return sum(isinstance(one, list | tuple) and not set(one).isdisjoint(cpus) for one in of_nodes) or None
