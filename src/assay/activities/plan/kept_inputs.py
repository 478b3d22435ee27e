"""Inputs of an activity as they were when it was created: copied by content, so that no trial runs another
version.

Layout of an activity's folder::

    inputs.json              which path each copy is of (absent where nothing is brought along)
    inputs/<digest>/<name>   the copies; the digest is over names, modes and content
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.machines.tree import Entry, walk
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError, Exit, MissingError
from assay.store.record import VERSION, read_values, replace_file, sync_folder

FILE, SCHEMA = "inputs.json", "assay.inputs"


class ChangedInputError(AssayError):
    """A copy of an input is no longer what it was."""

    exit_code = Exit.INPUT


@dataclass(frozen=True)
class KeptInput:
    """The copy of one input.

    Attributes:
        path: Where it lay on the controller, absolute.
        digest: SHA-256 over its names, modes and content.
    """

    path: str
    digest: str


@dataclass(frozen=True)
class _Kept:
    inputs: tuple[KeptInput, ...]


def input_bytes(plan: ActivityPlan) -> int:
    """Return the bytes of the copies of a plan's inputs; one that cannot be read is refused when it is
    copied.
    """
    return sum(_bytes(Path(path)) for path in _paths(plan))


def _paths(plan: ActivityPlan) -> list[str]:
    """Return the paths of all that a plan's workloads and scripts bring along."""
    lists = [*(one.inputs for one in plan.workloads), *(one.inputs for one in plan.scripts)]
    return list(dict.fromkeys(path for one in lists for path in one))


def _bytes(path: Path) -> int:
    try:
        return sum(entry.bytes for entry in walk(path, follow=True))
    except OSError:
        return 0


def keep_inputs(plan: ActivityPlan, folder: Path) -> None:
    """Copy the inputs of all workloads and scripts of a plan into the activity's folder.

    Raises:
        MissingError: One is gone, or cannot be read.
    """
    paths = _paths(plan)
    if not paths:
        return
    (folder / "inputs").mkdir(mode=0o700)
    kept = _Kept(tuple(KeptInput(path, _keep(Path(path), folder / "inputs")) for path in paths))
    sync_folder(folder / "inputs")
    content = {"schema": SCHEMA, "version": VERSION, **asdict(kept)}
    replace_file(folder / FILE, json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n")


def kept_inputs(folder: Path) -> Mapping[str, Path]:
    """Return where the copy of each input lies, by its path; empty for an activity of an earlier assay.

    Raises:
        ChangedInputError: A copy is no longer what it was.
        RecordError: The list of them cannot be read.
    """
    if not (folder / FILE).exists():
        return {}
    kept = read_values(folder / FILE, SCHEMA, _Kept, lambda _: None)
    copies = {one.path: folder / "inputs" / one.digest / Path(one.path).name for one in kept.inputs}
    for one in kept.inputs:
        if _digest(copies[one.path]) != one.digest:
            msg = f"cannot go on: {copies[one.path]} is no longer the input that the activity began with"
            raise ChangedInputError(msg, hint="evaluate anew: trials of two versions must not be mixed")
    return copies


def _keep(path: Path, into: Path) -> str:
    """Copy an input and return its digest; what was copied is what was digested."""
    part = into / ".new"
    try:
        _copy(path, part / path.name)
        digest = _digest(part / path.name)
        (into / digest).mkdir(mode=0o700, exist_ok=True)
        if not (into / digest / path.name).exists():
            (part / path.name).rename(into / digest / path.name)
        sync_folder(into / digest)
        shutil.rmtree(part)
    except OSError as error:
        msg = f"cannot read the input {path}: {error.strerror or error}"
        raise MissingError(msg) from error
    return digest


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    for entry in _entries(source):
        place = target / entry.place if entry.place else target
        if entry.folder:
            place.mkdir(exist_ok=True)
        else:
            _copy_file(entry, place)
        place.chmod(entry.mode | (0o700 if entry.folder else 0o400))


def _copy_file(entry: Entry, place: Path) -> None:
    with entry.path.open("rb") as source, place.open("wb") as file:
        while piece := source.read(1 << 20):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def _digest(path: Path) -> str:
    """Return the digest of a file or folder; of one that cannot be read that of nothing."""
    digest = hashlib.sha256()
    try:
        for entry in _entries(path):
            digest.update(os.fsencode(f"{entry.place}\0{entry.folder}\0{entry.mode & 0o111:o}\0"))
            if not entry.folder:
                with entry.path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        return ""
    return digest.hexdigest()


def _entries(path: Path) -> list[Entry]:
    entries = sorted(walk(path, follow=True), key=lambda entry: entry.place)
    if not entries:
        msg = "no file or folder"
        raise OSError(0, msg)
    return entries
