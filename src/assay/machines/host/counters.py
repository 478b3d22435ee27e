"""Parsers of what this machine's kernel counts beside a trial; they open nothing.

What is not in the form that the kernel documents (a container's own imitation of a file, say) is "not told".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

BUSY = (0, 1, 2)
"""Fields of a processor's line that belong to somebody: user (guest time is in it), nice, system.

Interrupts are left out: nobody can say for whom they were.
"""
STEAL = 7
_BLANKS = " \t\n\r\v\f"
"""What a number may stand between; ``str.strip`` takes away more than ``int`` does."""
_DIGITS = 18
"""Of a count since boot: so that a sum of some is one of 64 bits."""


def parse_cpu_ticks(stat: str, cpus: Sequence[int]) -> tuple[int, int] | None:
    """Return busy and stolen clock ticks of processors, summed; ``None`` where one of them is not there.

    Args:
        stat: Content of ``/proc/stat``.
        cpus: Numbers of the processors.

    Source:
        ``man 5 proc_stat``; ``Documentation/filesystems/proc.rst``, 1.8.
    """
    fields = {words[0]: words[1:] for line in stat.splitlines() if (words := line.split())}
    reported = [fields[f"cpu{cpu}"] for cpu in cpus if f"cpu{cpu}" in fields]
    if len(reported) < len(cpus) or any(len(line) <= STEAL or not _are_whole(line) for line in reported):
        return None
    ticks = [list(map(int, line)) for line in reported]
    return sum(line[at] for line in ticks for at in BUSY), sum(line[STEAL] for line in ticks)


def parse_running(stat: str) -> int | None:
    """Return how many threads run or could run at this moment; ``None`` where it is not told.

    Args:
        stat: Content of ``/proc/stat``.

    Source:
        ``man 5 proc_stat``, ``procs_running``.
    """
    told = (line.split() for line in stat.splitlines())
    counts = [words[1] for words in told if words[:1] == ["procs_running"] and len(words) == 2]
    return int(counts[0]) if counts and _are_whole(counts) else None


def parse_swap_pages(vmstat: str) -> int | None:
    """Return pages swapped in and out since boot; ``None`` where the kernel has no swap.

    Args:
        vmstat: Content of ``/proc/vmstat``.

    Source:
        ``mm/vmstat.c``, ``pswpin`` and ``pswpout``.
    """
    reported = {words[0]: words[1] for line in vmstat.splitlines() if len(words := line.split()) == 2}
    counts = [reported[name] for name in ("pswpin", "pswpout") if name in reported]
    return sum(map(int, counts)) if len(counts) == 2 and _are_whole(counts) else None


def sum_throttles(files: Mapping[str, str]) -> int | None:
    """Return how often processors slowed themselves down; ``None`` where none counts it.

    Args:
        files: Content of the ``*_throttle_count`` files by their path.

    Source:
        ``Documentation/ABI/testing/sysfs-devices-system-cpu``, thermal_throttle.
    """
    return sum(map(int, files.values())) if files and _are_whole(files.values()) else None


def below_base(base_khz: Sequence[str], most_khz: Sequence[str]) -> bool | None:
    """Tell whether a processor's highest allowed frequency lies below its base frequency, ``None`` if not
    told.

    The limit is compared and not the present frequency, which is low on an idle processor.

    Args:
        base_khz: Contents of ``base_frequency``, one a processor.
        most_khz: Contents of ``scaling_max_freq``, in the same order.

    Source:
        ``Documentation/admin-guide/pm/cpufreq.rst`` and ``intel_pstate.rst``.
    """
    if not base_khz or len(base_khz) != len(most_khz) or not _are_whole([*base_khz, *most_khz]):
        return None
    return any(int(most) < int(base) for base, most in zip(base_khz, most_khz, strict=True))


def _are_whole(words: Iterable[str]) -> bool:
    return all(len(word := one.strip(_BLANKS)) <= _DIGITS and word.isdecimal() for one in words)
