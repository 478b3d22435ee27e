"""What a report says of a scan of event numbers: fixed cost, cost per event, the loss of the total."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.trial import Arm
from assay.report.say import say


@dataclass(frozen=True)
class Seconds:
    """A time of one arm with its interval."""

    value: float = say("Seconds.")
    low: float | None = say("Lower end of the interval; null where the blocks are too few.")
    high: float | None = say("Upper end of the interval; null where the blocks are too few.")


@dataclass(frozen=True)
class CostPart:
    """One part of the time on both arms, and its loss."""

    baseline: Seconds = say("On the baseline.")
    treatment: Seconds = say("On the treatment.")
    loss: float | None = say(
        "1 - baseline/treatment, a fraction; null where an arm's part is not above zero."
    )
    loss_low: float | None = say("Lower end of its interval; null where there is none.")
    loss_high: float | None = say("Upper end of its interval; null where there is none.")


@dataclass(frozen=True)
class TotalLoss:
    """The loss of the total time at an event number, from the lines of both arms."""

    events: int = say("Event number.")
    loss: float | None = say("The loss, a fraction; null where a line is not above zero there.")
    low: float | None = say("Lower end of its interval; null where there is none.")
    high: float | None = say("Upper end of its interval; null where there is none.")


@dataclass(frozen=True)
class EventSize:
    """What was measured at one event number."""

    events: int = say("Event number.")
    blocks: int = say("Blocks that hold it on both arms.")
    baseline_s: float = say("Mean time on the baseline, seconds.")
    treatment_s: float = say("Mean time on the treatment, seconds.")
    loss: float | None = say("Loss of the total time, a fraction.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")


@dataclass(frozen=True)
class LineKink:
    """A place where the cost of an event changes."""

    events: float = say("Event number of the best broken line.")
    above: int = say("It lies above this event number of the scan.")
    below: int = say("It lies below this event number of the scan.")
    seconds: float = say("Time of the broken line there.")
    slope_before: float = say("Seconds per event before it.")
    slope_after: float = say("Seconds per event after it.")


@dataclass(frozen=True)
class LineCheck:
    """Whether the times of one arm lie on a straight line over events."""

    arm: Arm = say("`baseline` or `treatment`.")
    sizes: int = say("Event numbers in the check, at least three.")
    straight: bool = say("Nothing speaks against a straight line (at most 5 % false alarms a scan).")
    chance: float = say("Chance of so strong a bend on a straight line, the search for a kink counted.")
    kink: LineKink | None = say(
        "The one kink that explains it; null where the line is straight or none does."
    )


@dataclass(frozen=True)
class EventScan:
    """One workload at several event numbers: T = fixed cost + cost per event x events on each arm."""

    workload: str = say("Name of the workload, without event number.")
    blocks: int = say("Blocks that count.")
    fixed_cost_s: CostPart | None = say("Time at no event; null below two event numbers.")
    per_event_s: CostPart | None = say("Time of one event; null below two event numbers.")
    asymptote: float | None = say("Loss that the total tends to with many events: that of one event.")
    noise: float | None = say("Standard deviation of a time about its line, a fraction of it.")
    margin: float = say("Loss that does not matter, a fraction.")
    events_within_margin: int | None = say(
        "Smallest number of events from which the total's loss is within the margin of the asymptote; null "
        "where there is none."
    )
    curve: tuple[TotalLoss, ...] = say(
        "Loss of the total over events, up to four times the largest measured."
    )
    sizes: tuple[EventSize, ...] = say("What was measured at each event number.")
    linearity: tuple[LineCheck, ...] = say("Check of each arm; empty below three event numbers.")
    advice: str | None = say(
        "Event numbers that would know both losses better in the same time; null where there are none."
    )
