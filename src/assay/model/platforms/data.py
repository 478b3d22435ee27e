"""The data that an activity's workloads read, and how each arm comes by them."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.platforms.platform import SeenFactor

Levels = tuple[tuple[str, str], ...]

LOCAL = "local"
"""The access of an arm of which nothing is said: a copy on its own disk."""
NOISE, ROOT = "noise", "root"
"""What is in files that are made: nothing that compresses, or events in ROOT's format."""
SERVED = frozenset({"glusterfs", "xrootd", "nfs"})
"""Those for which a server runs on the bench network."""
WRITABLE = ("glusterfs", "nfs")
"""Of those, the ways by which an arm's jobs can write, too: each is mounted."""


@dataclass(frozen=True)
class DataSpec:
    """What a scene says of its data: a path, or files to be made.

    Attributes:
        path: File or folder as written, relative to the scene file; ``None`` makes files.
        size_bytes: Size of all files that are made together; 0 with a path.
        files: How many are made, at least 1; 0 with a path.
        content: What is in made files: ``noise``, or ``root`` for ROOT files.
    """

    path: str | None = None
    size_bytes: int = 0
    files: int = 0
    content: str = NOISE


@dataclass(frozen=True)
class DataFile:
    """One file of the data.

    Attributes:
        name: Its place below the data's folder, with ``/``.
        bytes: Its size.
    """

    name: str
    bytes: int


@dataclass(frozen=True)
class DataSet:
    """The data of an activity as planned.

    Attributes:
        files: All of its files, by name.
        path: Where they are copied from, absolute; ``None`` where they are made from ``seed``.
        seed: Of the content that is made.
        pack: Folder on the controller of the pack that makes them as ROOT files; ``None`` makes noise.
    """

    files: tuple[DataFile, ...]
    path: str | None = None
    seed: int = 0
    pack: str | None = None

    @property
    def bytes(self) -> int:
        """Size of all files together."""
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True)
class DataPlace:
    """Where an arm sees the data while a visit lasts.

    Attributes:
        root: What ``{data}`` in a command stands for: a folder there, or a URL.
        files: Each file there, as a program would be given it.
        local: The files are in a file system of the arm, so that its page cache can hold them.
        below: The files on this machine that a server reads for the arm; empty where the arm reads its own
            disk.
        seen: How the arm comes by them, as looked at after they were there.
        disks: Block devices that carry them, or a path that lies on the one that does; empty where limits of
            an arm's disk mean another.
    """

    root: str
    files: tuple[str, ...]
    local: bool = True
    below: tuple[str, ...] = ()
    seen: tuple[SeenFactor, ...] = ()
    disks: tuple[str, ...] = ()


def own_filesystem(levels: Levels) -> str | None:
    """Return the level of ``data.filesystem`` among levels of an arm; ``None`` where it says none."""
    return dict(levels).get("data.filesystem")


def own_places(levels: Levels) -> str | None:
    """Return the level of ``data.place`` among levels of an arm; ``None`` where it says none."""
    return dict(levels).get("data.place")


def own_scratch(levels: Levels) -> str | None:
    """Return the level of ``scratch.filesystem`` among levels of an arm; ``None`` where it says none."""
    return dict(levels).get("scratch.filesystem")


def scratch_access(levels: Levels) -> str:
    """Return the level of ``scratch.access`` among levels of an arm."""
    return dict(levels).get("scratch.access", LOCAL)


def served_ways(levels: Levels) -> frozenset[str]:
    """Return the servers that an arm reads its data from, or writes to."""
    return SERVED & {access(levels), scratch_access(levels)}


def of_scratch(levels: Levels) -> Levels:
    """Return those of levels that say where the scratch folders of an arm's jobs lie."""
    return tuple((name, level) for name, level in levels if name.startswith("scratch."))


def access(levels: Levels) -> str:
    """Return the level of ``data.access`` among levels of an arm."""
    return dict(levels).get("data.access", LOCAL)
