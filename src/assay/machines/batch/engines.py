"""Which batch systems there are, and which of them gives a machine."""

from __future__ import annotations

from collections.abc import Mapping

from assay.machines.batch.condor import HTCondor
from assay.machines.batch.engine import Engine
from assay.machines.batch.slurm import Slurm
from assay.model.errors import UnknownNameError
from assay.model.machines.machine import Machine, Reach

ENGINES: Mapping[Reach, Engine] = {Reach.SLURM: Slurm(), Reach.HTCONDOR: HTCondor()}


def engine_of(machine: Machine) -> Engine | None:
    """Return the batch system that gives a machine; ``None`` where it is reached otherwise."""
    return ENGINES.get(machine.reach)


def engine_named(name: str) -> tuple[Reach, Engine]:
    """Return a batch system by its name.

    Raises:
        UnknownNameError: There is none of that name.
    """
    for reach, engine in ENGINES.items():
        if reach == name:
            return reach, engine
    raise UnknownNameError(kind="batch system", name=name, known=map(str, ENGINES))
