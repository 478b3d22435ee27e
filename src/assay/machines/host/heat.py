"""How near a machine is to where it slows itself down for heat.

Source: ``Documentation/hwmon/sysfs-interface.rst`` (millidegrees; ``crit`` is where the chip acts);
``Documentation/ABI/testing/sysfs-devices-system-cpu``, thermal_throttle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

NEAR_C = 10.0
"""A sensor so near to its critical temperature is hot: a loaded processor that is well cooled stays below."""
SCRIPT = """\
for file in /sys/class/hwmon/hwmon*/temp*_input; do
    read -r value < "$file" && read -r limit < "${file%_input}_crit" && echo "heat $value $limit"
done 2>/dev/null
for file in /sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count; do
    read -r count < "$file" && echo "throttles $count"
done 2>/dev/null
exit 0
"""
"""Prints, for ``sh``, what ``parse_heat`` reads."""


@dataclass(frozen=True)
class Heat:
    """The sensor that is nearest to its limit.

    Attributes:
        temperature_c: What it says.
        limit_c: Its critical temperature.
    """

    temperature_c: float
    limit_c: float

    @property
    def is_near(self) -> bool:
        """Whether it is within ``NEAR_C`` of its limit."""
        return self.limit_c - self.temperature_c <= NEAR_C


def parse_heat(lines: Iterable[str]) -> Heat | None:
    """Return the sensor that is nearest to its limit; ``None`` where none tells both.

    Args:
        lines: What ``SCRIPT`` printed; anything else is passed over.
    """
    found = []
    for line in lines:
        word, *values = line.split()[:3] or [""]
        if word == "heat" and len(values) == 2 and all(map(_is_told, values)):
            found.append(Heat(*(int(value) / 1000 for value in values)))
    return min(found, key=lambda heat: heat.limit_c - heat.temperature_c, default=None)


def parse_throttles(lines: Iterable[str]) -> int | None:
    """Return how often processors slowed themselves down; ``None`` where none counts it."""
    counts = [words[1] for line in lines if (words := line.split())[:1] == ["throttles"] and len(words) == 2]
    return sum(map(int, counts)) if counts and all(one.isdecimal() for one in counts) else None


def read_heat(root: Path = Path("/")) -> Heat | None:
    """Return the same of this machine.

    Args:
        root: Where ``sys`` is.
    """
    return parse_heat(_lines(root))


def _lines(root: Path) -> Iterator[str]:
    for file in root.glob("sys/class/hwmon/hwmon*/temp*_input"):
        limit = file.with_name(file.name.replace("_input", "_crit"))
        try:
            yield f"heat {file.read_text().strip()} {limit.read_text().strip()}"
        except (OSError, ValueError):
            continue


def _is_told(value: str) -> bool:
    """Tell whether a temperature is one: what is not wired says 0, or a hundred times as much as any chip."""
    return value.isdecimal() and len(value) <= 6 and int(value) > 0
