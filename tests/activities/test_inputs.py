"""What a workload finds in its folders: its own files for each copy, or what its preparation made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.places.stage import Stage, machine_stage
from assay.activities.trials import inputs
from assay.activities.trials.inputs import lay_out
from assay.activities.trials.preparation import Kept
from assay.model.errors import MissingError
from assay.model.work.placement import PlacementWish
from assay.model.work.variable import Variable
from assay.model.work.workload import Workload
from assay.workloads import command_workload
from tests.builders import plan_of


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with machine_stage(plan_of(()).baseline, "0123abcd", home=tmp_path) as opened:
        yield opened


def job(tmp_path: Path, copies: int) -> Workload:
    names = ("one", "two")
    for name in names:
        (tmp_path / name).write_text(f"{name}\n")
    made = command_workload("job", ["cat", "one"], inputs=[str(tmp_path / name) for name in names])
    return replace(made, placement=PlacementWish(copies=copies))


def test_each_copy_has_its_own_files_of_the_controller(stage: Stage, tmp_path: Path) -> None:
    into = Path(stage.directory)
    lay_out(stage, job(tmp_path, 1), f"{into}/alone", on_tick=lambda: None)
    lay_out(stage, job(tmp_path, 2), f"{into}/both", on_tick=lambda: None)
    for folder in (into / "alone.work", into / "both.work/copy-0", into / "both.work/copy-1"):
        assert sorted((path.name, path.read_text()) for path in folder.iterdir()) == [
            ("one", "one\n"),
            ("two", "two\n"),
        ]


@pytest.mark.parametrize("linked", [True, False])
def test_what_was_made_is_brought_to_each_copy_in_place_of_the_files(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, linked: bool
) -> None:
    ticks: list[str] = []
    made = tmp_path / "made"
    made.mkdir()
    (made / "events").write_text("many\n")

    def prepared(on: Stage, workload: Workload, on_tick: Callable[[], None]) -> Kept:
        assert (on, workload.name) == (stage, "job")
        on_tick()
        return Kept(str(made), ())

    monkeypatch.setattr(inputs, "prepared", prepared)
    workload = replace(job(tmp_path, 2), prepare=(("make",),), keeps_inputs=linked)
    lay_out(stage, workload, f"{stage.directory}/trial", on_tick=lambda: ticks.append("tick"))
    assert ticks == ["tick"]
    for copy in range(2):
        (file,) = Path(f"{stage.directory}/trial.work/copy-{copy}").iterdir()
        assert (file.name, file.read_text()) == ("events", "many\n")
        assert file.samefile(made / "events") is linked


def test_time_for_packs_and_preparations_adds_up_over_a_visit_even_where_one_fails(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought: list[Any] = []

    def pack(on: Stage, workload: Workload) -> None:
        brought.append((on, workload.name))
        time.sleep(0.01)
        if len(brought) > 1:
            raise MissingError("no pack")

    monkeypatch.setattr(inputs, "bring_pack", pack)
    stage.preparing_s = 100.0
    lay_out(stage, job(tmp_path, 1), f"{stage.directory}/first", on_tick=lambda: None)
    first_s = stage.preparing_s
    assert 100.01 <= first_s < 101
    with pytest.raises(MissingError, match="no pack"):
        lay_out(stage, job(tmp_path, 1), f"{stage.directory}/second", on_tick=lambda: None)
    assert first_s + 0.01 <= stage.preparing_s < first_s + 1
    assert brought == [(stage, "job")] * 2


def test_a_folder_that_a_variable_names_is_looked_for_before_any_file_is_brought(
    stage: Stage, tmp_path: Path
) -> None:
    lacking = Variable("SITE_DATA", "it is read", folder=True, value=f"{tmp_path}/gone")
    workload = replace(job(tmp_path, 1), environment=(lacking,))
    with pytest.raises(MissingError, match="expected the folder of SITE_DATA"):
        lay_out(stage, workload, f"{stage.directory}/trial", on_tick=lambda: None)
    assert not Path(f"{stage.directory}/trial.work").exists()
