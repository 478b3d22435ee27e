"""A guest image on another machine: brought there once, known again by what its files hold.

Source: ``man 1 b2sum`` (BLAKE2b, 512 bits), ``man 1 stat``, ``man 1 truncate``.
Limits: an image that is there already is known by its files' sizes and times of last change, which were noted
right after their content was compared; who may change files of root there can deceive that.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from assay.model.files.json_text import parse_json
from assay.platforms.errors import PlatformError
from assay.platforms.images.stored import Image
from assay.platforms.remote.door import RemoteDoor
from assay.platforms.remote.files import STEP_S, read_text

_NOTE = "brought.json"
_SUM_S = 1800.0
"""A disk of many gigabytes on a slow device."""


def bring_image(door: RemoteDoor, image: Image, home: Path, *, say: Callable[[str], None]) -> Image:
    """Return an image as it lies on another machine, after bringing what is not there yet.

    A key that its disk settles stays here: guests are reached from here, through the machine.

    Args:
        door: To the machine.
        image: The image here.
        home: Our folder there.
        say: Told before a file is copied; one that was laid there by other means is only compared.

    Raises:
        PlatformError: What arrived is not what was sent.
    """
    there = home / "images" / image.digest
    files = {path: str(there / path.name) for path in (image.disk, image.kernel, image.initrd) if path}
    if not _is_known(door, there, files):
        for here, place in files.items():
            if not (door.size(place) == here.stat().st_size and _is_same(door, here, place)):
                say(f"bringing {here.name} of guest image {image.digest} to {door.name}")
                _bring(door, here, place)
        _note(door, there, files)
    return replace(
        image,
        folder=there,
        disk=there / image.disk.name,
        kernel=None if image.kernel is None else there / image.kernel.name,
        initrd=None if image.initrd is None else there / image.initrd.name,
    )


def _is_known(door: RemoteDoor, there: Path, files: dict[Path, str]) -> bool:
    noted = read_text(door, str(there / _NOTE))
    try:
        return noted is not None and parse_json(noted) == _times(door, files)
    except ValueError:
        return False


def _note(door: RemoteDoor, there: Path, files: dict[Path, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        note = Path(folder) / _NOTE
        note.write_text(json.dumps(_times(door, files)))
        door.put(note, str(there / _NOTE))


def _times(door: RemoteDoor, files: dict[Path, str]) -> dict[str, str]:
    """Return size and time of the last change of each file; those that are not there are left out."""
    script = 'stat -c "%n %s %Y" -- "$@" 2>/dev/null; true'
    output = door.run(["sh", "-c", script, "sh", *files.values()], timeout_s=STEP_S).decode()
    lines = (line.rsplit(" ", 2) for line in output.splitlines())
    return {name: f"{size} {time}" for name, size, time in lines}


def _bring(door: RemoteDoor, here: Path, place: str) -> None:
    door.put(here, place)
    # a hole at a file's end is nothing that a copy would write
    door.run(["truncate", "-s", str(here.stat().st_size), "--", place], timeout_s=STEP_S)
    if not _is_same(door, here, place):
        msg = f"cannot bring the guest image to {door.name}: {place} is not what was sent (b2sum)"
        raise PlatformError(msg, hint="is there space?")


def _is_same(door: RemoteDoor, here: Path, place: str) -> bool:
    """Compare the content of two files, each read where it lies, at the same time."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        own = pool.submit(_sum, here)
        there = door.run(["b2sum", "--", place], timeout_s=_SUM_S).decode().split()[0]
        return own.result() == there


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()
