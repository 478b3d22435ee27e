"""What ``assay exchange starts`` says, as data: how a farm's jobs initialize as others start beside them."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.pages.production import Accounting, LeftOutJobs, Spread
from assay.pages.say import say

SCHEMA = "assay.starts"
VERSION = (1, 1)

Files = Literal["disk", "followed", "memory"]
HeldOut = Literal["machines", "times"]


@dataclass(frozen=True)
class StartsCheck:
    """Jobs that were held out: guests of one size, files alike, as many guests beside them."""

    cores: int | None = say("Cores of their guests; null = not known.")
    files: Files = say(
        "Where their files were, by the forecast: on the `disk`, `followed` (another job of the guest was "
        "just reading them), in `memory`."
    )
    fewest: int = say("Guests of the machine that read at once, from; 0 for jobs that read nothing.")
    most: int | None = say("To; null is more.")
    jobs: int = say("Jobs.")
    measured_s: float = say("Seconds of initialization as measured, median.")
    forecast_s: float = say("As forecast by the others, median.")
    trivial_s: float = say("The median of the others on nodes of this size.")
    in_wait: float | None = say(
        "Processors of a guest in I/O wait, mean over a job's initialization, median of the jobs; null: "
        "fewer than three tell it.",
        default=None,
    )


@dataclass(frozen=True)
class StartsForecast:
    """What is forecast for guests of one size of which so many start a job at once."""

    cores: int | None = say("Cores of each guest; null = not known.")
    guests: int = say("Guests of a machine that start a job at once, none with its files in memory.")
    init_s: Spread = say("Seconds of initialization.")
    run_s: float = say("Seconds of the rest of a job: mean over the nodes of this size.")
    jobs_per_hour: Spread = say("Jobs an hour in each slot: 3600 / (initialization + rest).")
    loss: Spread = say("Throughput lost against guests that start one after the other.")


@dataclass(frozen=True)
class StartsRow:
    """One class of machines."""

    of_class: str = say("Class of the nodes.")
    machines: int = say("Machines whose disks they read from.")
    guests: int = say("Nodes; a physical node counts as one.")
    jobs: int = say("Jobs whose initialization is seen.")
    alone_s: Spread | None = say("Seconds of an initialization alone on its machine; null = nothing fitted.")
    fed: Spread | None = say(
        "Guests that the disk feeds at once without one waiting for another; null = no limit was seen."
    )
    kept: Spread | None = say("Part of it that is left with the files in memory; null = no such job.")
    most_together: int = say("The most guests of a machine that read at once.")
    read_bytes: float | None = say(
        "Bytes that a job whose files are on the disk reads until then, median; null: not told."
    )
    disk_bytes_s: float | None = say("Bytes a second at which the disk is full: `fed` x bytes / seconds.")
    held_out: HeldOut | None = say("What was held out in turn: `machines`, or `times` of one or two.")
    error: float | None = say("Mean error of the forecasts for jobs held out: factor - 1.")
    trivial_error: float | None = say("The same of the median of the others.")
    better: Spread | None = say("Log of the one factor over that of the other, over the parts held out.")
    wall_error: float | None = say("Mean error of the wall time forecast for all jobs of a part held out.")
    trivial_wall_error: float | None = say("The same with the median.")
    checks: tuple[StartsCheck, ...] = say("Jobs held out, forecast beside measured.")
    forecasts: tuple[StartsForecast, ...] = say("Forecasts; none where they are no better than the median.")
    reasons: tuple[str, ...] = say("Why there is none, and what speaks against them, sentences.")


@dataclass(frozen=True)
class StartsPage:
    """How jobs of a farm initialize, by class of machines: what starts at once and small guests cost."""

    sources: tuple[Accounting, ...] = say("The files.")
    confidence: float = say("Coverage of each interval.")
    rows: tuple[StartsRow, ...] = say("By class.")
    left_out: tuple[LeftOutJobs, ...] = say("Jobs that are in no figure, by why, the most first.")
    unknown: tuple[str, ...] = say("Nodes of which nothing is known, the first twenty.")
    damaged: int = say("Files, lines and objects that could not be read.")
    damages: tuple[str, ...] = say("The first ten, with their places.")
    schema: Literal["assay.starts"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)
