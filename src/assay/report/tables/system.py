"""The table of systems: a row a property, a column an arm; what no arm tells of has no row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.model.units import format_bytes
from assay.pages.numbers import NOTHING
from assay.pages.system import System

TITLE = "Systems"
NOTE = "as the first trial of each saw it; assay report --table facts has all that is known of them"


def system_headers(systems: Sequence[System]) -> tuple[str, ...]:
    """Return the names of the columns."""
    return ("", *(one.label for one in systems))


def system_rows(systems: Sequence[System]) -> list[tuple[str, ...]]:
    """Return the rows, one text a column."""
    rows = [(name, [get(one) for one in systems]) for name, get in _ROWS]
    return [(name, *(cell or NOTHING for cell in cells)) for name, cells in rows if any(cells)]


def _ranges(numbers: Sequence[int]) -> str:
    """Return numbers as the kernel lists processors, ``0-3,8``."""
    ends: list[list[int]] = []
    for number in sorted(numbers):
        if ends and number == ends[-1][1] + 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in ends)


def _processors(one: System) -> str:
    return f"{one.cpus}, confined to {_ranges(one.confined)}" if one.confined else str(one.cpus)


def _memory(one: System) -> str:
    limit = one.memory_limit_bytes
    memory = format_bytes(one.memory_bytes)
    return memory if limit is None else f"{memory}, job limited to {format_bytes(limit)}"


def _made_by(one: System) -> str | None:
    parts = [one.platform, one.accelerator, one.guest_cpu and f"CPU model {one.guest_cpu}"]
    return ", ".join(filter(None, parts)) or None


_ROWS: tuple[tuple[str, Callable[[System], str | None]], ...] = (
    ("name", lambda one: one.hostname),
    ("processor", lambda one: one.cpu_model),
    ("processors", _processors),
    ("memory", _memory),
    ("kernel", lambda one: f"{one.kernel}, {one.architecture}"),
    ("clock source", lambda one: one.clock_source),
    ("governor", lambda one: one.governor),
    ("huge pages", lambda one: one.thp),
    ("made by", _made_by),
    ("disk", lambda one: one.disk),
    ("runs on", lambda one: one.below),
)
