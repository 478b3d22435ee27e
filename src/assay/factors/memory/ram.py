"""The guest's memory as the kernel shows it in QEMU's ``smaps``.

Source: ``man 5 proc``; kernel ``Documentation/filesystems/proc.rst``, ``VmFlags`` (``mg`` may be merged,
    ``lo``
locked, ``ht`` huge pages of a pool, ``sh`` shared).
"""

from __future__ import annotations

from assay.factors.base.evidence import Evidence

NOT_SEEN = "the guest's memory was not found in /proc/PID/smaps"


def kib_of(seen: Evidence, name: str) -> int:
    """Return a field of the guest's memory in KiB; 0 where it is not there."""
    return int(seen.ram.get(name, "0 kB").split()[0])


def resident_kib(seen: Evidence) -> int:
    """Return how much of the guest's memory has pages, in KiB; ``Rss`` leaves those of a pool out."""
    return sum(kib_of(seen, name) for name in ("Rss", "Private_Hugetlb", "Shared_Hugetlb"))


def has_flag(seen: Evidence, flag: str) -> bool:
    """Tell whether the guest's memory has one of ``VmFlags``."""
    return flag in seen.ram.get("VmFlags", "").split()


def is_shared(seen: Evidence) -> bool:
    """Tell whether the guest's memory is mapped shared."""
    return seen.ram.get("permissions", "").endswith("s")
