"""Machines looked at again and again: reachable, load, steal, room, temperature, throttling."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.activities.side_by_side import Outcome, side_by_side
from assay.activities.visits.visit import open_probe
from assay.machines.host.counters import BUSY, STEAL
from assay.model.machines.health import Health
from assay.model.machines.machine import Machine

_LOOK_S = 30.0
_FIELDS = 8
"""Fields of the line of all processors whose sum is their time: user to steal; guests' time is in user."""
_SCRIPT = """\
read -r load _ < /proc/loadavg && echo "load $load"
grep -m1 '^cpu ' /proc/stat
sleep 1
grep -m1 '^cpu ' /proc/stat
for file in /sys/class/hwmon/hwmon*/temp*_input /sys/class/thermal/thermal_zone*/temp; do
    read -r value 2>/dev/null < "$file" && echo "temperature $value"
done
for file in /sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count; do
    read -r value 2>/dev/null < "$file" && echo "throttles $value"
done
exit 0
"""


def look_at_health(machines: Sequence[Machine], *, home: Path) -> tuple[Health, ...]:
    """Return how machines are now, side by side; one that cannot be reached says why.

    Args:
        machines: Which.
        home: Folder of all state.
    """
    found = side_by_side(machines, lambda machine: _look(machine, home))
    return tuple(map(_health, found))


def _look(machine: Machine, home: Path) -> Health:
    with open_probe(machine, home) as (probe, door):
        lines = door.run(["sh", "-c", _SCRIPT], timeout_s=_LOOK_S).decode(errors="replace").splitlines()
        return read_health(machine.name, lines, free_bytes=probe.space(door.folder).free_bytes)


def _health(found: Outcome[Health]) -> Health:
    if found.value is not None:
        return found.value
    why = "it could not be looked at" if found.error is None else found.error.message
    return Health(found.machine, time.time_ns(), why)


def read_health(machine: str, lines: Iterable[str], *, free_bytes: int) -> Health:
    """Return what a machine says of itself.

    Args:
        machine: Its name.
        lines: What the script printed there; what is in another form is "not told".
        free_bytes: Room where trials work.

    Source:
        ``man 5 proc_stat``; ``Documentation/hwmon/sysfs-interface.rst``: millidegrees.
    """
    words = [line.split() for line in lines]
    temperatures = [value / 1000 for value in _numbers(words, "temperature") if 0 < value < 200_000]
    throttles = _numbers(words, "throttles")
    loads = _numbers(words, "load")
    busy, steal = _shares([line[1:] for line in words if line[:1] == ["cpu"]])
    return Health(
        machine=machine,
        at_ns=time.time_ns(),
        load=loads[0] if loads else None,
        busy=busy,
        steal=steal,
        free_bytes=free_bytes,
        temperature_c=max(temperatures, default=None),
        throttles=int(sum(throttles)) if throttles else None,
    )


def _numbers(words: Iterable[Sequence[str]], name: str) -> list[float]:
    found = []
    for line in words:
        if len(line) == 2 and line[0] == name and line[1].replace(".", "", 1).isdecimal():
            found.append(float(line[1]))
    return found


def _shares(lines: Sequence[Sequence[str]]) -> tuple[float | None, float | None]:
    """Return the shares that somebody had, and that were stolen, between two readings."""
    if len(lines) != 2 or any(len(line) < _FIELDS or not all(map(str.isdecimal, line)) for line in lines):
        return None, None
    before, after = (list(map(int, line[:_FIELDS])) for line in lines)
    passed = [b - a for a, b in zip(before, after, strict=True)]
    whole = sum(passed)
    if whole <= 0:
        return None, None
    return sum(passed[at] for at in BUSY) / whole, passed[STEAL] / whole
