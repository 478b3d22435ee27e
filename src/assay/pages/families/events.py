"""What a report says of a scan of event numbers: fixed cost, cost per event, the loss of the total."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.trial import Arm
from assay.pages.say import say


@dataclass(frozen=True)
class Quantity:
    """Seconds with an interval."""

    value: float = say("Point estimate, s.")
    low: float | None = say("Lower end of the interval; null where the blocks do not bring one.")
    high: float | None = say("Upper end of the interval; null where the blocks do not bring one.")


@dataclass(frozen=True)
class CostPart:
    """One coefficient of the line of time over events, on both arms."""

    baseline: Quantity = say("On the baseline.")
    treatment: Quantity = say("On the treatment.")
    loss: float | None = say("1 - baseline/treatment, a fraction; null where one of them is not above zero.")
    loss_low: float | None = say("Lower end of its interval; null where it is not known.")
    loss_high: float | None = say("Upper end of its interval; null where it is not known.")


@dataclass(frozen=True)
class EventLoss:
    """The loss of the total time at one number of events."""

    events: int = say("Number of events.")
    loss: float | None = say("1 - baseline/treatment, a fraction; null where a time is not above zero.")
    low: float | None = say("Lower end of its interval; null where it is not known.")
    high: float | None = say("Upper end of its interval; null where it is not known.")


@dataclass(frozen=True)
class SizeLoss:
    """What was measured at one number of events."""

    events: int = say("Number of events.")
    blocks: int = say("Blocks that hold it.")
    baseline_s: float = say("Mean time on the baseline, s.")
    treatment_s: float = say("Mean time on the treatment, s.")
    loss: float | None = say("Loss of the mean time, a fraction.")
    low: float | None = say("Lower end of its interval; null where it is not known.")
    high: float | None = say("Upper end of its interval; null where it is not known.")


@dataclass(frozen=True)
class LineCheck:
    """Whether one arm's times are a straight line over events."""

    arm: Arm = say("`baseline` or `treatment`.")
    sizes: int = say("Number of event numbers, at least three.")
    straight: bool = say("Nothing speaks against a straight line.")
    chance: float = say("Chance of so strong a bend on a straight line, the search counted.")
    kink: float | None = say("Event number of the one kink that explains it; null without one.")
    above: int | None = say("The kink lies above this event number of the scan.")
    below: int | None = say("And below this one.")
    at_s: float | None = say("Time of the broken line at the kink, s.")
    before_s: float | None = say("Seconds an event before the kink.")
    after_s: float | None = say("Seconds an event after the kink.")


@dataclass(frozen=True)
class EventScan:
    """One workload at several event numbers: T = fixed cost + cost per event x events on each arm."""

    workload: str = say("Name of the workload, without event number.")
    blocks: int = say("Blocks that count.")
    fixed_cost_s: CostPart | None = say(
        "Time at no event, of the line before a kink; null below two event numbers."
    )
    per_event_s: CostPart | None = say("Time of one event, after a kink; null below two event numbers.")
    asymptote: float | None = say("Loss that the total tends to with many events: that of one event.")
    noise: float | None = say("Standard deviation of a time about its line, a fraction of it.")
    margin: float = say("Loss that does not matter, a fraction.")
    events_within_margin: int | None = say(
        "Smallest number of events from which the total's loss is within the margin of the asymptote; null "
        "where there is none, or where a line is bent (`linearity`)."
    )
    curve: tuple[EventLoss, ...] = say(
        "Loss of the total over events, up to four times the largest measured."
    )
    sizes: tuple[SizeLoss, ...] = say("What was measured at each event number.")
    linearity: tuple[LineCheck, ...] = say("Check of each arm; empty below three event numbers.")
    advice: str | None = say(
        "Event numbers that would know both losses better in the same time; null where there are none."
    )
