"""What a page's guests were seen to do by their host, phase by phase, as a table and lines below it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from assay.model.units import format_bytes
from assay.pages.context import Page
from assay.pages.host_phase import Growth, HostPhase, Named
from assay.pages.numbers import NOTHING

TITLE = "Host and guest, by phase"
HEADERS = (
    "workload", "phase", "s", "vCPUs ran s", "vCPUs waited s", "steal inside s", "rest of QEMU s", "read",
    "written", "received", "sent", "exits",
)  # fmt: skip
RIGHT = range(2, len(HEADERS))
BOUNDS = (
    "of the trials shown over time; ± is what the time between two samples leaves open, and a "
    "phase shorter than that has bounds alone"
)
WHOSE = (
    "vCPUs' time, bytes and exits are the host's count of this guest; steal inside is the guest's "
    "own, told under KVM alone"
)


def host_cells(page: Page) -> list[tuple[str, ...]]:
    """Return one row a guest's trial and phase; empty where no host was watched."""
    return [(name, *_cells(phase)) for name, phase in _phases(page)]


def host_lines(page: Page) -> list[str]:
    """Return a line for each phase with exits by reason and the host's events, and what they are of."""
    lines = [line for name, phase in _phases(page) if (line := _line(name, phase))]
    return [*lines, BOUNDS, WHOSE] if any(True for _ in _phases(page)) else []


def _phases(page: Page) -> Iterator[tuple[str, HostPhase]]:
    for timeline in page.timelines:
        guests = [track for track in timeline.tracks if track.host]
        for track in guests:
            name = timeline.workload if len(guests) == 1 else f"{timeline.workload}, {track.label}"
            yield from ((name, phase) for phase in track.host)


def _cells(phase: HostPhase) -> tuple[str, ...]:
    seconds = (phase.vcpu_run_s, phase.vcpu_wait_s)
    sizes = (phase.read_bytes, phase.write_bytes, phase.received_bytes, phase.sent_bytes)
    exits = next((one.amount for one in phase.exits if one.name == "exits"), None)
    return (
        phase.phase,
        f"{phase.seconds:.4g}",
        *(_amount(one, SECONDS) for one in seconds),
        NOTHING if phase.steal_s is None else SECONDS[0](phase.steal_s),
        _amount(phase.other_s, SECONDS),
        *(_amount(one, SIZE) for one in sizes),
        _amount(exits, COUNT),
    )


def _amount(amount: Growth | None, text: Text) -> str:
    """Return ``12.3 ±0.4``, for a phase shorter than an interval ``0 to 0.4``."""
    if amount is None:
        return NOTHING
    value, open_to = text
    if amount.value is None:
        return f"{value(amount.low)} to {value(amount.high)}"
    left = max(amount.high - amount.value, amount.value - amount.low)
    return value(amount.value) + (f" ±{open_to(left)}" if left > 0 else "")


def _size(value: float) -> str:
    return format_bytes(math.ceil(value))


Text = tuple[Callable[[float], str], Callable[[float], str]]
"""How an amount is written, and what is left open of it."""
SECONDS: Text = (lambda value: f"{value:.3g}", lambda value: f"{value:.2g}")
SIZE: Text = (_size, _size)
COUNT: Text = (lambda value: str(round(value)), lambda value: str(math.ceil(value)))


def _line(name: str, phase: HostPhase) -> str:
    exits = _counts([one for one in phase.exits if one.name != "exits"])
    events = _counts(phase.events)
    reported = [
        *([f"exits by reason: {exits or 'none'}"] if phase.exits else []),
        *([f"events of the host's memory: {events or 'none'}"] if phase.events else []),
    ]
    return f"{name}, {phase.phase}: {'; '.join(reported)}" if reported else ""


def _counts(named: Sequence[Named]) -> str:
    """Return those counts that may be anything but 0: ``thp_fault_alloc 45 ±2``."""
    return ", ".join(
        f"{one.name} {_amount(one.amount, COUNT)}" for one in named if one.amount.low or one.amount.high
    )
