"""Both ends of a scaling curve: what was measured at the fewest workers, and behind the knee or
at the most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from assay.explain.scaling.points import ScalePoint

BEHIND = "behind the knee"
MOST = "with the most workers"


@dataclass(frozen=True)
class Ends:
    """The curve's figures at its ends; medians over blocks and counts.

    Attributes:
        few: Measurements with the fewest workers.
        many: Measurements behind the knee; with the most workers where no knee is told.
        where: Which of both, in words.
        before: Measurements with the next fewer workers than the most, which tell whether a figure still
            grows.
    """

    few: Sequence[ScalePoint]
    many: Sequence[ScalePoint]
    where: str = BEHIND
    before: Sequence[ScalePoint] = ()

    @property
    def begins(self) -> str:
        """Where these many were, as a sentence begins with it."""
        return f"{self.where[0].upper()}{self.where[1:]}"

    def at(self, figure: Callable[[ScalePoint], float | None]) -> tuple[float | None, float | None]:
        """Return a figure at the fewest workers and at the many."""
        return _middle(map(figure, self.few)), _middle(map(figure, self.many))

    def ratio(self, figure: Callable[[ScalePoint], float | None]) -> float | None:
        """Return a figure at the many over that at the fewest workers."""
        few, many = self.at(figure)
        return many / few if few and many is not None else None


def disk(point: ScalePoint) -> float | None:
    """Return the throughput of storage, bytes/s."""
    return point.disk_bytes_per_s


def work_s(point: ScalePoint) -> float | None:
    """Return the CPU time for a unit of work, in processors times their number."""
    return None if point.cpu_share is None else point.cpu_share * (point.processors or 1) / point.rate


def _middle(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
