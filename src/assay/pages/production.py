"""What ``assay exchange jobs`` says, as data: a farm's jobs on physical and on virtual nodes."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.pages.say import say

SCHEMA = "assay.production"
VERSION = (1, 0)

Standing = Literal["agrees", "loses-more", "loses-less", "not-decided", "not-comparable", "no-prediction"]
Quantity = Literal["event", "job"]


@dataclass(frozen=True)
class Spread:
    """A figure with its interval over nodes."""

    value: float = say("The figure; shares and losses as fractions.")
    low: float | None = say("Lower end; null below three nodes, or where all nodes agree to the last digit.")
    high: float | None = say("Upper end; null as above.")


@dataclass(frozen=True)
class Accounting:
    """A file that was read, or prmon's files of several jobs."""

    file: str = say("Its path; of several files that of the folder that holds them.")
    kind: str = say("What wrote it: `sacct`, `jobcomp`, `condor_history`, `prmon`.")
    jobs: int = say("Jobs of it that are in the figures.")


@dataclass(frozen=True)
class LeftOutJobs:
    """Jobs that are in no figure."""

    why: str = say("In a few words: `failed`, `cancelled`, `timed out`, `on nodes that are not known`.")
    jobs: int = say("How many.")


@dataclass(frozen=True)
class ProductionSide:
    """Jobs of one class of nodes, on physical or on virtual ones."""

    nodes: int = say("Nodes that ran such jobs.")
    jobs: int = say("Jobs.")
    efficiency: Spread | None = say(
        "CPU time over wall time times cores: mean of the nodes; null where CPU time or cores are not told."
    )
    wall_s: Spread | None = say(
        "Wall seconds per event, or per job: geometric mean of the nodes; null where it is not asked for."
    )
    events: float | None = say("Events of a job, mean; null where they are not told.")
    init_share: float | None = say(
        "Share of the wall time until initialization was over, of the jobs in whose series it is seen; null "
        "without any."
    )
    init_jobs: int = say("Jobs in whose series it is seen.")
    first: str | None = say("Start of the first job, ISO 8601, by the accounting's clock; null = not told.")
    last: str | None = say("Start of the last job; null as above.")


@dataclass(frozen=True)
class Prediction:
    """What the lab measured."""

    result: str = say("Identity of the result.")
    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric.")
    loss: Spread = say("The loss.")
    confidence: float = say("Coverage of its interval.")
    hardware: str | None = say("Processor of its baseline; null = not told.")
    init_baseline: float | None = say("Share of initialization on its baseline; null = no phases were told.")
    init_treatment: float | None = say("The same on its treatment.")


@dataclass(frozen=True)
class ProductionRow:
    """One class of nodes and one size of jobs."""

    of_class: str = say("Class of the nodes.")
    cores: int | None = say("Cores of a job; null = not told.")
    physical: ProductionSide | None = say("Jobs on physical nodes; null = none.")
    virtual: ProductionSide | None = say("Jobs on virtual nodes; null = none.")
    loss: Spread | None = say("Loss of virtual against physical nodes, not paired; null without both.")
    efficiency: Spread | None = say("CPU efficiency of virtual less that of physical nodes; null as above.")
    beyond: Spread | None = say(
        "What is lost beyond the lab's loss: 1 - 1/ratio of the two slowdowns; null without a prediction."
    )
    standing: Standing = say(
        "Whether the lab stands for production: `agrees` (no more than the margin apart), `loses-more`, "
        "`loses-less`, `not-decided`, `not-comparable`, `no-prediction`."
    )
    reasons: tuple[str, ...] = say("What speaks against the comparison, sentences.")


@dataclass(frozen=True)
class ProductionPage:
    """Jobs of a farm by class of node, physical against virtual, beside what the lab says."""

    sources: tuple[Accounting, ...] = say("The files.")
    name: str | None = say("Pattern of the jobs' names; null is all.")
    quantity: Quantity | None = say("What wall time is told of: an `event`, a `job`; null: of neither.")
    confidence: float = say("Coverage of all intervals of losses together.")
    each: float = say("Coverage of each.")
    margin: float = say("Difference that does not matter, a fraction: the result's margin.")
    prediction: Prediction | None = say("What the lab measured; null where no result is named.")
    rows: tuple[ProductionRow, ...] = say("By class and cores.")
    left_out: tuple[LeftOutJobs, ...] = say("Jobs that are in no figure, by why, the most first.")
    unknown: tuple[str, ...] = say("Nodes of which nothing is known, the first twenty.")
    damaged: int = say("Lines and objects that could not be read.")
    damages: tuple[str, ...] = say("The first ten, with their places.")
    schema: Literal["assay.production"] = say("Name of this format.", default=SCHEMA)
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=VERSION)
