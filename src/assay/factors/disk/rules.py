"""Levels of a disk's device and driver that cannot be had together, or that would silently be
something else.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.disk.defaults import level_of
from assay.model.units import parse_bytes

_OF_VIRTIO = ("disk.iothread", "disk.queues", "disk.packed", "disk.ioeventfd")
_OF_VIRTIO_BLK = ("disk.queue_size", "disk.event_idx")
_NOTHING = ("disk.iothread", "off")
"""Asks for nothing that a bus could lack."""


def _native(settings: Settings, _host: Host) -> str | None:
    cache = level_of(settings, "disk.cache")
    if settings.get("disk.io") != "native" or cache in ("none", "directsync"):
        return None
    return f"disk.io=native needs disk.cache=none or directsync, here it is {cache}"


def _one_of(
    names: tuple[str, ...], buses: tuple[str, ...], reason: str
) -> Callable[[Settings, Host], str | None]:
    def fault(settings: Settings, _host: Host) -> str | None:
        bus = level_of(settings, "disk.bus")
        asked = [name for name in names if name in settings and (name, settings[name]) != _NOTHING]
        return f"{asked[0]} with disk.bus={bus}: {reason}" if asked and bus not in buses else None

    return fault


def _power_of_two(name: str, read: Callable[[str], int]) -> Callable[[Settings, Host], str | None]:
    def fault(settings: Settings, _host: Host) -> str | None:
        count = read(settings[name])
        return f"{name}={settings[name]} is no power of two" if count & (count - 1) else None

    return fault


def _queues(settings: Settings, _host: Host) -> str | None:
    queues, vcpus = int(settings.get("disk.queues", "1")), int(settings.get("cpu.vcpus", "1024"))
    if queues <= vcpus:
        return None
    return f"disk.queues={queues} with cpu.vcpus={vcpus}: libvirt takes it, and the guest uses {vcpus}"


def _zeroes(settings: Settings, _host: Host) -> str | None:
    if settings.get("disk.detect_zeroes") != "unmap" or level_of(settings, "disk.discard") == "unmap":
        return None
    return "disk.detect_zeroes=unmap with disk.discard=ignore runs as detect_zeroes=on"


def _notices(settings: Settings, _host: Host) -> str | None:
    if settings.get("disk.iothread") != "on" or level_of(settings, "disk.ioeventfd") == "on":
        return None
    return "disk.iothread=on with disk.ioeventfd=off: the thread gets its work by ioeventfd"


RULES = (
    Rule(("disk.io",), _native),
    Rule(_OF_VIRTIO, _one_of(_OF_VIRTIO, ("virtio", "scsi"), "only virtio and scsi have it")),
    Rule(_OF_VIRTIO_BLK, _one_of(_OF_VIRTIO_BLK, ("virtio",), "only virtio has it")),
    Rule(("disk.queue_size",), _power_of_two("disk.queue_size", int)),
    Rule(("disk.cluster_size",), _power_of_two("disk.cluster_size", parse_bytes)),
    Rule(("disk.queues",), _queues),
    Rule(("disk.detect_zeroes",), _zeroes),
    Rule(("disk.iothread",), _notices),
)
"""Source: libvirt's and QEMU's refusals as they were seen on 9.0 and 7.2, and what they take
without effect.
"""
