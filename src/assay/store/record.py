"""The record of a trial and the description of an activity as files, written once.

Layout of an activity's folder::

    facts/<boot>.json        the complete fingerprint of the machine or guest in this boot (docs/facts.md)
    activity.json            what was planned (contracts/activity-v1.schema.json)
    trials/<trial>/trial.json  the record (contracts/record-v1.schema.json)
    trials/<trial>/…         what the probe brought: probe.json, samples.csv, stdout, stderr
    trials/<trial>/files/copy-<n>/…  files that a copy wrote and figures or success are read from
    trials/<trial>/host/…    what the probe on a guest's host brought: guests.csv, vmstat.csv, disks.csv, pressure.csv
    rejected/<trial>.<n>/…   the same of a trial that was run again, its n-th try
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError, Exit
from assay.model.trial import Trial
from assay.store.confined import check_plan, check_trial

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

VERSION = (1, 4)
"""Major, minor: a newer major cannot be read, a newer minor only adds fields."""


class RecordError(AssayError):
    """A record or an activity's description that cannot be read."""

    exit_code = Exit.INPUT


def write_trial(folder: Path, trial: Trial) -> None:
    """Write ``trial.json`` into a record's folder that is not yet in its final place."""
    _write(folder / "trial.json", {"schema": "assay.record", "version": VERSION, **asdict(trial)})


def read_trial(folder: Path) -> Trial:
    """Read one record.

    Raises:
        RecordError: It is damaged, of a newer major version, or not a record at all.
    """
    return _read(folder / "trial.json", "assay.record", Trial, check_trial)


def write_activity(folder: Path, plan: ActivityPlan) -> None:
    """Write ``activity.json``; the plan never changes afterwards."""
    _write(folder / "activity.json", {"schema": "assay.activity", "version": VERSION, **asdict(plan)})


def read_activity(folder: Path) -> ActivityPlan:
    """Read what an activity's folder says was planned.

    Raises:
        RecordError: It is damaged, of a newer major version, or not an activity's folder.
    """
    return _read(folder / "activity.json", "assay.activity", ActivityPlan, check_plan)


def read_trials(folder: Path) -> Iterator[Trial]:
    """Yield the records of an activity's folder in the order in which they ran."""
    trials = folder / "trials"
    for place in sorted(trials.iterdir()) if trials.is_dir() else ():
        # a name with a dot is a record that was not yet whole when its writer was cut off
        if not place.name.startswith(".") and (place / "trial.json").is_file():
            yield read_trial(place)


def read_rejected(folder: Path) -> Iterator[Trial]:
    """Yield the records of the trials that were rejected and run again, by name and try."""
    return (read_trial(place) for place in rejected_folders(folder))


def rejected_folders(folder: Path) -> list[Path]:
    """Return the folders of the rejected trials of an activity, by name and try."""
    rejected = folder / "rejected"
    return sorted(rejected.iterdir()) if rejected.is_dir() else []


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves either the old content or the new, never a part."""
    temporary = path.with_name(f".{path.name}.new")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make names in a folder outlast a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(path: Path, value: dict[str, Any]) -> None:
    replace_file(path, json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n")


def _read(path: Path, schema: str, kind: type[T], check: Callable[[T], None]) -> T:
    from pydantic import ValidationError  # 0.1 s: only where a record is read

    try:
        if path.exists() and not path.is_file():
            _refuse_pipe()
        value = json.loads(path.read_bytes())
        _check_version(path, value, schema)
        made: T = _adapter(kind).validate_python(value)  # type: ignore[arg-type] # mypy: a type can be hashed
        check(made)
    except (OSError, ValueError, RecursionError) as error:
        reason = _first(error) if isinstance(error, ValidationError) else str(error)
        msg = f"cannot read {path}: {reason}"
        raise RecordError(msg, hint="the folder must be one that assay wrote") from error
    return made


def _refuse_pipe() -> None:
    """Refuse what may never end when it is read."""
    msg = "expected a regular file"
    raise ValueError(msg)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Return what reads a kind of file: making it takes hundreds of times as long as reading one."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _first(error: ValidationError) -> str:
    found = error.errors()[0]
    return f"{'.'.join(map(str, found['loc']))}: {found['msg'].lower()}"


def _check_version(path: Path, value: Any, schema: str) -> None:
    if not isinstance(value, dict) or value.get("schema") != schema:
        msg = f"expected a file of schema '{schema}'"
        raise ValueError(msg)
    version = value.get("version")
    if not isinstance(version, list) or not version:
        msg = f"expected a version, [major, minor], got {version!r}"
        raise ValueError(msg)
    if (major := version[0]) != VERSION[0]:
        msg = f"cannot read {path}: written in format {major}, this assay reads format {VERSION[0]}"
        raise RecordError(msg, hint="use the assay that wrote it, or a newer one")
