"""Which law a scaling curve follows: a knee, Amdahl's, Gunther's, or none that can be told."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from assay.explain.scaling.cells import Cell, cells_of, interval
from assay.explain.scaling.hinge import Hinge, fit_hinge, level_of
from assay.explain.scaling.knee import FEWEST_COUNTS, Knee, ends_near
from assay.explain.scaling.laws import Law, fit_law, fit_line
from assay.explain.scaling.points import ScalePoint

KIND_COSTS = 2 * math.log(19)
"""By so much AICc must be lower for a kind of curve to be told from another: Akaike weights of 95
% and 5 %.
"""
COHERENCY_COSTS = 2.0
"""By so much it must be lower for coherency to be told beside contention: within two, the simpler law is as
good.
"""
EXACT = 1e-15
"""Mean square of log rates that rounding leaves of exact ones."""


class Form(StrEnum):
    """What a scaling curve follows."""

    LINEAR = "linear"
    HINGE = "hinge"
    AMDAHL = "amdahl"
    USL = "usl"


@dataclass(frozen=True)
class Between:
    """A parameter with its interval; ends are ``None`` with one block, or where they are not known."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Followed:
    """What a curve follows.

    Attributes:
        form: Which law; ``None`` where that cannot be told.
        one: Rate of one worker by that law.
        serial: Serial share of Amdahl's law, or contention of Gunther's.
        coherency: Of Gunther's law.
        peak: Workers at which that law has its highest rate.
        untold: Why none is told, one full sentence; empty where one is.
    """

    form: Form | None
    one: float | None = None
    serial: Between | None = None
    coherency: Between | None = None
    peak: Between | None = None
    untold: str = ""


@dataclass(frozen=True)
class _Fits:
    """The best of both kinds of curves, with what they cost by AICc."""

    hinge: Hinge
    law: Law
    hinge_costs: float
    law_costs: float
    line_costs: float

    @property
    def lawful(self) -> bool:
        """Whether the law is told from the broken line and from the straight one."""
        return self.law_costs < min(self.hinge_costs, self.line_costs) - KIND_COSTS


def followed_by(points: Sequence[ScalePoint], knee: Knee | None, *, confidence: float = 0.95) -> Followed:
    """Return which law a curve follows.

    A knee is told where a broken line costs at least ``KIND_COSTS`` less than both laws by AICc, and a law
    where it costs so much less than any broken line, with a slope behind two counts or more, and than the
    straight line. Of both laws Gunther's is told where coherency is worth it. AICc takes the residuals of log
    rates within blocks; its parameters are those of the law, the noise, and one a block, so that few counts
    and few blocks tell little.

    Source: K. P. Burnham, D. R. Anderson, "Model Selection and Multimodel Inference", 2nd ed. (2002), ch. 2;
        C. M. Hurvich, C.-L. Tsai, Biometrika 76 (1989) 297-307.

    Limits: what makes single counts depart from any law alike in all blocks is taken for shape. A plateau
        from the first worker on is Amdahl's law with a serial share of 1 as well: it is called a knee.

    Args:
        points: Rates, any order.
        knee: Of the curve.
        confidence: Coverage of intervals.
    """
    cells = cells_of(points)
    if len(cells) < FEWEST_COUNTS:
        return Followed(None)
    fits = _fits(points, cells)
    if knee is not None and _kneed(fits, knee, cells):
        return Followed(Form.HINGE, one=math.exp(level_of(cells, math.log(knee.workers), knee.slope)))
    if fits.lawful:
        return _lawful(points, fits.law, confidence)
    if ends_near(fits.hinge, cells):
        return Followed(Form.LINEAR, one=fit_line(cells).one)
    return Followed(None, untold=_untold(fits, len(cells)))


def _kneed(fits: _Fits, knee: Knee, cells: Sequence[Cell]) -> bool:
    """Tell whether a knee is told from both laws; where the rate never grows, these say the same if they fit
    as well.
    """
    if fits.hinge_costs < fits.law_costs - KIND_COSTS:
        return True
    lowest = (knee.workers if knee.low is None else knee.low) <= math.exp(cells[0].x) * (1 + 1e-9)
    return lowest and knee.slope <= 0 and fits.hinge_costs <= fits.law_costs + KIND_COSTS


def _fits(points: Sequence[ScalePoint], cells: Sequence[Cell]) -> _Fits:
    costs = partial(aicc, points)
    hinges = [(fit_hinge(cells), 1), (fit_hinge(cells, behind=2), 2)]
    hinge_costs, hinge = min(((costs(fit, size), fit) for fit, size in hinges), key=lambda one: one[0])
    amdahl, gunther = (fit_law(cells, coherent=coherent) for coherent in (False, True))
    plain, coherent = costs(amdahl, 1), costs(gunther, 2)
    law = gunther if coherent < plain - COHERENCY_COSTS else amdahl
    return _Fits(hinge, law, hinge_costs, min(plain, coherent), costs(fit_line(cells), 0))


def aicc(points: Sequence[ScalePoint], curve: Callable[[float], float], size: int) -> float:
    """Return Akaike's criterion for small samples of a curve beside effects of blocks; infinite where too
    little is left.

    Args:
        points: What was measured.
        curve: Log rate at the log of a number of workers.
        size: Parameters of the curve beside its level.
    """
    left: dict[int, list[float]] = {}
    for point in points:
        left.setdefault(point.block, []).append(math.log(point.rate) - curve(math.log(point.workers)))
    n, known = len(points), len(left) + size + 1
    if n - known < 2:
        return math.inf
    rss = sum((one - math.fsum(block) / len(block)) ** 2 for block in left.values() for one in block)
    return n * math.log(rss / n + EXACT) + 2 * known + 2 * known * (known + 1) / (n - known - 1)


def _lawful(points: Sequence[ScalePoint], law: Law, confidence: float) -> Followed:
    """Return a law with the intervals of its parameters."""
    coherent = law.coherency > 0

    def between(estimate: Callable[[Law], float]) -> Between:
        ends = interval(points, lambda some: estimate(fit_law(some, coherent=coherent)), confidence)
        return Between(estimate(law), *ends)

    serial = between(lambda fitted: fitted.serial)
    if not coherent:
        return Followed(Form.AMDAHL, law.one, _clipped(serial))
    coherency, peak = between(lambda fitted: fitted.coherency), between(_log_peak)
    return Followed(Form.USL, law.one, _clipped(serial), _clipped(coherency, math.inf), _exp(peak))


def _log_peak(law: Law) -> float:
    return math.log(law.peak) if law.peak else math.nan


def _clipped(parameter: Between, most: float = 1.0) -> Between:
    """Return a parameter whose interval ends where the parameter does."""
    if parameter.low is None or parameter.high is None:
        return parameter
    return Between(parameter.value, max(0.0, parameter.low), min(most, parameter.high))


def _exp(parameter: Between) -> Between | None:
    if math.isnan(parameter.value):
        return None
    low, high = (None if end is None else math.exp(end) for end in (parameter.low, parameter.high))
    return Between(math.exp(parameter.value), low, high)


def _untold(fits: _Fits, counts: int) -> str:
    if math.isinf(fits.hinge_costs):
        return (
            f"{counts} numbers of workers in so few blocks do not tell a knee from a curve that "
            "bends all the way."
        )
    knee = f"a knee at {math.exp(fits.hinge.at):.2g} workers"
    if fits.hinge_costs < fits.law_costs - KIND_COSTS:
        return f"It leaves its line, with {knee} or anywhere up to the most workers."
    return f"{knee[0].upper()}{knee[1:]} and {law_text(fits.law)} describe it about as well."


def law_text(law: Law) -> str:
    """Return a law with its parameters for people."""
    if law.coherency == 0:
        return f"Amdahl's law with a serial share of {law.serial:.1%}"
    return f"the universal scalability law with contention {law.serial:.1%} and coherency {law.coherency:.2%}"
