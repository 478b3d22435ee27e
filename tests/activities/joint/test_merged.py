"""What the record of several guests has of the first one's visit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from assay.activities.joint.merged import Joint, Part, make_joint_record
from assay.activities.trials.inflight import Inflight
from assay.activities.visits.visit import Visit
from assay.design import plan_trials
from assay.model.machines.machine import Fingerprint, Limits
from assay.model.platforms.data import DataPlace
from assay.model.platforms.platform import SeenFactor
from assay.model.trial import State
from assay.model.work.workload import File, Program
from assay.probe import parse_result
from tests.builders import FACTS, WORKLOAD, plan_of

RESULT = Path(__file__).parents[2] / "probe/records/1.0.json"
SEEN = SeenFactor("data.access", "local", "stat of its files")
PROGRAM = Program(File("true", "/bin/true", "0"))


def place(data: DataPlace | None, **below: str) -> Visit:
    groups = {"virtualisation": below}
    nothing = cast("Any", None)
    return Visit(
        "guest",
        nothing,
        nothing,
        Fingerprint(FACTS, groups, 5),
        Limits(),
        "b",
        "/d",
        own_clock=True,
        data=data,
    )


def test_it_says_how_the_first_came_by_the_data_and_what_it_sees_below_it(tmp_path: Path) -> None:
    visits = place(DataPlace("/d", (), seen=(SEEN,)), hypervisor="kvm"), place(None)
    failed = replace(parse_result(RESULT.read_bytes(), origin="here"), state=State.FAILED)
    note = Inflight(0, "/d", "b", None, 0, None, None)
    parts = tuple(
        Part(number, visit, note, 0.0, failed, None, None, PROGRAM, tmp_path, None)
        for number, visit in enumerate(visits)
    )
    workload = replace(WORKLOAD, placement=replace(WORKLOAD.placement, copies=2))
    planned = plan_trials(("spin",), blocks=1, seed=1)[0]
    joint = Joint(plan_of(()).id, planned, workload, parts, 0)
    record = make_joint_record(joint, visits[0], started_ns=0, host=None)
    assert (record.data, record.below) == ((SEEN,), "kvm")
    without = make_joint_record(joint, visits[1], started_ns=0, host=None)
    assert (without.data, without.below) == ((), None)
