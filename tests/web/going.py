"""An activity that goes on, as its folder tells it: this process holds it and writes its records."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from assay.activities.trials.inflight import Inflight, clear_inflight, write_inflight
from assay.design import plan_trials
from assay.model.activity import ActivityState
from assay.model.doubt import Doubt
from assay.model.files.home import mark_home
from assay.model.trial import PlannedTrial, State, Trial
from assay.platforms.claims import claim, release
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import plan_of, record_of
from tests.results.test_outcome import value_of

HOSTILE = "<script>alert(1)</script>"


class Going:
    """An activity that goes on.

    Args:
        home: Folder of all state.
        blocks: Blocks of its plan, of three trials each.
        id_: Its id.
        title: Its title.
    """

    def __init__(self, home: Path, *, blocks: int = 6, id_: str = "0123abcd", title: str = "A title") -> None:
        self.home, self.id, self.folder = home, id_, home / "activities" / id_
        self.plan = plan_of(plan_trials(("spin",), blocks=blocks, seed=1), id=id_, title=title)
        (self.folder / "trials").mkdir(parents=True)
        mark_home(home)
        write_activity(self.folder, self.plan)
        store = Store(home)
        store.add_activity(self.plan, self.folder)
        store.set_state(id_, ActivityState.RUNNING, ended_ns=None)
        store.close()
        claim(home, id_)
        self._left = list(self.plan.trials)

    def begin(self) -> PlannedTrial:
        """Begin the next trial."""
        planned = self._left[0]
        write_inflight(self.folder, Inflight(planned.index, "/x", "local", None, time.time_ns(), None, None))
        return planned

    def record(self, count: int = 1) -> None:
        """End so many further trials well."""
        for planned in self._left[:count]:
            self._write(record_of(planned, value_of(planned), activity=self.id))

    def fail(self, cause: str) -> None:
        """Fail the next trial."""
        planned = self._left[0]
        failed = replace(record_of(planned, None, activity=self.id), state=State.FAILED, measurements=())
        self._write(replace(failed, cause=cause, exit_code=1))

    def doubt(self, sentence: str) -> None:
        """End the next trial with a doubt about it."""
        planned = self._left[0]
        record = record_of(planned, value_of(planned), activity=self.id)
        self._write(replace(record, doubts=(Doubt("disturbed", sentence),)))

    def say(self, line: str) -> None:
        """Say a line, as a process that conducts unattended does."""
        with (self.folder / "conductor.log").open("a") as log:
            log.write(f"{line}\n")

    def end(self) -> None:
        """Let go of it."""
        release(self.home, self.id)

    def _write(self, record: Trial) -> None:
        self._left.pop(0)
        clear_inflight(self.folder)
        place = self.folder / "trials" / f".{record.planned.name}"
        place.mkdir()
        write_trial(place, record)
        place.rename(self.folder / "trials" / record.planned.name)
