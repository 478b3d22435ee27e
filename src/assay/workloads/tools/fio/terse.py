"""fio's terse output: a line a job, its fields by position; versions 3, 4 and 5.

Names are those of fio's JSON where the quantity is the same; latencies are in microseconds here, rates in
KiB/s and whole IOPS. Zeros that stand for nothing measured are marked as in JSON.

Source: ``show_thread_status_terse_all`` and ``show_ddir_status_terse`` in fio's ``stat.c``; fio's HOWTO,
    "Terse output".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from assay.model.work.tool_output import Figure, ToolOutput
from assay.workloads.errors import OutputError
from assay.workloads.outputs.digits import NUMBER
from assay.workloads.outputs.marks import marked
from assay.workloads.outputs.shell import SHELL
from assay.workloads.tools.fio.fields import CPU, DEPTHS, DISK, HEADER, TAIL, Field, buckets, operation
from assay.workloads.tools.fio.idle import NO_SAMPLE
from assay.workloads.tools.fio.reports import percentile
from assay.workloads.tools.fio.words import TOOL, error_words

_LINE = re.compile(r"^[2-5];")
_NUMBER = re.compile(rf"({NUMBER})%?")
_PERCENTILE = re.compile(rf"({NUMBER})%=({NUMBER})")
_NO_PERCENTILE = "0%=0"
"""Of the twenty places for percentiles, one that is not used."""
_OPERATIONS: dict[int, tuple[str, ...]] = {
    1: ("mixed",),
    2: ("read", "write"),
    3: ("read", "write", "trim"),
    4: ("read", "write", "trim", "mixed"),
}
_BY_VERSION = {3: (2, 1), 4: (3, 1, 4), 5: (3, 1, 4)}
"""How many operations a line may have: fio's own, with ``unified_rw_reporting=mixed``, with ``both``."""


_HARMLESS = re.compile(
    rf"\s*$|fio-\d\S*$|Starting \d+ (?:process|thread)|Jobs: \d|note: both iodepth|{SHELL.pattern}"
)
"""What fio says of its start and its progress, and what a shell writes around it."""


def read_lines(text: str, *, alone: bool) -> ToolOutput:
    """Return all figures of fio's terse lines.

    Args:
        text: The output.
        alone: fio's normal text does not stand beside them: there is no other line with figures.

    Raises:
        OutputError: a job ended with an error, a line has not the fields of its version, or is not known.
    """
    if alone:
        _refuse_others(text)
    lines = [
        (number, line.split(";"))
        for number, line in enumerate(text.splitlines(), start=1)
        if _LINE.match(line) is not None
    ]
    names = [_named(number, fields) for number, fields in lines]
    times, seen = Counter(names), Counter[str]()
    figures: list[Figure] = []
    for (number, fields), name in zip(lines, names, strict=True):
        labels = {"job": name} | ({"index": str(seen[name])} if times[name] > 1 else {})
        seen[name] += 1
        figures += _Line(number, fields, labels).figures()
    return ToolOutput(TOOL, lines[0][1][1].removeprefix("fio-"), tuple(figures))


def _refuse_others(text: str) -> None:
    for number, line in enumerate(text.splitlines(), start=1):
        if _LINE.match(line) is None and _HARMLESS.match(line) is None:
            raise OutputError(TOOL, number, f"expected a terse line of fio, got '{line.strip():.80}'")


def _named(number: int, fields: list[str]) -> str:
    if int(fields[0]) not in _BY_VERSION:
        raise OutputError(TOOL, number, f"expected terse version 3, 4 or 5, got version {fields[0]}")
    if len(fields) <= HEADER or re.fullmatch(r"\d{1,9}", fields[HEADER - 1]) is None:
        raise OutputError(TOOL, number, "expected the fields of a terse line, got too few")
    if (code := int(fields[HEADER - 1])) != 0:
        raise OutputError(TOOL, number, f"job '{fields[2]}' ended with error {code} ({error_words(code)})")
    return fields[2]


class _Line:
    """One terse line, its fields by position."""

    def __init__(self, number: int, fields: Sequence[str], labels: dict[str, str]) -> None:
        self.number, self.fields, self.labels = number, fields, labels
        self.block = operation(int(fields[0]))

    def figures(self) -> Iterator[Figure]:
        """Yield the figures of its operations, its job and its disks."""
        operations = self._operations()
        for at, name in enumerate(operations):
            yield from self._operation(name, HEADER + at * len(self.block))
        start = HEADER + len(operations) * len(self.block)
        tail = (*CPU, *DEPTHS, *buckets())
        yield from (self._figure(field, start + at) for at, field in enumerate(tail))
        yield from self._disks(start + len(tail))

    def _operations(self) -> tuple[str, ...]:
        for count in _BY_VERSION[int(self.fields[0])]:
            cpu = self.fields[HEADER + count * len(self.block) :][: len(CPU)]
            if len(cpu) == len(CPU) and "".join(" %"[field.endswith("%")] for field in cpu) == "%%   ":
                return _OPERATIONS[count]
        problem = (
            f"expected the fields of terse version {self.fields[0]}, got {len(self.fields)} of another order"
        )
        raise OutputError(TOOL, self.number, problem)

    def _operation(self, name: str, start: int) -> Iterator[Figure]:
        values = self.fields[start : start + len(self.block)]
        not_done = None
        if all(value in {"0", _NO_PERCENTILE} or re.fullmatch(r"0\.0+%?", value) for value in values[:12]):
            not_done = f"the job did no {name}"
        empty = _empty_groups(self.block, values)
        for at, field in enumerate(self.block):
            if values[at] != _NO_PERCENTILE:
                reason = not_done or (NO_SAMPLE if field.group in empty else None)
                yield marked(self._figure(field, start + at, operation=name), reason)

    def _figure(self, field: Field, at: int, **labels: str) -> Figure:
        text = self.fields[at] if at < len(self.fields) else ""
        own = {**self.labels, **labels, **field.labels}
        if field.metric.endswith("_percentile") and (match := _PERCENTILE.fullmatch(text)) is not None:
            own["percentile"] = percentile(match[1])
            return Figure(field.metric, float(match[2]), field.unit, field.direction, own)
        if (number := _NUMBER.fullmatch(text)) is None:
            problem = f"expected a number for {field.metric} in field {at + 1}, got '{text:.40}'"
            raise OutputError(TOOL, self.number, problem)
        return Figure(field.metric, float(number[1]), field.unit, field.direction, own)

    def _disks(self, start: int) -> Iterator[Figure]:
        """Yield the figures of disks, which have a name before them; what follows them is the job's
        description.
        """
        while _is_disk(self.fields[start : start + 1 + len(DISK)]):
            labels = {"disk": self.fields[start]}
            yield from (self._figure(field, start + 1 + at, **labels) for at, field in enumerate(DISK))
            start += 1 + len(DISK)
        errors = self.fields[start : start + len(TAIL)]
        if len(errors) == len(TAIL) and all(value.isdigit() for value in errors):
            yield from (self._figure(field, start + at) for at, field in enumerate(TAIL))


def _is_disk(fields: Sequence[str]) -> bool:
    return len(fields) == 1 + len(DISK) and fields[-1].endswith("%") and fields[1].isdigit()


def _empty_groups(block: Sequence[Field], values: Sequence[str]) -> list[str]:
    """Return the groups of fields, such as a latency, whose numbers are all 0."""
    groups: dict[str, list[str]] = {}
    for field, value in zip(block, values, strict=False):
        if field.group:
            groups.setdefault(field.group, []).append(value)
    return [
        name
        for name, members in groups.items()
        if all(re.fullmatch(r"[0.]+%?|[\d.]+%=0", value) for value in members)
    ]
