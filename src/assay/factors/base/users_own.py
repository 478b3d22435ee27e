"""What guests cannot have of a libvirt daemon that is a plain user's own (``qemu:///session``).

Source: libvirt ``drvqemu`` (session: no control groups, no change of limits), ``man 7 sched`` and
``man 2 getrlimit`` (CAP_SYS_NICE for real-time schedulers, CAP_SYS_RESOURCE to raise a limit).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Factor, Rule, Settings

_POOL = "/dev/hugepages"
_NO_GROUP = (
    "a guest of qemu:///session has no control group, which it takes: run as root, or join group libvirt"
)
_Reason = Callable[[Host, str | None], str | None]


def with_users_own(factor: Factor) -> Factor:
    """Return a factor that also refuses what a user's own daemon cannot give."""
    reason = _REASONS.get(factor.name)
    if reason is None:
        return factor
    needs = factor.needs
    return replace(factor, needs=lambda host, level: _own(host, level, reason) or needs(host, level))


def _own(host: Host, level: str | None, reason: _Reason) -> str | None:
    return None if host.of_system else reason(host, level)


def _group(_host: Host, _level: str | None) -> str | None:
    return _NO_GROUP  # also for no quota: there is nothing to see it in


def _link(_host: Host, level: str | None) -> str | None:
    return None if level in {None, "qemu"} else "only root can make the tap that it needs"


def _real_time(_host: Host, level: str | None) -> str | None:
    return "only root may give threads a real-time scheduler" if level in {"fifo", "rr"} else None


def _locked(host: Host, level: str | None) -> str | None:
    limit = re.search(r"^Max locked memory +\S+ +(\S+)", host.read("/proc/self/limits") or "", re.MULTILINE)
    if level == "off" or limit is None or limit[1] == "unlimited":
        return None
    return f"a plain user may lock {limit[1]} bytes, and only root may raise that: ulimit -H -l unlimited"


_REASONS = MappingProxyType(
    {
        "cpu.shares": _group,
        "cpu.quota": _group,
        "cpu.emulator_quota": _group,
        "cpu.iothread_quota": _group,
        "cpu.global_quota": _group,
        "cpu.vcpusched": _real_time,
        "memory.hard_limit": _group,
        "memory.locked": _locked,
        "net.driver": _link,
        "net.mtu": _link,
    }
)


def _pool(settings: Settings, host: Host) -> str | None:
    size = settings.get("memory.hugepages", "none")
    if host.of_system or size == "none" or settings.get("memory.source") == "memfd" or host.writable(_POOL):
        return None
    return f"memory.hugepages={size}: {_POOL} is root's to write; memory.source=memfd needs no such folder"


RULES = (Rule(("memory.hugepages", "memory.source"), _pool),)
