"""What bounds a QEMU process: its control group, and how much memory it may lock.

Source: kernel ``admin-guide/cgroup-v1/memory.rst`` and ``cgroup-v2.rst``, ``man 7 capabilities``.
Limits: control groups are looked for where every distribution mounts them, below ``/sys/fs/cgroup``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.factors.base.evidence import Evidence, Host

_SYS_RESOURCE = 24
"""Number of the capability ``CAP_SYS_RESOURCE``."""
_UNBOUNDED = 1 << 62
"""cgroup v1 writes no bound as a number near 2**63."""


def cannot_lock(host: Host) -> str | None:
    """Return why libvirt cannot raise QEMU's limit of locked memory, which it does for a locked guest and for
    one with a hard limit; ``None`` where nothing is seen that speaks against it."""
    bounding = re.search(r"^CapBnd:\s*([0-9a-f]+)", host.read("/proc/1/status") or "", re.MULTILINE)
    if bounding is None or int(bounding[1], 16) >> _SYS_RESOURCE & 1:
        return None
    limit = re.search(r"^Max locked memory +\S+ +(\S+)", host.read("/proc/self/limits") or "", re.MULTILINE)
    if limit is not None and limit[1] == "unlimited":
        return None
    most = f" over {limit[1]} bytes" if limit else ""
    return (
        f"libvirt must raise the limit of locked memory{most}, and this machine withholds the "
        "capability for it, "
        "CAP_SYS_RESOURCE, from all its processes: whoever started the machine or container must grant it"
    )


def bound_in_force(seen: Evidence) -> int | None:
    """Return the bytes that a guest's QEMU may use by its memory control group or one above; ``None``: no
    bound.
    """
    texts = (seen.host.read(path) for path in _bound_files(seen.process_file("cgroup") or ""))
    bounds = [int(text) for text in texts if text is not None and text.isdecimal()]
    return min((bound for bound in bounds if bound < _UNBOUNDED), default=None)


def _bound_files(groups: str) -> Iterator[str]:
    lines = [line.split(":", 2) for line in groups.splitlines() if line.count(":") >= 2]
    for _, controllers, path in lines:
        if "memory" in controllers.split(","):
            yield from _upwards("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes")
            return
    for number, _, path in lines:
        if number == "0":
            yield from _upwards("/sys/fs/cgroup", path, "memory.max")


def _upwards(root: str, path: str, name: str) -> Iterator[str]:
    group = PurePosixPath(path)
    for one in (group, *group.parents):
        yield f"{root}{'' if str(one) == '/' else one}/{name}"
