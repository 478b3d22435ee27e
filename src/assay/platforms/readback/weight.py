"""What a guest weighs: memory of its QEMU process beyond the guest's own, and its disk on the host.

Source: ``man 5 proc``: ``status`` (``VmRSS``, ``HugetlbPages``), ``smaps`` (``Rss``, ``*_Hugetlb``), ``stat``
field 22 (start time in clock ticks since boot).
Limits: pages that KSM or the page cache share with others count in full; reading ``smaps`` stops QEMU's
memory calls for some milliseconds, so it is read after a trial.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from assay.model.platforms.platform import GuestWeight
from assay.platforms.process import stat_fields

_START = 19
"""Index of the start time in a ``stat`` line, counted from the state on."""
_HUGE = ("Private_Hugetlb", "Shared_Hugetlb")


class Weighed(Protocol):
    """A QEMU process, as far as it is weighed."""

    @property
    def ram(self) -> Mapping[str, str]:
        """The mappings that hold the guest's memory, as one; empty where they are not found."""

    @property
    def status(self) -> Mapping[str, str]:
        """Fields of ``/proc/PID/status``."""

    def process_file(self, name: str) -> str | None:
        """Return the text of a file below ``/proc/PID``."""


def weigh(seen: Weighed, *, memory_bytes: int, disk: Path) -> GuestWeight | None:
    """Return what a running guest weighs; ``None`` where its memory is not found in QEMU's.

    Args:
        seen: The guest from outside.
        memory_bytes: Memory that it was given.
        disk: The file of its own disk.
    """
    up_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    return weigh_at(seen, memory_bytes=memory_bytes, disk_bytes=disk.stat().st_blocks * 512, up_s=up_s)


def weigh_at(seen: Weighed, *, memory_bytes: int, disk_bytes: int, up_s: float) -> GuestWeight | None:
    """Return what a running guest weighs on any machine; ``None`` where its memory is not found in QEMU's.

    Args:
        seen: The guest from outside.
        memory_bytes: Memory that it was given.
        disk_bytes: What the file of its own disk takes.
        up_s: Seconds since the boot of its host, suspension included.
    """
    ram = seen.ram
    if not ram:
        return None
    touched = kilobytes(ram, "Rss", *_HUGE)
    held = kilobytes(seen.status, "VmRSS", "HugetlbPages")
    return GuestWeight(
        memory_bytes=memory_bytes,
        touched_bytes=touched,
        beside_bytes=max(0, held - touched),  # the two are not read at the same moment
        disk_bytes=disk_bytes,
        age_s=up_s - _started_s(seen.process_file("stat") or ""),
    )


def kilobytes(fields: Mapping[str, str], *names: str) -> int:
    """Return the sum of fields like ``12 kB``, in bytes; one that is not there counts nothing."""
    return sum(int(fields[name].split()[0]) * 1024 for name in names if name in fields)


def _started_s(stat: str) -> float:
    return int(stat_fields(stat)[_START]) / os.sysconf("SC_CLK_TCK")
