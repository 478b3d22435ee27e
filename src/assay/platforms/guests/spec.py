"""What a guest shall be."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.units import parse_bytes
from assay.platforms.filesystems.host_filesystem import disk_folder
from assay.platforms.filesystems.share import SharedFolder
from assay.platforms.guests.disk import overlays_below
from assay.platforms.images.sized import sized_disk

if TYPE_CHECKING:
    from assay.platforms.images.stored import Image

HOST_FILESYSTEM, GUEST_FILESYSTEM = "disk.host-filesystem", "disk.guest-filesystem"
"""Factors that decide where a disk lies and what it holds, and so are looked at beside its draft."""
DISK_SIZE, PLACE = "disk.size", "disk.place"


@dataclass(frozen=True)
class Accelerator:
    """What runs a guest's instructions.

    Attributes:
        kind: ``kvm`` or ``tcg``.
        why: One sentence: why this one.
    """

    kind: str
    why: str


@dataclass(frozen=True)
class GuestSpec:
    """One guest of one block of an activity.

    Attributes:
        name: Name of the domain, unique on this machine: ``assay-<activity>-b<block>``.
        activity: Identity of the activity that it belongs to.
        vcpus: Number of virtual processors, at least 1.
        memory_bytes: Memory, a multiple of 1024.
        cpus: Processors of the host that the whole QEMU process is confined to; not empty.
        disk_cache: Cache mode of the disk: ``none``, ``writeback``, ``writethrough``, ``directsync``,
            ``unsafe``.
        image: What it boots.
        accelerator: What runs its instructions.
        tap: Ready-made tap for its measured interface; ``None`` leaves the guest without one.
        address: Address with prefix length that it takes there, ``198.18.0.3/24``; ``None`` for none.
        port: Port on 127.0.0.1 that leads to its SSH server.
        folder: Folder of its own for disk and console, ``home/guests/<name>``.
        settings: Levels of further factors by name, as the catalogue spells them.
        share: Folder of the host that it is given by 9p or virtiofs; ``None`` for none.
    """

    name: str
    activity: str
    vcpus: int
    memory_bytes: int
    cpus: tuple[int, ...]
    disk_cache: str
    image: Image
    accelerator: Accelerator
    tap: str | None
    address: str | None
    port: int
    folder: Path
    settings: tuple[tuple[str, str], ...] = ()
    share: SharedFolder | None = None

    @property
    def home(self) -> Path:
        """Return the folder of assay's state that the guest belongs to."""
        return self.folder.parent.parent

    @property
    def disk(self) -> Path:
        """Return the path of the disk that takes the guest's writes, whatever its format."""
        return disk_folder(self.folder, self.host_filesystem or self.place) / "disk.img"

    @property
    def host_filesystem(self) -> str | None:
        """Return the file system of its own on the host that its disk lies on; ``None`` for none."""
        return dict(self.settings).get(HOST_FILESYSTEM)

    @property
    def place(self) -> str | None:
        """Return the mount point or device of the site that its disk lies on; ``None`` for assay's state."""
        return dict(self.settings).get(PLACE)

    @property
    def guest_filesystem(self) -> str | None:
        """Return the file system that its root is made anew with; ``None`` for its image's."""
        return dict(self.settings).get(GUEST_FILESYSTEM)

    @property
    def disk_bytes(self) -> int | None:
        """Return the size of its disk; ``None`` is that of its image's."""
        level = dict(self.settings).get(DISK_SIZE)
        return None if level is None else parse_bytes(level)

    @property
    def base(self) -> Path:
        """Return the disk that its own lies over, or is a copy of."""
        return sized_disk(self.image, self.disk_bytes)

    @property
    def initrd(self) -> Path | None:
        """Return what its kernel starts from: its image's, if any, or its own.

        Its own brings it its keys, and can mount the file system of its root.
        """
        own = self.brings_keys or self.guest_filesystem is not None
        return self.folder / "initrd" if own else self.image.initrd

    @property
    def brings_keys(self) -> bool:
        """Tell whether its first file system brings its keys; else its seed does, or its image's disk has
        them.
        """
        return self.image.keyed and self.image.name is None

    @property
    def image_files(self) -> tuple[Path, ...]:
        """Return the files on the host that hold the content of its disk: the image's and its own."""
        depth = int(dict(self.settings).get("disk.backing", "1"))
        return (self.base, *overlays_below(self.disk, depth), self.disk)

    @property
    def seed(self) -> Path:
        """Return the path of what cloud-init is told, where the image carries it."""
        return self.folder / "seed.img"

    @property
    def console(self) -> Path:
        """Return the path of the log of its serial console."""
        return self.folder / "console.log"

    @property
    def identity(self) -> uuid.UUID:
        """Return the domain's UUID: the same for the same name under the same home."""
        return uuid.uuid5(uuid.NAMESPACE_URL, f"assay:{self.home}:{self.name}")
