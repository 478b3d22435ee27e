"""The page of an activity on several machines: each machine, the fleet, classes of hardware, outliers."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.model.figures.estimate import Verdict
from assay.pages.say import say


@dataclass(frozen=True)
class StoppedLane:
    """Why a machine was taken out."""

    failure: str = say(
        "The kind: `unreachable`, `refused`, `no-room`, `busy`, `no-guest`, `no-image`, `clock`, `missing`, "
        "`wrong`."
    )
    message: str = say("What was said, one line.")
    hint: str | None = say("What to do; null for nothing.")
    tries: int = say("How often it was tried.")


@dataclass(frozen=True)
class LaneStand:
    """How far one machine's part of the activity is."""

    machine: str = say("Name of the machine in the inventory.")
    activity: str = say("Identity of its part, an activity of its own: `assay result show ID`.")
    state: str = say("As an activity's; `out`: taken out; `waiting`: not planned yet.")
    trials: int = say("Trials of its plan; 0 where it has none yet.")
    done: int = say("Trials that have a record.")
    stopped: StoppedLane | None = say("Why it was taken out; null where it was not.")


@dataclass(frozen=True)
class LaneSummary(LaneStand):
    """One machine's part of the activity."""

    hardware: str | None = say("Its class: processor, processors, memory; null before it was looked at.")


@dataclass(frozen=True)
class LanesPage:
    """How far each machine of an activity on several is."""

    id: str
    title: str
    state: str
    lanes: tuple[LaneStand, ...]


@dataclass(frozen=True)
class MachineLoss:
    """One metric on one machine."""

    machine: str = say("Name of the machine.")
    baseline_value: float | None = say("Geometric mean on its baseline; null = not measured.")
    loss: float | None = say("Its loss, a fraction; null = not measured.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")
    verdict: Verdict = say("What its interval says.")


@dataclass(frozen=True)
class GroupLoss:
    """The loss of machines like these: one value a machine."""

    machines: int = say("Machines that have a loss.")
    loss: float | None = say("Loss, a fraction.")
    low: float | None = say("Lower end of its interval over machines; null below two.")
    high: float | None = say("Upper end of its interval over machines; null below two.")
    verdict: Verdict = say("What the interval says against zero and the margin.")
    hardware: str | None = say("The class of hardware; null is all machines.", default=None)


@dataclass(frozen=True)
class OtherFact:
    """A fact in which an outlier differs from the machines of its class."""

    field: str = say("Group and path of the fact, `limits.processors` (docs/facts.md).")
    value: str | None = say("Its own value as text, lists as JSON; null = not there.")
    others: str | None = say("Value of most others of its class, as such.")


@dataclass(frozen=True)
class Outlier:
    """A machine that is unlike the others of its class in a metric."""

    machine: str = say("Name of the machine.")
    of: Literal["loss", "baseline"] = say("In what: the loss, or the value on its baseline.")
    value: float = say("Its value.")
    others: float = say("Median of the others of its class.")
    differs: tuple[OtherFact, ...] = say("Facts that it has alone; empty: it differs in none that is seen.")


@dataclass(frozen=True)
class FleetRow:
    """One metric of one workload over all machines."""

    workload: str = say("Name of the workload.")
    metric: str = say("Name of the metric.")
    unit: str = say("Unit of the values.")
    treatment: str | None = say("Label of the treatment where there are several; null where there is one.")
    machines: tuple[MachineLoss, ...] = say("Each machine, in the order of the inventory.")
    fleet: GroupLoss = say("All machines together.")
    classes: tuple[GroupLoss, ...] = say("Each class of hardware, where there are several.")
    outliers: tuple[Outlier, ...] = say("Machines that are unlike the others of their class.")


@dataclass(frozen=True)
class FleetPage:
    """The outcome of an activity on several machines."""

    id: str = say("Identity of the activity.")
    scene: str = say("Name of the scene.")
    title: str = say("One line for people.")
    state: str = say("As an activity's.")
    who: str = say("The words that named the machines.")
    created: str = say("When it was created, ISO 8601 in UTC.")
    seed: int = say("Seed from which that of each machine's order of trials comes.")
    confidence: float | None = say("Coverage of the intervals; null before a machine was planned.")
    margin: float | None = say("Loss that does not matter, a fraction; null before a machine was planned.")
    command: str | None = say("The user's command as it was given; null for a scene's workloads.")
    lanes: tuple[LaneSummary, ...] = say("The machines, in the order of the inventory.")
    rows: tuple[FleetRow, ...] = say("Each metric.")
    drain: str | None = say(
        "The options by which their nodes were drained meanwhile; null where they were not.", default=None
    )
    schema: Literal["assay.fleet-report"] = say("Name of this format.", default="assay.fleet-report")
    version: tuple[int, int] = say("Major and minor version; readers refuse a newer major.", default=(1, 0))
