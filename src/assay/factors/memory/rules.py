"""Combinations of a guest's memory that cannot be, or that would silently be something else.

Source: seen with libvirt 9.0 and QEMU 7.2; kernel ``mm/ksm.c`` (KSM leaves shared memory out), ``man 2
    madvise``
(locked pages are not given back), ``man 2 mlockall``.
"""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.base.levels import spell_bytes
from assay.model.units import parse_bytes

_QEMU_ITSELF = 512 << 20
"""Least that QEMU needs beside the guest's memory; 667 MB with one vCPU were seen (JUNO 2017 2.3.1)."""
_SIZE, _CURRENT, _LOCKED, _LIMIT = "memory.size", "memory.currentMemory", "memory.locked", "memory.hard_limit"
_SOURCE, _ACCESS, _SHARE, _THP = "memory.source", "memory.access", "memory.nosharepages", "host.thp"
_BALLOON, _DEFLATE, _REPORTING = "memory.memballoon", "memory.autodeflate", "memory.freePageReporting"
_ALLOCATION = "memory.allocation"


def _text_of(settings: Settings, *names: str) -> str:
    return " and ".join(f"{name}={settings[name]}" for name in names)


def _asks_of_balloon(settings: Settings) -> tuple[str, ...]:
    """Return what of settings only a balloon can do."""
    idle = ("off", settings.get(_SIZE))
    names = (_CURRENT, _DEFLATE, _REPORTING)
    return tuple(name for name in names if settings.get(name, "off") not in idle)


def _no_balloon(settings: Settings, _on: Host) -> str | None:
    asked = _asks_of_balloon(settings)
    if not asked or settings.get(_BALLOON) == "virtio":
        return None
    return f"{_text_of(settings, asked[0])} without memory.memballoon=virtio is accepted, and nothing moves"


def _too_much_kept(settings: Settings, _on: Host) -> str | None:
    if _SIZE not in settings or parse_bytes(settings[_CURRENT]) <= parse_bytes(settings[_SIZE]):
        return None
    return f"a guest cannot keep more than it has: {_text_of(settings, _CURRENT, _SIZE)}"


def _locked(settings: Settings, _on: Host) -> str | None:
    if settings[_LOCKED] == "off":
        return None
    if settings.get(_ALLOCATION) == "ondemand":
        return f"locking takes all memory at the start: {_text_of(settings, _LOCKED, _ALLOCATION)}"
    asked = [name for name in _asks_of_balloon(settings) if name != _DEFLATE]
    return (
        f"locked pages are not given back to the host: {_text_of(settings, _LOCKED, *asked)}"
        if asked
        else None
    )


def _shared_anonymous(settings: Settings, _on: Host) -> str | None:
    huge = settings.get("memory.hugepages", "none") != "none"
    if settings[_ACCESS] == "private" or huge or settings.get(_SOURCE) in {"memfd", "file"}:
        return None
    return "libvirt puts anonymous memory that is shared into a file on the disk: say memory.source=memfd"


def _nothing_to_merge(settings: Settings, _on: Host) -> str | None:
    by_default = settings.get(_SOURCE) == "memfd" and _ACCESS not in settings
    if settings[_SHARE] == "on" or not (by_default or settings.get(_ACCESS) == "shared"):
        return None
    shared = _SOURCE if by_default else _ACCESS
    return f"KSM does not merge shared memory: {_text_of(settings, _SHARE, shared)}"


def _no_thp(settings: Settings, _on: Host) -> str | None:
    if settings[_THP] == "never" or settings.get(_SOURCE) not in {"memfd", "file"}:
        return None
    return f"this switch holds for anonymous memory alone: {_text_of(settings, _THP, _SOURCE)}"


def _limit_too_low(settings: Settings, on: Host) -> str | None:
    if _SIZE not in settings:
        return None
    emulated = on.accelerator == "tcg"
    code = settings.get("tcg.tb-cache", "1 GiB") if emulated else "0 B"
    least = parse_bytes(settings[_SIZE]) + _QEMU_ITSELF + parse_bytes(code)
    if parse_bytes(settings[_LIMIT]) >= least:
        return None
    parts = f"{_text_of(settings, _SIZE)}, {spell_bytes(_QEMU_ITSELF)} for QEMU itself"
    parts += f", {code} for translated code" if emulated else ""
    return f"the kernel would kill QEMU at {_text_of(settings, _LIMIT)}: {parts} make {spell_bytes(least)}"


RULES = (
    Rule((_CURRENT, _DEFLATE, _REPORTING), _no_balloon),
    Rule((_CURRENT,), _too_much_kept),
    Rule((_LOCKED,), _locked),
    Rule((_ACCESS,), _shared_anonymous),
    Rule((_SHARE,), _nothing_to_merge),
    Rule((_THP,), _no_thp),
    Rule((_LIMIT,), _limit_too_low),
)
