"""The budget of a loss: which part of it each phase and category of time holds, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.explain.split import Category, Key, Times
from assay.stats.mean import student


@dataclass(frozen=True)
class TimeShare:
    """A part of the treatment's time, a fraction, with its interval; ends are ``None`` below two blocks."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Part:
    """One phase and category.

    Attributes:
        phase: Name of the phase.
        category: What the time was spent on.
        baseline_s: Mean over blocks, seconds of wall time.
        treatment_s: The same of the treatment.
        contribution: Its part of the loss: (treatment - baseline) / the treatment's whole time.
    """

    phase: str
    category: Category
    baseline_s: float
    treatment_s: float
    contribution: TimeShare


@dataclass(frozen=True)
class Budget:
    """A loss of time, and the parts that add up to it.

    Attributes:
        parts: One a phase and category, phases in the order in which they were met.
        loss: Mean over blocks of (treatment - baseline) / treatment.
        baseline_s: Mean time of the baseline.
        treatment_s: Mean time of the treatment.
        by_block: Contributions of each block.
        confidence: Coverage of the intervals.
    """

    parts: tuple[Part, ...]
    loss: TimeShare
    baseline_s: float
    treatment_s: float
    by_block: tuple[Mapping[Key, float], ...]
    confidence: float

    @property
    def residual(self) -> float:
        """What the parts leave unexplained: rounding, below 1e-9."""
        return abs(self.loss.value - math.fsum(part.contribution.value for part in self.parts))

    def sum_of(self, wanted: Callable[[Key], bool]) -> TimeShare:
        """Return what some of the parts contribute together, with an interval of its own."""
        sums = [math.fsum(v for key, v in block.items() if wanted(key)) for block in self.by_block]
        return share_of(sums, self.confidence)


def budget(blocks: Sequence[tuple[Times, Times]], *, confidence: float = 0.95) -> Budget:
    """Return the budget of a loss from the times of both arms in each block.

    In each block L = sum over k of (T_k,treatment - T_k,baseline) / T_treatment, exactly; what is shown is
    the mean over blocks, with a paired t interval for each part. A phase that only one arm has counts as
    zero on the other.

    Args:
        blocks: Times of the baseline and of the treatment, one pair a block, at least one; totals above 0.
        confidence: Coverage of the two-sided intervals.

    Raises:
        ValueError: No block, or a total that is not above zero.

    Source:
        Additive decomposition of a difference of means; Student, Biometrika 6 (1908) 1-25.

    Limits:
        Intervals of the parts are each on its own: they do not add up as the parts do. This loss is a mean
        of differences over the treatment's time, the headline a centre of log slowdowns: with noise the two
        differ a little.
    """
    totals = [(math.fsum(base.values()), math.fsum(treated.values())) for base, treated in blocks]
    if not totals or any(not math.isfinite(t) or t <= 0 for pair in totals for t in pair):
        msg = f"a budget needs times above zero on both arms, got {totals}"
        raise ValueError(msg)
    keys = _keys(times for pair in blocks for times in pair)
    by_block = [
        {key: (treated.get(key, 0.0) - base.get(key, 0.0)) / whole for key in keys}
        for (base, treated), (_, whole) in zip(blocks, totals, strict=True)
    ]
    return Budget(
        parts=tuple(_part(key, blocks, [block[key] for block in by_block], confidence) for key in keys),
        loss=share_of([(treated - base) / treated for base, treated in totals], confidence),
        baseline_s=fmean(base for base, _ in totals),
        treatment_s=fmean(treated for _, treated in totals),
        by_block=tuple(by_block),
        confidence=confidence,
    )


def share_of(values: Sequence[float], confidence: float) -> TimeShare:
    """Return the mean of one value a block with its t interval; no interval below two blocks."""
    if len(values) < 2:
        return TimeShare(fmean(values), None, None)
    centre = student(values, confidence)
    return TimeShare(centre.value, centre.low, centre.high)


def _keys(all_times: Iterable[Times]) -> list[Key]:
    """Return all phases in the order in which they were met, each with its categories in theirs."""
    met = dict.fromkeys(key for times in all_times for key in times)
    phases = dict.fromkeys(phase for phase, _ in met)
    return [(phase, category) for phase in phases for category in Category if (phase, category) in met]


def _part(
    key: Key, blocks: Sequence[tuple[Times, Times]], values: Sequence[float], confidence: float
) -> Part:
    base, treated = (fmean(pair[arm].get(key, 0.0) for pair in blocks) for arm in (0, 1))
    return Part(*key, base, treated, share_of(values, confidence))
