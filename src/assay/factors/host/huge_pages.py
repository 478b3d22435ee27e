"""The host's pools of huge pages.

Source: kernel ``admin-guide/mm/hugetlbpage.rst``; ``/proc/mounts`` shows the page size of every hugetlbfs.
"""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.model.units import parse_bytes

_GIB = 1 << 30
_MOUNTED = {"2 MiB": "pagesize=2M", "1 GiB": "pagesize=1024M"}
_MOUNT = {"2 MiB": ("2M", "/dev/hugepages"), "1 GiB": ("1G", "/dev/hugepages1G")}


def page_bytes(level: str) -> int:
    """Return the bytes of a page."""
    return parse_bytes(level)


def empty_pool(host: Host, level: str) -> str | None:
    """Return why there is no free page of a size, with what to type; ``None`` where there is one."""
    free = free_pages(host, level)
    if free is None:
        return f"this processor or kernel has no pages of {level}"
    if free:
        return None
    return f"no page of {level} is free; for each GiB of memory: {_fill(level, _GIB // page_bytes(level))}"


def small_pool(host: Host, level: str, memory_bytes: int) -> str | None:
    """Return why a pool does not hold so much memory, with what to type; ``None`` where it does."""
    free, wanted = free_pages(host, level) or 0, -(-memory_bytes // page_bytes(level))
    if free >= wanted:
        return None
    there = int(host.read(f"{_folder(level)}/nr_hugepages") or 0)
    return (
        f"{wanted} free pages of {level} are needed, there are {free}: {_fill(level, there + wanted - free)}"
    )


def free_pages(host: Host, level: str) -> int | None:
    """Return how many pages of a size nobody has or was promised; ``None`` where there is no such size."""
    free = host.read(f"{_folder(level)}/free_hugepages")
    promised = host.read(f"{_folder(level)}/resv_hugepages")
    return None if free is None else int(free) - int(promised or 0)


def not_mounted(host: Host, level: str) -> str | None:
    """Return that no hugetlbfs of a page size is mounted, with what to type; ``None`` where one is."""
    mounts = [line.split() for line in (host.read("/proc/mounts") or "").splitlines()]
    if any(words[2] == "hugetlbfs" and _MOUNTED[level] in words[3].split(",") for words in mounts):
        return None
    size, folder = _MOUNT[level]
    return (
        f"libvirt takes pages of {level} from a hugetlbfs, mounted before libvirtd starts (none "
        "is needed with "
        f"memory.source=memfd): mkdir -p {folder} && mount -t hugetlbfs -o pagesize={size} hugetlbfs {folder}"
    )


def _fill(level: str, count: int) -> str:
    return f"echo {count} > {_folder(level)}/nr_hugepages"


def _folder(level: str) -> str:
    return f"/sys/kernel/mm/hugepages/hugepages-{page_bytes(level) // 1024}kB"
