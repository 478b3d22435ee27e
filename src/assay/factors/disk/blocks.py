"""Factors of what becomes of a disk's blocks: trimmed, all zeroes, or read from below."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence
from assay.factors.base.factor import Factor
from assay.factors.base.levels import SWITCH, Words
from assay.factors.disk import seen as disk_seen

_DRIVER = "devices/disk/driver"


def _discard(draft: Draft, level: str) -> None:
    draft.at(_DRIVER, discard=level)


def _actual_discard(seen: Evidence, _wanted: str) -> str:
    # the format passes on what it is told to pass on, the storage gives back what it is told to give back
    words = {str(one.get("discard", "ignore")) for one in disk_seen.options(seen)}
    if not words:
        return "not told"
    return "unmap" if words == {"unmap"} else "ignore"


def _detect_zeroes(draft: Draft, level: str) -> None:
    draft.at(_DRIVER, detect_zeroes=level)


def _actual_detect_zeroes(seen: Evidence, _wanted: str) -> str:
    return str(disk_seen.node(seen)["detect_zeroes"])


def _copy_on_read(draft: Draft, level: str) -> None:
    draft.at(_DRIVER, copy_on_read=level)


def _actual_copy_on_read(seen: Evidence, _wanted: str) -> str:
    filters = {node["drv"] for node in seen.ask("query-named-block-nodes")}
    return "on" if "copy-on-read" in filters else "off"


FACTORS = (
    Factor(
        "disk.discard",
        "what the guest trims is given back to the host's file system",
        Words(("ignore", "unmap")),
        "ignore",
        "devices/disk/driver/@discard",
        "QEMU's command line, -blockdev of format and storage (QMP is silent)",
        _actual_discard,
        edit=_discard,
        note="unmap gives preallocated room back with the first trim",
    ),
    Factor(
        "disk.detect_zeroes",
        "zeroes that the guest writes become holes",
        Words(("off", "on", "unmap")),
        "off",
        "devices/disk/driver/@detect_zeroes",
        "QMP query-named-block-nodes, detect_zeroes",
        _actual_detect_zeroes,
        edit=_detect_zeroes,
        note="every write is looked through, which costs processor time",
    ),
    Factor(
        "disk.copy_on_read",
        "what is read from below is kept in the guest's own disk",
        SWITCH,
        "off",
        "devices/disk/driver/@copy_on_read",
        "QMP query-named-block-nodes, a node of driver copy-on-read",
        _actual_copy_on_read,
        edit=_copy_on_read,
    ),
)
