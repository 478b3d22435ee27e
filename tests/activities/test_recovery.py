"""A process that was cut off right after it rejected a trial."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from assay.activities.conductor import Conductor
from assay.activities.trials.inflight import Inflight, read_inflight, write_inflight
from assay.design import plan_trials
from assay.store.record import write_trial
from assay.store.store import Store
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=1, seed=1)
RECORD = record_of(TRIALS[0], 5.0)
NOTE = Inflight(0, "/tmp/trial-0", "boot", None, RECORD.started_ns, None, None)


class Quiet:
    """Watches without a word."""

    def __getattr__(self, _name: str) -> object:
        return lambda *_, **__: None


class Elsewhere:
    """An environment that must not be gone to."""

    def revisit(self, *_: object) -> AbstractContextManager[None]:
        raise AssertionError

    def end_guest(self, _trial: object, guest: str | None) -> None:
        assert guest is None


@pytest.fixture
def conductor(tmp_path: Path) -> Conductor:
    folder = tmp_path / "activity"
    place = folder / "rejected" / f"{TRIALS[0].name}.1"
    place.mkdir(parents=True)
    write_trial(place, RECORD)
    plan, store = plan_of(TRIALS), Store(tmp_path / "home")
    return Conductor(plan, folder=folder, home=tmp_path, store=store, watcher=Quiet())  # type: ignore[arg-type]


def test_a_try_that_is_among_the_rejected_is_not_brought_home_a_second_time(
    conductor: Conductor, tmp_path: Path
) -> None:
    folder = tmp_path / "activity"
    write_inflight(folder, NOTE)
    conductor._recover(Elsewhere(), NOTE)  # type: ignore[arg-type]
    assert read_inflight(folder) is None
    assert not (folder / "trials").exists()
