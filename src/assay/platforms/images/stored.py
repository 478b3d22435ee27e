"""Images as they lie on the disk: ``home/images/<digest>/`` with a manifest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.model.errors import AssayError, UnknownNameError
from assay.platforms.durable import read_json
from assay.platforms.images.recipe import Recipe
from assay.platforms.locks import locked
from assay.platforms.readers import FOLDER, PASSED, READ, SHOWN, give, make_way
from assay.platforms.removal import remove_tree, scratch_folder

MANIFEST, IDENTITY = "manifest.json", "id_ed25519"
FORMAT = 2
_WITH_KEYS = 1
"""Format of images of an earlier assay, all of whose guests have the keys that lie in the image."""
BUILDING = ".build-"
"""Start of the names of folders in which an image is being built or taken apart."""


@dataclass(frozen=True)
class Login:
    """How guests let us in.

    Attributes:
        user: Their account.
        identity: Private key that opens it.
        host_key: The guests' public host key, ``ssh-ed25519 AAAA…``.
    """

    user: str
    identity: Path
    host_key: str


@dataclass(frozen=True)
class Image:
    """A guest image, whole and ready to start.

    Attributes:
        digest: Content hash of its recipe, 16 hexadecimal digits.
        folder: Where it lies.
        disk: Root disk, raw and sparse; guests use overlays of it and never write to it.
        kernel: Kernel to start; an ELF file where we built it, ``None`` where its disk boots by itself.
        initrd: The kernel's first file system; ``None`` without one.
        packages: What was asked for, without dependencies.
        kernel_release: ``uname -r`` in the guests.
        size_bytes: Space that it takes.
        built_s: How long the build, or the copy, took.
        name: What the user calls a disk of theirs; ``None`` for an image that was built here.
        login: How its guests let us in where its disk settles that: one of the user's, or one that an earlier
            assay made; ``None`` where each guest has keys of its own alone.
        cloud_init: It sets itself up at its first start, from a seed that each guest is given.
    """

    digest: str
    folder: Path
    disk: Path
    kernel: Path | None
    initrd: Path | None
    packages: tuple[str, ...]
    kernel_release: str
    size_bytes: int
    built_s: float
    name: str | None = None
    login: Login | None = None
    cloud_init: bool = False

    @property
    def user(self) -> str:
        """The account of its guests that we log in to."""
        return "root" if self.login is None else self.login.user

    @property
    def keyed(self) -> bool:
        """Each of its guests is brought keys of its own: by its seed, else by its first file system."""
        return self.cloud_init or self.login is None

    @property
    def announces(self) -> bool:
        """Its guests say on their console when they are ready."""
        return self.name is None or self.cloud_init

    @property
    def full_kernel(self) -> bool:
        """Its kernel is not Debian's cloud kernel, which lacks drivers of most devices."""
        return "-cloud-" not in self.kernel_release


def images_folder(home: Path) -> Path:
    """Return the folder of all images, made if absent; QEMU's user passes it."""
    make_way(home / "images")
    return home / "images"


def lend_image(image: Image, group: int | None) -> None:
    """Let QEMU's group read an image, and nobody else; ``None`` leaves it to its owner alone.

    Asked before each guest's start: libvirt may have changed whose its kernel is, and an earlier assay let
    all read it.
    """
    give(image.folder, FOLDER, group, shown=PASSED)
    for path in (image.disk, image.kernel, image.initrd):
        if path is not None:
            give(path, READ, group, shown=SHOWN)


BUILD_S = 7200.0
"""Who waits for an image's lock waits for its build: half an hour under emulation."""


def images_lock(home: Path) -> Path:
    """Return the file whose lock builders and removers of images hold."""
    return home / "images" / ".lock"


def read_image(folder: Path) -> Image | None:
    """Return the image in a folder; ``None`` where there is no whole one of a format known here."""
    manifest = read_json(folder / MANIFEST)
    if manifest is None or manifest.get("format") not in {FORMAT, _WITH_KEYS}:
        return None
    image = _from_manifest(folder, manifest)
    identity = None if image.login is None else image.login.identity
    parts = (image.disk, image.kernel, image.initrd, identity)
    return image if all(path is None or path.is_file() for path in parts) else None


def find_image(home: Path, recipe: Recipe) -> Image | None:
    """Return the image of a recipe; ``None`` where it was not built."""
    return read_image(home / "images" / recipe.digest)


def list_images(home: Path) -> tuple[Image, ...]:
    """Return all images of a home, sorted by digest."""
    folders = sorted(path for path in (home / "images").glob("*") if not path.name.startswith("."))
    images = (read_image(folder) for folder in folders if folder.is_dir())
    return tuple(image for image in images if image is not None)


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
        aside = scratch_folder(BUILDING, images_folder(home))
        image.folder.rename(aside / image.digest)
        remove_tree(aside)
    return image


def _from_manifest(folder: Path, manifest: dict[str, Any]) -> Image:
    return Image(
        digest=folder.name,
        folder=folder,
        disk=folder / "disk.raw",
        kernel=folder / "vmlinux" if manifest.get("kernel", True) else None,
        initrd=folder / "initrd" if manifest.get("kernel", True) else None,
        packages=tuple(manifest["packages"]),
        kernel_release=manifest["kernel_release"],
        size_bytes=manifest["size_bytes"],
        built_s=manifest["built_s"],
        name=manifest.get("name"),
        login=_login(folder, manifest),
        cloud_init=manifest.get("cloud_init", False),
    )


def _login(folder: Path, manifest: dict[str, Any]) -> Login | None:
    if manifest.get("host_key") is None:
        return None
    return Login(manifest.get("user", "root"), folder / IDENTITY, manifest["host_key"])


def _only(images: tuple[Image, ...], prefix: str) -> Image:
    named = [image for image in images if prefix and image.name == prefix]
    matches = named or [image for image in images if prefix and image.digest.startswith(prefix)]
    if not matches:
        kind = "image"
        raise UnknownNameError(kind, prefix, [image.name or image.digest for image in images])
    if len(matches) > 1:
        msg = f"cannot choose an image: '{prefix}' starts {', '.join(image.digest for image in matches)}"
        raise AssayError(msg, hint="give more digits")
    return matches[0]
