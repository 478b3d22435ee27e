"""The host's disk under the folder of guests.

Source: https://docs.kernel.org/block/queue-sysfs.html.
"""

from __future__ import annotations

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
    """A file of the disk's queue.

    Attributes:
        word: Its name below ``queue``.
    """

    word: str

    def path(self, host: Host) -> str | None:
        """Return its file; ``None`` where no one disk is known."""
        return f"/sys/block/{host.disk}/queue/{self.word}" if host.disk else None

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
        path = self.path(host)
        text = host.read(path) if path else None
        if path is None or text is None:
            return "the folder of guests is not on one disk of this machine"
        offered = [word.strip("[]") for word in text.split()]
        if "[" in text and level is not None and level not in offered:
            return f"{host.disk} offers {', '.join(offered)}"
        if level is not None and level.isdecimal() and int(level) % _PAGE_KIB:
            return f"the kernel counts it in pages of {_PAGE_KIB} KiB"
        return why_not_written(host, path, level)


_SCHEDULER, _READ_AHEAD = QueueFile("scheduler"), QueueFile("read_ahead_kb")
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
        note="one that is a module is offered only when it is loaded; a guest's disk has one of its "
        "own inside",
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
