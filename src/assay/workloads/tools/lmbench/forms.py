"""Lines of lmbench that say themselves what they are."""

from __future__ import annotations

import re

from assay.model.metric import Direction
from assay.model.work.tool_output import Figure, Refused

HIGHER, LOWER = Direction.HIGHER, Direction.LOWER
_UNITS = {
    "microseconds": ("us", LOWER),
    "nanoseconds": ("ns", LOWER),
    "milliseconds": ("ms", LOWER),
    "MB/sec": ("MB/s", HIGHER),
    "KB/sec": ("kB/s", HIGHER),
}
_NUMBER = r"(\d+(?:\.\d+)?)"
_NAMED = re.compile(rf"(.+?): {_NUMBER} (microseconds|nanoseconds|milliseconds|MB/sec|KB/sec)\s*$")
_PARALLELISM = re.compile(rf"([a-z0-9]+ [a-z]+ parallelism): {_NUMBER}\s*$")
_TLB = re.compile(rf"tlb: (\d+) pages(?: {_NUMBER} nanoseconds)?\s*$")
_CACHE = re.compile(
    rf"L(\d+) cache: (\d+) bytes {_NUMBER} nanoseconds (-?\d+) linesize {_NUMBER} parallelism\s*$"
)
_MEMORY = re.compile(rf"Memory latency: {_NUMBER} nanoseconds {_NUMBER} parallelism\s*$")
_MHZ = re.compile(rf"{_NUMBER} MHz, {_NUMBER} nanosec clock\s*$")
_MOVED = re.compile(rf"(?:(.+?):\s+)?{_NUMBER} MB in {_NUMBER} secs, {_NUMBER} MB/sec\s*$")
_HTTP = re.compile(
    rf"Avg xfer: (inf|nan|\d+(?:\.\d+)?)KB, {_NUMBER}KB in {_NUMBER} "
    rf"(millisecs|millisec|microsecs), {_NUMBER} (MB|KB)/sec\s*$"
)

_LABELLED: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"Select on (\d+) fd's$"), "select_on_fds", "fds"),
    (re.compile(r"Select on (\d+) tcp fd's$"), "select_on_tcp_fds", "fds"),
    (re.compile(r"Pagefaults on (.+)$"), "pagefaults", "file"),
    (re.compile(r"File (.+) write bandwidth$"), "file_write_bandwidth", "file"),
    (re.compile(r"(?:RPC/tcp) latency using (.+)$"), "rpc_tcp_latency", "host"),
    (re.compile(r"(?:RPC/udp) latency using (.+)$"), "rpc_udp_latency", "host"),
    (re.compile(r"TCP latency using (.+)$"), "tcp_latency", "host"),
    (re.compile(r"UDP latency using (.+)$"), "udp_latency", "host"),
    (re.compile(r"TCP/IP connection cost to (.+)$"), "tcp_ip_connection_cost", "host"),
    (re.compile(r"Socket bandwidth using (.+)$"), "socket_bandwidth", "host"),
    (re.compile(r"(?:realtime )?usleep (\d+) microseconds$"), "usleep", "asked_us"),
)
_PLAIN = re.compile(
    r"Simple (syscall|read|write|stat|fstat|open/close)$|Signal handler "
    r"(installation|overhead)$|Protection fault$"
    r"|(Pipe|Fifo|Semaphore|Fcntl lock|AF_UNIX sock stream|AF_UNIX sock dgram|UNIX) "
    r"(latency|bandwidth|connection cost)$"
    r"|Process (fork\+exit|fork\+execve|fork\+/bin/sh -c|exec)$|Procedure call$"
    r"|(integer|int64|uint64|float|double) (bit|add|sub|mul|div|mod|bogomflops)$"
    r"|STREAM2? (copy|scale|add|triad|fill|daxpy|sum) (latency|bandwidth)$"
)


def metric_name(words: str) -> str:
    """Return lmbench's own words as a metric's name."""
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def forms(line: str) -> list[Figure | Refused] | None:
    """Return the figures of a line that says what it is; ``None`` where it is no such line."""
    if match := _MOVED.match(line):
        labels = {"label": match[1]} if match[1] else {}
        return [
            Figure("moved", float(match[2]), "MB", None, labels),
            Figure("time", float(match[3]), "s", LOWER, labels),
            Figure("bandwidth", float(match[4]), "MB/s", HIGHER, labels),
        ]
    if match := _NAMED.match(line):
        return _named(match[1], float(match[2]), match[3])
    if match := _PARALLELISM.match(line):
        return [Figure(metric_name(match[1]), float(match[2]), "1", HIGHER)]
    return _hardware(line) or _http(line)


def _named(words: str, value: float, printed_unit: str) -> list[Figure | Refused] | None:
    unit, direction = _UNITS[printed_unit]
    for pattern, metric, label in _LABELLED:
        if match := pattern.match(words):
            return [Figure(metric, value, unit, direction, {label: match[1]})]
    return [Figure(metric_name(words), value, unit, direction)] if _PLAIN.match(words) else None


def _hardware(line: str) -> list[Figure | Refused] | None:
    if match := _TLB.match(line):
        pages = Figure("tlb_pages", float(match[1]), "1", None)
        return [pages] if match[2] is None else [pages, Figure("tlb_cost", float(match[2]), "ns", LOWER)]
    if match := _CACHE.match(line):
        level = {"level": match[1]}
        return [
            Figure("cache_size", float(match[2]), "B", None, level),
            Figure("cache_latency", float(match[3]), "ns", LOWER, level),
            Figure("cache_linesize", float(match[4]), "B", None, level),
            Figure("cache_parallelism", float(match[5]), "1", HIGHER, level),
        ]
    if match := _MEMORY.match(line):
        latency = Figure("memory_latency", float(match[1]), "ns", LOWER)
        return [latency, Figure("memory_parallelism", float(match[2]), "1", HIGHER)]
    if match := _MHZ.match(line):
        return [
            Figure("clock_rate", float(match[1]), "MHz", HIGHER),
            Figure("clock_period", float(match[2]), "ns", LOWER),
        ]
    return None


def _http(line: str) -> list[Figure | Refused] | None:
    if (match := _HTTP.match(line)) is None:
        return None
    time = "us" if match[4].startswith("micro") else "ms"
    rate = "MB/s" if match[6] == "MB" else "kB/s"
    average: Figure | Refused = Refused("http_average_transfer", f"lat_http printed {match[1]}")
    if match[1][0].isdigit():
        average = Figure("http_average_transfer", float(match[1]), "kB", None)
    return [
        average,
        Figure("http_transferred", float(match[2]), "kB", None),
        Figure("http_time", float(match[3]), time, LOWER),
        Figure("http_bandwidth", float(match[5]), rate, HIGHER),
    ]
