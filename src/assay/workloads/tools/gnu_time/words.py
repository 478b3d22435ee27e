"""The lines of GNU time: what each says and in which unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.model.metric import Direction
from assay.model.work.tool_output import NOT_COMPARABLE, Figure, Refused
from assay.workloads.errors import OutputError
from assay.workloads.outputs.digits import NUMBER

_DOWN = Direction.LOWER
Entry = Figure | Refused
TOOL = "time"

FAILED = re.compile(
    r"\s*Command (?:exited with non-zero status \d+|terminated by signal \d+|stopped by signal \d+)"
)
NOT_KEPT = "Linux keeps no such count, GNU time prints 0 (getrusage(2))"

_LONG: dict[str, tuple[str, str, Direction | None]] = {
    "User time (seconds)": ("user_time", "s", _DOWN),
    "System time (seconds)": ("system_time", "s", _DOWN),
    "Percent of CPU this job got": ("percent_of_cpu", "%", None),
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": ("elapsed_time", "s", _DOWN),
    "Average shared text size (kbytes)": ("average_shared_text_size", "KiB", _DOWN),
    "Average unshared data size (kbytes)": ("average_unshared_data_size", "KiB", _DOWN),
    "Average stack size (kbytes)": ("average_stack_size", "KiB", _DOWN),
    "Average total size (kbytes)": ("average_total_size", "KiB", _DOWN),
    "Maximum resident set size (kbytes)": ("maximum_resident_set_size", "KiB", _DOWN),
    "Average resident set size (kbytes)": ("average_resident_set_size", "KiB", _DOWN),
    "Major (requiring I/O) page faults": ("major_page_faults", "1", _DOWN),
    "Minor (reclaiming a frame) page faults": ("minor_page_faults", "1", _DOWN),
    "Voluntary context switches": ("voluntary_context_switches", "1", _DOWN),
    "Involuntary context switches": ("involuntary_context_switches", "1", _DOWN),
    "Swaps": ("swaps", "1", _DOWN),
    "File system inputs": ("file_system_inputs", "blocks", _DOWN),
    "File system outputs": ("file_system_outputs", "blocks", _DOWN),
    "Socket messages sent": ("socket_messages_sent", "1", None),
    "Socket messages received": ("socket_messages_received", "1", None),
    "Signals delivered": ("signals_delivered", "1", None),
    "Page size (bytes)": ("page_size", "B", None),
    "Exit status": ("exit_status", "1", None),
}
"""Blocks are of 512 bytes; ``kbytes`` of 1024."""
_NOT_KEPT = re.compile(r"average_\w+|swaps|socket_messages_\w+|signals_delivered")

_SHORT_LINES = (
    (
        re.compile(
            r"(\S+)user (\S+)system (\S+)elapsed (\S+)%CPU \((\S+)avgtext\+(\S+)avgdata (\S+)maxresident\)k"
        ),
        (
            ("user", "s", _DOWN),
            ("system", "s", _DOWN),
            ("elapsed", "s", _DOWN),
            ("percent_of_cpu", "%", None),
            ("average_text", "KiB", _DOWN),
            ("average_data", "KiB", _DOWN),
            ("max_resident", "KiB", _DOWN),
        ),
    ),
    (
        re.compile(r"(\S+)inputs\+(\S+)outputs \((\S+)major\+(\S+)minor\)pagefaults (\S+)swaps"),
        (
            ("inputs", "blocks", _DOWN),
            ("outputs", "blocks", _DOWN),
            ("major_page_faults", "1", _DOWN),
            ("minor_page_faults", "1", _DOWN),
            ("swaps", "1", _DOWN),
        ),
    ),
    (re.compile(r"real\s+(\S+)"), (("real", "s", _DOWN),)),
    (re.compile(r"user\s+(\S+)"), (("user", "s", _DOWN),)),
    (re.compile(r"sys\s+(\S+)"), (("sys", "s", _DOWN),)),
)
_CLOCK = re.compile(
    rf"(?:(\d{{1,9}}):)?(\d{{1,9}}):({NUMBER})|(?:(\d{{1,9}})h ?)?(\d{{1,9}})m ?({NUMBER})s|({NUMBER})"
)
"""``1:02:03.4``; ``1h 2m 3s`` of BusyBox, ``2m3.400s`` of bash; a plain number."""


def long_line(number: int, line: str, failed: str) -> Iterator[Entry]:
    """Yield the figure of a line of ``-v``.

    Raises:
        OutputError: a line that is not known, or no number in it.
    """
    words, _, value = line.strip().rpartition(": ")
    if words not in _LONG:
        raise OutputError(TOOL, number, f"expected a line of GNU time, got '{line.strip():.80}'")
    yield _entry(number, line, _LONG[words], value.removesuffix("%"), failed)


def short_line(number: int, line: str, failed: str) -> Iterator[Entry]:
    """Yield the figures of a line of the usual or the POSIX format.

    Raises:
        OutputError: as ``long_line``.
    """
    for pattern, quantities in _SHORT_LINES:
        if (match := pattern.fullmatch(line)) is not None:
            for word, value in zip(quantities, match.groups(), strict=True):
                yield _entry(number, line, word, value, failed)
            return
    raise OutputError(TOOL, number, f"expected a line of GNU time, got '{line.strip():.80}'")


def _entry(
    number: int, line: str, quantity: tuple[str, str, Direction | None], text: str, failed: str
) -> Entry:
    metric, unit, direction = quantity
    if text == "?":
        return Refused(metric, "too short: GNU time printed '?'")
    if (clock := _CLOCK.fullmatch(text)) is None or (clock[7] is None and unit != "s"):
        raise OutputError(TOOL, number, f"expected a number, got '{line.strip():.80}'")
    *parts, plain = clock.groups()
    hours, minutes, seconds = (float(one or two or 0) for one, two in zip(parts[:3], parts[3:], strict=True))
    value = float(plain) if plain else hours * 3600 + minutes * 60 + seconds
    reason = failed or (NOT_KEPT if value == 0 and _NOT_KEPT.fullmatch(metric) else "")
    return Figure(metric, value, unit, direction, {NOT_COMPARABLE: reason} if reason else {})
