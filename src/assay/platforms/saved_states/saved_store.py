"""Saved states as they lie on the disk: ``home/saved/<digest>/``, for root alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from assay.model.errors import UnknownNameError
from assay.model.files.marker import may_go
from assay.platforms.durable import read_json
from assay.platforms.images.stored import BUILDING
from assay.platforms.locks import is_locked, locked
from assay.platforms.removal import remove_tree

FORMAT = 1
SAVING_S = 1200.0
"""Saving a guest with much memory may take so long."""


@dataclass(frozen=True)
class SavedState:
    """A guest as it was when it was saved, halted and whole.

    Attributes:
        digest: Of its spec, image, host kernel, processor, QEMU and libvirt; 16 hexadecimal digits.
        folder: Where it lies; for root alone, as it holds the guest's memory.
        image: Digest of the image that it has booted.
        vcpus: Number of virtual processors.
        memory_bytes: Memory of the guest.
        saved_at_s: When, in seconds since 1970.
        size_bytes: Space that it takes.
        host: Kernel, processor and versions that it hangs on.
    """

    digest: str
    folder: Path
    image: str
    vcpus: int
    memory_bytes: int
    saved_at_s: float
    size_bytes: int
    host: dict[str, str]

    @property
    def memory(self) -> Path:
        """Return the file of its memory and devices."""
        return self.folder / "memory"

    @property
    def disk(self) -> Path:
        """Return the file of its disk, an overlay over its image."""
        return self.folder / "disk.img"


def list_saved(home: Path) -> tuple[SavedState, ...]:
    """Return all saved states of a home, oldest first."""
    states = (read_saved(path) for path in (home / "saved").glob("[0-9a-f]*"))
    return tuple(sorted((one for one in states if one is not None), key=lambda one: one.saved_at_s))


def remove_saved(home: Path, digest_prefix: str) -> tuple[SavedState, ...]:
    """Remove the saved states whose digest starts with a prefix (an empty one: all) and return what they
    were.

    Raises:
        UnknownNameError: no digest starts with it.
    """
    with locked(saved_lock(home), limit_s=SAVING_S):
        known = list_saved(home)
        gone = tuple(one for one in known if one.digest.startswith(digest_prefix))
        if digest_prefix and not gone:
            kind = "saved state"
            raise UnknownNameError(kind, digest_prefix, [one.digest for one in known])
        for one in gone:
            remove_tree(one.folder)
    return gone


def half_saved(home: Path) -> tuple[Path, ...]:
    """Return what a process that was killed while it saved has left; nothing while one is saving."""
    left = tuple(filter(may_go, sorted((home / "saved").glob(f"{BUILDING}*"))))
    return () if left and is_locked(saved_lock(home)) else left


def read_saved(folder: Path) -> SavedState | None:
    """Return the saved state in a folder; ``None`` where there is no whole one of a format known here."""
    facts = read_json(folder / "manifest.json")
    if facts is None or facts.pop("format", None) != FORMAT:
        return None
    state = SavedState(**{**facts, "folder": folder})
    return state if state.memory.is_file() and state.disk.is_file() else None


def saved_lock(home: Path) -> Path:
    """Return the file whose lock savers and removers hold."""
    return saved_folder(home) / ".lock"


def saved_folder(home: Path) -> Path:
    """Return the folder of all saved states, made if absent."""
    folder = home / "saved"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(0o700)
    return folder


def clear_half_saved(folder: Path) -> None:
    """Remove what a save that was killed left behind; the caller holds the lock."""
    for path in folder.glob(f"{BUILDING}*"):
        remove_tree(path)
