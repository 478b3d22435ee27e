"""Times of two arms by block and event number, and which of them have a partner."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from assay.model.doubt import Raised, raised
from assay.model.figures.scan import Point

Times = Mapping[tuple[int, int], float]
"""Seconds by block and event number."""


@dataclass(frozen=True)
class Pairing:
    """Times that count, and what was left out.

    Attributes:
        baseline: Times of the baseline.
        treatment: Times of the treatment; of the same blocks and event numbers where arms share any.
        doubts: What was left out, or is not paired.
    """

    baseline: Times
    treatment: Times
    doubts: tuple[Raised, ...]

    @property
    def arms(self) -> tuple[Times, Times]:
        """Baseline and treatment."""
        return self.baseline, self.treatment

    @property
    def blocks(self) -> dict[int, int]:
        """Place of each block, in their order."""
        held = {block for arm in self.arms for block, _ in arm}
        return {block: at for at, block in enumerate(sorted(held))}

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the jackknife: blocks - 1 where each holds several sizes, else blocks - 2."""
        sizes = Counter(block for block, _ in self.baseline.keys() | self.treatment.keys())
        return len(sizes) - (1 if all(count > 1 for count in sizes.values()) else 2)


def pair(baseline: Sequence[Point], treatment: Sequence[Point]) -> Pairing:
    """Return the times that count; several of one arm, block and event number count by their mean.

    Raises:
        ValueError: A time is not finite or not above zero, an event number is negative, or an arm is empty.
    """
    times = [_times(arm) for arm in (baseline, treatment)]
    shared = times[0].keys() & times[1].keys()
    doubts = tuple(_doubts(times, len(shared)))
    if shared:
        keys = sorted(shared)
        times = [{key: arm[key] for key in keys} for arm in times]
    return Pairing(times[0], times[1], doubts)


def _times(points: Sequence[Point]) -> dict[tuple[int, int], float]:
    for point in points:
        if not 0 < point.value_s < math.inf or point.events < 0:
            msg = f"a scan needs finite times above zero and events of at least 0, got {point}"
            raise ValueError(msg)
    if not points:
        msg = "a scan needs times of both arms, got none of one"
        raise ValueError(msg)
    last = {(point.block, point.events): point.value_s for point in points}
    if len(last) == len(points):
        return last
    held: dict[tuple[int, int], list[float]] = {}
    for point in points:
        held.setdefault((point.block, point.events), []).append(point.value_s)
    return {key: fmean(values) for key, values in held.items()}


def _doubts(times: Sequence[Times], shared: int) -> Iterator[Raised]:
    if not shared:
        yield raised("arms-not-paired")
    elif left := sum(len(arm) - shared for arm in times):
        yield raised("unpaired-times", left=left)
