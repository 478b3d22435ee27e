"""Levels that name places of the site's own: mount points and empty block devices, dealt out in turn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from assay.factors.base.evidence import Host
from assay.factors.base.levels import LevelError
from assay.model.files.packages import install_command

MOST = 64
DEVICES = "/dev/"
_PLACE = r"/[A-Za-z0-9._+@:/-]+"
_LIST = re.compile(rf"{_PLACE}( {_PLACE}){{0,{MOST - 1}}}")


@dataclass(frozen=True)
class Places:
    """Absolute paths, separated by blanks."""

    choices: tuple[str, ...] = ("/data1", "/data1 /data2")

    def read(self, written: object) -> str:
        """Return the paths in one spelling; see ``Levels``."""
        text = " ".join(written.split()) if isinstance(written, str) else ""
        paths = [str(PurePosixPath(path)) for path in text.split()]
        if not _LIST.fullmatch(text) or len(set(paths)) < len(paths) or ".." in text.split("/"):
            raise LevelError(self.words)
        return " ".join(paths)

    @property
    def words(self) -> str:
        """What can be written, for people."""
        return "mount points or empty devices, like /data1 or '/data1 /data2', each once"

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        return {"type": "string", "pattern": f"^(?:{_LIST.pattern})$"}


PLACES = Places()


def dealt(level: str, number: int) -> str:
    """Return the place of a level that the one of a number, from 0, has: they are dealt out in turn."""
    places = level.split()
    return places[number % len(places)]


def is_device(place: str) -> bool:
    """Tell whether a place is a block device by its name."""
    return place.startswith(DEVICES)


def lacks_place(host: Host, level: str | None) -> str | None:
    """Return why a level cannot be had on a host, one clause; ``None`` where it can.

    Whether a device is empty is looked at on the machine itself, before anything is made on it.
    """
    if not host.root:
        return "only root may mount a file system"
    lines = [line.split() for line in (host.read("/proc/self/mountinfo") or "").splitlines()]
    points = {words[4] for words in lines if len(words) > 4}
    sources = {words[words.index("-") + 2] for words in lines if "-" in words[:-2]}
    for place in (level or "").split():
        if is_device(place):
            if place in sources:
                return f"{place} is mounted: name its mount point"
            if not host.has("mkfs.ext4"):
                return f"mkfs.ext4 is not installed; {install_command('e2fsprogs', has=host.has)}"
        elif place not in points:
            return f"{place} is no mount point here"
    return None
