"""What the comparison of two results says, as data; the arithmetic belongs to ``stats``."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.model.metric import Direction
from assay.pages.context import DoubtCount, Interval, ResultState
from assay.pages.say import say

SCHEMA = "assay.comparison"
VERSION = (1, 2)


@dataclass(frozen=True)
class ComparedResult:
    """One of the two results."""

    id: str = say("Identity of the result.")
    scene: str = say("Name of its scene.")
    title: str = say("Its line for people.")
    state: ResultState = say("`complete`, `partial`, `interrupted` or `failed`.")
    started: str = say("Start of its first trial, ISO 8601 in UTC.")
    baseline: str = say("Label of its baseline.")
    treatment: str = say("Label of its treatment.")
    accelerator: str | None = say("`kvm` or `tcg` where the treatment is a guest; null elsewhere.")


@dataclass(frozen=True)
class Name:
    """A metric that only one of the two results has."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric.")


@dataclass(frozen=True)
class ComparisonRow:
    """One metric that both results have."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric.")
    unit: str = say("Unit of its values.")
    direction: Direction = say("Which way is better: `higher` or `lower`.")
    a: Interval | None = say("Loss in A; null where not measured.")
    b: Interval | None = say("Loss in B; null where not measured.")
    difference: float | None = say(
        "Loss of B minus loss of A, a fraction: 0.01 = one percentage point more in B."
    )
    low: float | None = say("Lower end of the difference's interval; null where not known.")
    high: float | None = say("Upper end of the difference's interval; null where not known.")
    reason: str | None = say(
        "Why the two are not compared, a clause, or why their difference has no interval: `too "
        "few blocks` or `no scatter` (blocks that agree to the last digit); null where it has one.",
        default=None,
    )


@dataclass(frozen=True)
class ComparisonPage:
    """The page that compares result B with result A."""

    a: ComparedResult = say("The first result.")
    b: ComparedResult = say("The second result.")
    confidence: float = say("Coverage of the intervals of all differences together.")
    rows: tuple[ComparisonRow, ...] = say("One row a metric that both have, in the order shown.")
    only_a: tuple[Name, ...] = say("Metrics that only A has.", default=())
    only_b: tuple[Name, ...] = say("Metrics that only B has.", default=())
    doubts: tuple[DoubtCount, ...] = say("What speaks against comparing the two.", default=())
    schema: Literal["assay.comparison"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)
