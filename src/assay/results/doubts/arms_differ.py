"""Doubts that come from laying the two arms, and an arm's visits, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.doubt import Raised, raised
from assay.model.platforms.container import Runtime
from assay.model.trial import Arm, Trial
from assay.model.work.workload import File, Program, Workload


def changed(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Raised]:
    """Compare each arm's machine with itself over the activity: it may have been resumed after a change."""
    for arm in plan.arms:
        which = "baseline" if arm is plan.baseline else arm.label if plan.more else "treatment"
        seen = [record.facts for record in records if plan.arm_of(record.planned) is arm]
        for name in ("hostname", "cpu_model", "kernel", "memory_bytes", "governor", "thp", "clock_source"):
            values = list(dict.fromkeys(str(getattr(facts, name)) for facts in seen))
            if len(values) > 1 and not _its_own(name, arm):
                yield raised("machine-changed", arm=which, fact=name, values=tuple(values))


def _its_own(name: str, arm: PlannedArm) -> bool:
    """Tell whether a fact is another at every visit by itself: a guest's name, the memory a kernel in a
    process has.
    """
    kernel = arm.container is not None and arm.container.runtime is Runtime.UML
    return (name == "hostname" and arm.guest is not None) or (name == "memory_bytes" and kernel)


HARDWARE = ("cpu_model", "cache_bytes", "governor")
"""Facts whose difference a reference workload may stand for; a kernel's is none of the hardware."""
CODES = {
    "cpu_model": "processors-differ",
    "cache_bytes": "caches-differ",
    "kernel": "kernels-differ",
    "governor": "frequency-governors-differ",
    "thp": "thp-modes-differ",
    "clock_source": "clock-sources-differ",
}
"""Facts whose difference is doubted, each with its code."""


def hardware(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Raised]:
    """Compare the machines of treatments with the baseline's; a guest shows another processor by design, a
    machine the settings that it is given.
    """
    facts = {id(plan.arm_of(record.planned)): record.facts for record in records}
    here = facts.get(id(plan.baseline))
    others = [facts[id(arm)] for arm in plan.treatments if _is_another(plan, arm) and id(arm) in facts]
    if here is None:
        return
    for name, code in CODES.items():
        for there in dict.fromkeys(getattr(one, name) for one in others):
            if (one := getattr(here, name)) != there:
                correctable = name in HARDWARE and plan.goal.reference is None
                yield raised(code, here=one, there=there, correctable=correctable)


def _is_another(plan: ActivityPlan, arm: PlannedArm) -> bool:
    """Tell whether what a treatment shows of itself is its hardware, and nothing that was asked for."""
    if not arm.on_machine and arm.domain is None:
        return False
    if arm.domain is not None and arm.domain.local:
        return False
    return not (arm.host_settings and arm.machine == plan.baseline.machine)


def programs(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[Raised]:
    """Compare the executables of both arms by digest."""
    differing = tuple((workload.name, tuple(names)) for workload, names in _differing(plan, records))
    if differing:
        yield raised("programs-differ", differing=differing)


def _differing(plan: ActivityPlan, records: Sequence[Trial]) -> Iterator[tuple[Workload, list[str]]]:
    for workload in plan.workloads:
        ours = [r for r in records if r.planned.workload == workload.name and r.program is not None]
        here, there = (_digests(ours, arm) for arm in Arm)
        if here and there and here != there:
            yield workload, sorted({name for name, _ in here ^ there})


def _digests(records: Iterable[Trial], arm: Arm) -> set[tuple[str, str]]:
    program = next((record.program for record in records if record.planned.arm is arm), None)
    return {(file.name, file.sha256) for file in _files(program)}


def _files(program: Program | None) -> Iterator[File]:
    if program is not None:
        yield program.executable
        yield from program.libraries
