"""Rows of an activity kept in step with its records, also where the database is away for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from assay.activities.summaries import keep_summary
from assay.model.activity import ActivityState
from assay.model.errors import AssayError
from assay.model.trial import Trial
from assay.store.faults import AwayDatabaseError
from assay.store.store import Store

if TYPE_CHECKING:
    from assay.pages.context import Page

RETRY_S, SHARE = 2.0, 0.05
"""A database that is away is asked again after so long, and for no more than this share of the time."""
PATIENCE_S = 30.0
"""At an activity's end it is waited for: a server that is started anew is back in seconds."""
LATER = "records are whole, and rows follow once it is back: assay result show last"
Answer = TypeVar("Answer")


class RowKeeper:
    """Keeps the rows of an activity that is measured now; its records do not wait for them."""

    def __init__(self, store: Store, activity: str, folder: Path, warn: Callable[[str], object]) -> None:
        self._store, self._activity, self._folder, self._warn = store, activity, folder, warn
        self._again: float | None = None

    def begin(self) -> None:
        """Say that it runs.

        Raises:
            AwayDatabaseError: The database does not answer: nothing has begun.
        """
        self._store.set_state(self._activity, ActivityState.RUNNING, ended_ns=None)

    def record(self, trial: Trial) -> None:
        """Take a trial's record over; while the database is away, later, with all others of that time."""
        now = time.monotonic()
        if self._again is not None and now < self._again:
            return
        try:
            if self._again is None:
                self._store.add_record(trial)
            else:
                self._catch_up()
        except AwayDatabaseError as error:
            if self._again is None:
                self._warn(f"{error.message}; trials go on, and their rows follow")
            ended = time.monotonic()
            self._again = ended + max(RETRY_S, (ended - now) / SHARE)

    def look(self, page: Callable[[], Page]) -> None:
        """Keep what the trials so far say in short; nothing where the database or a record cannot be read,
        which is told elsewhere.
        """
        if self._again is None:
            with suppress(AssayError):
                keep_summary(self._store, page())

    def end(self, state: ActivityState) -> None:
        """Say where it stands at its end, with all its rows; a database that is away is waited for."""

        def note() -> None:
            if self._again is not None:
                self._catch_up()
            self._store.set_state(self._activity, state, ended_ns=time.time_ns())

        later(note, self._warn)

    def _catch_up(self) -> None:
        """Make all rows anew from the records."""
        self._store.import_folder(self._folder)
        self._store.set_state(self._activity, ActivityState.RUNNING, ended_ns=None)
        self._again = None
        self._warn("the database is back, with the rows of all trials")


def patiently(act: Callable[[], Answer]) -> Answer:
    """Return what an act on the database gives, which is waited for while it is away.

    Raises:
        AwayDatabaseError: It stayed away for ``PATIENCE_S``.
    """
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return act()
        except AwayDatabaseError:
            if time.monotonic() > end:
                raise
            time.sleep(RETRY_S / 2)


def at_once(act: Callable[[], object]) -> None:
    """Do an act on the database that lists can make up for; without it where it is away."""
    with suppress(AwayDatabaseError):
        act()


def later(act: Callable[[], object], warn: Callable[[str], object]) -> None:
    """Do an act on the database, which is waited for; that it stays away is told, and no error."""
    try:
        patiently(act)
    except AwayDatabaseError as error:
        warn(f"{error.message}; {LATER}")
