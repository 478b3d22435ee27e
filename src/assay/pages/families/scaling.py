"""What a page says of scaling curves, as data: the rate of one workload against its number of workers."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.explain.scaling.choice import Form
from assay.model.trial import Arm
from assay.pages.say import say


@dataclass(frozen=True)
class ScalingPoint:
    """A scaling curve at one number of workers."""

    workers: int = say("Workers at once.")
    blocks: int = say("Blocks in which it was measured.")
    rate: float = say("Geometric mean over blocks: work per second of all workers together.")
    low: float | None = say("Lower end of its interval; null below two blocks.")
    high: float | None = say("Upper end of its interval; null below two blocks.")
    efficiency: float = say("Rate per worker over that at the fewest workers; 1.0 scales perfectly.")
    efficiency_low: float | None = say("Lower end of its interval, paired by block; null below two blocks.")
    efficiency_high: float | None = say("Upper end of its interval; null below two blocks.")


@dataclass(frozen=True)
class ScalingCurve:
    """The curve of one arm."""

    arm: Arm = say("`baseline` or `treatment`.")
    label: str = say("Where it ran: the label of its arm.")
    points: tuple[ScalingPoint, ...] = say("Its points, fewest workers first.")
    law: Form | None = say(
        "What the curve follows: `linear`, it does not leave the line through the origin by 10 "
        "%; `hinge`, it has a knee; "
        "`amdahl`, it bends all the way as Amdahl's law, X(n) = n X1 / (1 + s (n - 1)); `usl`, "
        "as Gunther's universal "
        "scalability law, X(n) = n X1 / (1 + s (n - 1) + k n (n - 1)). null where these cannot "
        "be told apart, or with fewer than three worker counts."
    )
    one: float | None = say("X1, the rate of one worker by that law; null without one.")
    serial: float | None = say(
        "s, the serial share of Amdahl's law or the contention of the universal one, 0 to 1; "
        "null with any other law."
    )
    serial_low: float | None = say("Lower end of its interval; null without it, or with one block.")
    serial_high: float | None = say("Upper end of its interval; null as above.")
    coherency: float | None = say("k, the coherency of the universal law; null with any other.")
    coherency_low: float | None = say("Lower end of its interval; null without it, or with one block.")
    coherency_high: float | None = say("Upper end of its interval; null as above.")
    peak: float | None = say("Workers with the highest rate by the universal law; null with any other.")
    peak_low: float | None = say(
        "Lower end of its interval; null without it, with one block, or where some blocks show no peak."
    )
    peak_high: float | None = say("Upper end of its interval; null as above.")
    knee: float | None = say(
        "Workers at which the rate leaves the line through the origin; null unless the law is `hinge`."
    )
    knee_low: float | None = say(
        "Lower end of the knee's interval; null without a knee, with one block, or at the fewest "
        "workers, below which the knee may lie as well."
    )
    knee_high: float | None = say("Upper end of the knee's interval; null as above.")
    slope: float | None = say(
        "Growth behind the knee: d log(rate) / d log(workers), 0 on a plateau; null without a knee."
    )
    best: int = say("The smallest number of workers whose rate is as good as the highest.")
    resource: str = say(
        "What saturates behind the knee, or with the most workers of a curve that bends all the "
        "way: `cpu`, `lock contention`, `memory bandwidth`, `disk throughput`, `disk latency`; `none` on a "
        "straight line; `unknown`."
    )
    sentence: str = say("Why that resource, with the figures, and why no law is told.")
    next: str | None = say("What to do or to watch next; null where nothing is to be done.")


@dataclass(frozen=True)
class Scaling:
    """The scaling curves of one workload on both arms."""

    workload: str = say("Name of the workload's family.")
    metric: str = say("What the rate counts.")
    unit: str = say("Unit of the rate.")
    curves: tuple[ScalingCurve, ...] = say(
        "One an arm, the baseline's first; arms without a value have none."
    )
