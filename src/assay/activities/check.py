"""Can a machine serve an evaluation?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.activities.stage import open_probe
from assay.model.errors import AssayError
from assay.model.machine import Facts, Machine
from assay.model.units import format_bytes
from assay.probe import Probe
from assay.workloads import Sizes, library

FREE_BYTES = 2 * 2**30
"""A trial's largest file (1 GiB of fio) and room to spare."""


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
    found = f"{facts.cgroup}" if facts.cgroup else "none can be made: limits by affinity only"
    yield Check("cgroup", good=True, sentence=found)


def _space(probe: Probe, folder: str) -> Check:
    free = probe.space(folder).free_bytes
    return Check("space", free >= FREE_BYTES, f"{format_bytes(free)} free under {folder}")


def _programs(probe: Probe) -> Iterator[Check]:
    smallest = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
    needed = {w.program: w.package for w in library(smallest).values() if w.program}
    for program, package in needed.items():
        try:
            yield Check(program, good=True, sentence=probe.digest(program).executable.path)
        except AssayError:
            yield Check(program, good=False, sentence=f"not found; its Debian package is {package}")
