"""Can a machine serve an evaluation?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.activities.visits.visit import open_probe
from assay.model.errors import AssayError
from assay.model.machines.machine import Facts, Machine
from assay.model.units import format_bytes
from assay.platforms.images.recipe import PACKAGES
from assay.probe import Probe
from assay.workloads import Sizes, library

FREE_BYTES = 2 * 2**30
"""A trial's largest file (1 GiB of fio) and room to spare."""


EVERYWHERE = frozenset((*PACKAGES, "dash"))
"""What every guest has, and so every machine should: packages of the image and an essential one."""


@dataclass(frozen=True)
class Check:
    """One thing that a machine must have; ``sentence`` says what was found."""

    name: str
    good: bool
    sentence: str


def check_machine(machine: Machine, *, home: Path) -> tuple[Check, ...]:
    """Reach a machine and look for all that the ready workloads need.

    Raises:
        UnreachableError: It cannot be reached, or its host key is refused.
    """
    with open_probe(machine, home) as (probe, door):
        facts = probe.facts()
        return (*_platform(facts), _space(probe, door.folder), *_programs(probe))


def _platform(facts: Facts) -> Iterator[Check]:
    yield Check("probe", good=True, sentence=f"{facts.hostname}, kernel {facts.kernel}, {facts.architecture}")
    cores = len(facts.cpus)
    yield Check("cores", cores > 1, f"{cores}; one is left to the controller or the probe")
    yield Check("memory", facts.memory_bytes >= 2 * 2**30, format_bytes(facts.memory_bytes))
    # a plain user can make none, and is measured all the same, with a doubt
    cgroup_text = f"{facts.cgroup}" if facts.cgroup else "none can be made: limits by affinity only"
    yield Check("cgroup", good=True, sentence=cgroup_text)


def _space(probe: Probe, folder: str) -> Check:
    free = probe.space(folder).free_bytes
    return Check("space", free >= FREE_BYTES, f"{format_bytes(free)} free under {folder}")


def _programs(probe: Probe) -> Iterator[Check]:
    """Look for the workloads' programs; one that no guest's image brings either may be missing."""
    smallest = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
    needed = {w.program: w for w in library(smallest).values() if w.program}
    for program, workload in needed.items():
        try:
            yield Check(program, good=True, sentence=probe.digest(program).executable.path)
        except AssayError:
            package = workload.package
            brings = f"its Debian package is {package}" if package else "no Debian package brings it"
            extra = package not in EVERYWHERE
            alone = f"; only workloads like {workload.name} need it" if extra else ""
            yield Check(program, good=extra, sentence=f"not found; {brings}{alone}")
