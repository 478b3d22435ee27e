"""All of a guest's disk, in order: the host's file system for it, what it holds, the disk itself."""

from __future__ import annotations

from pathlib import Path

from assay.factors.base.draft import Draft
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.host_filesystem import disk_folder, make_filesystem
from assay.platforms.filesystems.placed import put_at
from assay.platforms.filesystems.room import DiskNeeds, free_memory_taken, require_room
from assay.platforms.guests.disk import make_disk, make_empty_disk
from assay.platforms.guests.guest_filesystem import make_empty_root, make_root
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.images.sized import make_sized

_BLOCK_BYTES = 512
"""Of ``st_blocks``, whatever the file system's."""
_EMPTY_BYTES = 64 * 1024**2
_EMPTY_ROOT_BYTES = 512 * 1024**2
"""mkfs.xfs makes nothing below 300 MiB."""


def lay_disk(draft: Draft, spec: GuestSpec) -> None:
    """Make a guest's disk with what its image holds; whatever goes wrong, ``remove_folder`` undoes it.

    Raises:
        MissingError: a program is not installed, or there is too little room.
        PlatformError: it could not be made.
    """
    base = make_sized(spec.image, spec.disk_bytes)
    require_room(_needs(draft, spec), spec.folder, at=spec.place)
    if spec.place is not None:
        put_at(spec.folder, spec.place, disk_folder(spec.folder, spec.place))
    if spec.host_filesystem is not None:
        size_bytes = base.stat().st_size
        make_filesystem(spec.folder, spec.host_filesystem, size_bytes=size_bytes)
    if spec.guest_filesystem is None:
        make_disk(draft, spec.disk, image=base)
        return
    root = make_root(spec.folder, spec.guest_filesystem, spec.image, size_bytes=base.stat().st_size)
    make_disk(draft, spec.disk, image=root)
    root.unlink()


def _needs(draft: Draft, spec: GuestSpec) -> DiskNeeds:
    try:
        status = spec.base.stat()
    except OSError as error:
        msg = f"cannot make the guest's disk: {spec.base}, {(error.strerror or str(error)).lower()}"
        raise PlatformError(msg, hint="assay platform image list") from error
    held_bytes = status.st_blocks * _BLOCK_BYTES
    return DiskNeeds(
        _preallocation(draft),
        status.st_size,
        held_bytes=held_bytes,
        depth=draft.disk_depth,
        host_filesystem=spec.host_filesystem,
        root_bytes=0 if spec.guest_filesystem is None else held_bytes,
        memory_bytes=free_memory_taken(spec.memory_bytes, dict(spec.settings)),
    )


def _preallocation(draft: Draft) -> str:
    return draft.disk_options.get("preallocation", "off")


def lay_empty_disk(
    draft: Draft, disk: Path, folder: Path, *, host_filesystem: str | None, guest_filesystem: str | None
) -> None:
    """Make a small disk that holds nothing, or an empty file system; raises as ``lay_disk``."""
    least = _EMPTY_BYTES if guest_filesystem is None else _EMPTY_ROOT_BYTES
    size_bytes = least if draft.disk_bytes is None else draft.disk_bytes
    needs = DiskNeeds(
        _preallocation(draft), size_bytes, depth=draft.disk_depth, host_filesystem=host_filesystem
    )
    require_room(needs, folder)
    if host_filesystem is not None:
        make_filesystem(folder, host_filesystem, size_bytes=size_bytes)
    if guest_filesystem is None:
        make_empty_disk(draft, disk, size_bytes=size_bytes)
    else:
        make_disk(draft, disk, image=make_empty_root(folder, guest_filesystem, size_bytes=size_bytes))
