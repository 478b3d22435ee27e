"""Packs brought to the arms: found when an activity is planned, brought once a boot, used in place on this
machine.

Each arm's Python is asked for its version before the clock starts: of machines when the activity is planned,
of guests on their first visit. Limits: a container's is not, in which nothing can be run beside the probe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.plan.arms import Arms
from assay.activities.visits.visit import Visit, open_probe
from assay.model.errors import AssayError
from assay.model.machines.machine import Machine, Reach
from assay.model.work.workload import Workload
from assay.platforms.packs import PYTHON_VERSION, find_pack, python_here, require_python

_LOOK_S = 60.0
"""An emulated guest answers in seconds."""


def with_packs(workloads: Sequence[Workload], arms: Arms, *, home: Path) -> tuple[Workload, ...]:
    """Return workloads that know the folders of their packs.

    Raises:
        MissingError: a pack has not been made, or not for the Python of a machine.
    """
    packed = tuple(
        workload if workload.pack is None else replace(workload, pack=str(find_pack(home, workload.pack)))
        for workload in workloads
    )
    _check_machines({workload.pack for workload in packed if workload.pack}, arms, home=home)
    return packed


def _check_machines(packs: set[str], arms: Arms, *, home: Path) -> None:
    """Refuse machines whose Python a pack was not made for; guests and containers are not there yet."""
    every = arms.every if packs else ()
    machines = {one.machine for arm in every if arm.on_machine for one in arm.each_machine}
    for machine in sorted(machines, key=lambda one: one.name):
        python = python_here() if machine.reach is Reach.LOCAL else _python_of(machine, home)
        for pack in sorted(packs):
            require_python(Path(pack), python, machine.name)


def _python_of(machine: Machine, home: Path) -> str:
    with open_probe(machine, home) as (_, door):
        return door.run(PYTHON_VERSION, timeout_s=_LOOK_S).decode().strip()


def pack_place(visit: Visit, workload: Workload) -> str | None:
    """Return the folder of a workload's pack on a visit; ``None`` where it has none."""
    if workload.pack is None:
        return None
    return workload.pack if visit.here else f"{visit.directory}/packs/{Path(workload.pack).name}"


def bring_pack(visit: Visit, workload: Workload) -> None:
    """Bring a workload's pack to a visit where it is not there yet; the mark of a whole one is written last.

    Raises:
        MissingError: it was not made for the Python there.
        AssayError: it cannot be copied.
    """
    place = pack_place(visit, workload)
    if place is None or workload.pack is None or visit.here or place in visit.packs:
        return
    if visit.runs_programs:
        python = visit.run(PYTHON_VERSION, timeout_s=_LOOK_S).decode().strip()
        require_python(Path(workload.pack), python, visit.machine)
    if not (visit.runs_programs and _is_whole(visit, place)):
        visit.probe.make(visit.directory)  # with its marker, before anything lies in it
        visit.put(Path(workload.pack), place)
        if visit.runs_programs:
            visit.run(("touch", f"{place}.whole"), timeout_s=_LOOK_S)
    visit.packs.add(place)


def _is_whole(visit: Visit, place: str) -> bool:
    try:
        visit.run(("test", "-e", f"{place}.whole"), timeout_s=_LOOK_S)
    except AssayError:
        return False
    return True
