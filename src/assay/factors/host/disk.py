"""The host's disk under the folder of guests.

Source: https://docs.kernel.org/block/queue-sysfs.html.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Act, Cost, Factor, Hazard
from assay.factors.base.kernel_files import chosen
from assay.factors.base.levels import Whole, Words
from assay.factors.host.files import AS_ON_HOST, why_not_written

_PAGE_KIB = 4
"""Of x86-64; ``queue/read_ahead_kb`` takes 5 for 4 (seen on kernel 6.18)."""


@dataclass(frozen=True)
class QueueFile:
    """A file of a disk's queue.

    Attributes:
        word: Its name below ``queue``.
        disk: Returns the disk whose queue it is; ``None`` where that is no one disk.
        barred: Returns what speaks against a level, one clause, by the disk and the file's text; ``None``
            for nothing.
    """

    word: str
    disk: Callable[[Host], str | None]
    barred: Callable[[str, str, str], str | None]

    def path(self, host: Host) -> str | None:
        """Return its file; ``None`` where no one disk is known."""
        disk = self.disk(host)
        return f"/sys/block/{disk}/queue/{self.word}" if disk else None

    def acts(self, host: Host, level: str) -> tuple[Act, ...]:
        """Return the write of a level."""
        path = self.path(host)
        return () if path is None else (Act(path, level),)

    def actual(self, seen: Evidence, _wanted: str) -> str:
        """Return what the queue says."""
        path = self.path(seen.host)
        return (path and chosen(seen.host.read(path))) or "not there"

    def needs(self, host: Host, level: str | None) -> str | None:
        """Return why a level cannot be had."""
        disk, path = self.disk(host), self.path(host)
        if disk is None or path is None:
            return "the folder of guests is not on one disk of this machine"
        text = host.read(path)
        if text is None:
            return f"this kernel shows no {path}"
        why = None if level is None else self.barred(disk, text, level)
        return why or why_not_written(host, path, level)


def _not_offered(disk: str, text: str, level: str) -> str | None:
    offered = [word.strip("[]") for word in text.split()]
    return None if level in offered else f"{disk} offers {', '.join(offered)}"


def _no_whole_pages(_disk: str, _text: str, level: str) -> str | None:
    return f"the kernel counts it in pages of {_PAGE_KIB} KiB" if int(level) % _PAGE_KIB else None


_SCHEDULER = QueueFile("scheduler", lambda host: host.scheduling_disk, _not_offered)
_READ_AHEAD = QueueFile("read_ahead_kb", lambda host: host.disk, _no_whole_pages)
_WHERE = "/sys/block/DISK/queue/"

FACTORS = (
    Factor(
        "host.scheduler",
        "scheduler of the disk under the folder of guests",
        Words(("none", "mq-deadline", "bfq", "kyber")),
        AS_ON_HOST,
        f"{_WHERE}scheduler",
        f"{_WHERE}scheduler",
        _SCHEDULER.actual,
        Cost.LIVE,
        acts=_SCHEDULER.acts,
        files=("/sys/block/*/queue/scheduler",),
        needs=_SCHEDULER.needs,
        hazards=(Hazard.OTHERS,),
        note="of a logical volume or an md device it is that of the disk below, and refused where there are "
        "several; one that is a module is offered only when it is loaded; a guest's disk has one of its own "
        "inside",
    ),
    Factor(
        "host.read_ahead_kb",
        "read-ahead of the disk under the folder of guests",
        Whole(0, 2**20, (128, 4096), "KiB"),
        AS_ON_HOST,
        f"{_WHERE}read_ahead_kb",
        f"{_WHERE}read_ahead_kb",
        _READ_AHEAD.actual,
        Cost.LIVE,
        acts=_READ_AHEAD.acts,
        files=("/sys/block/*/queue/read_ahead_kb",),
        needs=_READ_AHEAD.needs,
        hazards=(Hazard.OTHERS,),
        note="without effect on a guest's disk with cache none or directsync",
    ),
)
