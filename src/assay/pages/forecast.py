"""What ``assay advise --forecast`` says, as data: what a job would lose in the guest of a result."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.pages.budget import CategoryName
from assay.pages.say import say

SCHEMA = "assay.forecast"
VERSION = (1, 0)


@dataclass(frozen=True)
class KindOfTime:
    """What a job's time is spent on, and what that costs in the guest."""

    kind: CategoryName = say("As of a budget's part.")
    seconds: float = say("Seconds of wall time of the job on the machine itself.")
    slowdown: float | None = say("Times the time in the guest, as the workloads say; null where they do not.")


@dataclass(frozen=True)
class ForecastCheck:
    """A workload of the result, forecast by the others."""

    workload: str = say("Its name.")
    forecast: float = say("The loss that the others say, a fraction.")
    measured: float = say("The loss that was measured.")


@dataclass(frozen=True)
class ForecastPage:
    """What a job would lose."""

    command: str = say("The job's command line.")
    profile: str = say("Identity of the result in which it was profiled on the machine itself.")
    result: str = say("Identity of the result whose losses it is forecast from.")
    loss: float | None = say("The loss, a fraction of throughput; null where it cannot be said.")
    low: float | None = say("Lower end of its interval; null as above.")
    high: float | None = say("Upper end.")
    confidence: float = say("Coverage of the interval, if the job is like the workloads.")
    kinds: tuple[KindOfTime, ...] = say("What the job's time is spent on.")
    checked: tuple[ForecastCheck, ...] = say("Each workload of the result, forecast by the others.")
    reasons: tuple[str, ...] = say("Why it cannot be said; empty where it can.")
    schema: Literal["assay.forecast"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)
