"""The data of an activity on this machine: laid out where an arm wants them, ended with what a crash left."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import venue
from assay.activities.conductor import Conductor
from assay.activities.data import DataVenue
from assay.activities.inflight import Inflight
from assay.model.data import DataFile, DataSet
from assay.platforms.data_servers.files import lay_data
from assay.platforms.data_servers.serve import data_folder
from assay.store.store import Store
from tests.builders import plan_of

DATA = DataSet((DataFile("f", 8),), seed=1)
NOTE = Inflight(0, "/tmp/trial-0", "boot", None, 0, None, None)


class Quiet:
    """Watches without a word."""

    def __getattr__(self, _name: str) -> object:
        return lambda *_, **__: None


def plan_by(*ways: str) -> Any:
    """Return a plan with data, and the access of baseline and treatment."""
    plan = plan_of(())
    baseline, treatment = (
        replace(side, data=(("data.access", way),))
        for side, way in zip((plan.baseline, plan.treatment), ways, strict=True)
    )
    return replace(plan, id="0123abcd", data=DATA, baseline=baseline, treatment=treatment)


@pytest.mark.parametrize(
    ("ways", "mode"),
    [(("9p", "virtiofs"), 0o755), (("virtiofs", "virtiofs"), 0o700), (("local", "9p"), 0o755)],
)
def test_data_are_laid_out_for_shares_too_and_9p_may_enter(
    tmp_path: Path, ways: tuple[str, str], mode: int
) -> None:
    folder = data_folder(tmp_path, "0123abcd")
    with ExitStack() as stack:
        DataVenue(plan_by(*ways), tmp_path, Quiet(), stack, None).open(None, ())  # type: ignore[arg-type]
        assert (folder / "files/f").stat().st_size == 8
        assert folder.stat().st_mode & 0o777 == mode
    assert not folder.exists()


def test_what_was_left_goes_when_no_visit_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = data_folder(tmp_path, "0123abcd")
    lay_data(DATA, folder / "files")
    plan = plan_by("local", "local")
    conductor = Conductor(
        plan,
        folder=tmp_path / "activity",
        home=tmp_path,
        store=Store(tmp_path / "home"),
        watcher=Quiet(),  # type: ignore[arg-type]
    )
    seen = []
    monkeypatch.setattr(conductor, "_recover", lambda *_: seen.append(folder.exists()))
    monkeypatch.setattr(venue.Venue, "open", lambda _: seen.append("opened"))
    conductor._session(NOTE)
    assert seen == [True]  # the trial that is brought home may still read them
    assert not folder.exists()
