"""What a result says first, as data: how much is left, in machines, energy and money."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.figures.estimate import Matters, Verdict


@dataclass(frozen=True)
class Site:
    """What a site says of itself; each is ``None`` where it says nothing.

    Attributes:
        machines: Machines that it has.
        watts: Power of one of them at work.
        price_kwh: What a kilowatt-hour costs.
        currency: Word of its money; empty where prices have none.
    """

    machines: int | None = None
    watts: float | None = None
    price_kwh: float | None = None
    currency: str = ""


@dataclass(frozen=True)
class Cost:
    """What a million events take.

    Attributes:
        workload: Workload that works off events.
        metric: Its rate of events, or its wall time.
        baseline_kwh: Energy on the baseline, of one machine at the power that was given.
        treatment_kwh: The same on the treatment.
        baseline_price: What that costs; ``None`` where no price was given.
        treatment_price: The same on the treatment.
        events: Events that the wall time is of; ``None`` where a rate was measured.
    """

    workload: str
    metric: str
    baseline_kwh: float
    treatment_kwh: float
    baseline_price: float | None
    treatment_price: float | None
    events: int | None = None


@dataclass(frozen=True)
class Left:
    """What is left on one treatment; shares are fractions, 1 is all of it.

    Attributes:
        treatment: Its label.
        left: The share that is left.
        low: Lower end of its interval; ``None`` below two blocks.
        high: Upper end.
        blocks: Complete blocks; ``None`` over several machines, where each counts once.
        verdict: What the interval says.
        matters: Whether the loss matters; ``None`` without a verdict.
        machines: Machines of the site that do the work that is lost; below 0 it is won, ``None`` where
            their number is not known or nothing was decided.
        machines_low: Lower end of the interval of that.
        machines_high: Upper end.
        cost: What a million events take; ``None`` where no power was given, or nothing tells of events.
    """

    treatment: str
    left: float
    low: float | None
    high: float | None
    blocks: int | None
    verdict: Verdict
    matters: Matters | None
    machines: float | None
    machines_low: float | None
    machines_high: float | None
    cost: Cost | None


@dataclass(frozen=True)
class Headline:
    """What a result says first.

    Attributes:
        workload: The first workload of the scene that was measured.
        metric: Its first metric.
        whole: What it is a share of: the label of the baseline, ``the bare metal``, or of several machines
            ``each machine's baseline``.
        lines: A line a treatment, in their order.
        more: Treatments that have no line here.
        site: What the site says of itself.
    """

    workload: str
    metric: str
    whole: str
    lines: tuple[Left, ...]
    more: int
    site: Site
