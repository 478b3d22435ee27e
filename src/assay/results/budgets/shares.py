"""Shares and sizes of a job that stand beside its budget: they are not for the same work, but as
they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from assay.explain.split import Category
from assay.results.budgets.spent import Spent

FIGURES = (
    "CPU share of the time",
    "kernel's share of the CPU time",
    "largest resident set",
    "most page cache",
    "most page cache of the machine",
    "most buffers of the machine",
)
"""Names for people, in their order."""


def shares(
    base: Sequence[Spent], treated: Sequence[Spent]
) -> Iterator[tuple[str, str, float | None, float | None]]:
    """Yield name, unit and both arms' means over trials; ``None`` where a trial does not tell."""
    ways: tuple[tuple[Callable[[Spent], float | None], str], ...] = (
        (_cpu_share, "%"),
        (_kernel_share, "%"),
        (_resident, "B"),
        (_cache, "B"),
        (lambda one: one.meters.most_cache_of_machine, "B"),
        (lambda one: one.meters.most_buffers, "B"),
    )
    for name, (read, unit) in zip(FIGURES, ways, strict=True):
        yield name, unit, _mean(base, read), _mean(treated, read)


def _seconds(one: Spent, *categories: Category) -> float:
    return sum(seconds for (_, category), seconds in one.times.items() if category in categories)


def _cpu_share(one: Spent) -> float | None:
    """Return how much of its processors' time a job was on a processor."""
    whole = sum(one.times.values())
    return 100 * _seconds(one, Category.USER, Category.SYSTEM) / whole if whole > 0 else None


def _kernel_share(one: Spent) -> float | None:
    cpu = _seconds(one, Category.USER, Category.SYSTEM)
    return 100 * _seconds(one, Category.SYSTEM) / cpu if cpu > 0 else None


def _resident(one: Spent) -> float | None:
    return None if one.trial.usage is None else float(one.trial.usage.rss_bytes)


def _cache(one: Spent) -> float | None:
    """Return the most page cache that a job held, by the series ``memory``; it is its control group's."""
    return one.meters.most_cache


def _mean(arm: Sequence[Spent], read: Callable[[Spent], float | None]) -> float | None:
    values = [value for one in arm if (value := read(one)) is not None]
    return fmean(values) if values and len(values) == len(arm) else None
