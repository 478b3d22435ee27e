"""Settings of the machine that carries guests: written, read back, and put back at the end."""

from __future__ import annotations

from assay.factors.evidence import Evidence, Host
from assay.factors.factor import Act, Factor
from assay.factors.kernel_files import chosen
from assay.factors.levels import Words

_THP = "/sys/kernel/mm/transparent_hugepage/enabled"


def _thp(_host: Host, level: str) -> tuple[Act, ...]:
    return (Act(_THP, level),)


def _found_thp(seen: Evidence, _wanted: str) -> str:
    return chosen(seen.host.read(_THP))


def _needs_thp(host: Host, _level: str | None) -> str | None:
    return None if host.read(_THP) is not None else "this kernel has no transparent huge pages"


FACTORS = (
    Factor(
        "host.thp",
        "transparent huge pages of the host",
        Words(("always", "madvise", "never")),
        "as the host has it",
        _THP,
        f"{_THP}; the guest's share of them in /proc/PID/smaps",
        _found_thp,
        acts=_thp,
        needs=_needs_thp,
    ),
)
