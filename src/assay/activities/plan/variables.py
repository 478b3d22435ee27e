"""Variables of the environment that workloads need: taken from assay's own when planned, looked at on each
arm.

Limits: in a container nothing can be run beside the probe, so that a folder there is looked for by the job
    alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.plan.arms import Arms
from assay.activities.visits.visit import Visit, open_probe
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Machine, Reach
from assay.model.work.variable import Variable
from assay.model.work.workload import Workload

_LOOK_S = 60.0
"""An emulated guest answers in seconds."""


def unset(workload: Workload, environment: Mapping[str, str]) -> str | None:
    """Return which of a workload's variables is not set, and why it must be; ``None`` where all are."""
    for variable in workload.environment:
        if not environment.get(variable.name):
            return f"{variable.name} is not set: {variable.why}"
    return None


def with_variables(workloads: Sequence[Workload], arms: Arms, *, home: Path) -> tuple[Workload, ...]:
    """Return workloads that know the values of their variables.

    Raises:
        MissingError: one is not set, or its folder is not there on a machine.
    """
    for workload in workloads:
        if reason := unset(workload, os.environ):
            msg = f"cannot run {workload.name}: {reason}"
            name = reason.partition(" ")[0]
            raise MissingError(msg, hint=f"export {name}=FOLDER")
    filled = tuple(replace(workload, environment=_filled(workload.environment)) for workload in workloads)
    if folders := {one for workload in filled for one in workload.environment if one.folder}:
        for machine in _machines(arms):
            _check_machine(machine, sorted(folders, key=lambda one: one.name), home=home)
    return filled


def _filled(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    return tuple(replace(one, value=os.environ[one.name]) for one in variables)


def _machines(arms: Arms) -> list[Machine]:
    """Return the machines that trials run on themselves; guests and containers are not there yet."""
    machines = {one.machine for arm in arms.every if arm.on_machine for one in arm.each_machine}
    return sorted(machines, key=lambda one: one.name)


def _check_machine(machine: Machine, folders: Sequence[Variable], *, home: Path) -> None:
    if machine.reach is Reach.LOCAL:
        _check_folders(folders, machine.name, lambda folder: Path(folder).is_dir())
        return
    with open_probe(machine, home) as (_, door):
        _check_folders(folders, machine.name, lambda folder: _is_folder(door.run, folder))


def check_variables(visit: Visit, workload: Workload) -> None:
    """Refuse a visit that lacks the folder of a workload's variable, before the clock starts.

    Raises:
        MissingError: it does.
    """
    folders = [one for one in workload.environment if one.folder]
    if visit.runs_programs:
        _check_folders(folders, visit.machine, lambda folder: _is_folder(visit.run, folder))


def _check_folders(folders: Sequence[Variable], where: str, there: Callable[[str], bool]) -> None:
    for one in folders:
        if one.value is not None and not there(one.value):
            missing = f"expected the folder of {one.name}, '{one.value}', and it is not there"
            msg = f"cannot run on {where}: {missing}: {one.why}"
            raise MissingError(msg, hint=f"ls {one.value}")


def _is_folder(run: Callable[..., bytes], folder: str) -> bool:
    try:
        run(("test", "-d", folder), timeout_s=_LOOK_S)
    except AssayError:
        return False
    return True
