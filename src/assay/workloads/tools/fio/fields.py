"""The fields of fio's terse lines in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.model.metric import Direction

_UP, _DOWN = Direction.HIGHER, Direction.LOWER

HEADER = 5
"""Terse version, fio's version, job, group, error."""
_PERCENTILES = 20


@dataclass(frozen=True)
class Field:
    """One field: what it is called, its unit, and with which others it stands for no sample where
    all are 0.
    """

    metric: str
    unit: str
    direction: Direction | None = None
    group: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


def _spread(name: str) -> Iterator[Field]:
    for word in ("min", "max", "mean", "stddev"):
        yield Field(f"{name}_{word}", "us", _DOWN, name)


def _percentiles() -> Iterator[Field]:
    for _ in range(_PERCENTILES):
        yield Field("clat_percentile", "us", _DOWN, "clat_percentile")


def _bandwidth() -> Iterator[Field]:
    yield Field("bw_min", "KiB/s", _UP, "bw_mean")
    yield Field("bw_max", "KiB/s", _UP, "bw_mean")
    yield Field("bw_agg", "%", None, "bw_mean")
    yield Field("bw_mean", "KiB/s", _UP, "bw_mean")
    yield Field("bw_dev", "KiB/s", _DOWN, "bw_mean")


def _samples() -> Iterator[Field]:
    yield Field("bw_samples", "1")
    for word in ("min", "max", "mean"):
        yield Field(f"iops_{word}", "IOPS", _UP, "iops_mean")
    yield Field("iops_stddev", "IOPS", _DOWN, "iops_mean")
    yield Field("iops_samples", "1")


def operation(version: int) -> tuple[Field, ...]:
    """Return the fields of one operation; version 5 has those of the samples too."""
    totals = (
        Field("io_kbytes", "KiB"),
        Field("bw", "KiB/s", _UP),
        Field("iops", "IOPS", _UP),
        Field("runtime", "ms"),
    )
    latencies = (*_spread("slat"), *_spread("clat"), *_percentiles(), *_spread("lat"))
    return (*totals, *latencies, *_bandwidth(), *(_samples() if version == 5 else ()))


CPU = (
    Field("usr_cpu", "%", _DOWN),
    Field("sys_cpu", "%", _DOWN),
    *(Field(name, "1", _DOWN) for name in ("ctx", "majf", "minf")),
)
DEPTHS = tuple(
    Field("iodepth_level", "%", labels={"depth": depth}) for depth in ("1", "2", "4", "8", "16", "32", ">=64")
)
_US = ("2", "4", "10", "20", "50", "100", "250", "500", "750", "1000")
_MS = (*_US, "2000", ">=2000")


def buckets() -> Iterator[Field]:
    """Yield the shares of requests by latency."""
    for unit, edges in (("us", _US), ("ms", _MS)):
        for edge in edges:
            yield Field(f"latency_{unit}", "%", labels={"bucket": edge})


DISK = (
    *(Field(name, "1") for name in ("read_ios", "write_ios", "read_merges", "write_merges")),
    *(Field(name, "ms") for name in ("read_ticks", "write_ticks", "in_queue")),
    Field("util", "%"),
)
"""After the disk's name."""
TAIL = (Field("total_err", "1", _DOWN), Field("first_error", "1"))
"""With ``continue_on_error``."""
