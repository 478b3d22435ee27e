"""Combinations of huge pages of a pool that cannot be, or that would silently be something else.

Source: libvirt's and QEMU's refusals as seen with libvirt 9.0 and QEMU 7.2; kernel ``mm/ksm.c`` (KSM leaves
    huge
pages out) and ``mm/huge_memory.c`` (transparent ones stay off below 512 MiB of memory); of pages of a pool
the balloon could only give back whole ones.
"""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.host.huge_pages import not_mounted, page_bytes, small_pool
from assay.model.units import parse_bytes

_PAGES = "memory.hugepages"
_WITHOUT_EFFECT = {
    "memory.allocation": (("ondemand",), "libvirt allocates huge pages at the start"),
    "memory.source": (("anonymous", "file"), "huge pages lie in a file on hugetlbfs or in a memfd"),
    "memory.nosharepages": (("off",), "KSM does not merge huge pages"),
    "memory.freePageReporting": (("on",), "huge pages are not given back to the host"),
    "host.ksm": (("1",), "KSM does not merge huge pages"),
    "host.thp": (("always", "madvise"), "memory from a pool has no transparent huge pages"),
}
"""What libvirt or the kernel leaves out where pages are huge: factor, its levels, and why."""
_IN_GUEST, _TOO_SMALL = "guest.transparent_hugepage", 512 * 2**20


def _huge(settings: Settings) -> str | None:
    level = settings.get(_PAGES, "none")
    return None if level == "none" else level


def _mount(settings: Settings, on: Host) -> str | None:
    level = _huge(settings)
    return None if level is None or settings.get("memory.source") == "memfd" else not_mounted(on, level)


def _pool(settings: Settings, on: Host) -> str | None:
    level = _huge(settings)
    if level is None or "memory.size" not in settings:
        return None
    size = parse_bytes(settings["memory.size"])
    if size % page_bytes(level):
        return f"memory.size={settings['memory.size']} is no whole number of pages of {level}"
    return small_pool(on, level, size)


def _without_effect(settings: Settings, _on: Host) -> str | None:
    pages = _huge(settings)
    for name, (levels, why) in _WITHOUT_EFFECT.items():
        if pages is not None and settings.get(name) in levels:
            return f"{why}: {name}={settings[name]} and {_PAGES}={pages}"
    return None


def _nothing_given_back(settings: Settings, _on: Host) -> str | None:
    pages, kept = _huge(settings), settings.get("memory.currentMemory")
    if pages is None or kept is None or kept == settings.get("memory.size"):
        return None
    return f"huge pages are not given back to the host: memory.currentMemory={kept} and {_PAGES}={pages}"


def _in_a_small_guest(settings: Settings, _on: Host) -> str | None:
    level, size = settings.get(_IN_GUEST, "never"), settings.get("memory.size")
    if level == "never" or size is None or parse_bytes(size) > _TOO_SMALL:
        return None
    why = "Linux keeps transparent huge pages off below 512 MiB, and has a little less than its guest"
    return f"{why}: {_IN_GUEST}={level} and memory.size={size}"


RULES = (
    Rule((_IN_GUEST,), _in_a_small_guest),
    *(Rule((_PAGES,), fault) for fault in (_mount, _pool, _without_effect, _nothing_given_back)),
)
