"""What a loss of throughput is worth, in machines of a site."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from assay.pages.context import Page, Row
from assay.pages.score import Score
from assay.store.fingerprints import kept_of
from assay.web.site import Site

LEAST_MACHINES = 2
"""Of a single machine nobody loses a part."""
FEW = 10
"""From here on machines are counted whole."""


@dataclass(frozen=True)
class Equal:
    """As many machines as a loss equals.

    Attributes:
        of: What is lost: ``the score``, or workload and metric.
        count: Machines that the loss equals, n = m · loss.
        low: The same of the lower end of the loss's interval.
        high: The same of its upper end.
        machines: Machines that the site has, m; guests are none of their own.
        processor: Processor of these and of the one that was measured; ``None`` where all are counted,
            whatever they are.
    """

    of: str
    count: float
    low: float
    high: float
    machines: int
    processor: str | None

    @property
    def sentence(self) -> str:
        """It in words: ``equals 4.1 (2.9 to 5.3) of your 50 machines``."""
        of = f"{self.machines} machines" + (f" with {self.processor}" if self.processor else "")
        return f"equals {_text(self.count)} ({_text(self.low)} to {_text(self.high)}) of your {of}"


def machines_like(site: Site, page: Page) -> Equal | None:
    """Return as many machines of a site as a result's loss equals.

    Machines of the inventory are counted, guests left out. Where facts were kept of at least two with the
    processor of the result's baseline, these alone are; else all are, as if they lost as much.

    Args:
        site: The site.
        page: The result.

    Returns:
        ``None`` where ``equal_machines`` says so.
    """
    names = [entry.name for entry in site.store.entries() if entry.guest_of is None]
    measured = page.systems[0].cpu_model if page.systems else None
    if measured is None:
        return equal_machines(page, len(names))
    alike = sum(_processor(site.home, name) == measured for name in names)
    if alike >= LEAST_MACHINES:
        return equal_machines(page, alike, processor=measured)
    return equal_machines(page, len(names))


def equal_machines(page: Page, machines: int, *, processor: str | None = None) -> Equal | None:
    """Return as many of m machines as a result's loss equals.

    A loss of throughput of x on each of m machines is the throughput of n = m · x of them. The loss is that
    of the score over all workloads, or the only one where there is a single metric. The ends of its interval
    are multiplied likewise: they hold what the measurement leaves open, not how machines differ.

    Args:
        page: The result.
        machines: How many there are, m.
        processor: What these have in common; ``None`` for nothing.

    Returns:
        ``None`` for fewer than two machines, for several treatments, where there is no such loss or no
        interval, where the interval reaches zero or lies within the margin, and for a gain.
    """
    found = _loss(page)
    if machines < LEAST_MACHINES or found is None:
        return None
    of, loss, low, high = found
    if low <= 0 or high <= page.result.margin:
        return None
    return Equal(of, machines * loss, machines * low, machines * high, machines, processor)


def _loss(page: Page) -> tuple[str, float, float, float] | None:
    """Return what is lost, how much, and the ends of its interval."""
    if len(page.scores) > 1 or len({row.treatment for row in page.estimates}) > 1:
        return None
    named: list[tuple[str, Score | Row]] = [("the score", one) for one in page.scores if one.loss is not None]
    if not named and len(page.estimates) == 1:
        named = [(f"{row.workload} {row.metric}", row) for row in page.estimates]
    for of, one in named:
        if one.loss is not None and one.low is not None and one.high is not None:
            return of, one.loss, one.low, one.high
    return None


def _processor(home: Path, machine: str) -> str | None:
    """Return the processor of a machine by the last facts that were kept; ``None`` where none are."""
    files = [kept.path for kept in kept_of(home, machine) if not kept.recorded]
    return _processor_of(files[-1]) if files else None


@lru_cache(maxsize=10_000)
def _processor_of(file: Path) -> str | None:
    """Return the processor of a fingerprint's file, which is never changed; ``None`` for a damaged one."""
    try:
        found = json.loads(file.read_bytes())["facts"]["cpu_model"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found if isinstance(found, str) else None


def _text(count: float) -> str:
    return f"{count:.1f}" if count < FEW else f"{count:.0f}"
