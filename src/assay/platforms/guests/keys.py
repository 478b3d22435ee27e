"""The keys of one guest: a pair by which it is known and a pair that opens it, made with it and gone with it.

They lie in ``keys`` in the guest's folder, for their owner alone, and are brought by the guest's first file
system or by its seed. No image holds one.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from assay.platforms.errors import PlatformError
from assay.platforms.images.initrd import Entry, archive
from assay.platforms.images.stored import Image, Login
from assay.platforms.readers import make_closed, write_private

_FOLDER, _HOST, _CLIENT = "keys", "host_key", "id_ed25519"
NAMES = (_HOST, f"{_HOST}.pub", _CLIENT, f"{_CLIENT}.pub")


@dataclass(frozen=True)
class GuestKeys:
    """What a guest is brought.

    Attributes:
        host_private: Its private host key, as OpenSSH writes it.
        host_public: Its public host key, ``ssh-ed25519 AAAA…``.
        authorized: The public key that opens root's account.
    """

    host_private: bytes
    host_public: str
    authorized: str


def make_keys(folder: Path) -> None:
    """Make both pairs of a guest in its folder; 0.3 ms."""
    import asyncssh

    place = keys_folder(folder)
    make_closed(place)
    for name in (_HOST, _CLIENT):
        key = asyncssh.generate_private_key("ssh-ed25519")
        write_private(place / name, key.export_private_key())
        write_private(place / f"{name}.pub", key.export_public_key())


def keys_folder(folder: Path) -> Path:
    """Return where the keys of a guest lie in its folder, or in that of its saved state."""
    return folder / _FOLDER


def has_keys(folder: Path) -> bool:
    """Tell whether a folder of a guest, or of a saved state, holds all its keys."""
    return all((keys_folder(folder) / name).is_file() for name in NAMES)


def copy_keys(source: Path, target: Path) -> None:
    """Copy the keys of a guest, or of a saved state, into another folder."""
    place = keys_folder(target)
    make_closed(place)
    for name in NAMES:
        write_private(place / name, (keys_folder(source) / name).read_bytes())


def read_keys(folder: Path) -> GuestKeys:
    """Return what the guest of a folder is brought.

    Raises:
        FileNotFoundError: it has no keys.
    """
    place = keys_folder(folder)
    public, opens = ((place / f"{name}.pub").read_text().strip() for name in (_HOST, _CLIENT))
    return GuestKeys((place / _HOST).read_bytes(), public, opens)


def key_archive(folder: Path) -> bytes:
    """Return what the initrd of our images is followed by to bring the guest of a folder its keys.

    The kernel unpacks one archive after the other; each of ours ends where the next may start.
    """
    keys = read_keys(folder)
    return archive(
        [
            Entry("keys", stat.S_IFDIR | 0o700),
            Entry("keys/host_key", stat.S_IFREG | 0o600, keys.host_private),
            Entry("keys/id_ed25519.pub", stat.S_IFREG | 0o600, f"{keys.authorized}\n".encode()),
        ]
    )


def login_of(image: Image, folder: Path) -> Login:
    """Return how a guest lets us in: by its own keys, else as its image's disk settles it.

    Args:
        image: Its image.
        folder: The guest's folder on this machine.

    Raises:
        PlatformError: its keys are gone.
    """
    if has_keys(folder):
        return Login("root", keys_folder(folder) / _CLIENT, read_keys(folder).host_public)
    return image.login or _refuse(folder)


def _refuse(folder: Path) -> NoReturn:
    msg = f"cannot log in to guest {folder.name}: its keys are gone from {folder}"
    raise PlatformError(msg, hint="assay platform clean")
