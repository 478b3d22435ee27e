"""What a page says of published figures, as data: ours, and what others saw beside it. Nothing is
concluded.
"""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.model.figures.published import Quantity
from assay.pages.say import say


class Inside(StrEnum):
    """Whether the range of published figures lies in our interval: a plain word, no verdict.

    ``NOT_COMPARABLE``: our interval is so wide that it would hold almost any figure.
    """

    INSIDE = "inside"
    PARTLY = "partly inside"
    OUTSIDE = "outside"
    NOT_COMPARABLE = "not comparable"


class Unit(StrEnum):
    """What ours and theirs are in where they stand beside each other; ``LOSS`` is a fraction."""

    LOSS = "loss"
    MB = "MB"
    MB_PER_CORE = "MB/core"
    EVENTS = "events"


@dataclass(frozen=True)
class TheirFigure:
    """One published figure."""

    low: float | None = say(
        "Lower end in the unit of the row, losses as fractions; null where it was not brought to it."
    )
    high: float | None = say("Upper end; the same as `low` of a single figure.")
    printed_low: float = say("Lower end as it is printed.")
    printed_high: float = say("Upper end as it is printed.")
    printed_unit: str = say("Unit as it is printed.")
    hardware: str | None = say("What it was measured on, as the publication calls it; null = not known.")
    condition: str | None = say("Under which circumstances; null where nothing is said.")
    printed: str | None = say(
        "As it is printed where that says more than the numbers, `more than 28 %`; null where it does not.",
        default=None,
    )


@dataclass(frozen=True)
class PublishedRow:
    """A figure of ours with published ones beside it, or published ones that stand beside nothing."""

    figures: str = say("Name of the published figures, `juno-2017/cpu-loss`.")
    quantity: Quantity = say("What the published figures are.")
    what: str = say("What they are of.")
    place: str = say("Where in the publication.")
    publication: str = say("Key of the publication, one of `publications`.")
    workload: str | None = say("Our workload; null beside a weight, and where they stand beside nothing.")
    metric: str | None = say("Our figure; null where they stand beside nothing.")
    treatment: str | None = say("Our treatment where there are several; null where there is one.")
    unit: Unit | None = say("Unit of ours and theirs: `loss` is a fraction; null beside nothing.")
    value: float | None = say("Ours; null = not measured.")
    low: float | None = say("Lower end of our interval; null where it has none.")
    high: float | None = say("Upper end of our interval; null where it has none.")
    theirs: tuple[TheirFigure, ...] = say("The published figures, one a kind of hardware or condition.")
    inside: Inside | None = say(
        "Whether the range of the published figures lies in our interval: no verdict; null "
        "without an interval."
    )
    differs: tuple[str, ...] = say("What is not alike, one sentence each.")
    blocks: int | None = say("Complete blocks of a loss of ours; null of what is no loss.", default=None)


@dataclass(frozen=True)
class Source:
    """A publication."""

    key: str = say("What the rows call it.")
    authors: str = say("As they are cited.")
    year: int = say("When it came out.")
    title: str | None = say("Its title; null = not known here, as in what follows.")
    venue: str | None = say("Where it came out.")
    url: str | None = say("Where it can be read.")
    platform: str | None = say("What carried its guests; null also where there are none.")
    about: str = say("What it is about.")
    machines: str | None = say(
        "What was measured on, and what of it is not known; null in pages of before 1.14.", default=None
    )
    runs: str | None = say(
        "How much was run and how often, and what of it is not known; null in pages of before 1.14.",
        default=None,
    )


@dataclass(frozen=True)
class Published:
    """Published figures beside ours."""

    here: str = say("What ours were measured on: processor, and what carried the guests.")
    rows: tuple[PublishedRow, ...] = say(
        "One row a figure of ours and published figures, in the order shown."
    )
    publications: tuple[Source, ...] = say("The publications of the rows.")
    differs: tuple[str, ...] = say("What is not alike in all rows, one sentence each.")
