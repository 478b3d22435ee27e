"""What was changed of this machine's settings and what takes it back: ``/run/assay/host-settings.json``.

An entry is on the disk before its file is written. The journal is the machine's, not a home's, so that a
crash is found from any home; it tells of one boot, as a reboot takes the kernel's settings back itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.factors.factor import Act
from assay.platforms.daemon_state import daemon_folder, machine_folder
from assay.platforms.durable import locked, read_json, write_json
from assay.platforms.process import ProcessMark, is_alive

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
        """Tell whether one of the other files says what our write made of it, or what the undo makes of it."""
        return now in {side.value, *self._undone(side.path)}

    def _undone(self, path: str) -> tuple[str, ...]:
        return tuple(act.value for act in self.undo if act.path == path)


def place_of(path: str) -> str:
    """Return a file's path without symbolic links: two paths may lead to one file."""
    return os.path.realpath(path)


def read_changes(home: Path) -> tuple[Change, ...]:
    """Return what is held changed on this machine, oldest first; nothing of an earlier boot."""
    return _read(journal_file(home))


def roots_changes(home: Path) -> tuple[Change, ...]:
    """Return what root holds changed, for a user who may only look; nothing for root, whose journal is its own."""
    file = _journal_in(machine_folder())
    try:
        return () if file == journal_file(home) else _read(file)
    except PermissionError:
        return ()


def _read(file: Path) -> tuple[Change, ...]:
    value = read_json(file)
    if value is None or value["boot_id"] != _boot_id():
        return ()
    return tuple(_change(entry) for entry in value["changes"])


def write_changes(home: Path, changes: tuple[Change, ...]) -> None:
    """Remember what is held changed; it is on the disk when this returns."""
    if not changes:
        journal_file(home).unlink(missing_ok=True)
        return
    file = journal_file(home)
    write_json(file, {"boot_id": _boot_id(), "changes": [asdict(one) for one in changes]})
    if file.parent == machine_folder():  # whatever the umask: others measure on this machine too
        file.chmod(0o644)
        file.parent.chmod(0o755)


def journal_file(home: Path) -> Path:
    """Return the journal's path; it is there only while something is held changed."""
    return _journal_in(daemon_folder(home))


def journal_lock(home: Path) -> AbstractContextManager[None]:
    """Keep others from the journal and from the files that it tells of."""
    return locked(daemon_folder(home) / "host-settings.lock")


def _journal_in(folder: Path) -> Path:
    return folder / "host-settings.json"


def _change(entry: dict[str, Any]) -> Change:
    acts = {name: _acts(entry.get(name, ())) for name in ("undo", "sides")}
    return Change(**{**entry, **acts, "holder": ProcessMark(**entry["holder"])})


def _acts(entries: Iterable[dict[str, Any]]) -> tuple[Act, ...]:
    return tuple(Act(act["path"], act["value"]) for act in entries)


def _boot_id() -> str:
    return _BOOT.read_text().strip()
