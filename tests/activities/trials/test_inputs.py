"""What a workload finds in its folders: its own files for each copy, or what its preparation made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.trials import inputs
from assay.activities.trials.inputs import lay_out
from assay.activities.trials.preparation import Kept
from assay.activities.visits.visit import Visit, machine_visit
from assay.model.errors import MissingError
from assay.model.work.placement import PlacementSpec
from assay.model.work.variable import Variable
from assay.model.work.workload import Workload
from assay.workloads import command_workload
from tests.builders import plan_of


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    with machine_visit(plan_of(()).baseline, "0123abcd", home=tmp_path) as opened:
        yield opened


def job(tmp_path: Path, copies: int) -> Workload:
    names = ("one", "two")
    for name in names:
        (tmp_path / name).write_text(f"{name}\n")
    made = command_workload("job", ["cat", "one"], inputs=[str(tmp_path / name) for name in names])
    return replace(made, placement=PlacementSpec(copies=copies))


def test_each_copy_has_its_own_files_of_the_controller(visit: Visit, tmp_path: Path) -> None:
    into = Path(visit.directory)
    lay_out(visit, job(tmp_path, 1), f"{into}/alone", on_tick=lambda: None)
    lay_out(visit, job(tmp_path, 2), f"{into}/both", on_tick=lambda: None)
    for folder in (into / "alone.work", into / "both.work/copy-0", into / "both.work/copy-1"):
        assert sorted((path.name, path.read_text()) for path in folder.iterdir()) == [
            ("one", "one\n"),
            ("two", "two\n"),
        ]


@pytest.mark.parametrize(
    ("keeps", "there", "linked"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_what_was_made_is_brought_to_each_copy_in_place_of_the_files(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, keeps: bool, there: bool, linked: bool
) -> None:
    visit.jobs = f"{visit.directory}/mounted" if there else None
    ticks: list[str] = []
    made = tmp_path / "made"
    made.mkdir()
    (made / "events").write_text("many\n")

    def prepared(on: Visit, workload: Workload, on_tick: Callable[[], None]) -> Kept:
        assert (on, workload.name) == (visit, "job")
        on_tick()
        return Kept(str(made), ())

    monkeypatch.setattr(inputs, "prepared", prepared)
    workload = replace(job(tmp_path, 2), prepare=(("make",),), keeps_inputs=keeps)
    lay_out(visit, workload, f"{visit.directory}/trial", on_tick=lambda: ticks.append("tick"))
    assert ticks == ["tick"]
    for copy in range(2):
        (file,) = Path(f"{visit.directory}/trial.work/copy-{copy}").iterdir()
        assert (file.name, file.read_text()) == ("events", "many\n")
        assert file.samefile(made / "events") is linked


def test_time_for_packs_and_preparations_adds_up_over_a_visit_even_where_one_fails(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought: list[Any] = []

    def pack(on: Visit, workload: Workload) -> None:
        brought.append((on, workload.name))
        time.sleep(0.01)
        if len(brought) > 1:
            raise MissingError("no pack")

    monkeypatch.setattr(inputs, "bring_pack", pack)
    visit.preparing_s = 100.0
    lay_out(visit, job(tmp_path, 1), f"{visit.directory}/first", on_tick=lambda: None)
    first_s = visit.preparing_s
    assert 100.01 <= first_s < 101
    with pytest.raises(MissingError, match="no pack"):
        lay_out(visit, job(tmp_path, 1), f"{visit.directory}/second", on_tick=lambda: None)
    assert first_s + 0.01 <= visit.preparing_s < first_s + 1
    assert brought == [(visit, "job")] * 2


def test_a_folder_that_a_variable_names_is_looked_for_before_any_file_is_brought(
    visit: Visit, tmp_path: Path
) -> None:
    lacking = Variable("SITE_DATA", "it is read", folder=True, value=f"{tmp_path}/gone")
    workload = replace(job(tmp_path, 1), environment=(lacking,))
    with pytest.raises(MissingError, match="expected the folder of SITE_DATA"):
        lay_out(visit, workload, f"{visit.directory}/trial", on_tick=lambda: None)
    assert not Path(f"{visit.directory}/trial.work").exists()
