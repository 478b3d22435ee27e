"""Whether the governor keeps processors slow whatever they have to do.

Source: ``Documentation/admin-guide/pm/cpufreq.rst``, ``intel_pstate.rst`` and ``amd-pstate.rst``:
``powersave`` is the lowest frequency, but with a driver in active mode, which goes up as needed under that
name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

SCRIPT = """\
for folder in /sys/devices/system/cpu/cpu[0-9]*/cpufreq; do
    read -r governor < "$folder/scaling_governor" && read -r driver < "$folder/scaling_driver" \\
        && cpu=${folder%/cpufreq} && echo "governor ${cpu##*/cpu} $governor $driver"
done 2>/dev/null
"""
"""Prints, for ``sh``, what ``parse_slow`` reads."""
LOWEST = "powersave"
_AS_NEEDED = ("intel_pstate", "amd-pstate-epp")
"""Drivers in active mode."""


def parse_slow(lines: Iterable[str], cpus: Collection[int]) -> tuple[int, ...]:
    """Return those of some processors that are kept at their lowest frequency; what is not told is not.

    Args:
        lines: What ``SCRIPT`` printed; anything else is passed over.
        cpus: Numbers of the processors.
    """
    told = (words[1:] for line in lines if (words := line.split())[:1] == ["governor"] and len(words) == 4)
    slow = (cpu for cpu, governor, driver in told if governor == LOWEST and driver not in _AS_NEEDED)
    return tuple(sorted({int(cpu) for cpu in slow if cpu.isdecimal()}.intersection(cpus)))


def read_slow(cpus: Collection[int], *, root: Path = Path("/")) -> tuple[int, ...]:
    """Return the same of this machine.

    Args:
        cpus: Numbers of the processors.
        root: Where ``sys`` is.
    """
    return parse_slow(_lines(cpus, root), cpus)


def _lines(cpus: Iterable[int], root: Path) -> Iterator[str]:
    for cpu in cpus:
        folder = root / f"sys/devices/system/cpu/cpu{cpu}/cpufreq"
        try:
            governor, driver = (
                (folder / name).read_text().strip() for name in ("scaling_governor", "scaling_driver")
            )
        except (OSError, ValueError):
            continue
        yield f"governor {cpu} {governor} {driver}"
