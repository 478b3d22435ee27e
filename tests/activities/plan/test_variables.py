"""Variables that a workload needs: refused with the plan, taken into it, looked for on each arm, told to the
job.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan import variables
from assay.activities.plan.arms import Arms
from assay.activities.plan.variables import check_variables, with_variables
from assay.activities.plan.workloads_here import refused_here
from assay.activities.trials.job import job_spec
from assay.activities.visits.visit import machine_visit
from assay.machines.errors import CommandError
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import Exit, MissingError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.existing import DomainSpec
from assay.model.work.observation import Observation
from assay.model.work.variable import Variable
from assay.model.work.workload import Workload
from assay.workloads import Sizes
from tests.activities.jobs import Jobs, visit_of
from tests.builders import WORKLOAD

DATA = Variable("SITE_DATA", "without it gigabytes are downloaded")
TABLES = Variable("SITE_TABLES", "it is read", folder=True)
HERE = PlannedArm("host", Machine("local"), Limits((0,)))
BOTH = replace(WORKLOAD, environment=(DATA, TABLES))


def planned(home: Path, treatment: PlannedArm = HERE) -> Workload:
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
    with machine_visit(HERE, "0123abcd", home=tmp_path) as visit:
        check_variables(visit, found)
        spec = job_spec(visit, found, Observation(), str(tmp_path / "trial"))
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
    guest = replace(HERE, label="guest", guest=PlannedGuest(1, 1 << 30, "none", "0123"))
    assert planned(tmp_path, guest).environment[1].value == str(tmp_path)
    assert looked == []
    there = replace(BOTH, environment=(replace(TABLES, value=f"{tmp_path}/gone"),))
    monkeypatch.undo()
    with machine_visit(HERE, "0123abcd", home=tmp_path) as visit, pytest.raises(MissingError, match="gone"):
        check_variables(visit, there)


def test_another_machine_is_asked_with_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setenv("SITE_DATA", "/anywhere")
    monkeypatch.setenv("SITE_TABLES", str(tmp_path))
    monkeypatch.setattr(variables, "_check_machine", lambda machine, *_, **__: asked.append(machine.name))
    planned(tmp_path, replace(HERE, machine=Machine("far", Reach.SSH)))
    assert asked == ["far", "local"]


class Folders:
    """A machine that has some folders, and notes what is looked for."""

    def __init__(self, *there: str) -> None:
        self.there, self.asked = there, list[tuple[object, ...]]()

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        self.asked.append((*argv, timeout_s))
        if argv[-1] not in self.there:
            raise CommandError("far", argv, exit_code=1, stderr="")
        return b""


MAPS = Variable("SITE_MAPS", "it is read, too", folder=True)
FAR = replace(HERE, machine=Machine("far", Reach.SSH))


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> Folders:
    folders = Folders("/tables", "/maps")

    @contextmanager
    def opened(machine: Machine, home: Path) -> Iterator[tuple[None, Folders]]:
        assert (machine.name, home.name) == ("far", "home")
        yield None, folders

    monkeypatch.setattr(variables, "open_probe", opened)
    for name, value in (("SITE_DATA", "/anywhere"), ("SITE_TABLES", "/tables"), ("SITE_MAPS", "/maps")):
        monkeypatch.setenv(name, value)
    return folders


def planned_far(*workloads: Workload) -> tuple[Workload, ...]:
    arms = Arms(FAR, FAR, Sizes(None, 1 << 30, 1), more=(replace(FAR, label="more"),))
    return with_variables(workloads, arms, home=Path("home"))


def test_each_folder_is_looked_for_once_on_each_machine_in_order_of_its_name(far: Folders) -> None:
    one, two = replace(BOTH, environment=(TABLES, DATA)), replace(BOTH, environment=(MAPS, TABLES))
    found = planned_far(one, two)
    assert [[variable.value for variable in workload.environment] for workload in found] == [
        ["/tables", "/anywhere"],
        ["/maps", "/tables"],
    ]
    assert far.asked == [("test", "-d", "/maps", 60.0), ("test", "-d", "/tables", 60.0)]
    far.asked.clear()
    planned_far(replace(BOTH, environment=(DATA,)))
    assert far.asked == [], "no folder"


def test_a_folder_that_another_machine_lacks_is_named_with_it(far: Folders) -> None:
    far.there = ("/maps",)
    with pytest.raises(MissingError) as refused:
        planned_far(replace(BOTH, environment=(TABLES,)))
    assert refused.value.message == (
        "cannot run on far: expected the folder of SITE_TABLES, '/tables', and it is not there: it is read"
    )
    assert refused.value.hint == "ls /tables"


def test_a_stage_is_asked_for_folders_alone_and_a_container_for_nothing() -> None:
    folders = Folders("/tables")
    known = replace(BOTH, environment=(replace(TABLES, value="/tables"), replace(DATA, value="/a")))
    visit = visit_of(Jobs(), run=folders.run)
    check_variables(visit, known)
    assert folders.asked == [("test", "-d", "/tables", 60.0)]
    check_variables(visit, replace(BOTH, environment=(TABLES,)))
    lacking = replace(BOTH, environment=(replace(TABLES, value="/gone"),))
    with pytest.raises(
        MissingError, match="cannot run on local: expected the folder of SITE_TABLES, '/gone'"
    ):
        check_variables(visit, lacking)
    folders.asked.clear()
    check_variables(visit_of(Jobs(), run=folders.run, container=object()), lacking)
    assert folders.asked == []


def test_containers_and_guests_are_not_there_yet_when_an_activity_is_planned(
    far: Folders, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    far.there = ()
    every = (
        replace(FAR, guest=PlannedGuest(1, 1 << 30, "none", "0123")),
        replace(FAR, container=PlannedContainer(Runtime.RUNC)),
        replace(FAR, domain=DomainSpec("mine")),
    )
    monkeypatch.setenv("SITE_TABLES", str(tmp_path))
    arms = Arms(HERE, every[0], Sizes(None, 1 << 30, 1), more=every[1:])
    with_variables([BOTH], arms, home=Path("home"))
    assert far.asked == []
