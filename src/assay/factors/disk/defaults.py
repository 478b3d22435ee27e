"""Levels of a disk where nothing is said, for rules that look at several."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.factors.base.factor import Settings

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


def level_of(settings: Settings, name: str) -> str:
    """Return the level of a factor of the disk, said or not."""
    return settings.get(name, _DEFAULTS[name])
