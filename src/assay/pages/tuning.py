"""A search for the settings of a guest that pay: the content of ``tuning.json``."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from assay.pages.decode import decode_file
from assay.pages.say import say

SCHEMA: Literal["assay.tuning"] = "assay.tuning"
VERSION = (1, 4)

RunKind = Literal["search", "confirm", "check"]
RunState = Literal["begun", "ended"]
TuningState = Literal["begun", "complete"]


@dataclass(frozen=True)
class TriedFactor:
    """A factor that may be changed."""

    name: str = say("Its name.")
    levels: tuple[str, ...] = say("Levels that are tried; the first is the guest's as the scene has it.")
    cost: str = say("What a change asks for: live, restart, new image.")
    hazards: Mapping[str, tuple[str, ...]] = say("What each level may put at risk, where it does.")
    held: str = say(
        "Of a setting of the host: the level that was in force when the search was laid out; empty where "
        "none of its levels was.",
        default="",
    )


@dataclass(frozen=True)
class LeftOut:
    """A factor, or a level of one, that is not tried."""

    name: str = say("The factor, or factor=level.")
    reason: str = say("Why, one clause.")
    boots: tuple[str, ...] = say(
        "Of a factor that takes a reboot of the host: words for its kernel's command line, one for each "
        "level that the host has not and can have. Since 1.3.",
        default=(),
    )


@dataclass(frozen=True)
class ConfigValue:
    """What a configuration of a step gave."""

    number: int = say("Its number in the step from 1; 0 is the guest as it is.")
    value: float | None = say(
        "Geometric mean of the workloads' times for the same work, of rates their inverse: lower is better; "
        "null where a trial failed."
    )


@dataclass(frozen=True)
class TuningRun:
    """One activity: the guest as it is, and some configurations beside it in the same blocks."""

    kind: RunKind = say(
        "`search`: one block; `confirm`: what was found, in blocks that the search has not seen; `check`: "
        "what is recommended, on a second machine or at a later time."
    )
    configs: tuple[tuple[int, ...], ...] = say(
        "Configurations beside the guest as it is: for each factor the number of its level, from 0."
    )
    names: tuple[str, ...] = say("What each configuration is; empty in the search.")
    blocks: int = say("Blocks of the activity, those by which it was extended among them.")
    seed: int = say("Seed of the order of its trials.")
    activity: str = say("Identity of its activity.")
    state: RunState = say("`begun`, or `ended`: its values are here.")
    values: tuple[ConfigValue, ...] = say(
        "What each configuration of a search gave, in the order of time.", default=()
    )
    seconds: float = say("Seconds that its trials took from the first to the last.", default=0.0)
    machine: str = say("The machine that it ran on, where that is not the scene's; else empty.", default="")
    share: float = say("Share of the events or of the time that its workloads ran for.", default=1.0)
    extended: int = say(
        "Blocks by which a confirmation was extended, as the mix was undecided: from then on it is judged by "
        "confidence sequences.",
        default=0,
    )


@dataclass(frozen=True)
class TuningEffect:
    """What a change brings beside the others, by the search; of two factors what they do beyond that."""

    factors: tuple[str, ...] = say("Names of the factors: one, or two.")
    effect: float = say("Share of the time that is saved, a fraction; below 0 it costs.")
    low: float = say("Lower end of its interval.")
    high: float = say("Upper end.")


@dataclass(frozen=True)
class Saved:
    """What a change-set saves over another, in the confirming blocks."""

    over: str = say("What it is compared with: `current`, the guest as the scene has it, or `default`.")
    gain: float = say("Share of the time that is saved, a fraction, over the workloads that were tuned for.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end.")
    blocks: int = say("Complete blocks.")


@dataclass(frozen=True)
class MixRow:
    """What a change-set does to one metric of the whole mix of workloads, over the guest as it is."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric.")
    tuned: bool = say("The search was for this workload.")
    loss: float | None = say("Loss over the guest as it is, a fraction; below 0 it is a gain.")
    low: float | None = say("Lower end of its interval.")
    high: float | None = say("Upper end.")
    worse: bool = say("It is significantly worse: the interval of its loss lies above 0.")
    undecided: bool = say(
        "It is not significantly worse, but its interval reaches beyond the margin that matters, or is not "
        "known.",
        default=False,
    )
    blocks_more: int | None = say(
        "Of one that is undecided: further blocks that would decide it at this noise; null where none would.",
        default=None,
    )


@dataclass(frozen=True)
class Check:
    """What became of a recommended change-set on a second machine, or at a later time."""

    machine: str = say("The machine; empty for the scene's own.")
    checked: str = say("When it had ended, ISO 8601 in UTC.")
    activity: str = say("Identity of its activity; empty where it could not be run.")
    saved: tuple[Saved, ...] = say("What it saves there.")
    mix: tuple[MixRow, ...] = say("What it does there to each metric.")
    holds: bool = say("Nothing of the mix is significantly worse there, and all of it was measured.")
    reason: str = say("What speaks against it, or why its gain is not confirmed there; empty for nothing.")
    undecided: str = say("What of the mix is not shown to be harmless there; empty for nothing.", default="")


@dataclass(frozen=True)
class ChangeSet:
    """Changes of the guest that were found, and what became of them in the confirmation."""

    name: str = say("`safe`: no level that may put data at risk; `any`: all that was allowed.")
    changes: Mapping[str, str] = say("The level of each factor that changes.")
    config: tuple[int, ...] = say("The same as numbers of levels.")
    hazards: tuple[str, ...] = say("What its levels may put at risk.")
    effects: tuple[TuningEffect, ...] = say("What each change brings, by the search.")
    saved: tuple[Saved, ...] = say("What it saves, confirmed; empty before it was.", default=())
    mix: tuple[MixRow, ...] = say("What it does to each metric; empty before it was confirmed.", default=())
    recommended: bool = say("It pays, and all of the mix is shown to be unharmed.", default=False)
    reason: str = say("Why it is not recommended, one sentence; empty where it is.", default="")
    undecided: bool = say(
        "It pays, and nothing of the mix is significantly worse, but not all of it is shown to be unharmed: "
        "`reason` says what; never of one that is recommended.",
        default=False,
    )
    checks: tuple[Check, ...] = say(
        "What became of it on a second machine, or at a later time, in this order.", default=()
    )

    @property
    def confirmed(self) -> bool:
        """Tell whether it pays, and nothing speaks against it: the mix is clean, or undecided."""
        return self.recommended or self.undecided


@dataclass(frozen=True)
class Kill:
    """One guest whose QEMU was killed while it wrote, and what its disk held once it was started again."""

    after_s: float = say("Seconds from the first acknowledged record to the kill, drawn from the seed.")
    acknowledged_bytes: int | None = say(
        "Bytes that the guest had written, whose fsync had ended, and that it had told of, at the kill; null "
        "where it did not come to one."
    )
    lost_bytes: int | None = say(
        "Bytes of these that were not there with the right content at their place; null where the file could "
        "not be read back."
    )
    damaged_bytes: int | None = say(
        "Bytes of the lost in whose place there was something else; the others lay beyond the file's end."
    )
    reason: str = say("Why figures are missing, one clause; empty where none is.", default="")

    @property
    def counted(self) -> bool:
        """Tell whether it is known what was lost."""
        return self.acknowledged_bytes is not None and self.lost_bytes is not None


@dataclass(frozen=True)
class Killed:
    """What a guest lost of acknowledged writes when its QEMU was killed; the host was not."""

    name: str = say("Which guest: `current`, as it is, or the name of a change-set.")
    kills: tuple[Kill, ...] = say("Each kill, in the order of time; each guest had a disk of its own.")
    reason: str = say("Why its QEMU was not killed at all, one clause.", default="")

    @property
    def acknowledged_bytes(self) -> int | None:
        """Return the acknowledged bytes of the kills that were counted; ``None`` where none was."""
        return self._sum([one.acknowledged_bytes for one in self.kills if one.counted])

    @property
    def lost_bytes(self) -> int | None:
        """Return how many of them were lost; ``None`` where nothing was counted."""
        return self._sum([one.lost_bytes for one in self.kills if one.counted])

    @property
    def damaged_bytes(self) -> int | None:
        """Return how many of the lost had something else in their place; ``None`` as ``lost_bytes``."""
        return self._sum([one.damaged_bytes for one in self.kills if one.counted])

    @staticmethod
    def _sum(counts: Sequence[int | None]) -> int | None:
        return sum(count or 0 for count in counts) if counts else None


@dataclass(frozen=True)
class Tuning:
    """A search for the settings that pay, with all that it knows."""

    id: str = say("Its identity, eight hexadecimal digits.")
    state: TuningState = say("`begun` while something is left to run.")
    created: str = say("When it was begun, ISO 8601 in UTC.")
    scene: str = say("Name of the scene.")
    title: str = say("The scene's title.")
    scene_text: str = say("The scene's text.")
    scene_file: str = say("Where it was read from: its relative inputs start in that folder.")
    command: str | None = say("The user's own command line, where the scene is made from one.")
    workloads: tuple[str, ...] = say("Workloads that it is tuned for; the others of the scene are checked.")
    seed: int = say("Seed of all that is drawn.")
    evaluations: int = say("Visits of the search and the confirmation together, at most.")
    budget_s: float | None = say("Seconds that all of it may take; null where evaluations were given.")
    allowed: tuple[str, ...] = say("Hazards that were allowed.")
    factors: tuple[TriedFactor, ...] = say("What may be changed.")
    exclude: tuple[Mapping[str, str], ...] = say("Combinations that cannot be had: levels by factor.")
    left_out: tuple[LeftOut, ...] = say("What is not tried, and why.")
    runs: tuple[TuningRun, ...] = say(
        "The activities, in the order in which they are made; a confirmation is where it was last extended.",
        default=(),
    )
    found: tuple[ChangeSet, ...] = say("What was found; empty while it is searched.", default=())
    short: float | None = say(
        "Share of the events or of the time of the trials that the search begins with; null: all are whole.",
        default=None,
    )
    short_cost: float = say("What a visit of such a trial takes beside a whole one, as planned.", default=1.0)
    also: str | None = say(
        "A second machine on which what is recommended is checked; null for none.", default=None
    )
    killed: tuple[Killed, ...] = say(
        "What guests with data at risk lost when QEMU was killed, after the confirmation; empty where no "
        "data are at risk, or before.",
        default=(),
    )
    scale: str | None = say("Scale of the scene; null: as written, or not told.", default=None)
    schema: Literal["assay.tuning"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)

    @property
    def over(self) -> bool:
        """Tell whether nothing is left to run."""
        return self.state == "complete" and all(run.state == "ended" for run in self.runs)


def tuning_to_json(tuning: Tuning) -> bytes:
    """Return the content of ``tuning.json``."""
    values = {"schema": SCHEMA, "version": VERSION} | asdict(tuning)
    return json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def tuning_from_json(data: bytes) -> Tuning:
    """Return what ``tuning_to_json`` wrote.

    Raises:
        ContextError: Not JSON, another format, a newer major version, or a field missing or of a wrong type.
    """
    return decode_file(Tuning, data, "tuning", SCHEMA, VERSION[0])
