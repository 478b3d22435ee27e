"""How machines are, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from assay.model.machines.health import Health
from assay.model.units import format_bytes
from assay.report.tables.tables import table

HEADERS = ("machine", "seen", "load", "busy", "steal", "free", "temperature", "throttles", "why not")


def health_table(looks: Iterable[Health]) -> str:
    """Return a line a machine."""
    return table(HEADERS, [[*_cells(look)] for look in looks], right={2, 3, 4, 5, 6, 7})


def _cells(look: Health) -> Iterator[str]:
    yield look.machine
    yield datetime.fromtimestamp(look.at_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    yield "-" if look.load is None else f"{look.load:.2f}"
    yield "-" if look.busy is None else f"{look.busy:.0%}"
    yield "-" if look.steal is None else f"{look.steal:.0%}"
    yield "-" if look.free_bytes is None else format_bytes(look.free_bytes)
    yield "-" if look.temperature_c is None else f"{look.temperature_c:.0f} °C"
    yield "-" if look.throttles is None else str(look.throttles)
    yield look.why or ""
