"""Transparent huge pages of the host.

Source: https://docs.kernel.org/admin-guide/mm/transhuge.html.
"""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import BOSS_TUNING, Act, Effect, Hazard
from assay.factors.base.kernel_files import chosen
from assay.factors.base.levels import Whole, Words
from assay.factors.host.files import KernelFile, host_factor

_PLACE = "/sys/kernel/mm/transparent_hugepage"
_ENABLED = f"{_PLACE}/enabled"
_MIN_FREE = "/proc/sys/vm/min_free_kbytes"
_LACKING = "this kernel has no transparent huge pages"


def _enable(host: Host, level: str) -> tuple[Act, ...]:
    # the kernel raises its reserve for huge pages and lowers it without: seen on 6.18, 67584 against 19832
    before, reserve = chosen(host.read(_ENABLED)), host.read(_MIN_FREE)
    undo = (Act(_ENABLED, before), Act(_MIN_FREE, reserve)) if reserve else ()
    return (Act(_ENABLED, level, undo),)


FACTORS = (
    host_factor(
        "host.thp-defrag",
        "when a page fault may compact memory for a huge page",
        Words(("always", "defer", "defer+madvise", "madvise", "never")),
        KernelFile(f"{_PLACE}/defrag", _LACKING),
        hazards=(Hazard.OTHERS,),
        note="always and madvise make a fault wait; QEMU advises huge pages for its guests' memory",
    ),
    host_factor(
        "host.thp-shmem",
        "transparent huge pages for shared memory",
        Words(("always", "within_size", "advise", "never")),
        KernelFile(f"{_PLACE}/shmem_enabled", "this kernel has no transparent huge pages of shared memory"),
        note="concerns guests whose memory is a memfd; with never they have no transparent huge pages at all",
    ),
    host_factor(
        "host.khugepaged-pages_to_scan",
        "pages that khugepaged looks at in one round",
        Whole(1, 2**31 - 1, (4096, 65536)),
        KernelFile(f"{_PLACE}/khugepaged/pages_to_scan", _LACKING),
    ),
    host_factor(
        "host.khugepaged-scan_sleep_millisecs",
        "time between two rounds of khugepaged",
        Whole(0, 2**31 - 1, (100, 10000), "ms"),
        KernelFile(f"{_PLACE}/khugepaged/scan_sleep_millisecs", _LACKING),
    ),
    host_factor(
        "host.thp",
        "transparent huge pages of the host",
        Words(("always", "madvise", "never")),
        KernelFile(_ENABLED, _LACKING),
        acts=_enable,
        files=(_ENABLED, _MIN_FREE),
        effects=(
            Effect("up to 20 %", "general", "RHEL 6 performance guide 4.5.2"),
            Effect("+3 %", "crosvm guests", "Intel 749114"),
            BOSS_TUNING,
        ),
        note="holds for memory touched afterwards: set it before the guest starts; it moves "
        "vm.min_free_kbytes too; what a guest has of it says AnonHugePages in /proc/PID/smaps",
    ),
)
