"""A guest's disk in what QEMU, libvirt and the kernel tell of it.

Source: QEMU QMP reference (``query-block``, ``query-named-block-nodes``), libvirt ``formatdomain``
(``source/@index``); libvirt names QEMU's nodes ``libvirt-INDEX-format`` and ``libvirt-INDEX-storage``.
Limits: the guest's first disk; of a raw disk newer libvirt makes the storage node alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.factors.base.evidence import Evidence
from assay.factors.base.qtree import Device, parse_qtree
from assay.factors.base.qtree import first as first_device


def block(seen: Evidence) -> Mapping[str, Any]:
    """Return the disk in ``query-block``: as the guest's device sees it."""
    return next(one for one in seen.ask("query-block") if "inserted" in one)


def node(seen: Evidence) -> Mapping[str, Any]:
    """Return the node that reads the disk's format, below what libvirt may have put on it."""
    nodes = {one["node-name"]: one for one in seen.ask("query-named-block-nodes")}
    return next(nodes[name] for name in _names(seen) if name in nodes)


def _names(seen: Evidence) -> tuple[str, str]:
    source = seen.live.find("devices/disk/source")
    index = "1" if source is None else source.get("index", "1")
    return f"libvirt-{index}-format", f"libvirt-{index}-storage"


def options(seen: Evidence) -> tuple[Mapping[str, Any], ...]:
    """Return what QEMU was given for the disk's format and storage, for what no question tells."""
    given = _given(seen)
    return tuple(given[name] for name in _names(seen) if name in given)


def storage(seen: Evidence) -> Mapping[str, Any] | None:
    """Return what QEMU was given for the disk's storage; ``None`` where its command line does not tell."""
    return _given(seen).get(_names(seen)[1])


def _given(seen: Evidence) -> Mapping[str, Mapping[str, Any]]:
    given = {}
    for flag, word in zip(seen.command, seen.command[1:], strict=False):
        if flag == "-blockdev":
            blockdev = json.loads(word)
            given[str(blockdev.get("node-name"))] = blockdev
    return given


def device(seen: Evidence) -> Device | None:
    """Return the device that the disk is behind, with what it hangs on."""
    name = str(block(seen)["inserted"]["node-name"])
    return first_device(parse_qtree(seen.monitor("info qtree")), drive=name)


def virtio(seen: Evidence) -> Device | None:
    """Return the virtio device that carries the disk: its own, or the controller it is on; else ``None``."""
    lowest = device(seen)
    up = () if lowest is None else lowest.up
    return next((one for one in up if one.kind in ("virtio-blk-device", "virtio-scsi-device")), None)


def inherited(lowest: Device | None, name: str) -> str | None:
    """Return a property of a device, or of the nearest above it that has one; ``None`` where none has."""
    up = () if lowest is None else lowest.up
    return next((one.properties[name] for one in up if name in one.properties), None)
