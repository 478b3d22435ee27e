"""A disk of the user's as an image: copied, hashed, and listed beside those built here."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.model.errors import AssayError, MissingError
from assay.model.files.marker import make_marked
from assay.model.files.packages import install_command
from assay.model.units import format_bytes
from assay.platforms.durable import write_json
from assay.platforms.host_command import host_command
from assay.platforms.images.build_room import clear_leftovers, scratch_folder
from assay.platforms.images.stored import (
    BUILD_S,
    FORMAT,
    IDENTITY,
    MANIFEST,
    Image,
    Login,
    images_folder,
    images_lock,
    list_images,
    read_image,
)
from assay.platforms.locks import locked
from assay.platforms.readers import write_private

_COPYING_S = 7200.0


class NoImageError(AssayError):
    """What was given is no disk that a guest could boot from."""


@dataclass(frozen=True)
class Adopted:
    """One disk to be taken in.

    Attributes:
        file: The disk, qcow2 or raw; it stays as it is.
        name: What it is called here, unique in this home.
        login: How its guests let us in, which its disk settles already; ``None`` where cloud-init sets that
            up from a seed.
        boot: Kernel and its first file system, to start instead of the disk's boot loader; the root is
            ``/dev/vda``.
    """

    file: Path
    name: str
    login: Login | None
    boot: tuple[Path, Path] | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """All files whose content decides what its guests are."""
        return (self.file, *(self.boot or ()))


def add_image(home: Path, adopted: Adopted) -> Image:
    """Copy a disk into the home as an image; one that is there already under this name is returned.

    Raises:
        NoImageError: a file is not there or no disk of a known format, or another image has this name.
        MissingError: there is too little space, or ``qemu-img`` is not installed.
        PlatformError: it could not be copied.
    """
    _require_files(adopted)
    facts = _info(adopted.file)
    digest = _digest(adopted)
    folder = images_folder(home)
    with locked(images_lock(home), limit_s=BUILD_S):
        _refuse_name(home, adopted.name, digest)
        existing = read_image(folder / digest)
        if existing is not None:
            return existing
        clear_leftovers(folder)
        _require_space(folder, facts)
        with scratch_folder(folder) as scratch:
            made = scratch / digest
            make_marked(made)
            _fill(made, adopted, str(facts["format"]))
            made.rename(folder / digest)
    image = read_image(folder / digest)
    if image is None:
        msg = f"BUG: the image copied to {folder / digest} can't be read"
        raise AssertionError(msg)
    return image


def _require_files(adopted: Adopted) -> None:
    keys = (adopted.login.identity,) if adopted.login else ()
    for path in (*adopted.files, *keys):
        if not path.is_file():
            msg = f"cannot add image {adopted.name}: no file {path}"
            raise NoImageError(msg, hint="give the path of a disk, qcow2 or raw")


def _info(file: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(_qemu_img(["info", "--output=json", str(file)], file))
    if facts["format"] not in {"raw", "qcow2"}:
        msg = f"cannot add image {file}: expected qcow2 or raw, it is {facts['format']}"
        raise NoImageError(msg, hint=f"qemu-img convert -O qcow2 {file} disk.qcow2")
    if facts["virtual-size"] < 1024**2:
        msg = f"cannot add image {file}: a disk of {facts['virtual-size']} bytes holds no system"
        raise NoImageError(msg, hint="give the path of a disk, qcow2 or raw")
    return facts


def _digest(adopted: Adopted) -> str:
    """Return the digest of all that decides what its guests are; its name here has no part in it."""
    whole = hashlib.sha256()
    for path in adopted.files:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    login = adopted.login
    whole.update(json.dumps([login.user, login.host_key] if login else "cloud-init").encode())
    return whole.hexdigest()[:16]


def _refuse_name(home: Path, name: str, digest: str) -> None:
    for image in (one for one in list_images(home) if one.name is not None):
        if (image.digest == digest) != (image.name == name):
            msg = f"cannot add image {name}: image {image.digest} is called {image.name} already"
            raise NoImageError(msg, hint=f"assay platform image remove {image.digest}")


def _require_space(folder: Path, facts: dict[str, Any]) -> None:
    free, needed = shutil.disk_usage(folder).free, int(facts.get("actual-size", 0))
    if free < needed:
        msg = f"cannot add an image: {folder}, {format_bytes(needed)} needed, {format_bytes(free)} free"
        raise MissingError(msg, hint="free some space there, or set ASSAY_HOME to a folder on another disk")


def _fill(made: Path, adopted: Adopted, kind: str) -> None:
    started = time.monotonic()
    disk = made / "disk.raw"
    write_private(disk, b"")
    _qemu_img(["convert", "-q", "-f", kind, "-O", "raw", str(adopted.file), str(disk)], adopted.file)
    for source, name in zip(adopted.boot or (), ("vmlinux", "initrd"), strict=False):
        write_private(made / name, source.read_bytes())
    if adopted.login is not None:
        write_private(made / IDENTITY, adopted.login.identity.read_bytes())
    facts = {
        "format": FORMAT,
        "digest": made.name,
        "name": adopted.name,
        "user": adopted.login.user if adopted.login else "root",
        "cloud_init": adopted.login is None,
        "kernel": adopted.boot is not None,
        "host_key": adopted.login.host_key if adopted.login else None,
        "packages": [],
        "kernel_release": "",
        "size_bytes": sum(path.stat().st_blocks * 512 for path in made.iterdir()),
        "built_s": time.monotonic() - started,
    }
    write_json(made / MANIFEST, facts)


def _qemu_img(words: list[str], file: Path) -> str:
    return host_command(
        ["qemu-img", *words],
        f"cannot copy {file}",
        missing=install_command("qemu-utils"),
        hint="qemu-img check, and df -h",
        timeout_s=_COPYING_S,
    )
