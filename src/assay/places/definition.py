"""What a kind of place is: one value, with functions that open a place, look at it and remove it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.factors import Levels
from assay.model.machines.machine import Machine

Given = Mapping[str, str]
"""Level by factor, each in its one spelling; only factors that the scene gives a level."""


@dataclass(frozen=True)
class VisitSpec:
    """A place to be opened for one visit.

    Attributes:
        name: Name that nothing else on this machine has, ``assay-1f2e3d4c-b0``; names what is made for the
            visit.
        levels: Levels that it shall have.
        cpus: Processors of the baseline's machine that it may run on, or as many as it shall have, at least
            one.
        memory_bytes: Memory that it shall have, by the kind's ``memory_bytes``; ``None`` is "no limit".
        folder: Folder of its own on this machine, empty at first and removed after the visit.
        work: Folder of this machine where the probe and the jobs' files lie: it must be there, and writable,
            under the same path in a place that is entered by a command.
    """

    name: str
    levels: Given
    cpus: tuple[int, ...]
    memory_bytes: int | None
    folder: Path
    work: Path


@dataclass(frozen=True)
class Opened:
    """A place that was opened.

    Attributes:
        version: What made it, in its own word of its version, one line.
        enter: A function, called once, that makes of the argument list of a program the one that runs it in
            the place, from here, with its standard files and nothing else printed; the place may end with the
            program. Or how the place is reached by SSH: a ``Machine`` with its host key.
    """

    version: str
    enter: Callable[[Sequence[str]], Sequence[str]] | Machine


def _no_limit(_levels: Given) -> int | None:
    return None


def _as_many(_levels: Given) -> int | None:
    return None


def _nothing_missing(_levels: Given) -> str | None:
    return None


@dataclass(frozen=True)
class PlaceDefinition:
    """A kind of place on the baseline's machine, or beside it (entry points ``assay.places``).

    The functions may raise anything: it is told as the reason why the visit failed. Signals are held while
    ``remove`` runs.

    Attributes:
        name: As ``platform: NAME`` of a scene has it: lower-case letters, digits and hyphens.
        title: It in a few words, ``namespaces by unshare``.
        open: Starts a place, and returns how it is entered.
        seen: Levels in force, looked at from outside once the probe runs in the place; each that was asked
            for must be among them. One that is not as asked ends the visit.
        remove: Ends what runs in it, and removes all that was made for a visit. Called after every visit, and
            for what a killed process left, when jobs may still run there; perhaps twice: what is gone is no
            error.
        factors: What can be set, by the name in a scene.
        needs: Why these levels cannot be had on this machine, in one clause; ``None`` where they can.
        memory_bytes: Memory of a place with these levels, bytes; ``None`` where it has the machine's. The
            baseline is limited to as much, so that both arms have the same.
        own_kernel: It has a kernel, and so a clock, of its own; what that takes of the machine beside the job
            is then unknown. One reached by SSH always has.
        cpus: Processors of a place with these levels, both arms get as many; ``None`` where it has as many as
            the baseline may use.
        elsewhere: A service makes it, on a machine of the service's choice: the baseline may then be one that
            is reached by SSH. Without it the baseline is this machine, and the place is on it.
    """

    name: str
    title: str
    open: Callable[[VisitSpec], Opened]
    seen: Callable[[VisitSpec], Given]
    remove: Callable[[VisitSpec], None]
    factors: Mapping[str, Levels] = field(default_factory=dict)
    needs: Callable[[Given], str | None] = _nothing_missing
    memory_bytes: Callable[[Given], int | None] = _no_limit
    own_kernel: bool = False
    cpus: Callable[[Given], int | None] = _as_many
    elsewhere: bool = False
