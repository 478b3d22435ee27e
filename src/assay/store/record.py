"""The record of a trial and the description of an activity as files, written once.

Layout of an activity's folder::

    facts/<boot>.json        the complete fingerprint of the machine or guest in this boot (docs/facts.md)
    objects/<digest>         what records share, by its SHA-256 (``store.objects``)
    activity.json            what was planned (contracts/activity-v1.schema.json)
    trials/<trial>/trial.json  the record (contracts/record-v1.schema.json)
    trials/<trial>/…         what the probe brought: probe.json, samples.csv, stdout, stderr
    trials/<trial>/files/copy-<n>/…  files that a copy wrote and figures or success are read from
    trials/<trial>/host/…    what the probe on a guest's host brought: guests.csv, vmstat.csv, disks.csv,
    pressure.csv rejected/<trial>.<n>/…   the same of a trial that was run again, its n-th try
    damaged/<trial>.<n>/…    a record that could no longer be read when the activity was resumed; its trial
    ran again
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError, Exit
from assay.model.extension import Ended, Ending
from assay.model.files.json_text import check_numbers
from assay.model.trial import Trial
from assay.store.confined import check_plan, check_trial
from assay.store.content import PAGE
from assay.store.readers import keep_file, keep_folder

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

VERSION = (1, 11)
"""Major, minor: a newer major cannot be read, a newer minor only adds fields."""

OPEN = ("interrupted", "running")
"""States of a page whose activity had trials left to run."""

LARGEST_BYTES = 256 * 1024**2
"""A record of a day's trial at the finest interval stays far below: its series are files of their own."""


BROKEN = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EIO, errno.EUCLEAN}
"""Of a file that is gone, or that its file system has lost."""


class RecordError(AssayError):
    """A record or an activity's description that cannot be read."""

    exit_code = Exit.INPUT


class DamagedError(RecordError):
    """A file that is no longer what assay wrote: whatever reads many goes on without it."""


def write_trial(folder: Path, trial: Trial) -> None:
    """Write ``trial.json`` into a record's folder that is not yet in its final place."""
    replace_json(folder / "trial.json", {"schema": "assay.record", "version": VERSION, **asdict(trial)})


def read_trial(folder: Path) -> Trial:
    """Read one record.

    Raises:
        RecordError: It is damaged, of a newer major version, or not a record at all.
    """
    return read_values(folder / "trial.json", "assay.record", Trial, check_trial)


def write_activity(folder: Path, plan: ActivityPlan) -> None:
    """Write ``activity.json``. Its folder is closed to others."""
    keep_folder(folder)
    replace_json(folder / "activity.json", {"schema": "assay.activity", "version": VERSION, **asdict(plan)})


def rewrite_activity(folder: Path, plan: ActivityPlan) -> None:
    """Put a plan with more in it (how it ended, further blocks) in the place of that before; a crash leaves
    either.
    """
    replace_json(folder / "activity.json", {"schema": "assay.activity", "version": VERSION, **asdict(plan)})


def read_activity(folder: Path) -> ActivityPlan:
    """Read what an activity's folder says was planned.

    Raises:
        RecordError: It is damaged, of a newer major version, or not an activity's folder.
    """
    plan = read_values(folder / "activity.json", "assay.activity", ActivityPlan, check_plan)
    return replace(plan, ended=_ended_before(folder)) if plan.goal.adaptive and plan.ended is None else plan


def _ended_before(folder: Path) -> Ended | None:
    """Return how an activity of an earlier assay ended, by the page that it wrote then; ``None`` where none
    tells.
    """
    try:
        page = read_json(folder / PAGE)
        if page["result"]["state"] in OPEN:
            return None
        return Ended(Ending.EARLIER, len({int(trial["block"]) for trial in page["trials"]}))
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        return None


def read_trials(folder: Path, *, damaged: list[DamagedError] | None = None) -> Iterator[Trial]:
    """Yield the records of an activity's folder in the order in which they ran.

    Args:
        folder: The activity's folder.
        damaged: Takes what is wrong with those that are left out because they are damaged; without it they
            are errors.

    Raises:
        RecordError: One is of another major version, may not be read, or is damaged and nothing takes it.
    """
    places = (place for place in _trial_places(folder) if (place / "trial.json").is_file())
    yield from _readable(places, damaged)


def read_rejected(folder: Path, *, damaged: list[DamagedError] | None = None) -> Iterator[Trial]:
    """Yield the records of the trials that were rejected and run again, by name and try; as
    ``read_trials``.
    """
    yield from _readable(rejected_folders(folder), damaged)


def set_aside_damaged(folder: Path) -> Iterator[DamagedError]:
    """Move the damaged records of an activity out of the way, and yield what is wrong with each and where it
    lies.

    Raises:
        RecordError: One is of another major version, or may not be read.
    """
    for place in _trial_places(folder):
        try:
            read_trial(place)
        except DamagedError as error:
            yield set_aside(folder, place, error)


def set_aside(folder: Path, place: Path, error: DamagedError) -> DamagedError:
    """Move a damaged file or folder of an activity to ``damaged/``; return the error with the place in it."""
    aside = folder / "damaged"
    aside.mkdir(exist_ok=True)
    keep_folder(aside)
    kept = next(path for n in count(1) if not (path := aside / f"{place.name}.{n}").exists())
    place.rename(kept)
    for changed in (aside, place.parent, folder):
        sync_folder(changed)
    return DamagedError(f"{error.message}; it is kept in {kept}")


def _trial_places(folder: Path) -> list[Path]:
    """Return the folders of trials by number, which has four digits or more; a name with a dot is a record
    whose writer was cut off before it was whole.
    """
    trials = folder / "trials"
    entries = sorted(trials.iterdir(), key=lambda place: by_number(place.name)) if trials.is_dir() else []
    return [place for place in entries if not place.name.startswith(".") and place.is_dir()]


def by_number(name: str) -> tuple[int, str]:
    """Return what sorts names of trials' folders by their number, which has four digits or more."""
    return name.find("-"), name


def _readable(places: Iterable[Path], damaged: list[DamagedError] | None) -> Iterator[Trial]:
    for place in places:
        try:
            trial = read_trial(place)
        except DamagedError as error:
            if damaged is None:
                raise
            damaged.append(error)
            continue
        yield trial


def rejected_folders(folder: Path) -> list[Path]:
    """Return the folders of the rejected trials of an activity, by name and try."""
    rejected = folder / "rejected"
    return sorted(rejected.iterdir()) if rejected.is_dir() else []


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves either the old content or the new, never a part."""
    temporary = path.with_name(f".{path.name}.new")
    handle = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        keep_file(handle)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def remove_half_written(folder: Path) -> None:
    """Remove what a kill left of a folder's files that were being replaced; nobody else may be
    writing there.
    """
    for file in folder.glob(".*.new"):
        if file.is_file() and not file.is_symlink():
            file.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make names in a folder outlast a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a file of JSON; a crash leaves either the old content or the new."""
    replace_file(path, json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n")


def read_values(
    path: Path, schema: str, kind: type[T], check: Callable[[T], None], *, bare: bool = False
) -> T:
    """Read a file of a schema.

    Args:
        path: The file.
        schema: Name of its schema.
        kind: What it holds; fields that are not known are passed over.
        check: Raises ``ValueError`` for what no file of ours says.
        bare: A file without a schema is one of its first version.

    Raises:
        DamagedError: It is no longer what was written, or gone.
        RecordError: It is of another major version, or may not be read.
    """
    from pydantic import ValidationError  # 0.1 s: only where a record is read

    try:
        value = read_json(path)
        if bare and isinstance(value, dict) and "schema" not in value:
            value = {"schema": schema, "version": list(VERSION), **value}
        _check_version(path, value, schema)
        made: T = _adapter(kind).validate_python(value)  # type: ignore[arg-type] # mypy: a type can be hashed
        check_numbers(made)  # a text may have become a number: "1e999"
        check(made)
    except (OSError, ValueError, RecursionError) as error:
        reason = _first(error) if isinstance(error, ValidationError) else str(error)
        msg = f"cannot read {path}: {reason}"
        refused = RecordError if _may_be_whole(error) else DamagedError
        raise refused(msg, hint="the folder must be one that assay wrote") from error
    return made


def _may_be_whole(error: Exception) -> bool:
    """Tell whether a file that could not be read may be as it was written: it is the reading that failed."""
    return isinstance(error, OSError) and error.errno not in BROKEN


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Return what reads a kind of file: making it takes hundreds of times as long as reading one."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _first(error: ValidationError) -> str:
    details = error.errors()[0]
    return f"{'.'.join(map(str, details['loc']))}: {details['msg'].lower()}"


def read_json(path: Path) -> Any:
    """Return what a regular file of JSON says, whose numbers are finite and whose texts are text.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no such file.
        RecursionError: It is nested too deeply.
    """
    return _parse(_content(path))


def _content(path: Path) -> bytes:
    """Return the content of a regular file: a pipe has no end, and neither has a device."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        msg = "expected a file, got a folder, a pipe or a device"
        raise ValueError(msg)
    if found.st_size > LARGEST_BYTES:
        msg = f"expected a record of at most {LARGEST_BYTES} B, got a larger file"
        raise ValueError(msg)
    return path.read_bytes()


def _parse(content: bytes) -> Any:
    """Return JSON whose numbers are finite and whose texts are text.

    Raises:
        ValueError: it is no such JSON.
    """
    value = json.loads(content, parse_float=_finite, parse_constant=_finite)
    if b"\\u" in content:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            msg = "expected text, got half of a surrogate pair"
            raise ValueError(msg) from None
    return value


def _finite(word: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        msg = f"expected finite numbers, got {word:.40}"
        raise ValueError(msg)
    return number


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
