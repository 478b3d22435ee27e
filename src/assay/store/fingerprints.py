"""Fingerprints and recorded machines that are kept, by machine and time.

Layout of a home::

    machines/<name>/<time>.json  a fingerprint
    machines/<name>/<time>/      a recorded machine, readable with ``assay-probe --root``

Times are in UTC, ``2026-11-20T131500Z``. What is kept of a machine stays when it leaves the inventory.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from assay.model.errors import AssayError, UnknownNameError
from assay.model.files.json_text import check_numbers
from assay.model.machines.machine import Fingerprint

SCHEMA = "assay.fingerprint"
VERSION = (1, 0)
FORM = "%Y-%m-%dT%H%M%SZ"
LAST = "last"


@dataclass(frozen=True)
class Kept:
    """Something kept of a machine.

    Attributes:
        machine: The machine's name.
        time: When it was taken, ``2026-11-20T131500Z``.
        path: Where it lies: a file for a fingerprint, a folder for a recorded machine.
    """

    machine: str
    time: str
    path: Path

    @property
    def name(self) -> str:
        """Return the name by which it can be given, ``node01@2026-11-20T131500Z``."""
        return f"{self.machine}@{self.time}"

    @property
    def recorded(self) -> bool:
        """Tell whether it is a recorded machine."""
        return self.path.is_dir()


def keep_fingerprint(home: Path, machine: str, fingerprint: Fingerprint) -> Kept:
    """Keep a fingerprint under its time; one of the same second is replaced."""
    kept = _place(home, machine, fingerprint.taken_ns, ".json")
    kept.path.parent.mkdir(parents=True, exist_ok=True)
    write_fingerprint(kept.path, fingerprint)
    return kept


def recording_place(home: Path, machine: str, taken_ns: int) -> Kept:
    """Return where a machine recorded at this time belongs; nothing is made but the folder above."""
    kept = _place(home, machine, taken_ns, "")
    kept.path.parent.mkdir(parents=True, exist_ok=True)
    return kept


def kept_of(home: Path, machine: str | None = None) -> tuple[Kept, ...]:
    """Return what is kept of one machine or of all, by machine and time."""
    folders = sorted((home / "machines").glob("*") if machine is None else [home / "machines" / machine])
    return tuple(
        Kept(folder.name, path.name.removesuffix(".json"), path)
        for folder in folders
        for path in sorted(folder.glob("[0-9]*"))
    )


def find_kept(home: Path, machine: str, time: str) -> Kept:
    """Return the last that was kept of a machine at a time: the beginning of one, or ``last``.

    Raises:
        AssayError: Nothing is kept of that machine.
        UnknownNameError: Nothing is kept of that time.
    """
    known = kept_of(home, machine)
    if not known:
        msg = f"cannot find what was kept of '{machine}': nothing was"
        raise AssayError(msg, hint=f"assay machine facts {machine}")
    fitting = [kept for kept in known if time == LAST or kept.time.startswith(time)]
    if not fitting:
        names = [kept.time for kept in known]
        raise UnknownNameError(kind="time", name=time, known=[*names, LAST], hint="assay machine list")
    return fitting[-1]


def write_fingerprint(path: Path, fingerprint: Fingerprint) -> None:
    """Write a fingerprint whole or not at all."""
    from assay.store.record import replace_file  # slow to start, and lists of what is kept need it not

    content = {"schema": SCHEMA, "version": VERSION, **asdict(fingerprint)}
    replace_file(path, json.dumps(content, ensure_ascii=False).encode() + b"\n")


def read_kept_fingerprint(path: Path) -> Fingerprint:
    """Read a fingerprint.

    Raises:
        RecordError: It is damaged, of a newer major version, or none at all.
    """
    from pydantic import TypeAdapter, ValidationError

    from assay.store.record import RecordError, read_json

    try:
        content = read_json(path)
        major = content["version"][0] if content["schema"] == SCHEMA else None
        if major != VERSION[0]:
            msg = f"cannot read {path}: expected {SCHEMA} {VERSION[0]}, got {content['schema']} {major}"
            raise RecordError(msg)
        fingerprint = TypeAdapter(Fingerprint).validate_python(content)
        check_numbers(fingerprint)
    except (OSError, ValueError, LookupError, TypeError, RecursionError, ValidationError) as error:
        msg = f"cannot read {path}: it is no fingerprint"
        raise RecordError(msg) from error
    return fingerprint


def _place(home: Path, machine: str, taken_ns: int, suffix: str) -> Kept:
    time = datetime.fromtimestamp(taken_ns / 1e9, UTC).strftime(FORM)
    return Kept(machine, time, home / "machines" / machine / f"{time}{suffix}")
