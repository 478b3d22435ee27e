"""Factors of where a guest's memory lies, and who may map it."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence
from assay.factors.base.factor import Factor, Hazard
from assay.factors.base.levels import Words
from assay.factors.memory.ram import NOT_SEEN, is_shared


def _source(draft: Draft, level: str) -> None:
    draft.at("memoryBacking/source", type_=level)


def _actual_source(seen: Evidence, _wanted: str) -> str:
    if not seen.ram:
        return NOT_SEEN
    name = seen.ram["name"]
    if name.startswith("/memfd:"):
        return "memfd"
    if not name or name.startswith("[anon"):
        return "anonymous"
    return "file" if seen.ram.get("KernelPageSize") == "4 kB" else "a file on hugetlbfs"


def _access(draft: Draft, level: str) -> None:
    draft.drop("memoryBacking/access")
    # the element alone, whatever it says, makes libvirt 9.0 put anonymous memory into a file
    if level == "shared" or not _is_anonymous(draft):
        draft.at("memoryBacking/access", mode=level)


def _is_anonymous(draft: Draft) -> bool:
    source = draft.domain.find("memoryBacking/source")
    huge = draft.domain.find("memoryBacking/hugepages") is not None
    return not huge and (source is None or source.get("type") == "anonymous")


def _actual_access(seen: Evidence, _wanted: str) -> str:
    if not seen.ram:
        return NOT_SEEN
    return "shared" if is_shared(seen) else "private"


FACTORS = (
    Factor(
        "memory.source",
        "what lies behind the guest's memory",
        Words(("anonymous", "memfd", "file")),
        "anonymous",
        "memoryBacking/source/@type",
        "what is mapped as guest memory in /proc/PID/smaps",
        _actual_source,
        edit=_source,
        hazards=(Hazard.MEMORY,),
        note="memfd and file lose transparent huge pages (kernel 6.18: THPeligible 0 with "
        "shmem_enabled never and "
        "advise) and, shared, KSM; file lies in libvirt's memory_backing_dir, on the disk unless "
        "that is a tmpfs",
    ),
    Factor(
        "memory.access",
        "whether other processes may map the guest's memory",
        Words(("private", "shared")),
        "private; shared with memory.source=memfd",
        "memoryBacking/access/@mode",
        "permissions of guest memory in /proc/PID/smaps, s or p",
        _actual_access,
        edit=_access,
        note="virtiofs and vhost-user need shared memory; libvirt puts anonymous memory into a file "
        "on the disk without a word wherever an access is written, so private is not written there",
    ),
)
