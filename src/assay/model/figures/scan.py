"""A scan of event numbers: times of two arms, and the lines through them."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.doubt import Raised
from assay.model.trial import Arm


@dataclass(frozen=True)
class Point:
    """One time of one arm.

    Attributes:
        block: Its block; a block's times of both arms are paired.
        events: Number of events, >= 0.
        value_s: Seconds, > 0.
    """

    block: int
    events: int
    value_s: float


@dataclass(frozen=True)
class Value:
    """Seconds with an interval; ends are ``None`` where the blocks do not bring one."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Loss:
    """Loss of a part of the time, a ratio; ``None`` where an arm's part is not above zero or not known so."""

    loss: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Part:
    """One coefficient of the line on both arms, in seconds, and its loss 1 - baseline/treatment."""

    baseline: Value
    treatment: Value
    loss: float | None
    loss_low: float | None
    loss_high: float | None


@dataclass(frozen=True)
class Size:
    """What was measured at one event number: mean times in seconds, and the loss of the total."""

    events: int
    blocks: int
    baseline_s: float
    treatment_s: float
    loss: Loss


@dataclass(frozen=True)
class Kink:
    """A place where an event's cost changes.

    Attributes:
        events: Event number of the best broken line.
        above: The kink lies above this event number of the scan,
        below: and below this one.
        seconds: Time of the broken line there.
        slope_before: Seconds per event before it.
        slope_after: Seconds per event after it.
    """

    events: float
    above: int
    below: int
    seconds: float
    slope_before: float
    slope_after: float


@dataclass(frozen=True)
class Linearity:
    """What the check of one arm came to.

    Attributes:
        arm: Which arm.
        sizes: Number of event numbers, at least three.
        straight: Nothing speaks against a straight line.
        chance: Chance of so strong a bend on a straight line, the search and all checks counted; at most 1.
        kink: The one kink that explains it; ``None`` where the line is straight or no single kink does.
    """

    arm: Arm
    sizes: int
    straight: bool
    chance: float
    kink: Kink | None


@dataclass(frozen=True)
class Scan:
    """Fixed cost and slope of two arms.

    Attributes:
        blocks: Blocks that hold an event number on both arms.
        confidence: Coverage of all intervals.
        margin: Loss that does not matter, a ratio.
        fixed_cost_s: Seconds at no event, of the line before a kink; ``None`` below two event numbers.
        per_event_s: Seconds per event, after a kink; ``None`` below two event numbers.
        asymptote: Loss that the total tends to, that of the cost per event; ``None`` where there is none.
        noise: Standard deviation of a time about its line, a share of it; ``None`` where it is not known.
        events_within_margin: Smallest number of events from which the total's loss is within the margin of
            the asymptote; ``None`` where there is no asymptote, no such number, or a line is bent.
        curve: Loss of the total by event number, from the lines, broken at kinks; empty below two event
            numbers.
        sizes: What was measured, by event number.
        linearity: Check of each arm; empty below three event numbers.
        doubts: What speaks against the figures.
    """

    blocks: int
    confidence: float
    margin: float
    fixed_cost_s: Part | None
    per_event_s: Part | None
    asymptote: float | None
    noise: float | None
    events_within_margin: int | None
    curve: tuple[tuple[int, Loss], ...]
    sizes: tuple[Size, ...]
    linearity: tuple[Linearity, ...]
    doubts: tuple[Raised, ...]
