"""How a machine is at one moment, as a site watches it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Health:
    """A machine at one moment; ``None`` is "not told".

    Attributes:
        machine: Its name in the inventory.
        at_ns: When, ns since 1970 on this machine's clock.
        why: Why it could not be looked at; ``None`` where it could.
        load: Load average of the last minute.
        busy: Share of all processors' time that somebody had, 0 to 1, over a second.
        steal: Share of it that its own hypervisor took.
        free_bytes: Room where trials work.
        temperature_c: Its hottest sensor, degrees Celsius.
        throttles: How often its processors slowed themselves down since boot.
    """

    machine: str
    at_ns: int
    why: str | None = None
    load: float | None = None
    busy: float | None = None
    steal: float | None = None
    free_bytes: int | None = None
    temperature_c: float | None = None
    throttles: int | None = None
