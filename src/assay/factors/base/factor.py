"""One setting of a virtual platform, as the catalogue holds it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.levels import Levels, Size

Settings = Mapping[str, str]
"""Levels of factors by name, in their one spelling; what is not in it is as it is found."""


class Cost(StrEnum):
    """What a change of level asks for."""

    LIVE = "live"
    RESTART = "restart"
    """The guest is started anew."""
    IMAGE = "new image"
    """The guest's disk is made anew."""
    REBOOT = "reboot"
    """The host's module is loaded anew, or the host is rebooted: never done by us."""


class Hazard(StrEnum):
    """What a level may put at risk."""

    DATA = "data"
    MIGRATION = "migration"
    ISOLATION = "isolation"
    MEMORY = "memory"
    OTHERS = "others"
    """Other guests, or the host."""


@dataclass(frozen=True)
class Effect:
    """What others saw of a factor; for orientation, an own interval replaces it.

    Attributes:
        figure: ``+0.9 %``.
        workload: ``HS06, 4 guests of 8 vCPUs``.
        source: ``CERN 2015``.
    """

    figure: str
    workload: str
    source: str


BOSS_TUNING = Effect(
    "loss of 3-4.2 % becomes 1.1-1.6 %; reconstruction wins 2.6-4.5 %, analysis 7-18.7 %",
    "BOSS simulation, together with the other settings of its tuning",
    "BOSS 2017 2.5",
)
"""Of each setting of its tuning: CPU features, NUMA, huge pages, preallocation, writeback, KSM."""


@dataclass(frozen=True)
class Act:
    """One write to a file of the host's kernel.

    Attributes:
        path: ``/sys/kernel/mm/transparent_hugepage/enabled``.
        value: What is written; where the file shows a choice, the chosen word.
        undo: Writes that take it back, in this order, each only where its file says something else; empty
            where writing the value that was there before is enough.
    """

    path: str
    value: str
    undo: tuple[Act, ...] = ()

    @property
    def typed(self) -> str:
        """It as one would type it."""
        return f"echo {shlex.quote(self.value)} > {shlex.quote(self.path)}"


def always_possible(_host: Host, _level: str | None) -> str | None:
    """Need nothing."""
    return None


@dataclass(frozen=True)
class Factor:
    """A setting: what it can be, how it is applied, how it is seen to be in force.

    Exactly one of ``edit`` and ``acts`` is there, or neither for what is only found, for how an arm comes by
    data (``of_data``), which an activity puts in force once the arm is there, and for when jobs start
    (``of_start``).

    Attributes:
        name: ``group.word``, in libvirt's or the kernel's word.
        title: What it is, one line, no full stop.
        levels: What it can be.
        default: Level where nothing is said, one clause (``virtio``, ``as the host has it``).
        applied: Where it is written, one clause (``devices/disk/driver/@cache``).
        verified: Where it is seen from outside, one clause (``QMP query-block``).
        actual: Returns the level that is in force, in the spelling of levels where the wanted one is,
            else in words that tell what was seen instead. Given the wanted level too.
        cost: What a change asks for.
        edit: Puts a level into a guest's draft.
        acts: Returns the writes to the host that put a level in force.
        files: Files of the host that these writes and their undo may touch; ``*`` stands for one name.
        hazards: What may be at risk.
        needs: Returns why a level (``None``: the factor as a whole) cannot be had on a host, one clause;
            ``None`` where it can. Of a level that only waits for an act of the administrator, the clause
            ends in that act, as one would type it.
        effects: What others saw.
        note: What is accepted without effect, or is easily taken for one.
    """

    name: str
    title: str
    levels: Levels
    default: str
    applied: str
    verified: str
    actual: Callable[[Evidence, str], str]
    cost: Cost = Cost.RESTART
    edit: Callable[[Draft, str], None] | None = None
    acts: Callable[[Host, str], tuple[Act, ...]] | None = None
    files: tuple[str, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    needs: Callable[[Host, str | None], str | None] = always_possible
    effects: tuple[Effect, ...] = ()
    note: str = ""

    def writes(self, path: str) -> bool:
        """Tell whether a file is one that its writes or their undo may touch."""
        return any(_is_like(path, pattern) for pattern in self.files)

    @property
    def group(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]

    @property
    def unit(self) -> str | None:
        """What its numbers are counted in; a size is written with its own, and is one of bytes."""
        return "B" if isinstance(self.levels, Size) else getattr(self.levels, "unit", None)

    @property
    def undo(self) -> str:
        """What becomes of a level afterwards, one clause."""
        if self.acts is not None:
            return "what was there is written back at the end, after a crash by assay machine restore"
        if self.of_data:
            return "unmounted, and its servers ended, at the end of the activity"
        if self.of_start:
            return "nothing is left of it: it is how the jobs of a trial start"
        if self.edit is not None:
            return "gone with the guest and its disks"
        return "none: it is never changed by us"

    @property
    def of_host(self) -> bool:
        """It is a setting of the machine that carries the guests, not of a guest."""
        return self.group == "host"

    @property
    def of_data(self) -> bool:
        """It is a setting of where an arm, guest or machine, has the data of an activity or its
        jobs' files.
        """
        return self.group in {"data", "scratch"}

    @property
    def of_start(self) -> bool:
        """It is a setting of when the jobs of an arm's guests start: a word of a scene's layout."""
        return self.group == "start"


def _is_like(path: str, pattern: str) -> bool:
    names, wanted = path.split("/"), pattern.split("/")
    if len(names) != len(wanted) or {".", ".."} & set(names) or "" in names[1:]:
        return False
    return all(fnmatchcase(name, one) for name, one in zip(names, wanted, strict=True))


@dataclass(frozen=True)
class Rule:
    """A combination of levels that cannot be, or that would silently be something else.

    Attributes:
        factors: Names of the factors that it looks at.
        fault: Returns what is wrong with settings on a host, one clause that names the levels; ``None``
            for nothing. Called only where at least one of ``factors`` is set.
    """

    factors: tuple[str, ...]
    fault: Callable[[Settings, Host], str | None]
