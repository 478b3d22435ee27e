"""The lines of sysbench's reports: what each says, in which unit, which way is better."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.model.metric import Direction

_UP, _DOWN = Direction.HIGHER, Direction.LOWER


@dataclass(frozen=True)
class Field:
    """One figure of a line.

    Attributes:
        group: The group of the pattern that holds it.
        metric: Its name.
        unit: Its unit; ``size`` in it stands for what follows the number, ``Mb`` of which is MiB.
        direction: Which way is better.
        operation: Label of what it counts; empty where that is not told apart.
    """

    group: int
    metric: str
    unit: str
    direction: Direction | None = None
    operation: str = ""


TOOL = "sysbench"
Pattern = tuple[re.Pattern[str], tuple[Field, ...]]
SIZES = re.compile(r"([\d.]+)([KMGT]?)i?b", re.IGNORECASE)

HEADINGS = re.compile(
    r"|CPU speed:|General statistics:|Test execution summary:|Latency \(ms\):|per-request statistics:"
    r"|response time:|Threads fairness:|File operations:|Throughput:|SQL statistics:|OLTP test statistics:"
    r"|queries performed:|Latency histogram \(values are in milliseconds\)|value +-+ distribution -+ count"
    r"|Done\.|Time limit exceeded, exiting\.\.\.|\(last message repeated \d+ times\)"
    r"|Maximum prime number checked in CPU test: \d+|No bytes "
    r"written\.|(?:WARNING|DEBUG|ALERT|INFO|NOTICE):.*"
)
"""Lines without a figure."""


def _line(words: str, *fields: Field) -> Pattern:
    return re.compile(words), fields


def _value(words: str, metric: str, unit: str, direction: Direction | None = None) -> Pattern:
    """Return the pattern of ``words: value``; the unit of a time may stand behind it."""
    behind = f"(?:{unit})?" if unit in {"s", "ms"} else ""
    return _line(rf"{words}\s*(.*?){behind}", Field(1, metric, unit, direction))


def _counted(words: str, metric: str, per_s: str, direction: Direction) -> Pattern:
    rate = Field(2, f"{metric}_per_s", per_s, direction)
    count = Field(1, metric, "1", None if direction is _UP else direction)
    return _line(rf"{words}:\s*(\S+)\s+\(\s*(\S+) per sec\.\)", count, rate)


def _queries(operation: str) -> Pattern:
    return _line(rf"{operation}:\s+(\d+)", Field(1, "queries_performed", "1", None, operation))


def _iops(word: str, metric: str) -> Pattern:
    fields = (
        Field(1, f"{word}_iops", "IOPS", _UP),
        Field(2, metric, "MiB/s", _UP),
        Field(3, f"{metric}_megabytes", "MB/s", _UP),
    )
    return _line(rf"{word}:\s+IOPS=(\S+) (\S+) MiB/s \((\S+) MB/s\)", *fields)


GENERAL = (
    _value("events per second:", "events_per_second", "events/s", _UP),
    _value(r"events/s \(eps\):", "eps", "events/s", _UP),
    _value("total time:", "total_time", "s", _DOWN),
    _value("time elapsed:", "time_elapsed", "s", _DOWN),
    _value("total number of events:", "total_number_of_events", "1"),
    _value("total time taken by event execution:", "total_time_taken_by_event_execution", "s", _DOWN),
    *(_value(f"{word}:", f"latency_{word}", "ms", _DOWN) for word in ("min", "avg", "max", "sum")),
    _line(
        r"(?:approx\.)? *(?P<percentile>\d+)(?:th)? percentile:\s*(.*?)(?:ms)?",
        Field(2, "latency_percentile", "ms", _DOWN),
    ),
    _line(r"(?P<value_ms>[\d.]+) \|\**\s+(\d+)", Field(2, "latency_histogram", "1")),
    _line(
        r"events \(avg/stddev\):\s*+([^/]*)/(\S*)",
        Field(1, "threads_fairness_events_avg", "1"),
        Field(2, "threads_fairness_events_stddev", "1", _DOWN),
    ),
    _line(
        r"execution time \(avg/stddev\):\s*+([^/]*)/(\S*)",
        Field(1, "threads_fairness_execution_time_avg", "s"),
        Field(2, "threads_fairness_execution_time_stddev", "s", _DOWN),
    ),
    _value("Number of unfinished transactions on forced shutdown:", "unfinished_transactions", "1", _DOWN),
)

MEMORY = (
    _line(
        r"(?:Total operations|Operations performed): (\S+) \(\s*(\S+) (?:per second|ops/sec)\)",
        Field(1, "operations", "1"),
        Field(2, "operations_per_second", "ops/s", _UP),
    ),
    _line(
        r"(\S+) M(?:i)?B transferred \((\S+) M(?:i)?B/sec\)",
        Field(1, "transferred", "MiB"),
        Field(2, "transferred_per_second", "MiB/s", _UP),
    ),
)

_OPERATIONS = ("read", "write", "other", "total")

FILEIO = (
    _value("reads/s:", "reads_per_s", "reads/s", _UP),
    _value("writes/s:", "writes_per_s", "writes/s", _UP),
    _value("fsyncs/s:", "fsyncs_per_s", "fsyncs/s", _UP),
    _value("read, MiB/s:", "read", "MiB/s", _UP),
    _value("written, MiB/s:", "written", "MiB/s", _UP),
    _iops("read", "read"),
    _iops("write", "written"),
    _value("fsync:\\s+IOPS=", "fsync_iops", "IOPS", _UP),
    _line(
        r"Operations performed:\s+(\d+) [Rr]eads?, (\d+) [Ww]rites?, (\d+) Other = (\d+) Total",
        *(Field(at, "operations_performed", "1", None, word) for at, word in enumerate(_OPERATIONS, start=1)),
    ),
    _line(
        r"Read (\S+)\s+Written (\S+)\s+Total transferred (\S+)\s+\((\S+)/sec\)",
        Field(1, "transferred", "size", None, "read"),
        Field(2, "transferred", "size", None, "write"),
        Field(3, "transferred", "size", None, "total"),
        Field(4, "transferred_per_second", "size/s", _UP),
    ),
    _line(r"(\S+) Requests/sec executed", Field(1, "requests_per_second", "requests/s", _UP)),
    _line(
        r"(\d+) bytes written in (\S+) seconds \((\S+) Mi?[bB]/sec\)\.",
        Field(1, "prepare_bytes", "B"),
        Field(2, "prepare_time", "s", _DOWN),
        Field(3, "prepare_rate", "MiB/s", _UP),
    ),
)

SQL = (
    *(_queries(operation) for operation in _OPERATIONS),
    _counted("transactions", "transactions", "transactions/s", _UP),
    _counted("queries", "queries", "queries/s", _UP),
    _counted("deadlocks", "deadlocks", "deadlocks/s", _DOWN),
    _counted("ignored errors", "ignored_errors", "errors/s", _DOWN),
    _counted("reconnects", "reconnects", "reconnects/s", _DOWN),
    _counted("read/write requests", "read_write_requests", "requests/s", _UP),
    _counted("other operations", "other_operations", "operations/s", _UP),
)

PATTERNS: tuple[Pattern, ...] = (*GENERAL, *MEMORY, *FILEIO, *SQL)
