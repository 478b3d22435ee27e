"""The words of fio's JSON with their units; names that are not here are kept and marked."""

from __future__ import annotations

import os
import re

from assay.model.metric import Direction
from assay.workloads.outputs.leaves import Rule, rule

_UP, _DOWN = Direction.HIGHER, Direction.LOWER

TOOL = "fio"
LATENCY_DIRECTION = _DOWN
OPERATIONS = ("read", "write", "trim", "sync", "mixed")


def _latency(word: str, unit: str) -> tuple[Rule, ...]:
    return (
        rule(rf"{word}/(?:min|max|mean|stddev)", unit, _DOWN),
        rule(rf"{word}/N", "1"),
        rule(rf"{word}/percentile/(?P<percentile>[^/]+)", unit, _DOWN),
        rule(rf"{word}/bins/(?P<bin>[^/]+)", "1"),
    )


BYTES = (rule("io_bytes", "B"),)
KIB = (rule("io_bytes", "KiB"),)
"""fio 2 counts ``io_bytes`` in KiB, whatever the name says."""

OPERATION = (
    rule("io_kbytes", "KiB"),
    rule("bw_bytes", "B/s", _UP),
    rule("bw", "KiB/s", _UP),
    rule("iops", "IOPS", _UP),
    rule("runtime", "ms"),
    rule("total_ios", "1"),
    rule("(?:short|drop)_ios", "1", _DOWN),
    *_latency(r"(?:\w+_)?[sc]?lat_ns", "ns"),
    *_latency(r"[sc]?lat", "us"),
    *_latency(r"prios/(?P<priority>[^/]+)/[sc]?lat_ns", "ns"),
    rule("bw_(?:min|max|mean)", "KiB/s", _UP),
    rule("bw_dev", "KiB/s", _DOWN),
    rule("bw_agg", "%"),
    rule("(?:bw|iops)_samples", "1"),
    rule("iops_(?:min|max|mean)", "IOPS", _UP),
    rule("iops_stddev", "IOPS", _DOWN),
    rule("cachehit", "%"),
)
"""Of an operation of a job. Source: ``add_ddir_status_json`` and ``add_ddir_lat_json`` in ``stat.c``."""

JOB = (
    rule("elapsed", "s"),
    rule("job_runtime", "ms"),
    rule("(?:usr|sys)_cpu", "%", _DOWN),
    rule("ctx|majf|minf", "1", _DOWN),
    rule("iodepth_(?:level|submit|complete)/(?P<depth>[^/]+)", "%"),
    rule("latency_(?:ns|us|ms)/(?P<bucket>[^/]+)", "%"),
    rule("total_err", "1", _DOWN),
    rule("first_error|zone_resets|latency_depth", "1"),
    rule("block/percentiles/(?P<percentile>[^/]+)", "1"),
    rule("block/states/(?P<state>[^/]+)", "1"),
    rule("steadystate/duration", "s"),
    rule("steadystate/attained", "1"),
    rule("steadystate/data/iops_mean", "IOPS", _UP),
    rule("steadystate/data/iops/(?P<sample>[^/]+)", "IOPS", _UP),
    rule("steadystate/data/lat_mean", "ns", _DOWN),
    rule("steadystate/data/lat_ns/(?P<sample>[^/]+)", "ns", _DOWN),
)
"""Of a job as a whole. Source: ``show_thread_status_json``."""

DISK = (
    rule("(?:aggr_)?(?:read|write)_ios", "1"),
    rule("(?:aggr_)?(?:read|write)_merges?", "1"),
    rule("(?:aggr_)?(?:read|write)_sectors", "sectors"),
    rule("(?:aggr_)?(?:(?:read|write)_ticks|in_queue)", "ms"),
    rule("(?:aggr_)?util", "%"),
)
"""Of a disk that fio saw in use. Source: ``json_array_add_disk_util``."""

SETTINGS = re.compile(
    r"job "
    r"options/.*|groupid|error|eta|port|job_start|latency_(?:target|window)(?:_ns|_us)?|latency_percentile"
    r"|.*/bins/FIO_IO_U_PLAT_\w+|.*/percentile/0\.0+|.*/prios/\d+/prio(?:class|hint)?"
)
"""What a report says beside its figures: options, codes, times of day, sizes of tables, places not filled."""


def error_words(code: int) -> str:
    """Return what the system calls an error code of a job."""
    return os.strerror(code) if code < 2**31 else "no error of any system"
