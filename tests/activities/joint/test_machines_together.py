"""One analysis on several machines, each with its part of the files: by probes of this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

import assay_hep
from assay.activities.interrupts import Interrupts
from assay.activities.joint import group_run
from assay.activities.joint.group_run import run_group
from assay.activities.plan.arms import Arms
from assay.activities.plan.layout import check_files, part_of
from assay.activities.trials.trial import TrialContext
from assay.activities.visits.visit import Visit, machine_visit
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, Beside
from assay.model.errors import AssayError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.data import DataFile, DataPlace, DataSet
from assay.model.trial import Arm, State, Trial
from assay.model.work.placement import PlacementSpec
from assay.model.work.variable import Variable
from assay.model.work.workload import Workload
from assay.store.record import read_trial
from assay.workloads import Parameters, Sizes, with_parameters
from tests.builders import plan_of
from tests.workloads.root_pack import pack

TRIALS = plan_trials(("job",), blocks=1, seed=1)
TREATED = next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT)
SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=2)
USERS = Parameters(users=(("alice", 2), ("bob", 1)))
OTHER = Beside(Machine("n2", reach=Reach.SSH, host="n2"), Limits((0,)))


def analysis(*, copies: int) -> Workload:
    """The ready workload, with the pack of the tests' own environment in the place of one that was made."""
    made = with_parameters("root-analysis", USERS, sizes=SIZES)
    paths = os.pathsep.join((str(Path(assay_hep.__file__).parent.parent), *sys.path))
    return replace(
        made,
        name="job",
        command=(sys.executable, "-m", "assay_hep.packs.root", *made.command[2:]),
        program=sys.executable,
        pack=None,
        cache=None,
        placement=PlacementSpec(copies=copies),
        environment=(Variable("PYTHONPATH", "where the pack is", value=paths),),
    )


def plan() -> ActivityPlan:
    made = plan_of(TRIALS)
    return replace(made, treatment=replace(made.treatment, beside=(OTHER,)), workloads=(analysis(copies=6),))


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Visit]]:
    """Two visits of this machine, each with a folder and a probe of its own, and the same two ROOT files."""
    monkeypatch.setattr(group_run, "LEAD_S", 0.1)
    folder = tmp_path / "data"
    assert pack("make", folder, "--files", 2, "--size", 2_500_000, "--branches", 12).report["files"]
    files = tuple(sorted(map(str, folder.glob("*.root"))))
    with ExitStack() as stack:
        made = []
        for number in range(2):
            arm = plan_of(()).baseline
            visit = stack.enter_context(machine_visit(arm, f"place-{number}", home=tmp_path))
            visit.joined, visit.data = True, DataPlace(str(folder), files)
            made.append(visit)
        yield made


def run(machines: list[Visit], job: Workload, tmp_path: Path) -> Trial:
    first, *others = machines
    first.beside = tuple(others)
    context = TrialContext(plan(), tmp_path / "activity", Interrupts(), lambda: None)
    (tmp_path / "activity" / "trials").mkdir(parents=True)
    trial = run_group(context, first, TREATED, job)
    assert read_trial(context.folder / "trials" / TREATED.name) == trial
    return trial


@pytest.mark.long
def test_each_machine_analyses_its_files_and_rates_are_of_all_of_them(
    machines: list[Visit], tmp_path: Path
) -> None:
    trial = run(machines, analysis(copies=6), tmp_path)
    assert (trial.state, trial.cause) == (State.ENDED, None)
    assert [(one.name, one.copies) for one in trial.members] == [("machine-0", 3), ("machine-1", 3)]
    assert all(one.cpus for one in trial.members)
    figures = {one.metric.name: one.value for one in trial.measurements}
    loops = [stay for stay in trial.phases if stay.phase == "event-loop"]
    seconds = (max(one.ended.mono_ns for one in loops) - min(one.started.mono_ns for one in loops)) / 1e9
    events = sum(one.events or 0 for one in loops)
    rate, alice, bob = (figures[f"events_per_s{user}"] for user in ("", "_alice", "_bob"))
    assert rate is not None
    assert rate == pytest.approx(events / seconds, rel=0.05)
    assert alice is not None
    assert bob is not None
    assert min(alice, bob) >= 0.99 * rate / 2, "each read all events in no more than the time of both"
    assert all("lo" not in {link.interface for link in one.links} for one in trial.members)


def test_parts_of_an_arm_are_its_machines() -> None:
    arm = plan().treatment
    job = analysis(copies=6)
    assert (arm.parts, plan().baseline.parts) == (2, 1)
    assert [one.machine.name for one in arm.each_machine] == ["local", "n2"]
    assert all(one.beside == () for one in arm.each_machine)
    assert part_of(job, arm.parts, 1).command[-1] == "{data-files:1/2}"
    assert part_of(job, arm.parts, 1).placement.copies == 3


def test_files_that_machines_cannot_share_evenly_are_refused() -> None:
    made = plan()
    arms = Arms(made.baseline, made.treatment, SIZES)
    data = DataSet(tuple(DataFile(f"f{number}", 1) for number in range(3)))
    with pytest.raises(AssayError, match="cannot share the 3 files that job reads between 2 machines"):
        check_files(made.workloads, arms, data)
