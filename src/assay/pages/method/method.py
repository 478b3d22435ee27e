"""How a result was measured, as data, in the order in which a reader asks."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.pages.method.design import Design
from assay.pages.method.place import BaselineSeen, Place
from assay.pages.method.settings import ArmSettings, HostWatched
from assay.pages.method.work import (
    CacheStart,
    ControllerUse,
    CopiesAtOnce,
    Data,
    Disturbances,
    Exits,
    OwnFigures,
    PhasedWorkloads,
    ProbeCosts,
)
from assay.pages.say import say


@dataclass(frozen=True)
class Method:
    """How a result was measured."""

    design: Design = say("How trials were laid out and judged.")
    baseline: BaselineSeen | None = say("The baseline's machine; null before its first trial.")
    place: Place = say("Where the treatments ran.")
    host_settings: tuple[ArmSettings, ...] = say("Settings of the host, of each arm that has some.")
    data: Data = say("What jobs read, and how they came by it.")
    notes: tuple[tuple[str, str], ...] = say("Workloads of which something is noted, each with the note.")
    copies: tuple[CopiesAtOnce, ...] = say("Workloads of which several copies ran at once.")
    phases: PhasedWorkloads = say("Workloads whose phases are known.")
    own: tuple[OwnFigures, ...] = say("Users' programs that say figures of their own.")
    same_results: Mapping[str, str] = say(
        "Workloads that came to one result on all arms, each with its digest."
    )
    caches: tuple[CacheStart, ...] = say("How cold or warm files were at the start.")
    exits: tuple[Exits, ...] = say("How a user's command ended, by arm.")
    disturbances: Disturbances = say("Whether others' doings were looked for.")
    probe: ProbeCosts | None = say("What the probe took; null where that is not known.")
    controller: ControllerUse | None = say(
        "What assay itself took of the processors that it shared with the trials; null where it had its own."
    )
    host_watches: tuple[HostWatched, ...] = say("How a guest's host was watched meanwhile.")
