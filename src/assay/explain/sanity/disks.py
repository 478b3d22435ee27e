"""Doubts about rates of a disk that no such disk reaches: memory answered, or another disk than is meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from assay.explain.sanity.disk_kinds import MOST, Disk
from assay.explain.sanity.runs import Pair, Runs, Spread
from assay.explain.sanity.score import value_of
from assay.model.doubt import Raised, raised
from assay.model.metric import Direction, Metric
from assay.model.trial import Trial
from assay.model.work.workload import Workload

UNITS: Mapping[str, float] = MappingProxyType(
    {
        "B/s": 1.0,
        "kB/s": 1e3,
        "KiB/s": 1024.0,
        "MB/s": 1e6,
        "MiB/s": float(1 << 20),
        "GB/s": 1e9,
        "GiB/s": float(1 << 30),
    }
)
"""Bytes a second."""
SPARE = 1.2
"""Times a limit of reads that a short run may seem to reach: what was let through before the limit held."""
DIRECT_APART = 3.0
"""Times the best rate past the page cache from which a rate through it is memory's: reading ahead keeps a
disk busier than one request at a time does, but not by that.
"""


Beyond = tuple[str, Spread, Raised]
"""A metric's name, its rate in bytes a second, and the limit that it is beyond."""


@dataclass(frozen=True)
class Limit:
    """What bounds a rate, and why."""

    most: float
    why: Raised


def faster_than_disk(pairs: Sequence[Pair]) -> Iterator[Raised]:
    """Doubt rates of files that the disk below them cannot give.

    Source: ATLAS virtual worker nodes (2011): 454 to 669 MB/s read by Bonnie++ from a single spinning disk.
    Limits: an array behind a controller calls itself one disk. In a virtual machine what its disk says of
        itself is the hypervisor's word, and is not taken; a guest of this machine is held to the disk of its
        host.
    """
    for pair in pairs:
        if not _of_disk(pair):
            continue
        for runs in pair.arms:
            beyond = [one for metric in pair.workload.metrics if (one := _beyond(metric, runs, pair, pairs))]
            if beyond:
                yield raised(
                    "faster-than-disk",
                    case="trials",
                    workload=pair.workload.name,
                    arm=runs.label,
                    beyond=tuple(beyond),
                )


def is_direct(workload: Workload) -> bool:
    """Tell whether a workload measures files past the page cache."""
    from assay.workloads import DiskUse, measured_by  # all tools: to word a doubt takes none

    found = measured_by(workload.parser)
    return found is not None and found.disk is DiskUse.DIRECT


def _measures_files(workload: Workload) -> bool:
    """Tell whether rates of files are figures of a workload, ready or a user's own whose tool's reader is
    named.
    """
    from assay.workloads import READERS, measured_by  # likewise

    found = measured_by(workload.parser)
    if found is not None and found.disk is not None:
        return True
    reader = None if workload.reader is None else READERS.get(workload.reader)
    return reader is not None and reader.of_files


def bytes_per_s(value: float, unit: str) -> float | None:
    """Return a rate in bytes a second; ``None`` of what is no amount of data over time."""
    return value * UNITS[unit] if unit in UNITS else None


def _reads_data(workload: Workload) -> bool:
    """Tell whether the files that a workload measures are the activity's data."""
    from assay.workloads import measured_by  # likewise

    found = measured_by(workload.parser)
    return found is not None and found.data is not None


def _of_disk(pair: Pair) -> bool:
    """Tell whether a workload's rates are meant to be a disk's."""
    served = any(trial.from_server for runs in pair.arms for trial in runs.trials)
    return not served and _measures_files(pair.workload)


def _beyond(metric: Metric, runs: Runs, pair: Pair, pairs: Sequence[Pair]) -> Beyond | None:
    """Return what a metric's rate is beyond; ``None`` where it is beyond nothing that is known."""
    rates = _rates(metric, runs)
    limits = [limit for limit in _limits(metric, runs, pair, pairs) if rates and rates.median > limit.most]
    if rates is None or not limits:
        return None
    least = min(limits, key=lambda limit: limit.most)
    return metric.name, rates, least.why


def _rates(metric: Metric, runs: Runs) -> Spread | None:
    scale = UNITS.get(metric.unit)
    if scale is None or metric.direction is not Direction.HIGHER:
        return None

    def rate(trial: Trial) -> float | None:
        value = value_of(trial, metric.name)
        return None if value is None else scale * value

    return runs.spread(rate)


def _limits(metric: Metric, runs: Runs, pair: Pair, pairs: Sequence[Pair]) -> Iterator[Limit]:
    disk = _disk(runs, pair)
    if disk is not None and disk.kind is not None:
        most = MOST[disk.kind]
        yield Limit(
            most,
            raised(
                "faster-than-disk", case="kind", kind=disk.kind, disk=disk.name, model=disk.model, most=most
            ),
        )
    own = _disk(runs, pair) if runs is pair.baseline else None
    if _reads(metric) and (allowed := runs.typical(lambda trial: _allowed(trial, pair, own))) is not None:
        yield Limit(SPARE * allowed, raised("faster-than-disk", case="allowed", allowed=allowed))
    if not is_direct(pair.workload) and (best := _direct(runs.label, pairs)) is not None:
        yield Limit(
            DIRECT_APART * best, raised("faster-than-disk", case="direct", times=DIRECT_APART, best=best)
        )


def _disk(runs: Runs, pair: Pair) -> Disk | None:
    """Return the disk that bounds an arm: its machine's own, of a guest the one of its host."""
    guest = any(trial.platform is not None for trial in runs.trials)
    below = pair.baseline if guest and runs is pair.treatment else runs
    real = [trial for trial in below.trials if trial.facts.hypervisor is False and trial.platform is None]
    reported = [below.sampled[t.planned.name].disk for t in real if t.planned.name in below.sampled]
    return next((disk for disk in reported if disk is not None), None)


def _allowed(trial: Trial, pair: Pair, disk: Disk | None) -> float | None:
    """Return what the disks of a trial's files may be read at, bytes a second; ``None`` where others are
    limited.
    """
    limits = trial.limits
    held = _reads_data(pair.workload) or not limits.disks or (disk and disk.name in limits.disks)
    if limits.read_bytes_per_s is None or not held:
        return None
    return float(limits.read_bytes_per_s) * max(1, len(limits.disks))


def _reads(metric: Metric) -> bool:
    return "read" in metric.name or metric.name in {"getc", "get_block", "data_rate"}


def _direct(label: str, pairs: Sequence[Pair]) -> float | None:
    """Return the best rate that was measured past the page cache on an arm."""
    arms = [
        (pair, runs)
        for pair in pairs
        if is_direct(pair.workload)
        for runs in pair.arms
        if runs.label == label
    ]
    rates = [_rates(metric, runs) for pair, runs in arms for metric in pair.workload.metrics]
    return max((rate.median for rate in rates if rate is not None), default=None)
