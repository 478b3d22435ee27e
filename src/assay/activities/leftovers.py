"""What crashes left on this machine and in this home, and its removal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.activities.interrupts import Interrupts
from assay.activities.trials.inflight import is_collected
from assay.activities.unlisted import has_records, never_began, unlisted
from assay.model.errors import AssayError
from assay.model.files.activities import activity_folder, activity_folders
from assay.model.files.native import PROBE
from assay.model.trial import PlannedTrial, Trial
from assay.platforms.claims import claim, is_live, release
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.leftovers.clean import Leftover, clean, leftovers
from assay.store.imports import left_copies
from assay.store.record import read_activity
from assay.store.store import Store

SCRIPT = "script"
"""Kind of what a scene's scripts had set up."""


def clean_here(home: Path, *, dry_run: bool) -> list[tuple[Leftover, bool]]:
    """Remove what was left and can be removed; return each thing found and whether it is gone.

    Args:
        home: Folder of all state.
        dry_run: Change nothing.

    Raises:
        MissingError: There may be guests, but libvirt is not there or refuses this user.
        AssayError: A teardown of a scene's scripts failed.
    """
    left = leftovers(home, subreaper=PROBE.path(), collected=is_collected)
    gone = () if dry_run else clean(home, subreaper=PROBE.path(), collected=is_collected)
    own = [*_unlisted(home), *_copies(home), *_set_up(home)]
    removed = {item.name for item in own if item.removable and not dry_run and _remove(home, item)}
    return [*((item, item in gone) for item in left), *((item, item.name in removed) for item in own)]


def _remove(home: Path, item: Leftover) -> bool:
    return _take_down(home, item.name) if item.kind == SCRIPT else remove_folder(Path(item.name))


def _set_up(home: Path) -> Iterator[Leftover]:
    """Yield activities whose scripts were killed between set-up and teardown."""
    for folder in activity_folders(home):
        if list((folder / "scripts").glob("*.left")) and not is_live(home, folder.name):
            why = "its teardown has not run; assay activity resume runs it, too"
            yield Leftover(SCRIPT, folder.name, why)


def _take_down(home: Path, activity: str) -> bool:
    """Run the teardown scripts of an activity, and tell whether nothing is left to take down.

    Raises:
        AssayError: One failed.
    """
    from assay.activities.environment import Environment

    folder, heard = activity_folder(home, activity), Heard()
    claim(home, activity)
    try:
        environment = Environment(read_activity(folder), home, heard, Interrupts())
        try:
            environment.take_down_left()
        finally:
            environment.close()
    finally:
        release(home, activity)
    if heard.warned:
        raise AssayError(heard.warned[0])
    return not list((folder / "scripts").glob("*.left"))


class Heard:
    """A watcher that keeps what it is warned of (``Watcher``)."""

    def __init__(self) -> None:
        self.warned: list[str] = []

    def warn(self, sentence: str) -> None:
        """Keep it."""
        self.warned.append(sentence)

    def step(self, text: str, *, fraction: float | None = None) -> None:
        """Say nothing."""

    def progress(self, *, done: int, total: int, remaining_s: float) -> None:
        """Say nothing."""

    def trial_started(self, planned: PlannedTrial, label: str) -> None:
        """Say nothing."""

    def trial_over(self, trial: Trial) -> None:
        """Say nothing."""

    def look(self, text: str) -> None:
        """Say nothing."""


def _copies(home: Path) -> Iterator[Leftover]:
    why = "a copy that was cut off"
    return (Leftover("folder", str(folder), why) for folder in left_copies(home))


def _unlisted(home: Path) -> Iterator[Leftover]:
    known = _known(home)
    for folder in () if known is None else unlisted(home, known):
        if has_records(folder):
            why = f"its records are in no list; assay result import {folder}"
            yield Leftover("folder", str(folder), why, removable=False)
        elif never_began(folder):
            yield Leftover("folder", str(folder), "an activity that never began")


def _known(home: Path) -> frozenset[str] | None:
    """Return the ids of the activities with rows; ``None`` where the database cannot be read."""
    try:
        store = Store(home)
    except AssayError:
        return None
    try:
        return store.ids()
    except AssayError:
        return None
    finally:
        store.close()
