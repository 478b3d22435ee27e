"""Building a guest image: beside its place, whole or not at all, by one process at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.model.files.marker import make_marked
from assay.platforms.durable import write_json
from assay.platforms.images import guest_root
from assay.platforms.images.build_room import (
    clear_leftovers,
    explained,
    log_file,
    require_root,
    require_space,
    scratch_folder,
)
from assay.platforms.images.command import require_programs, run_command
from assay.platforms.images.initrd import make_initrd
from assay.platforms.images.kernel import extract_elf
from assay.platforms.images.packages import Resolved, resolve
from assay.platforms.images.recipe import (
    DISK_BYTES,
    DRIVERS,
    MKFS_OPTIONS,
    PACKAGES,
    Recipe,
    own_file,
)
from assay.platforms.images.stored import (
    BUILD_S,
    FORMAT,
    MANIFEST,
    Image,
    find_image,
    images_folder,
    images_lock,
    read_image,
)
from assay.platforms.locks import locked
from assay.platforms.readers import write_private
from assay.platforms.removal import remove_tree

Progress = Callable[[str, float], None]

_PROGRAMS = {
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
    "mkfs.ext4": "e2fsprogs",
    "mmdebstrap": "mmdebstrap",
    "setpriv": "util-linux",
    "tar": "tar",
    "unshare": "util-linux",
}
_LOOKED_UP, _ROOT_MADE, _FILES_MADE = 0.12, 0.92, 0.95
"""Shares of the build's time at the end of its steps, of 36 s on a quiet machine of two processors."""


@dataclass(frozen=True)
class _Order:
    """One build: what is to be made, who watches, where the programs' output goes."""

    recipe: Recipe
    resolved: Resolved
    progress: Progress
    log: IO[str]


def build_image(home: Path, recipe: Recipe, *, progress: Progress, log: Path | None = None) -> Image:
    """Build the image of a recipe, or return it where it is built already.

    While another process builds images in this home, this one waits; then it finds what that one built.

    Args:
        home: Folder of all state; the image goes to ``home/images/<digest>``.
        recipe: What goes into it.
        progress: Is called with the name of a step and the fraction of the whole done, 0 to 1.
        log: File that gets the output of all programs; ``None`` keeps only the last lines, for errors.

    Raises:
        UnknownPackageError: APT knows no package of such a name; nothing was built.
        MissingError: no root, a tool is not installed, or there is too little space.
        NoGuestImageError: a program of the build failed; its last lines are in the message.
    """
    image = find_image(home, recipe)
    if image is None:
        progress("looking up packages", 0.0)
        require_root(home / "images", recipe.digest, sorted({*recipe.packages} - {*PACKAGES}))
        require_programs(_PROGRAMS, what="build a guest image")
        image = _build_alone(home, recipe, resolve(recipe), progress=progress, log=log)
    progress("image ready", 1.0)
    return image


def _build_alone(
    home: Path, recipe: Recipe, resolved: Resolved, *, progress: Progress, log: Path | None
) -> Image:
    folder = images_folder(home)
    progress("waiting for another build", _LOOKED_UP)
    with locked(images_lock(home), limit_s=BUILD_S):
        existing = find_image(home, recipe)
        if existing is not None:
            return existing
        clear_leftovers(folder)
        require_space(folder, resolved.installed_bytes)
        with log_file(log) as written:
            return _build(folder, _Order(recipe, resolved, progress, written))


def _build(folder: Path, order: _Order) -> Image:
    place = folder / order.recipe.digest
    with scratch_folder(folder) as scratch, explained(folder, order.log):
        made = scratch / place.name
        make_marked(made)
        _fill(made, order)
        if place.exists():  # of a format that this version does not read
            remove_tree(place)
        made.rename(place)
    image = read_image(place)
    if image is None:
        msg = f"BUG: the image built at {place} can't be read"
        raise AssertionError(msg)
    return image


def _fill(made: Path, order: _Order) -> None:
    started = time.monotonic()
    root = _root(made.parent, order)
    order.progress("unpacking the kernel", _ROOT_MADE)
    release = guest_root.kernel_release(root)
    write_private(made / "vmlinux", extract_elf(guest_root.take_kernel(root, release)))
    write_private(made / "initrd", _initrd(root, release))
    guest_root.take_keys(root)
    order.progress("writing the disk", _FILES_MADE)
    write_private(made / "disk.raw", b"")
    run_command(["mkfs.ext4", "-q", "-F", *MKFS_OPTIONS, "-d", str(root), *_disk(made)], log=order.log)
    size = sum(path.stat().st_blocks * 512 for path in made.iterdir())
    facts = {
        "kernel_release": release,
        "installed": guest_root.installed_packages(root),
        "size_bytes": size,
        "built_s": time.monotonic() - started,
    }
    write_json(made / MANIFEST, {**_manifest(order.recipe), **facts})


def _root(scratch: Path, order: _Order) -> Path:
    def progress(step: str, done: float) -> None:
        order.progress(step, _LOOKED_UP + done * (_ROOT_MADE - _LOOKED_UP))

    count = len(order.resolved.names)
    return guest_root.make_root(order.recipe, scratch, packages_count=count, progress=progress, log=order.log)


def _initrd(root: Path, release: str) -> bytes:
    return make_initrd(root, release, script=own_file("initrd-init"), drivers=DRIVERS)


def _disk(made: Path) -> tuple[str, str]:
    return str(made / "disk.raw"), f"{DISK_BYTES // 1024}k"


def _manifest(recipe: Recipe) -> dict[str, object]:
    return {
        "format": FORMAT,
        "digest": recipe.digest,
        "suite": recipe.suite,
        "sources": list(recipe.sources),
        "packages": list(recipe.packages),
    }
