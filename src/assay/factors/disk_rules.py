"""Levels of a disk that cannot be had together, or that would silently be something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.factors.disk_place import direct_on_tmpfs
from assay.factors.evidence import Host
from assay.factors.factor import Rule, Settings
from assay.model.units import parse_bytes

_DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        "disk.bus": "virtio",
        "disk.cache": "none",
        "disk.cluster_size": "64 KiB",
        "disk.detect_zeroes": "off",
        "disk.discard": "ignore",
        "disk.extended_l2": "off",
        "disk.format": "qcow2",
        "disk.ioeventfd": "on",
        "disk.preallocation": "off",
    }
)
_OF_QCOW2 = ("disk.cluster_size", "disk.extended_l2", "disk.lazy_refcounts", "disk.metadata_cache")
_OF_COPIES = (
    "disk.format",
    "disk.preallocation",
    "disk.host-filesystem",
    "disk.guest-filesystem",
    *_OF_QCOW2[:3],
)
"""Said, they make the disk a copy of the image's, unless ``disk.backing`` is said, too."""
_OF_VIRTIO = ("disk.iothread", "disk.queues", "disk.packed", "disk.ioeventfd")
_OF_VIRTIO_BLK = ("disk.queue_size", "disk.event_idx")
_NOTHING = ("disk.iothread", "off")
"""Asks for nothing that a bus could lack."""
_SYNCHRONOUS = ("writethrough", "directsync")


def _level(settings: Settings, name: str) -> str:
    return settings.get(name, _DEFAULTS[name])


def _depth(settings: Settings) -> int:
    copied = any(name in settings for name in _OF_COPIES)
    return int(settings.get("disk.backing", "0" if copied else "1"))


def _native(settings: Settings, _host: Host) -> str | None:
    cache = _level(settings, "disk.cache")
    if settings.get("disk.io") != "native" or cache in ("none", "directsync"):
        return None
    return f"disk.io=native needs disk.cache=none or directsync, here it is {cache}"


def _one_of(
    names: tuple[str, ...], buses: tuple[str, ...], reason: str
) -> Callable[[Settings, Host], str | None]:
    def fault(settings: Settings, _host: Host) -> str | None:
        bus = _level(settings, "disk.bus")
        said = [name for name in names if name in settings and (name, settings[name]) != _NOTHING]
        return f"{said[0]} with disk.bus={bus}: {reason}" if said and bus not in buses else None

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
    if settings.get("disk.detect_zeroes") != "unmap" or _level(settings, "disk.discard") == "unmap":
        return None
    return "disk.detect_zeroes=unmap with disk.discard=ignore runs as detect_zeroes=on"


def _given_back(settings: Settings, _host: Host) -> str | None:
    made = _level(settings, "disk.preallocation")
    if made == "off":
        return None
    discard, zeroes = _level(settings, "disk.discard"), _level(settings, "disk.detect_zeroes")
    if discard == "unmap":
        return f"disk.preallocation={made} with disk.discard=unmap: the first trim gives the room back"
    if zeroes != "off":
        return f"disk.preallocation={made} with disk.detect_zeroes={zeroes}: zeroes undo it"
    return None


def _raw(settings: Settings, _host: Host) -> str | None:
    if _level(settings, "disk.format") != "raw":
        return None
    if settings.get("disk.preallocation") == "metadata":
        return "disk.preallocation=metadata with disk.format=raw: a raw disk has no metadata"
    if _depth(settings):
        return f"disk.backing={_depth(settings)} with disk.format=raw: nothing can lie below a raw disk"
    said = [name for name in _OF_QCOW2 if name in settings]
    return f"{said[0]} with disk.format=raw: it is qcow2's" if said else None


def _over_another(settings: Settings, _host: Host) -> str | None:
    made = _level(settings, "disk.preallocation")
    if made == "off" or not _depth(settings) or _level(settings, "disk.extended_l2") == "on":
        return None
    return (
        f"disk.preallocation={made} with disk.backing={_depth(settings)}: over another disk "
        "only with disk.extended_l2=on"
    )


def _extended_l2(settings: Settings, _host: Host) -> str | None:
    size = _level(settings, "disk.cluster_size")
    if _level(settings, "disk.extended_l2") == "off" or parse_bytes(size) >= parse_bytes("16 KiB"):
        return None
    return f"disk.extended_l2=on needs clusters of 16 KiB at least, here they are {size}"


def _lazy(settings: Settings, _host: Host) -> str | None:
    cache = _level(settings, "disk.cache")
    if settings.get("disk.lazy_refcounts") != "on" or cache in _SYNCHRONOUS:
        return None
    return (
        f"disk.lazy_refcounts=on with disk.cache={cache}: counts are written in batches anyway; "
        "it is for writethrough and directsync"
    )


def _copied(settings: Settings, _host: Host) -> str | None:
    if settings.get("disk.copy_on_read") != "on" or _depth(settings):
        return None
    return "disk.copy_on_read=on with a disk that has nothing below it; say disk.backing=1"


def _placed(settings: Settings, host: Host) -> str | None:
    level, cache = settings["disk.host-filesystem"], _level(settings, "disk.cache")
    if _depth(settings):
        return f"disk.host-filesystem={level} with disk.backing={_depth(settings)}: the image lies on another one"
    if level == "tmpfs" and cache in ("none", "directsync") and not direct_on_tmpfs(host):
        return f"disk.cache={cache} with disk.host-filesystem=tmpfs: before Linux 6.6 tmpfs has no O_DIRECT"
    return None


def _made_anew(settings: Settings, _host: Host) -> str | None:
    level, depth = settings["disk.guest-filesystem"], _depth(settings)
    return (
        f"disk.guest-filesystem={level} with disk.backing={depth}: the image below is ext4" if depth else None
    )


def _notices(settings: Settings, _host: Host) -> str | None:
    if settings.get("disk.iothread") != "on" or _level(settings, "disk.ioeventfd") == "on":
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
    Rule(("disk.preallocation",), _given_back),
    Rule(("disk.preallocation",), _over_another),
    Rule(("disk.format",), _raw),
    Rule(("disk.extended_l2",), _extended_l2),
    Rule(("disk.lazy_refcounts",), _lazy),
    Rule(("disk.copy_on_read",), _copied),
    Rule(("disk.iothread",), _notices),
    Rule(("disk.host-filesystem",), _placed),
    Rule(("disk.guest-filesystem",), _made_anew),
)
"""Source: libvirt's and QEMU's refusals as they were seen on 9.0 and 7.2, and what they take without effect."""
