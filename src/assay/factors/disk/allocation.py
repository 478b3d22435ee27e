"""What of a disk's file is allocated, told from outside.

Source: seen on QEMU 7.2 and ext4: qcow2 falloc and full look alike in ``qemu-img map``, raw off and falloc
    do,
too; the bytes allocated tell the latter, extents that the kernel calls unwritten tell the former.
Limits: true at the guest's start; a guest that has written everywhere has made any file a full one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.factors.base.evidence import Evidence


def actual_preallocation(seen: Evidence, _wanted: str) -> str:
    """Return the level of ``disk.preallocation`` that a disk's file shows."""
    if int(seen.disk["allocated"]) < int(seen.disk["virtual-size"]):
        return "metadata" if _mapped(seen.disk) else "off"
    unwritten = seen.disk.get("unwritten")
    if unwritten is None:
        return "falloc or full: its file system does not tell which"
    return "falloc" if int(unwritten) else "full"


def _mapped(disk: Mapping[str, Any]) -> bool:
    """Tell whether a qcow2 disk has a place in the file for all of the guest's bytes."""
    return disk["format"] == "qcow2" and all(one["present"] and "offset" in one for one in disk["map"])
