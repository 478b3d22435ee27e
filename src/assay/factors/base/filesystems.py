"""Levels of file systems that are made for a platform: in loop files, also of one on another, or
in memory.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any

from assay.factors.base.evidence import Host
from assay.factors.base.levels import LevelError
from assay.model.files.packages import install_command

MEMORY = "tmpfs"
SINGLE = ("ext2", "ext4", "ext4-nojournal", "xfs", "btrfs")
MADE = (*SINGLE, "btrfs-raid0", "btrfs-raid1", "btrfs-raid5")
_ON = "-on-"
_PROGRAMS = {
    "xfs": ("mkfs.xfs", "xfsprogs"),
    "btrfs": ("mkfs.btrfs", "btrfs-progs"),
    "ext2": ("mkfs.ext2", "e2fsprogs"),
}
_FALLBACK = ("mkfs.ext4", "e2fsprogs")


def parts_of(level: str) -> tuple[str, str | None]:
    """Return the file system of a level and the one that its loop files lie on: ``xfs-on-tmpfs``; ``None``
    for none of its own.
    """
    kind, _, below = level.partition(_ON)
    return kind, below or None


def level_of_parts(kind: str, below: str | None) -> str:
    """Return the level of a file system and of what its loop files lie on."""
    return kind if below is None else f"{kind}{_ON}{below}"


def in_memory(level: str | None) -> bool:
    """Tell whether a file system takes the host's memory."""
    return level is not None and MEMORY in parts_of(level)


def lacks_program(host: Host, level: str | None) -> str | None:
    """Return why a level of a file system cannot be made on a host, one clause; ``None`` where it can."""
    if not host.root:
        return "only root may mount a file system"
    kinds = () if level is None else (kind for kind in parts_of(level) if kind not in (None, MEMORY))
    for kind in kinds:
        program, package = _PROGRAMS.get(str(kind).partition("-")[0], _FALLBACK)
        if not host.has(program):
            return f"{program} is not installed; {install_command(package, has=host.has)}"
    return None


@dataclass(frozen=True)
class FileSystems:
    """One of several file systems, or of a loop file of one on another.

    Attributes:
        made: File systems that lie in loop files.
        tried: Pairs worth trying.
    """

    made: tuple[str, ...]
    tried: tuple[str, ...]

    def read(self, written: object) -> str:
        """Return the level; see ``Levels``."""
        every = [*self._alone, *(level_of_parts(kind, below) for kind in self.made for below in self._alone)]
        if not isinstance(written, str) or written not in every:
            near = difflib.get_close_matches(str(written), every, n=1, cutoff=0.5)
            msg = f"one of {self.words}"
            raise LevelError(msg, nearest=near[0] if near else None)
        return written

    @property
    def _alone(self) -> tuple[str, ...]:
        return (*self.made, MEMORY)

    @property
    def choices(self) -> tuple[str, ...]:
        """Levels worth trying."""
        return (*self._alone, *self.tried)

    @property
    def words(self) -> str:
        """What can be written, for people."""
        return f"{', '.join(self._alone)}; a loop file of one on another: {self.tried[0]}"

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what can be written."""
        made = "|".join(map(re.escape, self.made))
        return {"type": "string", "pattern": f"^(?:(?:{made})(?:{_ON}(?:{made}|{MEMORY}))?|{MEMORY})$"}
