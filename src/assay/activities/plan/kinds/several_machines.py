"""Arms of several machines that do each trial together: each is looked at; what the arms are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.activities.plan.arms import Arms, again
from assay.activities.plan.kinds.kind import Asked
from assay.activities.plan.programs import needed_programs
from assay.activities.visits.settings import of_data
from assay.activities.visits.visit import look_at
from assay.model.activity import Beside, PlannedArm
from assay.model.machines.machine import Limits
from assay.model.platforms.data import access
from assay.platforms.data_servers.own_server import PROGRAM

MOST_NAMED = 4
"""Machines in the label of an arm; of more the first and how many others."""


def several_machines(asked: Asked, arms: Arms) -> Arms:
    """Return the arms of a scene that has several machines on one of them.

    Args:
        asked: What is asked for.
        arms: The baseline's machine alone, on both.

    Raises:
        ProgramMissingError: A machine lacks a program.
        UnreachableError: A machine cannot be reached.
    """
    scene = asked.scene
    named = dict.fromkeys((*scene.baseline_beside, *(name for one in scene.machines for name in one.beside)))
    beside = {name: _beside(asked, name) for name in named}
    ways = [access(one.settings) for one in scene.machines] + [access(scene.baseline_data or ())]
    if any(way == PROGRAM for way in ways):
        look_at(asked.machine, {PROGRAM: "xrootd-server"}, home=asked.home)
    baseline = _arm(arms.baseline, scene.baseline_beside, beside)
    treatments = [
        replace(_arm(arms.baseline, one.beside, beside), data=of_data(one.settings)) for one in scene.machines
    ]
    own = scene.baseline_data or treatments[0].data
    differ = any(arm.data != own for arm in treatments)
    labelled = [_labelled(arm) if differ else arm for arm in treatments]
    first, *more = (again(arm) if arm.label == baseline.label else arm for arm in labelled)
    return replace(arms, baseline=baseline, treatment=first, more=tuple(more))


def _beside(asked: Asked, name: str) -> Beside:
    machine = asked.store.machine(name)
    facts = look_at(machine, needed_programs(asked.scene), home=asked.home)
    return Beside(machine, Limits(asked.cores(of=facts).measured))


def _arm(alone: PlannedArm, others: Sequence[str], known: Mapping[str, Beside]) -> PlannedArm:
    """Return an arm with the machines beside its own, and called by all of them."""
    names = [alone.machine.name, *others]
    label = "+".join(names) if len(names) <= MOST_NAMED else f"{names[0]}+{len(others)} more"
    return replace(alone, label=label, beside=tuple(known[name] for name in others))


def _labelled(arm: PlannedArm) -> PlannedArm:
    """Return an arm whose label tells its way to the data."""
    return replace(arm, label=f"{arm.label}, data.access {access(arm.data)}")
