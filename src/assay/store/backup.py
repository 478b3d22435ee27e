"""All that a home cannot make anew in one file, and a home made of it: records, machines, the site's history.

Layout of the file, a tar compressed with gzip::

    assay-backup.json        what it is, and the rows that no record tells: machines, and how they were
    activities/, imported/   records as they lie in a home, with all that was written beside them
    machines/, floor.json    facts of machines that were kept, the A/A history of the site
    scenes/                  the site's own scenes

Since version 1.1 inputs of activities (``inputs/`` of one) have their modes, which their digest is over, and
their folders. All else has the modes of the new home.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any

import sqlalchemy as sa

from assay.model.errors import AssayError, MissingError
from assay.model.files.own_scenes import FOLDER as SCENES
from assay.model.machines.health import Health
from assay.store import tables as t
from assay.store.database import has_database, open_database
from assay.store.faults import DamagedDatabaseError
from assay.store.imports import FOREIGN, OWN
from assay.store.inventory import entries_of
from assay.store.readers import INPUTS, LIST, keep_tree
from assay.store.rebuild import import_all
from assay.store.record import sync_folder
from assay.store.store import Store

HEAD, SCHEMA, VERSION = "assay-backup.json", "assay.backup", (1, 1)
KEPT = (OWN, FOREIGN, "machines", "tunings", SCENES, "floor.json")
ROWS = (t.machine, t.health)
LARGEST_HEAD = 1 << 30
_NO_BACKUP = (
    tarfile.TarError, zlib.error, EOFError, ValueError, LookupError, TypeError, AttributeError,
    RecursionError, DamagedDatabaseError,
)  # fmt: skip
"""What is raised by a file that holds anything else."""
Tell = Callable[[float], object]
"""Is told of the share that is done, 0 to 1."""


@dataclass(frozen=True)
class Backup:
    """What is in a backup.

    Attributes:
        file: Where it lies.
        files: Number of files in it.
        bytes_: Its size.
        linked: Folders of results that were imported by a link: they lie elsewhere, and are not in it.
    """

    file: Path
    files: int
    bytes_: int
    linked: tuple[Path, ...]


@dataclass(frozen=True)
class Restored:
    """What was made of a backup.

    Attributes:
        activities: Ids of the activities that are there.
        left_out: Folder and reason of each that cannot be read.
        machines: Number of machines.
    """

    activities: tuple[str, ...]
    left_out: tuple[tuple[Path, str], ...]
    machines: int


def backup(home: Path, file: Path, tell: Tell = lambda _: None) -> Backup:
    """Write a backup of a home. Activities may run meanwhile: what they had is in it, and can be resumed.

    Args:
        home: The home.
        file: The file to write, of its owner alone; it is whole or not there.
        tell: Is told of the progress.

    Raises:
        MissingError: The file is there, cannot be written, or something cannot be read.
    """
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    files = sorted(_files(home))
    linked = _linked(home)
    try:
        if file.exists():
            msg = f"cannot write the backup {file}: it is there already"
            raise MissingError(msg, hint="name a new file: it is never written over")
        handle = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as raw:
            with tarfile.open(fileobj=raw, mode="w:gz", compresslevel=6) as tar:
                _add_bytes(tar, HEAD, _head(home))
                for number, path in enumerate(files):
                    _add(tar, home, path)
                    tell((number + 1) / len(files))
            raw.flush()
            os.fsync(raw.fileno())
        new.rename(file)
        sync_folder(file.parent)
    except OSError as error:
        msg = f"cannot write the backup {file}: {error.strerror or error}: {error.filename or new}"
        raise MissingError(msg) from error
    finally:
        new.unlink(missing_ok=True)
    return Backup(file, len(files), file.stat().st_size, linked)


def restore(home: Path, file: Path, tell: Tell = lambda _: None) -> Restored:
    """Make a home of a backup; nothing is there before all of it could be read.

    Args:
        home: The home, in which nothing has been measured.
        file: The backup.
        tell: Is told of the progress.

    Raises:
        AssayError: The home is not empty, or the file is no backup.
        MissingError: Something cannot be read or written.
    """
    _require_empty(home)
    place = home / f".restore.{os.getpid()}"
    try:
        place.mkdir(mode=0o700)
        rows = _unpack(file, place, tell)
        keep_tree(place)
        for name in KEPT:
            if (place / name).exists():
                (place / name).rename(home / name)
        sync_folder(home)
    except OSError as error:
        msg = f"cannot restore {file}: {error.strerror or error}: {error.filename or place}"
        raise MissingError(msg) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
    engine = open_database(home)
    with engine.begin() as connection:
        for table in ROWS:
            if rows[table.name]:
                connection.execute(sa.insert(table), rows[table.name])
    engine.dispose()
    with closing(Store(home)) as store:
        activities, left_out = import_all(store)
    return Restored(tuple(activities), tuple(left_out), len(rows["machine"]))


def _files(home: Path) -> Iterator[Path]:
    """Yield all files to be kept, and the folders of inputs; links, pipes and what is being written are left
    out.
    """
    for name in KEPT:
        if (home / name).is_file():
            yield home / name
        for folder, _, files in os.walk(home / name):
            if _of_inputs(home, Path(folder)):
                yield Path(folder)
            for one in files:
                path = Path(folder, one)
                if stat.S_ISREG(path.lstat().st_mode) and not one.endswith(".new"):
                    yield path


def _of_inputs(home: Path, path: Path) -> bool:
    """Tell whether a file or folder is one of the copies of an activity's inputs."""
    above = (one for one in path.parents if one.name == INPUTS and home in one.parents)
    return any((one.parent / LIST).is_file() for one in above)


def _linked(home: Path) -> tuple[Path, ...]:
    """Return the folders of results that were imported by a link."""
    if not has_database(home):
        return ()
    with closing(Store(home)) as store:
        rows = store.activities()
    return tuple(row.folder for row in rows if row.controller is None and home not in row.folder.parents)


def _head(home: Path) -> bytes:
    rows: dict[str, list[dict[str, Any]]] = {table.name: [] for table in ROWS}
    if has_database(home):
        engine = open_database(home)
        with engine.connect() as connection:
            for table in ROWS:
                rows[table.name] = [dict(row) for row in connection.execute(sa.select(table)).mappings()]
        engine.dispose()
    head = {"schema": SCHEMA, "version": VERSION, "host": socket.gethostname(), "home": str(home)}
    return json.dumps({**head, "rows": rows}).encode()


def _add(tar: tarfile.TarFile, home: Path, path: Path) -> None:
    """Add a file, or a folder of inputs; one that is gone meanwhile was not to stay.

    Raises:
        OSError: It cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    with ExitStack() as stack:
        stack.callback(os.close, handle)
        found = os.fstat(handle)
        info = tarfile.TarInfo(str(path.relative_to(home)))
        info.mtime, info.mode = found.st_mtime, 0o600
        if _of_inputs(home, path):
            info.mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISDIR(found.st_mode):
            info.type = tarfile.DIRTYPE
            tar.addfile(info)
            return
        info.size = found.st_size
        tar.addfile(info, stack.enter_context(os.fdopen(handle, "rb", closefd=False)))


def _add_bytes(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o600
    tar.addfile(info, BytesIO(content))


def _require_empty(home: Path) -> None:
    """Refuse a home in which something was measured, or machines are known.

    Raises:
        AssayError: It is one.
    """
    there = [name for name in KEPT if (home / name).exists()]
    if not there and has_database(home):
        with closing(Store(home)) as store:
            there = [*sorted(store.ids()), *(entry.name for entry in store.entries()[1:])]
    if there:
        msg = f"cannot restore into {home}: it is not empty ({there[0]})"
        raise AssayError(
            msg, hint="set ASSAY_HOME to a new folder; results of another home: assay result import"
        )


def _unpack(file: Path, place: Path, tell: Tell) -> dict[str, list[dict[str, Any]]]:
    """Unpack a backup into a folder, and return the rows in it.

    Raises:
        AssayError: It is no backup, or damaged.
        OSError: It cannot be read, or not be written.
    """
    try:
        with ExitStack() as stack:
            raw = stack.enter_context(file.open("rb"))
            tar = stack.enter_context(tarfile.open(fileobj=raw, mode="r|gz"))
            whole, rows = max(1, file.stat().st_size), None
            for info in tar:
                content = _content(tar, info)
                if rows is None:
                    rows = _rows(info, content)
                else:
                    _write(place, info, content)
                tell(min(1.0, raw.tell() / whole))
            if rows is None:
                raise ValueError("it is empty")  # noqa: EM101
            return rows
    except _NO_BACKUP as error:
        msg = f"cannot restore {file}: expected a backup of assay, got none or a damaged one ({error})"
        raise AssayError(msg) from error


def _content(tar: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes] | None:
    if not (info.isreg() or info.isdir()):
        msg = f"{info.name} is neither a file nor a folder"
        raise ValueError(msg)
    return tar.extractfile(info)


def _rows(info: tarfile.TarInfo, content: IO[bytes] | None) -> dict[str, list[dict[str, Any]]]:
    if info.name != HEAD or content is None or info.size > LARGEST_HEAD:
        msg = f"it does not begin with {HEAD}"
        raise ValueError(msg)
    head = json.loads(content.read())
    if head["schema"] != SCHEMA or head["version"][0] != VERSION[0]:
        msg = f"expected {SCHEMA} {VERSION[0]}, got {head['schema']} {head['version'][0]}"
        raise ValueError(msg)
    known = {table.name: {column.name for column in table.columns} for table in ROWS}
    rows = {
        name: [{key: value for key, value in row.items() if key in columns} for row in head["rows"][name]]
        for name, columns in known.items()
    }
    names = [entry.name for entry in entries_of(rows["machine"], HEAD)]
    looks = [(look.machine, look.at_ns) for look in (Health(**row) for row in rows["health"])]
    if len({*names}) < len(names) or len({*looks}) < len(looks):
        msg = "it has a machine, or a look at one, twice"
        raise ValueError(msg)
    return rows


def _place(info: tarfile.TarInfo) -> PurePosixPath:
    """Return where a file of a backup belongs, below the home.

    Raises:
        ValueError: Nowhere.
    """
    path = PurePosixPath(info.name)
    if path.is_absolute() or ".." in path.parts or not path.parts or path.parts[0] not in KEPT:
        msg = f"it has a file at {info.name}"
        raise ValueError(msg)
    return path


def _write(home: Path, info: tarfile.TarInfo, content: IO[bytes] | None) -> None:
    """Write what is in a backup; inputs with their modes, and their folders."""
    of_inputs = INPUTS in PurePosixPath(info.name).parts
    if content is None and not of_inputs:
        return
    path = home / _place(info)
    if content is None:
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(info.mode & 0o777 | 0o700)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        shutil.copyfileobj(content, file, 1 << 20)
        if of_inputs:
            os.fchmod(file.fileno(), info.mode & 0o777 | 0o400)
        file.flush()
        os.fsync(file.fileno())
