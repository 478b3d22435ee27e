"""What was changed of this machine's settings and what takes it back: ``/run/assay/host-settings.json``.

An entry is on the disk before its file is written. The journal is the machine's, not a home's, so that a
crash is found from any home; it tells of one boot, as a reboot takes the kernel's settings back itself.

Whoever can write the journal must not be able to have root write any file: it may only name files that the
factors of the catalogue write. One that is damaged is never read as "nothing is changed": it is kept aside,
and nothing is measured until somebody has looked at it.
"""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.factors.base.factor import Act
from assay.factors.catalogue import FACTORS
from assay.model.files.json_text import parse_json
from assay.platforms.daemon.state import daemon_folder, machine_folder
from assay.platforms.durable import free_place, write_json
from assay.platforms.errors import DamagedJournalError
from assay.platforms.locks import locked
from assay.platforms.process import ProcessMark, is_alive

UNDO_S = 600.0
"""Pages that KSM has merged are taken apart at some hundred MB/s while the lock is held."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Change:
    """One file of the kernel that we hold at a value.

    Attributes:
        factor: ``host.thp``.
        path: The file.
        before: What it said.
        ours: What it was made to say.
        undo: Writes that take it back, in this order.
        activity: For which it was changed.
        home: That activity's folder of state.
        holder: The process that changed it.
        sides: What the other files of the undo said right after the file was written; empty until that was
            looked at, or in the journal of an earlier assay: whatever they say then counts as ours.
    """

    factor: str
    path: str
    before: str
    ours: str
    undo: tuple[Act, ...]
    activity: str
    home: str
    holder: ProcessMark
    sides: tuple[Act, ...] = ()

    @property
    def live(self) -> bool:
        """The process that changed it still runs."""
        return is_alive(self.holder)

    @property
    def left_by_us(self) -> frozenset[str]:
        """What we may have made the file say, also when cut off in the middle of the undo."""
        return frozenset((self.ours, *self._undone(self.path)))

    @property
    def side_paths(self) -> tuple[str, ...]:
        """The other files of the undo, each once."""
        return tuple(dict.fromkeys(act.path for act in self.undo if act.path != self.path))

    def side_is_ours(self, side: Act, now: str) -> bool:
        """Tell whether one of the other files says what our write made of it, or what the undo
        makes of it.
        """
        return now in {side.value, *self._undone(side.path)}

    def _undone(self, path: str) -> tuple[str, ...]:
        return tuple(act.value for act in self.undo if act.path == path)


def place_of(path: str) -> str:
    """Return a file's path without symbolic links: two paths may lead to one file."""
    return os.path.realpath(path)


def read_changes(home: Path) -> tuple[Change, ...]:
    """Return what is held changed on this machine, oldest first; nothing of an earlier boot.

    Raises:
        DamagedJournalError: the journal cannot be read; it is left where it is.
    """
    return _read(journal_file(home))


def read_or_keep_aside(home: Path) -> tuple[Change, ...]:
    """Return what ``read_changes`` does, and move a damaged journal out of the way; the lock is held.

    Raises:
        DamagedJournalError: the journal was damaged; it is kept aside, as ``refuse_damaged`` finds it.
    """
    try:
        return read_changes(home)
    except DamagedJournalError as error:
        aside = free_place(error.file, _suffix())
        journal_file(home).rename(aside)
        raise DamagedJournalError(error.file, error.why, kept=aside) from error


def refuse_damaged(home: Path) -> None:
    """Refuse to go on while a damaged journal of this boot is kept aside.

    Raises:
        DamagedJournalError: there is one: nobody knows which settings are changed.
    """
    files = dict.fromkeys((journal_file(home), _journal_in(machine_folder())))
    for aside in (path for file in files for path in sorted(file.parent.glob(f"{file.name}{_suffix()}*"))):
        why = "it was found damaged, and nobody has removed it since"
        raise DamagedJournalError(aside, why, kept=aside)


def roots_changes(home: Path) -> tuple[Change, ...]:
    """Return what root holds changed, for a user who may only look; nothing for root, whose journal is its
    own.
    """
    file = _journal_in(machine_folder())
    try:
        return () if file == journal_file(home) else _read(file)
    except PermissionError:
        return ()


def _read(file: Path) -> tuple[Change, ...]:
    try:
        value = parse_json(file.read_bytes())
    except FileNotFoundError:
        return ()
    except ValueError as error:
        raise DamagedJournalError(file, f"expected JSON: {error}") from error
    if not isinstance(value, dict) or not isinstance(value.get("boot_id"), str):
        why = "expected an object with boot_id and changes"
        raise DamagedJournalError(file, why)
    return _changes(file, value.get("changes")) if value["boot_id"] == _boot_id() else ()


def _changes(file: Path, entries: object) -> tuple[Change, ...]:
    from pydantic import TypeAdapter, ValidationError  # 0.1 s: only where something is held changed

    try:
        changes = TypeAdapter(tuple[Change, ...]).validate_json(json.dumps(entries), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in ("changes", *first["loc"]))
        raise DamagedJournalError(file, f"{place}: {first['msg'].lower()}") from error
    for number, change in enumerate(changes):
        _refuse_paths(file, f"changes.{number}", change)
    return changes


def _refuse_paths(file: Path, place: str, change: Change) -> None:
    if change.factor not in FACTORS:
        raise DamagedJournalError(file, f"{place}.factor: no factor has the name '{change.factor}'")
    for path in (change.path, *(act.path for act in (*change.undo, *change.sides))):
        if not may_write(change.factor, path):
            why = f"{place}: expected a file that {change.factor} writes, got {path}"
            raise DamagedJournalError(file, why)


def may_write(factor: str, path: str) -> bool:
    """Tell whether a change of a factor, or its undo, may write a file."""
    return FACTORS[factor].writes(path)


def write_changes(home: Path, changes: tuple[Change, ...]) -> None:
    """Remember what is held changed; it is on the disk when this returns."""
    if not changes:
        journal_file(home).unlink(missing_ok=True)
        return
    file = journal_file(home)
    content = {"boot_id": _boot_id(), "changes": [asdict(one) for one in changes]}
    if file.parent != machine_folder():
        write_json(file, content)
        return
    write_json(file, content, mode=0o644)  # others measure on this machine too
    file.parent.chmod(0o755)


def journal_file(home: Path) -> Path:
    """Return the journal's path; it is there only while something is held changed."""
    return _journal_in(daemon_folder(home))


def journal_lock(home: Path) -> AbstractContextManager[None]:
    """Keep others from the journal and from the files that it tells of."""
    return locked(daemon_folder(home) / "host-settings.lock", limit_s=UNDO_S)


def _journal_in(folder: Path) -> Path:
    return folder / "host-settings.json"


def _suffix() -> str:
    return f".damaged-{_boot_id()[:8]}"


def _boot_id() -> str:
    return _BOOT.read_text().strip()
