"""Factors of the form of virtio's rings.

Limits: before QEMU 7.2, or before a driver in the guest runs, only what the device offers can be seen.
"""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Factor
from assay.factors.base.levels import SWITCH
from assay.factors.base.qtree import Device
from assay.factors.base.versions import TELLS_FEATURES, too_old
from assay.factors.disk import seen as disk_seen
from assay.factors.disk.virtio import TREE, WHERE, set_driver, virtio_path

_TAKEN = f"{TREE} (offered); once a driver runs, QMP x-query-virtio-status (taken; QEMU 7.2)"


def _packed(draft: Draft, level: str) -> None:
    set_driver(draft, packed=level)


def _actual_packed(seen: Evidence, _wanted: str) -> str:
    return _negotiated(seen, disk_seen.virtio(seen), "packed", "VIRTIO_F_RING_PACKED")


def _event_idx(draft: Draft, level: str) -> None:
    set_driver(draft, event_idx=level)


def _actual_event_idx(seen: Evidence, _wanted: str) -> str:
    return _negotiated(seen, disk_seen.virtio(seen), "event_idx", "VIRTIO_RING_F_EVENT_IDX")


def _negotiated(seen: Evidence, device: Device | None, name: str, feature: str) -> str:
    """Return a feature of the rings: what the guest's driver took, or before there is one, what
    is offered.
    """
    offered = device is not None and device.properties.get(name) == "true"
    path = None if seen.host.qemu < TELLS_FEATURES else virtio_path(device)
    status = seen.ask("x-query-virtio-status", path=path) if path else {}
    words = " ".join(status.get("status", {}).get("statuses", ()))
    if "DRIVER_OK" not in words:
        return "on" if offered else "off"
    taken = feature in " ".join(status["guest-features"]["transports"])
    return "on" if taken else "off, the guest's driver does not take it" if offered else "off"


def _needs_packed(host: Host, _level: str | None) -> str | None:
    return too_old(host, libvirt=(6, 3, 0), qemu=(4, 2, 0))


FACTORS = (
    Factor(
        "disk.packed",
        "virtio's packed rings",
        SWITCH,
        "off",
        f"{WHERE} @packed",
        _TAKEN,
        _actual_packed,
        edit=_packed,
        needs=_needs_packed,
    ),
    Factor(
        "disk.event_idx",
        "guest and QEMU tell each other when to be notified",
        SWITCH,
        "on",
        "devices/disk/driver/@event_idx",
        _TAKEN,
        _actual_event_idx,
        edit=_event_idx,
    ),
)
