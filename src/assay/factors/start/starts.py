"""Factors of when the jobs of several guests start, and of what lies in memory then.

They are words of a scene's ``layout``, which has a place of its own beside the other factors. What was in
force is in the record of each trial: when each guest's job was released, and what its page cache held.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.factors.base.evidence import Evidence
from assay.factors.base.factor import Cost, Effect, Factor
from assay.factors.base.levels import SWITCH, Time, Whole, spell_seconds
from assay.model.platforms.layout import Layout, layout_of
from assay.model.units import parse_seconds

STAGGER, AT_ONCE, PRELOAD = "start.stagger", "start.at_once", "start.preload"
WORDS: Mapping[str, str] = MappingProxyType({STAGGER: "stagger", AT_ONCE: "at-once", PRELOAD: "preload"})
"""The word of a scene's layout by factor."""
MOST_AT_ONCE = 255
"""One fewer than guests that a layout may have."""
IN_AN_ACTIVITY = "is when jobs start, which an activity sees to; a paused guest runs none"
"""Why it cannot be tried without one."""
ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        STAGGER: "the batch system starts the jobs: export it with --format htcondor or slurm",
        AT_ONCE: "the batch system starts the jobs: export it with --format htcondor or slurm",
        PRELOAD: "a unit of the guest reads the files: export it with --format preload",
    }
)
"""What is to be done where assay does not start the jobs."""
TAKES_SEVERAL = "it takes several guests: layout: {guests: 4}"
"""Why the jobs of one guest have no starts apart."""


def start_levels(layout: Layout) -> dict[str, str]:
    """Return the levels that a layout has; one guest has that of its preload alone."""
    preload = {PRELOAD: "on" if layout.preload else "off"}
    if layout.guests == 1:
        return preload
    return {STAGGER: spell_seconds(layout.stagger_s), AT_ONCE: str(layout.at_once), **preload}


def layout_with(layout: Layout, levels: Mapping[str, str]) -> Layout:
    """Return a layout with other levels; factors that are not of starts are passed over."""
    has = {**start_levels(layout), **levels}
    stagger_s = parse_seconds(has.get(STAGGER, "0 s"))
    return layout_of(
        layout.guests, stagger_s, preload=has[PRELOAD] == "on", at_once=int(has.get(AT_ONCE, "1"))
    )


def _actual(_seen: Evidence, _wanted: str) -> str:
    return IN_AN_ACTIVITY


_RELEASES = "release of each guest's job in the record of a trial, members/started_s"

FACTORS = (
    Factor(
        STAGGER,
        "time from the start of one guest's job to that of the next",
        Time("0 s", "1 h", ("0 s", "2 s", "5 s", "10 s", "60 s")),
        "0 s",
        "layout/stagger of a scene: each job waits for its moment",
        _RELEASES,
        _actual,
        cost=Cost.LIVE,
        effects=(
            Effect(
                "loss of 20 % becomes 6.21 %",
                "DetSim, 12 guests of 1 core, 5 minutes apart",
                "JUNO 2017",
            ),
        ),
        note="of several guests alone; the wall time, from the first release to the last end, holds it: what "
        "it wins back must be more than it lasts",
    ),
    Factor(
        AT_ONCE,
        "starts at once: guests whose jobs start together, the next so many a stagger later",
        Whole(1, MOST_AT_ONCE, (1, 2, 4)),
        "1",
        "layout/at-once of a scene",
        _RELEASES,
        _actual,
        cost=Cost.LIVE,
        note="of several guests with a stagger alone; as many as there are guests is no stagger",
    ),
    Factor(
        PRELOAD,
        "the workload's files are read into each guest's page cache before the start",
        SWITCH,
        "off",
        "layout/preload of a scene",
        "residency of the files in the guest's page cache, in the record of a trial",
        _actual,
        cost=Cost.LIVE,
        effects=(
            Effect(
                "loss of 20 % becomes 7 %",
                "DetSim, 12 guests of 1 core, software preloaded",
                "JUNO 2017",
            ),
        ),
        note="of what the workload's cache counts as its files; the time of the reading is in no figure",
    ),
)
