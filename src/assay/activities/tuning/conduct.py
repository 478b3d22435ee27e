"""The activity of a step of a search: run or gone on with, and what it gave, kept in the search's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.evaluate import create, ensure_image, follow, prepare, resume
from assay.activities.events import Watcher
from assay.activities.extend import lengthen
from assay.activities.pages import page_of
from assay.activities.tuning.confirmed import checked, confirmed
from assay.activities.tuning.kept import find_tuning, keep_tuning
from assay.activities.tuning.laid_out import now
from assay.activities.tuning.scenes import run_scene
from assay.activities.tuning.time_taken import by_what_visits_took
from assay.activities.tuning.values import values_of
from assay.model.activity import ActivityState
from assay.model.errors import MissingError
from assay.model.trial import Trial
from assay.pages.tuning import Tuning, TuningRun
from assay.platforms.claims import refuse_second
from assay.platforms.errors import PlatformError
from assay.scenes import Scene
from assay.store.record import read_activity, read_trials
from assay.store.rows import ActivityRow
from assay.store.store import Store

ENDED = (ActivityState.COMPLETE, ActivityState.PARTIAL, ActivityState.FAILED)
"""How the activity of a step ends; in every other state trials are left."""


class Conduct:
    """Runs the activities of a search.

    Args:
        scene: Its scene.
        home: Folder of all state.
        store: Inventory of machines.
        watcher: Is told of each act.
    """

    def __init__(self, scene: Scene, *, home: Path, store: Store, watcher: Watcher) -> None:
        self._scene, self._home, self._store, self._watcher = scene, home, store, watcher

    def made(self, tuning: Tuning, run: TuningRun) -> Tuning:
        """Run the activity of a step, or what is left of it; return the search with what it gave.

        Raises:
            KeyboardInterrupt: Trials of it are left.
            AssayError: It cannot be planned, or something needed is missing or lost.
        """
        return self._ended(tuning, self._conducted(tuning, run))

    def refusal(self, tuning: Tuning, run: TuningRun, config: tuple[int, ...]) -> str | None:
        """Return why a configuration cannot be planned; ``None`` where it can."""
        scene = run_scene(self._scene, tuning, replace(run, configs=(config,)))
        try:
            prepare(scene, home=self._home, store=self._store, command=tuning.command)
        except (MissingError, PlatformError) as error:
            return error.message
        return None

    def _conducted(self, tuning: Tuning, run: TuningRun) -> ActivityRow:
        """Run the activity of a step, or what is left of it; return its row."""
        row = self._store.own_activity(run.activity)
        if row is not None:
            row = self._extended(row, run.blocks)
            return _over(row, resume(row, home=self._home, store=self._store, watcher=self._watcher))
        scene = run_scene(self._scene, replace(tuning, runs=(*_before(tuning, run), run)), run)
        plan = prepare(scene, home=self._home, store=self._store, command=tuning.command)
        plan = replace(plan, id=run.activity)
        ensure_image(plan, home=self._home, watcher=self._watcher)
        refuse_second(self._home, plan.id)  # another process may be at this very search: its file stays
        self.kept(replace(tuning, runs=(*_before(tuning, run), run)))
        place = create(plan, home=self._home, store=self._store)
        state = follow(plan, place, home=self._home, store=self._store, watcher=self._watcher)
        found = self._store.own_activity(run.activity)
        assert found is not None  # noqa: S101 - it was just made
        return _over(found, state)

    def _extended(self, row: ActivityRow, blocks: int) -> ActivityRow:
        """Return the row of an activity that has so many blocks: it is extended where it has fewer."""
        lacking = blocks - read_activity(row.folder).blocks
        if lacking <= 0:
            return row
        lengthen(row, lacking, home=self._home, store=self._store, watcher=self._watcher)
        return self._store.own_activity(row.id) or row

    def _ended(self, tuning: Tuning, row: ActivityRow) -> Tuning:
        """Return a search with what its last step gave."""
        tuning = find_tuning(tuning.id, self._home)
        plan, records = read_activity(row.folder), tuple(read_trials(row.folder, damaged=[]))
        run = replace(tuning.runs[-1], state="ended", seconds=_seconds(records))
        if run.kind == "search":
            run = replace(run, values=tuple(values_of(plan, records, tuning.workloads)))
        tuning = replace(tuning, runs=(*tuning.runs[:-1], run))
        if run.kind == "search":
            tuning = by_what_visits_took(tuning)
        if run.kind == "confirm":
            tuning = replace(tuning, found=confirmed(tuning, run, plan, page_of(row.folder)))
        if run.kind == "check":
            tuning = replace(tuning, found=checked(tuning, run, plan, page_of(row.folder), now=now()))
        return self.kept(tuning)

    def is_kept(self, tuning: Tuning, run: TuningRun) -> bool:
        """Tell whether a step is in the search's file: it could be planned, and had begun."""
        return any(one.activity == run.activity for one in find_tuning(tuning.id, self._home).runs)

    def kept(self, tuning: Tuning) -> Tuning:
        """Write what is known of a search, and return it."""
        keep_tuning(tuning, self._home)
        return tuning


def _over(row: ActivityRow, state: ActivityState) -> ActivityRow:
    """Return the row of an activity that has come to its end.

    Raises:
        KeyboardInterrupt: Trials of it are left.
    """
    if state not in ENDED:
        raise KeyboardInterrupt
    return row


def _before(tuning: Tuning, run: TuningRun) -> tuple[TuningRun, ...]:
    return tuple(one for one in tuning.runs if one.activity != run.activity)


def _seconds(records: Sequence[Trial]) -> float:
    """Return the time from the first trial's start to the last one's end."""
    if not records:
        return 0.0
    return (max(one.ended_ns for one in records) - min(one.started_ns for one in records)) / 1e9
