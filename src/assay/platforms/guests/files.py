"""The files of a guest beside its disk: its keys, what brings them, and who may read all of it."""

from __future__ import annotations

from pathlib import Path

from assay.model.files.marker import make_marked
from assay.platforms.guests.keys import copy_keys, key_archive, make_keys
from assay.platforms.guests.seed import write_seed
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.images.stored import lend_image
from assay.platforms.readers import FOLDER, PASSED, READ, WRITTEN, give, make_way, write_private


def make_guest_folder(folder: Path, group: int | None) -> None:
    """Make a guest's folder for its owner and QEMU's group; ``None`` for its owner alone.

    Raises:
        FileExistsError: there is one.
    """
    make_way(folder.parent)
    make_marked(folder)
    give(folder, FOLDER, group, shown=PASSED)


def lay_keys(spec: GuestSpec, *, saved: Path | None = None) -> None:
    """Make the keys of a guest and what brings them, after its disk; nothing where its image's disk has them.

    Args:
        spec: The guest.
        saved: Folder of a saved state, whose guest has its keys already; ``None`` makes new ones.
    """
    if not spec.image.keyed:
        return
    if saved is None:
        make_keys(spec.folder)
    else:
        copy_keys(saved, spec.folder)
    write_seed(spec)
    base, own = spec.image.initrd if spec.guest_filesystem is None else spec.initrd, spec.initrd
    if spec.brings_keys and base is not None and own is not None:
        write_private(own, base.read_bytes() + key_archive(spec.folder))


def lend_files(spec: GuestSpec, group: int | None) -> None:
    """Let QEMU's group use a guest's disk and what it boots, and nobody else; ``None`` leaves it to its owner
    alone.
    """
    lend_image(spec.image, group)
    if spec.disk_bytes is not None:
        give(spec.base, READ, group)
    for path in spec.image_files[1:]:
        give(path, WRITTEN, group)
    for own in (spec.initrd, spec.seed):
        if own is not None and own.parent == spec.folder and own.exists():
            give(own, READ, group)
