"""The one copy of an activity's data on this machine: ``home/data/<activity>/files``."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from assay.model.activity import is_activity_id
from assay.model.errors import MissingError
from assay.model.files.marker import is_marked, mark
from assay.model.platforms.data import DataFile, DataSet
from assay.model.units import format_bytes
from assay.platforms.errors import PlatformError
from assay.platforms.packs import make_root_file

_CHUNK = 1 << 20
_SPARE_BYTES = 256 << 20
"""Left to everybody else on the file system."""


def make_data_folder(folder: Path) -> None:
    """Make the folder of an activity's data where it is not there, and mark it as ours before anything lies
    in it.

    Raises:
        PlatformError: a symbolic link or a file is in its place.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        msg = f"cannot lay out the data: {folder} is there already, and is no folder"
        raise PlatformError(msg, hint=f"rm {folder}")
    if not is_marked(folder):
        make_folder(folder)
        mark(folder)


def is_data_folder(folder: Path) -> bool:
    """Tell whether a folder is one that assay made for an activity's data; what a link leads to never is."""
    return is_activity_id(folder.name) and is_marked(folder)


def lay_data(data: DataSet, files: Path, *, shared: bool = False) -> None:
    """Make or copy all files: what is there in full stays.

    Args:
        data: What is wanted.
        files: Folder that they go to, in a folder of the activity's own.
        shared: Others than root may read them, as XRootD's server and QEMU's 9p must.

    Raises:
        MissingError: there is no room for them; or one that is to be copied is gone or has another size.
    """
    make_data_folder(files.parent)
    make_folder(files)
    files.parent.chmod(0o755 if shared else 0o700)
    wanting = [file for file in data.files if not _is_there(files / file.name, file)]
    _require_room(files, sum(file.bytes for file in wanting))
    for file in wanting:
        target = files / file.name
        make_folder(target.parent)
        part = target.with_name(f".{target.name}.part")
        if data.pack is not None:
            make_root_file(Path(data.pack), part, file.bytes, seed=f"{data.seed}/{file.name}")
        elif data.path is None:
            _make(part, f"{data.seed}/{file.name}", file.bytes)
        else:
            _copy(Path(data.path), file, part)
        part.chmod(0o644)
        part.replace(target)


def made_content(key: str, *, offset: int, size: int) -> bytes:
    """Return a chunk of made content: the same for a key, and like noise to whoever compresses it."""
    return hashlib.shake_128(f"{key}@{offset}".encode()).digest(size)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, that all may enter."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir()
        folder.chmod(0o755)  # whatever the caller's umask


def _make(target: Path, key: str, size: int) -> None:
    with target.open("wb") as stream:
        for offset in range(0, size, _CHUNK):
            stream.write(made_content(key, offset=offset, size=min(_CHUNK, size - offset)))


def _copy(source: Path, file: DataFile, target: Path) -> None:
    origin = source if source.is_file() else source / file.name
    try:
        shutil.copyfile(origin, target)
    except OSError as error:
        msg = f"cannot copy {origin} as data: {error.strerror}"
        raise MissingError(msg) from error
    if (size := target.stat().st_size) != file.bytes:
        msg = (
            f"cannot use {origin} as data: it had {file.bytes:,} bytes when this was planned, and "
            f"has {size:,}"
        )
        raise PlatformError(msg)


def _is_there(path: Path, file: DataFile) -> bool:
    return path.is_file() and path.stat().st_size == file.bytes


def _require_room(files: Path, size: int) -> None:
    free = shutil.disk_usage(files).free
    if size and free < size + _SPARE_BYTES:
        msg = (
            f"cannot lay out the data: {files} has {format_bytes(free)} free, "
            f"{format_bytes(size + _SPARE_BYTES)} are needed"
        )
        raise MissingError(msg, hint="free some space, or set ASSAY_HOME to a larger file system")
