"""The disk that takes a guest's writes; the image below or behind it is never written to."""

from __future__ import annotations

import subprocess
from pathlib import Path

from assay.factors.draft import Draft
from assay.model.errors import MissingError
from assay.platforms.errors import PlatformError
from assay.platforms.process import PATH

_MAKING_S = 3600.0
"""A copy of a large image, written in full: a minute was seen for 4 GiB on a slow disk."""


def make_disk(draft: Draft, path: Path, *, image: Path) -> None:
    """Make a guest's disk: over its image's, or where a factor asks for another one, a copy of it.

    Args:
        draft: Tells format and options.
        path: Where it shall lie; its folder must be there.
        image: The image's disk, raw.

    Raises:
        MissingError: ``qemu-img`` is not installed.
        PlatformError: it could not be made; most often the file system is full.
    """
    if draft.own_disk:
        _run(
            ["convert", "-q", "-f", "raw", "-O", draft.disk_format, *_options(draft), str(image), str(path)],
            path,
        )
    else:
        _run(["create", "-q", "-f", "qcow2", "-b", str(image), "-F", "raw", str(path)], path)


def make_empty_disk(draft: Draft, path: Path, *, size_bytes: int) -> None:
    """Make an empty disk of a draft's format and options; raises as ``make_disk``."""
    _run(["create", "-q", "-f", draft.disk_format, *_options(draft), str(path), str(size_bytes)], path)


def copy_disk(source: Path, path: Path) -> None:
    """Copy a disk that nobody writes to, holes and all; shared on the host where its file system can.

    Raises:
        PlatformError: it could not be copied; most often the file system is full.
    """
    command = ["cp", "--reflink=auto", "--sparse=always", "--", str(source), str(path)]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env={"PATH": PATH}, timeout=_MAKING_S
    )
    if done.returncode != 0:
        msg = f"cannot copy the guest's disk: {path}, {done.stderr.strip()}"
        raise PlatformError(msg, hint=f"df -h {path.parent}")


def _options(draft: Draft) -> list[str]:
    said = ",".join(f"{name}={value}" for name, value in draft.disk_options.items())
    return ["-o", said] if said else []


def _run(words: list[str], path: Path) -> None:
    command = ["qemu-img", *words]
    try:
        subprocess.run(
            command, check=True, capture_output=True, text=True, env={"PATH": PATH}, timeout=_MAKING_S
        )
    except FileNotFoundError as error:
        msg = "cannot make the guest's disk: qemu-img is not installed"
        raise MissingError(msg, hint="apt install qemu-utils") from error
    except subprocess.CalledProcessError as error:
        msg = f"cannot make the guest's disk: {path}, {error.stderr.strip()}"
        raise PlatformError(msg, hint=f"df -h {path.parent}") from error
