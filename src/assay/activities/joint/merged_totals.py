"""Totals of several guests as those of the trial that they ran together: what one lacks, all lack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from itertools import chain
from typing import TypeVar

from assay.model.platforms.container import Container
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.trial import Usage
from assay.model.work.observation import ProbeCost
from assay.model.work.page_cache import CacheCheck, ReadAhead, Residency

T = TypeVar("T")
_LARGEST = frozenset({"rss_bytes", "largest_gap_s", "age_s"})
"""Figures of which the largest counts, not the sum."""
_SECONDS = (
    "user_s",
    "system_s",
    "throttled_s",
    "run_queue_s",
    "block_io_s",
    "io_wait_s",
    "steal_s",
    "idle_s",
)


def all_usage(usages: Sequence[tuple[Usage | None, float]], wall_s: float | None) -> Usage | None:
    """Return what all guests' jobs used; ``None`` where one was never started, or never ended.

    Args:
        usages: Totals of each, with the seconds of its clock per second of the controller's.
        wall_s: From the first release to the last end, on the controller's clock.
    """
    total = _total([usage and _corrected(usage, rate) for usage, rate in usages])
    return None if total is None or wall_s is None else replace(total, wall_s=wall_s)


def all_cpu(used: Sequence[HypervisorCpu | None]) -> HypervisorCpu | None:
    """Return the CPU of all QEMU processes together, and the migrations of all their vCPU threads."""
    return _total(used)


def all_contained(boxes: Sequence[Container | None]) -> Container | None:
    """Return several containers as one: the processors, memory and CPU time of all; ``None`` of guests."""
    known = [box for box in boxes if box is not None]
    if not known or len(known) < len(boxes):
        return None
    spent = [box.cpu_s for box in known if box.cpu_s is not None]
    limits = [box.memory_bytes for box in known if box.memory_bytes is not None]
    return replace(
        known[0],
        cpus=tuple(sorted({cpu for box in known for cpu in box.cpus})),
        memory_bytes=sum(limits) if len(limits) == len(known) else None,
        cpu_s=sum(spent) if len(spent) == len(known) else None,
    )


def all_weight(weights: Sequence[GuestWeight | None]) -> GuestWeight | None:
    """Return what all guests held of their host, and the age of the oldest."""
    return _total(weights)


def all_cost(costs: Sequence[ProbeCost | None]) -> ProbeCost | None:
    """Return what watching cost in all guests; the largest process and gap of any."""
    return _total(costs)


def all_cache(checks: Sequence[CacheCheck | None]) -> CacheCheck | None:
    """Return the page caches of all guests as one; the base image on the host counts for each."""
    known = [check for check in checks if check is not None]
    if not known or len(known) < len(checks):
        return None
    machine, host = (_residency(known, at) for at in (lambda one: one.machine, lambda one: one.host))
    held = tuple(dict.fromkeys(path for check in known for path in check.held))
    return replace(known[0], machine=machine, host=host, held=held, ahead=_ahead(known))


def _ahead(known: Sequence[CacheCheck]) -> ReadAhead | None:
    """Return what read ahead on all arms' parts as one: the whole of it took as long as the last."""
    every = [check.ahead for check in known if check.ahead is not None]
    if not every or len(every) < len(known):
        return None
    read, whole = [one.read_bytes for one in every], [one.whole_s for one in every]
    return ReadAhead(
        cpu_s=sum(one.cpu_s for one in every),
        read_bytes=None if None in read else sum(size for size in read if size is not None),
        whole_s=None if None in whole else max(time for time in whole if time is not None),
    )


def _residency(
    checks: Iterable[CacheCheck], of: Callable[[CacheCheck], Residency | None]
) -> Residency | None:
    return _total([of(check) for check in checks])


def _corrected(usage: Usage, rate: float) -> Usage:
    times = {name: getattr(usage, name) for name in _SECONDS}
    return replace(usage, **{name: value and value / rate for name, value in times.items()})


def _total(values: Sequence[T | None]) -> T | None:
    """Return the sum of records field by field; a field that one lacks is ``None``."""
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return replace(known[0], **{name: _one(name, known) for name in _names(known[0])})  # type: ignore[type-var]


def _names(record: object) -> list[str]:
    return [field.name for field in fields(record)]  # type: ignore[arg-type] # a frozen dataclass


def _one(name: str, records: Sequence[object]) -> float | tuple[int, ...] | None:
    values = [getattr(record, name) for record in records]
    if any(value is None for value in values):
        return None
    if isinstance(values[0], tuple):
        return tuple(chain.from_iterable(values))
    largest: float = max(values)
    return largest if name in _LARGEST else sum(values)
