"""Levels of a disk's file that cannot be had together, or that would silently be something else."""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.base.filesystems import parts_of
from assay.factors.disk.defaults import level_of
from assay.factors.disk.place import direct_on_tmpfs
from assay.model.units import parse_bytes

_OF_QCOW2 = ("disk.cluster_size", "disk.extended_l2", "disk.lazy_refcounts", "disk.metadata_cache")
_OF_COPIES = (
    "disk.format",
    "disk.preallocation",
    "disk.host-filesystem",
    "disk.place",
    "disk.guest-filesystem",
    *_OF_QCOW2[:3],
)
"""Said, they make the disk a copy of the image's, unless ``disk.backing`` is said, too."""
_SYNCHRONOUS = ("writethrough", "directsync")


def _depth(settings: Settings) -> int:
    copied = any(name in settings for name in _OF_COPIES)
    return int(settings.get("disk.backing", "0" if copied else "1"))


def _given_back(settings: Settings, _host: Host) -> str | None:
    made = level_of(settings, "disk.preallocation")
    if made == "off":
        return None
    discard, zeroes = level_of(settings, "disk.discard"), level_of(settings, "disk.detect_zeroes")
    if discard == "unmap":
        return f"disk.preallocation={made} with disk.discard=unmap: the first trim gives the room back"
    if zeroes != "off":
        return f"disk.preallocation={made} with disk.detect_zeroes={zeroes}: zeroes undo it"
    return None


def _raw(settings: Settings, _host: Host) -> str | None:
    if level_of(settings, "disk.format") != "raw":
        return None
    if settings.get("disk.preallocation") == "metadata":
        return "disk.preallocation=metadata with disk.format=raw: a raw disk has no metadata"
    if _depth(settings):
        return f"disk.backing={_depth(settings)} with disk.format=raw: nothing can lie below a raw disk"
    of_qcow2 = [name for name in _OF_QCOW2 if name in settings]
    return f"{of_qcow2[0]} with disk.format=raw: it is qcow2's" if of_qcow2 else None


def _over_another(settings: Settings, _host: Host) -> str | None:
    made = level_of(settings, "disk.preallocation")
    if made == "off" or not _depth(settings) or level_of(settings, "disk.extended_l2") == "on":
        return None
    return (
        f"disk.preallocation={made} with disk.backing={_depth(settings)}: over another disk "
        "only with disk.extended_l2=on"
    )


def _extended_l2(settings: Settings, _host: Host) -> str | None:
    size = level_of(settings, "disk.cluster_size")
    if level_of(settings, "disk.extended_l2") == "off" or parse_bytes(size) >= parse_bytes("16 KiB"):
        return None
    return f"disk.extended_l2=on needs clusters of 16 KiB at least, here they are {size}"


def _lazy(settings: Settings, _host: Host) -> str | None:
    cache = level_of(settings, "disk.cache")
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


def _falloc_like_full(settings: Settings, _host: Host) -> str | None:
    made, place = settings["disk.preallocation"], settings.get("disk.host-filesystem")
    if place and (parts_of(place)[0], made) == ("ext2", "falloc"):
        return (
            f"disk.preallocation=falloc with disk.host-filesystem={place}: it reserves nothing, "
            "zeroes are written"
        )
    if place == "tmpfs" and made in ("falloc", "full"):
        return f"disk.preallocation={made} with disk.host-filesystem=tmpfs: it does not tell falloc from full"
    return None


def _placed(settings: Settings, host: Host) -> str | None:
    level, cache = settings["disk.host-filesystem"], level_of(settings, "disk.cache")
    if _depth(settings):
        return (
            f"disk.host-filesystem={level} with disk.backing={_depth(settings)}: the image lies on "
            "another one"
        )
    if level == "tmpfs" and cache in ("none", "directsync") and not direct_on_tmpfs(host):
        return f"disk.cache={cache} with disk.host-filesystem=tmpfs: before Linux 6.6 tmpfs has no O_DIRECT"
    return None


def _two_places(settings: Settings, _host: Host) -> str | None:
    place = settings["disk.place"]
    if "disk.host-filesystem" in settings:
        return f"disk.place={place} with disk.host-filesystem: the disk has one place"
    if _depth(settings):
        return f"disk.place={place} with disk.backing={_depth(settings)}: the image lies on another one"
    return None


def _made_anew(settings: Settings, _host: Host) -> str | None:
    level, depth = settings["disk.guest-filesystem"], _depth(settings)
    return (
        f"disk.guest-filesystem={level} with disk.backing={depth}: the image below is ext4" if depth else None
    )


RULES = (
    Rule(("disk.preallocation",), _given_back),
    Rule(("disk.preallocation",), _over_another),
    Rule(("disk.preallocation",), _falloc_like_full),
    Rule(("disk.format",), _raw),
    Rule(("disk.extended_l2",), _extended_l2),
    Rule(("disk.lazy_refcounts",), _lazy),
    Rule(("disk.copy_on_read",), _copied),
    Rule(("disk.host-filesystem",), _placed),
    Rule(("disk.place",), _two_places),
    Rule(("disk.guest-filesystem",), _made_anew),
)
"""Source: qemu-img's refusals as they were seen on 7.2, and what it takes without effect."""
