"""How machines are, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from assay.model.machines.health import Health
from assay.model.units import format_bytes
from assay.report.tables.tables import table

HEADERS = (
    "machine",
    "looked at",
    "last seen",
    "load",
    "busy",
    "steal",
    "free",
    "temperature",
    "throttles",
    "why not",
)


def health_table(looks: Iterable[Health], last_seen: Mapping[str, int]) -> str:
    """Return a line a machine.

    Args:
        looks: How each is.
        last_seen: When each was last reached, ns since 1970, by name; without those that never were.
    """
    rows = [[*_cells(look, last_seen.get(look.machine))] for look in looks]
    return table(HEADERS, rows, right={3, 4, 5, 6, 7, 8})


def _cells(look: Health, seen_ns: int | None) -> Iterator[str]:
    yield look.machine
    yield _moment(look.at_ns)
    yield "-" if seen_ns is None else _moment(seen_ns)
    yield "-" if look.load is None else f"{look.load:.2f}"
    yield "-" if look.busy is None else f"{look.busy:.0%}"
    yield "-" if look.steal is None else f"{look.steal:.0%}"
    yield "-" if look.free_bytes is None else format_bytes(look.free_bytes)
    yield "-" if look.temperature_c is None else f"{look.temperature_c:.0f} °C"
    yield "-" if look.throttles is None else str(look.throttles)
    yield look.why or ""


def _moment(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
