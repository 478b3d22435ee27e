"""Images as they lie on the disk: ``home/images/<digest>/`` with a manifest."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.model.errors import AssayError, UnknownNameError
from assay.platforms.durable import read_json
from assay.platforms.locks import locked
from assay.platforms.recipe import Recipe

MANIFEST = "manifest.json"
FORMAT = 1
BUILDING = ".build-"
"""Start of the names of folders in which an image is being built or taken apart."""


@dataclass(frozen=True)
class Image:
    """A guest image, whole and ready to start.

    Attributes:
        digest: Content hash of its recipe, 16 hexadecimal digits.
        folder: Where it lies.
        disk: Root disk, raw and sparse; guests use overlays of it and never write to it.
        kernel: Kernel to start; an ELF file where we built it, ``None`` where its disk boots by itself.
        initrd: The kernel's first file system; ``None`` without one.
        host_key: The guests' public host key, ``ssh-ed25519 AAAA…``.
        identity: Private key that opens root's account in the guests.
        packages: What was asked for, without dependencies.
        kernel_release: ``uname -r`` in the guests.
        size_bytes: Space that it takes.
        built_s: How long the build, or the copy, took.
        name: What the user calls a disk of theirs; ``None`` for an image that was built here.
        user: The account that ``identity`` opens.
        cloud_init: It sets itself up at its first start, from a seed that each guest is given.
    """

    digest: str
    folder: Path
    disk: Path
    kernel: Path | None
    initrd: Path | None
    host_key: str
    identity: Path
    packages: tuple[str, ...]
    kernel_release: str
    size_bytes: int
    built_s: float
    name: str | None = None
    user: str = "root"
    cloud_init: bool = False

    @property
    def announces(self) -> bool:
        """Its guests say on their console when they are ready."""
        return self.name is None or self.cloud_init

    @property
    def full_kernel(self) -> bool:
        """Its kernel is not Debian's cloud kernel, which lacks drivers of most devices."""
        return "-cloud-" not in self.kernel_release


def images_folder(home: Path) -> Path:
    """Return the folder of all images, made if absent, readable by QEMU's user."""
    for folder in (home, home / "images"):
        if not folder.exists():
            folder.mkdir(parents=True)
            folder.chmod(0o755)  # whatever the caller's umask
    return home / "images"


BUILD_S = 7200.0
"""Who waits for an image's lock waits for its build: half an hour under emulation."""


def images_lock(home: Path) -> Path:
    """Return the file whose lock builders and removers of images hold."""
    return home / "images" / ".lock"


def read_image(folder: Path) -> Image | None:
    """Return the image in a folder; ``None`` where there is no whole one of a format known here."""
    manifest = read_json(folder / MANIFEST)
    if manifest is None or manifest.get("format") != FORMAT:
        return None
    image = _from_manifest(folder, manifest)
    parts = (image.disk, image.kernel, image.initrd, image.identity)
    return image if all(path is None or path.is_file() for path in parts) else None


def find_image(home: Path, recipe: Recipe) -> Image | None:
    """Return the image of a recipe; ``None`` where it was not built."""
    return read_image(home / "images" / recipe.digest)


def list_images(home: Path) -> tuple[Image, ...]:
    """Return all images of a home, sorted by digest."""
    folders = sorted(path for path in (home / "images").glob("*") if not path.name.startswith("."))
    found = (read_image(folder) for folder in folders if folder.is_dir())
    return tuple(image for image in found if image is not None)


def named_image(home: Path, name: str) -> Image:
    """Return the image of a name, or whose digest starts so.

    Raises:
        UnknownNameError: there is none; the message lists the nearest and what there is.
        AssayError: several digests start so.
    """
    return _only(list_images(home), name)


def remove_image(home: Path, digest_prefix: str) -> Image:
    """Remove the image whose digest starts with a prefix, or of a name, and return what it was.

    Whether a guest still uses it is up to the caller.

    Raises:
        UnknownNameError: no image of this home has such a digest.
        AssayError: several have.
    """
    with locked(images_lock(home), limit_s=BUILD_S):
        image = _only(list_images(home), digest_prefix)
        # Out of sight at once, so that a removal cut short leaves no half image under its name.
        aside = Path(tempfile.mkdtemp(prefix=BUILDING, dir=images_folder(home)))
        image.folder.rename(aside / image.digest)
        remove_tree(aside)
    return image


def remove_tree(folder: Path) -> None:
    """Remove a folder of ours; what is mounted below it is left alone."""
    subprocess.run(["rm", "-rf", "--one-file-system", "--", str(folder)], check=True)


def _from_manifest(folder: Path, manifest: dict[str, Any]) -> Image:
    return Image(
        digest=folder.name,
        folder=folder,
        disk=folder / "disk.raw",
        kernel=folder / "vmlinux" if manifest.get("kernel", True) else None,
        initrd=folder / "initrd" if manifest.get("kernel", True) else None,
        host_key=manifest["host_key"],
        identity=folder / "id_ed25519",
        packages=tuple(manifest["packages"]),
        kernel_release=manifest["kernel_release"],
        size_bytes=manifest["size_bytes"],
        built_s=manifest["built_s"],
        name=manifest.get("name"),
        user=manifest.get("user", "root"),
        cloud_init=manifest.get("cloud_init", False),
    )


def _only(images: tuple[Image, ...], prefix: str) -> Image:
    named = [image for image in images if prefix and image.name == prefix]
    found = named or [image for image in images if prefix and image.digest.startswith(prefix)]
    if not found:
        kind = "image"
        raise UnknownNameError(kind, prefix, [image.name or image.digest for image in images])
    if len(found) > 1:
        msg = f"cannot choose an image: '{prefix}' starts {', '.join(image.digest for image in found)}"
        raise AssayError(msg, hint="give more digits")
    return found[0]
