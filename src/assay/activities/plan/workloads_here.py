"""The ready workloads as they would run on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from assay.activities.plan.variables import unset
from assay.model.errors import AssayError
from assay.model.files.packages import install_command
from assay.model.machines.machine import Machine
from assay.model.work.workload import Workload
from assay.platforms.packs import find_pack
from assay.workloads import WORKLOADS, Parameters, Sizes, library, with_parameters

SMALLEST = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
"""Where a size is asked for and does not matter."""


def ready_here(home: Path) -> Iterator[tuple[Workload, str | None]]:
    """Yield every ready workload and why it cannot run here, without looking at the machine's sizes."""
    for workload in library(SMALLEST).values():
        yield workload, refused_here(workload, home=home)


def sized_here(name: str, *, home: Path) -> tuple[Workload, str | None]:
    """Return a ready workload sized for this machine, and why it cannot run here.

    Raises:
        UnknownNameError: no ready workload of that name.
    """
    from assay.activities.visits.cpu_allocation import share_cores
    from assay.activities.visits.visit import open_probe

    WORKLOADS[name]
    with open_probe(Machine("local"), home) as (probe, _):
        facts = probe.facts()
    sizes = Sizes(facts.cache_bytes, facts.memory_bytes, len(share_cores(facts).measured))
    workload = with_parameters(name, Parameters(), sizes=sizes)
    return workload, refused_here(workload, home=home)


def refused_here(workload: Workload, *, home: Path) -> str | None:
    """Return why a workload cannot run on this machine, ``None`` where nothing is seen that it lacks."""
    if workload.program is not None and shutil.which(workload.program) is None:
        package = f": {install_command(workload.package)}" if workload.package else ""
        return f"{workload.program} is not on PATH{package}"
    if workload.needs_network and os.geteuid() != 0:
        return "only root can make the bench network that it needs"
    if reason := unset(workload, os.environ):
        return reason
    if workload.pack is not None:
        return _pack_refused(workload.pack, home)
    return None


def _pack_refused(pack: str, home: Path) -> str | None:
    try:
        find_pack(home, pack)
    except AssayError as error:
        return f"its pack is not there: {error.hint or error.message}"
    return None
