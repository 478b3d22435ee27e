"""Factors of the pages that a guest's memory is made of."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import BOSS_TUNING, Effect, Factor, Hazard
from assay.factors.base.levels import SWITCH, Words
from assay.factors.host.huge_pages import empty_pool, page_bytes
from assay.factors.memory.ram import NOT_SEEN, has_flag, kib_of, resident_kib

_SIZES = ("2 MiB", "1 GiB")


def _hugepages(draft: Draft, level: str) -> None:
    draft.drop("memoryBacking/hugepages")
    if level != "none":
        draft.at("memoryBacking/hugepages/page", size=str(page_bytes(level) // 1024), unit="KiB")


def _actual_hugepages(seen: Evidence, _wanted: str) -> str:
    if not seen.ram:
        return NOT_SEEN
    size = seen.ram.get("KernelPageSize", "")
    known = {f"{page_bytes(level) // 1024} kB": level for level in _SIZES}
    return "none" if size == "4 kB" else known.get(size, f"pages of {size}")


def _needs_hugepages(host: Host, level: str | None) -> str | None:
    return None if level in (None, "none") else empty_pool(host, str(level))


def _nosharepages(draft: Draft, level: str) -> None:
    draft.drop("memoryBacking/nosharepages")
    if level == "on":
        draft.at("memoryBacking/nosharepages")


def _actual_nosharepages(seen: Evidence, _wanted: str) -> str:
    if not seen.ram:
        return NOT_SEEN
    asked = [bool(device["merge"]) for device in seen.ask("query-memdev")]
    if has_flag(seen, "mg"):
        return "off" if all(asked) else "QEMU forbids merging, the kernel allows it"
    return "QEMU allows merging, the kernel does not" if any(asked) else "on"


def _allocation(draft: Draft, level: str) -> None:
    draft.at("memoryBacking/allocation", mode=level)


def _actual_allocation(seen: Evidence, _wanted: str) -> str:
    asked = [bool(device["prealloc"]) for device in seen.ask("query-memdev")]
    if not (asked and all(asked)):
        return "ondemand"
    here, size = resident_kib(seen), kib_of(seen, "Size")
    return "immediate" if seen.ram and here == size else f"immediate, but {here} of {size} kB are there"


FACTORS = (
    Factor(
        "memory.hugepages",
        "huge pages of a pool under the guest's memory",
        Words(("none", *_SIZES)),
        "none",
        "memoryBacking/hugepages/page/@size",
        "KernelPageSize of guest memory in /proc/PID/smaps",
        _actual_hugepages,
        edit=_hugepages,
        hazards=(Hazard.MEMORY, Hazard.OTHERS),
        needs=_needs_hugepages,
        note="the pool is taken from the host and from all other guests; KSM, transparent huge pages and the "
        "balloon do not touch its pages; libvirt sees only a hugetlbfs that was mounted when "
        "libvirtd started, and needs none with memory.source=memfd",
    ),
    Factor(
        "memory.nosharepages",
        "KSM may not merge the guest's pages with those of others",
        SWITCH,
        "off",
        "memoryBacking/nosharepages",
        "QMP query-memdev, merge; VmFlags mg of guest memory in /proc/PID/smaps",
        _actual_nosharepages,
        edit=_nosharepages,
        hazards=(Hazard.MEMORY,),
        effects=(
            Effect("+0.9 % with KSM off on the host", "HS06, 4 guests of 8 vCPUs", "CERN 2015"),
            BOSS_TUNING,
        ),
        note="changes nothing on a host whose KSM does not run (/sys/kernel/mm/ksm/run is 0)",
    ),
    Factor(
        "memory.allocation",
        "when the guest's memory gets its pages",
        Words(("ondemand", "immediate")),
        "ondemand",
        "memoryBacking/allocation/@mode",
        "QMP query-memdev, prealloc; Rss = Size of guest memory in /proc/PID/smaps",
        _actual_allocation,
        edit=_allocation,
        hazards=(Hazard.MEMORY,),
        note="immediate takes the cost of the first touch out of the work, and gives anonymous memory "
        "transparent huge pages at once where the host has them",
    ),
)
