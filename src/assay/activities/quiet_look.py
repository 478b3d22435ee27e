"""The measured processors of a machine for a moment, this one or another, while no trial runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.design.rerun import find_disturbances
from assay.machines.errors import CommandError
from assay.machines.host import connection, governor
from assay.machines.host.counters import parse_cpu_ticks, parse_running
from assay.machines.host.heat import SCRIPT, Heat, parse_heat, parse_throttles, read_heat
from assay.machines.host.reading import HostReading, host_over, read_host
from assay.model.errors import MissingError
from assay.model.work.disturbance import Cause, HostOver

LOOK_S = 1.0
"""Time over which the processors are looked at; a hundred ticks of the kernel's accounting."""
LOOKED_AT = (Cause.FOREIGN_CPU, Cause.HOST_STEAL)
OURS_HERE, OURS_THERE = 1, 2
"""Threads that run where only we do: this one; the command, and sshd that sends what it prints."""
_FAR_S = 60.0
_FAR_SCRIPT = f"cat /proc/loadavg /proc/stat\n{connection.SCRIPT}{governor.SCRIPT}{SCRIPT}"
_TICK_S = 0.01
"""A tick of ``/proc/stat`` on x86-64 (``USER_HZ``), whatever the kernel's own clock."""
Run = Callable[..., bytes]
_EMULATORS = ("qemu-system", "qemu-kvm")
"""How the names of processes that run guests begin; the kernel cuts them after 15 bytes."""


@dataclass(frozen=True)
class Look:
    """A machine for a moment.

    Attributes:
        over: What its processors did.
        load: Load average of the last minute, which is said and not judged (docs/decisions/0074).
        guests: Names of processes that run guests.
        heat: The sensor that is nearest to its limit; ``None`` is "not told".
        slow: Processors that their governor keeps at the lowest frequency.
    """

    over: HostOver
    load: float
    guests: tuple[str, ...]
    heat: Heat | None = None
    slow: tuple[int, ...] = ()

    @property
    def quiet(self) -> bool:
        """Others have no more than a trial may have beside it without being disturbed, it is not hot, and no
        governor keeps it slow.
        """
        return not (self.passing or self.slow)

    @property
    def passing(self) -> bool:
        """What may end by itself: others have a part of it, or it is hot."""
        return self.hot or any(one.cause in LOOKED_AT for one in find_disturbances(self.over))

    @property
    def hot(self) -> bool:
        """A processor slowed itself down, or a sensor is near its limit."""
        return bool(self.over.throttle_count) or (self.heat is not None and self.heat.is_near)


@dataclass(frozen=True)
class Spot:
    """The measured processors of one machine.

    Attributes:
        machine: Its name.
        cpus: Numbers of the processors.
        run: Runs a command there and returns what it printed (``probe.Door.run``); ``None`` is this machine.
        governed: Its governor is none of the activity's own settings, and is judged.
    """

    machine: str
    cpus: tuple[int, ...]
    run: Run | None = None
    governed: bool = True

    def look(self) -> Look:
        """Look at it for a second; raises ``UnreachableError`` where it was lost."""
        seen = look(self.cpus) if self.run is None else far_look(self.cpus, self.run)
        return seen if self.governed else replace(seen, slow=())

    def seems_quiet(self) -> bool:
        """Tell by one read, without waiting, that nothing but us runs there now, and that it is not hot."""
        if self.run is None:
            text, heat, ours = _text(Path("/proc/stat")), read_heat(), OURS_HERE
        else:
            script = ["sh", "-c", f"cat /proc/stat\n{SCRIPT}"]
            text = self.run(script, timeout_s=_FAR_S).decode(errors="replace")
            heat, ours = parse_heat(text.splitlines()), OURS_THERE
        running = parse_running(text)
        return not (running is None or running > ours or (heat is not None and heat.is_near))


def look(cpus: Sequence[int], *, root: Path = Path("/")) -> Look:
    """Look at some processors for a second.

    Args:
        cpus: Numbers of the processors.
        root: Where ``proc`` and ``sys`` are.
    """
    before = read_host(cpus, root=root)
    time.sleep(LOOK_S)
    over = host_over(before, read_host(cpus, root=root), cpus=tuple(cpus), used_s=0.0)
    guests = tuple(sorted(_guests(root / "proc")))
    slow = governor.read_slow(cpus, root=root)
    return Look(over, os.getloadavg()[0], guests, read_heat(root), slow)


def far_look(cpus: Sequence[int], run: Run) -> Look:
    """Look at some processors of another machine for a second; what our connection takes of it meanwhile is
    not others'.

    Args:
        cpus: Numbers of the processors.
        run: Runs a command there and returns what it printed (``probe.Door.run``).

    Raises:
        UnreachableError: It was lost.
    """
    before, _ = _far_reading(cpus, run)
    time.sleep(LOOK_S)
    after, lines = _far_reading(cpus, run)
    own_s = max(0.0, (after.own_s or 0.0) - (before.own_s or 0.0))
    over = host_over(before, after, cpus=tuple(cpus), used_s=own_s)
    guests = tuple(sorted(_far_guests(run)))
    return Look(over, _load(lines), guests, parse_heat(lines), governor.parse_slow(lines, cpus))


def _far_reading(cpus: Sequence[int], run: Run) -> tuple[HostReading, list[str]]:
    """Return what another machine's processors had so far, and all that was read there."""
    text = run(["sh", "-c", _FAR_SCRIPT], timeout_s=_FAR_S).decode(errors="replace")
    lines = text.splitlines()
    ticks = parse_cpu_ticks(text, cpus)
    busy_s, steal_s = (None, None) if ticks is None else (ticks[0] * _TICK_S, ticks[1] * _TICK_S)
    own_s = connection.parse_own_ticks(lines) * _TICK_S
    reading = HostReading(time.monotonic(), 0.0, busy_s, steal_s, parse_throttles(lines), None, None, own_s)
    return reading, lines


def _load(lines: Sequence[str]) -> float:
    first = lines[0].split()[:1] if lines else []
    return float(first[0]) if first and first[0].replace(".", "", 1).isdecimal() else 0.0


def _far_guests(run: Run) -> Iterator[str]:
    try:
        names = run(["ps", "-e", "-o", "comm="], timeout_s=_FAR_S).decode(errors="replace")
    except (MissingError, CommandError):
        return
    yield from (name for name in names.split() if name.startswith(_EMULATORS))


def _guests(proc: Path) -> Iterator[str]:
    for place in proc.glob("[0-9]*/comm"):
        name = _text(place).strip()  # empty where it has ended
        if name.startswith(_EMULATORS):
            yield name


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
