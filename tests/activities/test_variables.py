"""Variables that a workload needs: refused with the plan, taken into it, looked for on each arm, told to the job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities import variables
from assay.activities.arms import Arms
from assay.activities.job import job_spec
from assay.activities.stage import machine_stage
from assay.activities.variables import check_variables, with_variables
from assay.activities.workloads_here import refused_here
from assay.model.activity import GuestWish, Side
from assay.model.errors import Exit, MissingError
from assay.model.machine import Limits, Machine, Reach
from assay.model.observation import Observation
from assay.model.variable import Variable
from assay.model.workload import Workload
from assay.workloads import Sizes
from tests.builders import WORKLOAD

DATA = Variable("SITE_DATA", "without it gigabytes are downloaded")
TABLES = Variable("SITE_TABLES", "it is read", folder=True)
HERE = Side("host", Machine("local"), Limits((0,)))
BOTH = replace(WORKLOAD, environment=(DATA, TABLES))


def planned(home: Path, treatment: Side = HERE) -> Workload:
    (found,) = with_variables([BOTH], Arms(HERE, treatment, Sizes(None, 1 << 30, 1)), home=home)
    return found


def test_a_variable_that_is_not_set_is_refused_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_TABLES", str(tmp_path))
    for value in (None, ""):
        monkeypatch.delenv("SITE_DATA", raising=False)
        if value is not None:
            monkeypatch.setenv("SITE_DATA", value)
        with pytest.raises(MissingError) as refused:
            planned(tmp_path)
        name = BOTH.name
        assert (
            refused.value.message
            == f"cannot run {name}: SITE_DATA is not set: without it gigabytes are downloaded"
        )
        assert refused.value.hint == "export SITE_DATA=FOLDER"
        assert refused.value.exit_code == Exit.MISSING
        listed = refused_here(replace(BOTH, program=None), home=tmp_path)
        assert listed == "SITE_DATA is not set: without it gigabytes are downloaded"


def test_a_plan_holds_the_values_and_the_job_is_told_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_DATA", "/anywhere")
    monkeypatch.setenv("SITE_TABLES", str(tmp_path))
    found = planned(tmp_path)
    monkeypatch.delenv("SITE_DATA")
    with machine_stage(HERE, "0123abcd", home=tmp_path) as stage:
        check_variables(stage, found)
        spec = job_spec(stage, found, Observation(), str(tmp_path / "trial"))
    assert spec.environment == {"SITE_DATA": "/anywhere", "SITE_TABLES": str(tmp_path)}
    assert with_variables([WORKLOAD], Arms(HERE, HERE, Sizes(None, 1 << 30, 1)), home=tmp_path) == (WORKLOAD,)


def test_a_folder_that_is_not_there_is_refused_on_machines_with_the_plan_and_on_guests_by_their_visit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_DATA", "/anywhere")
    monkeypatch.setenv("SITE_TABLES", "/nowhere")
    with pytest.raises(
        MissingError, match="cannot run on local: expected the folder of SITE_TABLES, '/nowhere'"
    ):
        planned(tmp_path)
    monkeypatch.setenv("SITE_TABLES", str(tmp_path))
    looked: list[str] = []
    monkeypatch.setattr(variables, "_is_folder", lambda _run, folder: bool(looked.append(folder)))
    guest = replace(HERE, label="guest", guest=GuestWish(1, 1 << 30, "none", "0123"))
    assert planned(tmp_path, guest).environment[1].value == str(tmp_path)
    assert looked == []
    there = replace(BOTH, environment=(replace(TABLES, value=f"{tmp_path}/gone"),))
    monkeypatch.undo()
    with machine_stage(HERE, "0123abcd", home=tmp_path) as stage, pytest.raises(MissingError, match="gone"):
        check_variables(stage, there)


def test_another_machine_is_asked_with_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setenv("SITE_DATA", "/anywhere")
    monkeypatch.setenv("SITE_TABLES", str(tmp_path))
    monkeypatch.setattr(variables, "_check_machine", lambda machine, *_, **__: asked.append(machine.name))
    planned(tmp_path, replace(HERE, machine=Machine("far", Reach.SSH)))
    assert asked == ["far", "local"]
