"""netperf's omni output in its three forms; each number by netperf's own key.

Addresses, ports and numbers of devices are no figures. ``THROUGHPUT`` without ``THROUGHPUT_UNITS`` has
netperf's default unit and is not comparable, since ``-f`` may have changed it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Refused
from assay.workloads.errors import OutputError
from assay.workloads.tools.netperf.classic import HIGHER, LOWER, TOOL, Entry, Test, figure

_PAIR = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)$")
_NUMBER = re.compile(r"-?\d+(\.\d+)?$")
_CLASSIC = re.compile(r"Recv\s+Send\s+Send\s|Socket\s+Message\s+Elapsed|Local /Remote|\d+(?:\.\d+)?\s*$")
"""First lines of the classic tables, and a bare number."""
_NO_FIGURE = re.compile(
    r"_port$|_address?$|_addr$|_family$|_id$|_bind$|uuid|_vendor$|_device$|_subvendor$|_subdevice$|_slot$|_tag$|_brand$"
    r"|security|interface|_tos$|_priority$|_prio$|_cork$|_nodelay$|_fill_file$|command_line"
)
_LABELS = {
    "protocol": "protocol",
    "direction": "direction",
    "socket_type": "socket_type",
    "result_tag": "tag",
}
_SHORT = {
    "elapsed_time_sec": "elapsed_time",
    "transaction_rate_tran_s": "transaction_rate",
    "round_trip_latency_usec_tran": "rt_latency",
    "minimum_latency_microseconds": "min_latency",
    "maximum_latency_microseconds": "max_latency",
    "mean_latency_microseconds": "mean_latency",
    "stddev_latency_microseconds": "stddev_latency",
    "throughput_confidence_width": "throughput_confid",
    "service_demand_units": "sd_units",
}
"""Names of lists and tables -> keys, where the words differ; the rest follows by rule."""
_BY_RULE = (
    (re.compile(r"^(\d+)th_percentile_latency_microseconds$"), r"p\1_latency"),
    (re.compile(r"^(local|remote)_service_demand$"), r"\1_sd"),
    (re.compile(r"^(local|remote)_cpu_confidence_width$"), r"\1_cpu_confid"),
    (re.compile(r"^(local|remote)_peak_per_cpu_util$"), r"\1_cpu_peak_util"),
    (re.compile(r"^(local|remote)_cpu_(user|system)$"), r"\1_cpu_percent_\2"),
    (re.compile(r"^(local|remote)_transport_retransmissions$"), r"\1_transport_retrans"),
)
_KINDS: tuple[tuple[str, str, Direction | None], ...] = (
    (r"cpu_(peak_)?util$|cpu_percent|cpu_(user|system|i_o|irq|swintr)$", "%", LOWER),
    (r"confid$", "%", LOWER),
    (r"confidence_(level|interval)|confidence_width", "%", None),
    (r"latency", "us", LOWER),
    (r"_usecs$", "us", None),
    (r"frequency", "MHz", None),
    (r"^elapsed_time$", "s", None),
    (r"transaction_rate", "Trans/s", HIGHER),
    (r"retrans", "1", LOWER),
    (r"_size|bytes|_mss|offset|align", "B", None),
)


def keys(test: Test) -> list[Entry]:
    """Return the figures of ``-k``; none where the lines are of another form."""
    pairs = [(line, _PAIR.match(line.text)) for line in test.lines]
    if pairs[0][1] is None:
        return []
    wrong = next((line for line, pair in pairs if pair is None), None)
    if wrong is not None:
        raise OutputError(TOOL, wrong.number, f"expected KEY=VALUE, got '{wrong.text.strip():.120}'")
    return _figures(test, [(pair[1].lower(), pair[2]) for _, pair in pairs if pair is not None])


def commas(test: Test) -> list[Entry]:
    """Return the figures of ``-o``; none where the lines are of another form."""
    head = test.lines[0].text
    if "," not in head or not re.match(r"[A-Z][A-Za-z]", head):
        return []
    try:
        names, *rows = csv.reader(line.text for line in test.lines)
    except csv.Error as error:
        raise OutputError(
            TOOL, test.lines[0].number, f"expected commas between values, got {error}"
        ) from error
    if len(rows) != 1 or len(rows[0]) != len(names):
        got = f"{len(rows[0])} values" if len(rows) == 1 else f"{len(rows)} lines"
        raise OutputError(TOOL, test.lines[-1].number, f"expected one line of {len(names)} values, got {got}")
    return _figures(test, [(_key(name), value) for name, value in zip(names, rows[0], strict=True)])


def table(test: Test) -> list[Entry]:
    """Return the figures of ``-O`` and of ``omni`` alone: columns below names of several lines; none where it
    is none.

    Raises:
        OutputError: the columns cannot be told apart.
    """
    *head, row = test.lines
    if not head or not re.match(r"[A-Z0-9]", head[0].text) or _CLASSIC.match(head[0].text):
        return []
    columns = list(_columns([line.text for line in test.lines]))
    values = [row.text[start:end].strip() for start, end in columns]
    if values != row.text.split():
        raise OutputError(
            TOOL, row.number, f"expected a value below each name, got '{row.text.strip():.120}'"
        )
    names = [_key(" ".join(line.text[start:end].strip() for line in head)) for start, end in columns]
    return _figures(test, list(zip(names, values, strict=True)))


def _columns(lines: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Yield start and end of the columns: where all lines are blank one ends."""
    width = max(map(len, lines))
    filled = [any(at < len(line) and line[at] != " " for line in lines) for at in range(width)] + [False]
    start: int | None = None
    for at, full in enumerate(filled):
        if full and start is None:
            start = at
        elif not full and start is not None:
            yield start, at
            start = None


def _key(name: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    for pattern, short in _BY_RULE:
        words = pattern.sub(short, words)
    return _SHORT.get(words, words)


def _figures(test: Test, pairs: Sequence[tuple[str, str]]) -> list[Entry]:
    values = {key: value.strip() for key, value in pairs}
    labels = {**test.labels, **{_LABELS[key]: values[key] for key in _LABELS if values.get(key)}}
    return [
        entry
        for key, value in pairs
        if (entry := _entry(key, value.strip(), labels, (test.name, values))) is not None
    ]


def _entry(key: str, value: str, labels: dict[str, str], test: tuple[str, dict[str, str]]) -> Entry | None:
    if re.fullmatch(r"-?nan|-?inf", value):
        return Refused(key, f"netperf printed {value}", labels)
    if not _NUMBER.match(value) or _NO_FIGURE.search(key):
        return None
    if "throughput" in key and not key.endswith(("_confid", "_units")):
        return _throughput(key, float(value), labels, test)
    if re.search(r"_sd$", key):
        unit = test[1].get("sd_units") or ("usec/Tran" if _counts(test[0]) else "usec/KB")
        return figure(key, float(value), unit.replace("usec", "us"), LOWER, labels)
    for pattern, unit, direction in _KINDS:
        if re.search(pattern, key):
            return figure(key, float(value), unit, direction, labels)
    return figure(key, float(value), "1", None, labels)


def _throughput(key: str, value: float, labels: dict[str, str], test: tuple[str, dict[str, str]]) -> Entry:
    units = test[1].get("throughput_units")
    if not units and not test[0]:
        raise OutputError(
            TOOL, None, "expected THROUGHPUT_UNITS or the head of a test, got a throughput without a unit"
        )
    if key != "throughput":  # these count bits even where the test counts transactions
        unit = units if units and units != "Trans/s" else "10^6bits/s"
        return figure(key, value, unit, HIGHER, labels)
    if units:
        return figure(key, value, units, HIGHER, labels)
    doubt = (
        "the output does not tell the unit (THROUGHPUT_UNITS): this is netperf's default, which -f changes"
    )
    default = "Trans/s" if _counts(test[0]) else "10^6bits/s"
    return figure(key, value, default, HIGHER, {**labels, NOT_COMPARABLE: doubt})


def _counts(name: str) -> bool:
    """Tell whether a test counts transactions."""
    return name.endswith(("_RR", "_CRR", "_CC"))
