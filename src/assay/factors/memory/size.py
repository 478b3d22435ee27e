"""Factors of a guest's memory: how much there is, and what bounds it."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Factor, Hazard
from assay.factors.base.levels import SWITCH, Size, spell_bytes
from assay.factors.memory.limits import bound_in_force, cannot_lock
from assay.factors.memory.ram import NOT_SEEN, has_flag, kib_of, resident_kib
from assay.model.units import format_bytes, parse_bytes


def _size(draft: Draft, level: str) -> None:
    draft.at("memory", unit="b").text = str(parse_bytes(level))


def _actual_size(seen: Evidence, _wanted: str) -> str:
    return spell_bytes(int(seen.ask("query-memory-size-summary")["base-memory"]))


def _needs_size(host: Host, level: str | None) -> str | None:
    if level is None or parse_bytes(level) <= host.memory_bytes:
        return None
    return f"this host has {format_bytes(host.memory_bytes)}"


def _hard_limit(draft: Draft, level: str) -> None:
    draft.at("memtune/hard_limit", unit="b").text = str(parse_bytes(level))


def _actual_hard_limit(seen: Evidence, _wanted: str) -> str:
    bound = bound_in_force(seen)
    return "none" if bound is None else spell_bytes(bound)


def _needs_hard_limit(host: Host, _level: str | None) -> str | None:
    return cannot_lock(host)


def _locked(draft: Draft, level: str) -> None:
    draft.drop("memoryBacking/locked")
    if level == "on":
        draft.at("memoryBacking/locked")


def _actual_locked(seen: Evidence, _wanted: str) -> str:
    if not seen.ram:
        return NOT_SEEN
    if not has_flag(seen, "lo"):
        return "off"
    here, size = resident_kib(seen), kib_of(seen, "Size")
    return "on" if here == size else f"locked, but only {here} of {size} kB are there"


def _needs_locked(host: Host, level: str | None) -> str | None:
    return None if level in (None, "off") else cannot_lock(host)


FACTORS = (
    Factor(
        "memory.size",
        "memory of the guest",
        Size("256 MiB", "64 TiB", ("1 GiB", "2 GiB", "4 GiB"), step=1024**2),
        "2 GiB",
        "memory",
        "QMP query-memory-size-summary",
        _actual_size,
        edit=_size,
        hazards=(Hazard.MEMORY,),
        needs=_needs_size,
    ),
    Factor(
        "memory.hard_limit",
        "memory that the host grants the whole QEMU process",
        Size("512 MiB", "64 TiB", ("4 GiB", "8 GiB"), step=4096),
        "none",
        "memtune/hard_limit",
        "memory.limit_in_bytes or memory.max of QEMU's control group and those above it, the least",
        _actual_hard_limit,
        edit=_hard_limit,
        hazards=(Hazard.MEMORY,),
        needs=_needs_hard_limit,
        note="the kernel kills QEMU at the limit: for planted limits only; libvirt also makes it the "
        "limit of locked memory",
    ),
    Factor(
        "memory.locked",
        "the host may not swap the guest's memory out",
        SWITCH,
        "off",
        "memoryBacking/locked",
        "VmFlags lo, Rss = Size of guest memory in /proc/PID/smaps",
        _actual_locked,
        edit=_locked,
        hazards=(Hazard.MEMORY, Hazard.OTHERS),
        needs=_needs_locked,
        note="all memory of the guest is taken at its start; set memory.hard_limit beside it: "
        "without, QEMU may lock all that the host has",
    ),
)
