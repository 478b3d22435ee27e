"""Factors of the file that a guest's disk is: its format, how it is made, what it lies over."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import BOSS_TUNING, Cost, Effect, Factor
from assay.factors.base.levels import SWITCH, Size, Whole, Words, spell_bytes
from assay.factors.base.versions import too_old
from assay.factors.disk import seen as disk_seen
from assay.factors.disk.allocation import actual_preallocation
from assay.model.units import parse_bytes

_COPY = (
    "said, the disk is a copy of the image's and not an overlay over it, unless disk.backing says otherwise"
)
_IN_QEMU = "QMP query-named-block-nodes, image"


def _format(draft: Draft, level: str) -> None:
    draft.disk_format, draft.disk_depth = level, 0


def _actual_format(seen: Evidence, _wanted: str) -> str:
    opened, lies = str(disk_seen.node(seen)["drv"]), str(seen.disk["format"])
    opened = "raw" if opened == "file" else opened
    return opened if opened == lies else f"{opened}, and the file is {lies}"


def _made_with(draft: Draft, option: str, value: str) -> None:
    draft.disk_options[option] = value
    draft.disk_depth = 0


def _cluster_size(draft: Draft, level: str) -> None:
    _made_with(draft, "cluster_size", str(parse_bytes(level)))


def _actual_cluster_size(seen: Evidence, _wanted: str) -> str:
    size = disk_seen.node(seen)["image"].get("cluster-size")
    return "no clusters" if size is None else spell_bytes(int(size))


def _extended_l2(draft: Draft, level: str) -> None:
    _made_with(draft, "extended_l2", level)


def _lazy_refcounts(draft: Draft, level: str) -> None:
    _made_with(draft, "lazy_refcounts", level)


def _actual_extended_l2(seen: Evidence, _wanted: str) -> str:
    return _of_qcow2(seen, "extended-l2")


def _actual_lazy_refcounts(seen: Evidence, _wanted: str) -> str:
    return _of_qcow2(seen, "lazy-refcounts")


def _of_qcow2(seen: Evidence, name: str) -> str:
    value = disk_seen.node(seen)["image"].get("format-specific", {}).get("data", {}).get(name)
    return "no qcow2" if value is None else "on" if value else "off"


def _preallocation(draft: Draft, level: str) -> None:
    _made_with(draft, "preallocation", level)


def _backing(draft: Draft, level: str) -> None:
    draft.disk_depth = int(level)


def _actual_backing(seen: Evidence, _wanted: str) -> str:
    return str(disk_seen.node(seen)["backing_file_depth"])


def _needs_extended_l2(host: Host, _level: str | None) -> str | None:
    return too_old(host, qemu=(5, 2, 0))


FACTORS = (
    Factor(
        "disk.format",
        "format of the file that the guest's disk is",
        Words(("raw", "qcow2")),
        "qcow2, an overlay over the image's raw disk",
        "qemu-img convert -O; devices/disk/driver/@type",
        "QMP query-named-block-nodes, drv; qemu-img info of the file",
        _actual_format,
        cost=Cost.IMAGE,
        edit=_format,
        note=_COPY,
    ),
    Factor(
        "disk.cluster_size",
        "size of a cluster of a qcow2 disk",
        Size("512 B", "2 MiB", ("64 KiB", "128 KiB", "1 MiB", "2 MiB"), step=512),
        "64 KiB",
        "qemu-img -o cluster_size=",
        f"{_IN_QEMU}.cluster-size",
        _actual_cluster_size,
        cost=Cost.IMAGE,
        edit=_cluster_size,
        note=_COPY,
    ),
    Factor(
        "disk.extended_l2",
        "parts of a qcow2 cluster are allocated on their own",
        SWITCH,
        "off",
        "qemu-img -o extended_l2=",
        f"{_IN_QEMU}.format-specific",
        _actual_extended_l2,
        cost=Cost.IMAGE,
        edit=_extended_l2,
        needs=_needs_extended_l2,
        note=f"less is copied by the first write over a disk below: say disk.backing=1 with it; {_COPY}",
    ),
    Factor(
        "disk.lazy_refcounts",
        "reference counts of a qcow2 disk are written late",
        SWITCH,
        "off",
        "qemu-img -o lazy_refcounts=",
        f"{_IN_QEMU}.format-specific",
        _actual_lazy_refcounts,
        cost=Cost.IMAGE,
        edit=_lazy_refcounts,
        note=f"after a crash the whole disk is checked; {_COPY}",
    ),
    Factor(
        "disk.preallocation",
        "what of the disk's file is allocated before the guest writes",
        Words(("off", "metadata", "falloc", "full")),
        "off",
        "qemu-img -o preallocation=",
        "qemu-img map, bytes allocated on the file system, extents that the kernel calls unwritten (FIEMAP)",
        actual_preallocation,
        cost=Cost.IMAGE,
        edit=_preallocation,
        effects=(Effect("+80 %, from 600 events on", "ElecSim", "JUNO 2017 2.4"), BOSS_TUNING),
        note=_COPY,
    ),
    Factor(
        "disk.backing",
        "files below the guest's disk that reads go down to: 0 is a copy of its own, 1 a shared base image",
        Whole(0, 16, (0, 1, 2, 4)),
        "1, the image's disk; 0 where another factor makes the disk a copy",
        "qemu-img create -b; devices/disk/backingStore",
        "QMP query-named-block-nodes, backing_file_depth",
        _actual_backing,
        cost=Cost.IMAGE,
        edit=_backing,
        note="1: an overlay over the one base image that all guests of a host share, and its page cache with "
        "it; the first write to a cluster copies it; each file below is one more look-up",
    ),
)
