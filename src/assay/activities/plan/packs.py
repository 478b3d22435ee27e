"""Packs brought to the arms: found when an activity is planned, brought once a boot, used in place on this machine.

Each arm's Python is asked for its version before the clock starts: of machines when the activity is planned, of guests
on their first visit. Limits: a container's is not, in which nothing can be run beside the probe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.places.stage import Stage, open_probe
from assay.activities.plan.arms import Arms
from assay.model.errors import AssayError
from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.data import access
from assay.model.work.workload import Workload
from assay.platforms.packs import PYTHON_VERSION, find_pack, python_here, require_python

_LOOK_S = 60.0
"""An emulated guest answers in seconds."""


def with_packs(workloads: Sequence[Workload], arms: Arms, *, home: Path) -> tuple[Workload, ...]:
    """Return workloads that know the folders of their packs.

    Raises:
        MissingError: a pack has not been made, or not for the Python of a machine.
        AssayError: an arm has the data by URLs, which a pack's program does not read.
    """
    if any(workload.pack and workload.needs_data for workload in workloads):
        for side in (arms.baseline, arms.treatment, *arms.more):
            if access(side.data) == "xrootd":
                msg = f"cannot use data.access=xrootd for {side.label}: the analysis reads files, and xrootd gives URLs"
                raise AssayError(msg, hint="data.access: nfs")
    found = tuple(
        workload if workload.pack is None else replace(workload, pack=str(find_pack(home, workload.pack)))
        for workload in workloads
    )
    _check_machines({workload.pack for workload in found if workload.pack}, arms, home=home)
    return found


def _check_machines(packs: set[str], arms: Arms, *, home: Path) -> None:
    """Refuse machines whose Python a pack was not made for; guests and containers are not there yet."""
    sides = (arms.baseline, arms.treatment, *arms.more) if packs else ()
    machines = {side.machine for side in sides if not (side.guest or side.container or side.domain)}
    for machine in sorted(machines, key=lambda one: one.name):
        python = python_here() if machine.reach is Reach.LOCAL else _python_of(machine, home)
        for pack in sorted(packs):
            require_python(Path(pack), python, machine.name)


def _python_of(machine: Machine, home: Path) -> str:
    with open_probe(machine, home) as (_, door):
        return door.run(PYTHON_VERSION, timeout_s=_LOOK_S).decode().strip()


def pack_place(stage: Stage, workload: Workload) -> str | None:
    """Return the folder of a workload's pack on a stage; ``None`` where it has none."""
    if workload.pack is None:
        return None
    return workload.pack if stage.here else f"{stage.directory}/packs/{Path(workload.pack).name}"


def bring_pack(stage: Stage, workload: Workload) -> None:
    """Bring a workload's pack to a stage where it is not there yet; the mark of a whole one is written last.

    Raises:
        MissingError: it was not made for the Python there.
        AssayError: it cannot be copied.
    """
    place = pack_place(stage, workload)
    if place is None or workload.pack is None or stage.here or place in stage.packs:
        return
    runs = stage.container is None  # in which nothing can be run beside the probe
    if runs:
        python = stage.run(PYTHON_VERSION, timeout_s=_LOOK_S).decode().strip()
        require_python(Path(workload.pack), python, stage.machine)
    if not (runs and _is_whole(stage, place)):
        stage.probe.make(stage.directory)  # with its marker, before anything lies in it
        stage.put(Path(workload.pack), place)
        if runs:
            stage.run(("touch", f"{place}.whole"), timeout_s=_LOOK_S)
    stage.packs.add(place)


def _is_whole(stage: Stage, place: str) -> bool:
    try:
        stage.run(("test", "-e", f"{place}.whole"), timeout_s=_LOOK_S)
    except AssayError:
        return False
    return True
