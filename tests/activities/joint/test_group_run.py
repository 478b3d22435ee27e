"""One trial in several places, by probes of this machine: released together or staggered, joined in one
record.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from assay.activities.interrupts import Interrupts
from assay.activities.joint import group_run
from assay.activities.joint.group_run import Begun, run_group
from assay.activities.joint.merged_doubts import joint_doubts, late_doubts
from assay.activities.joint.merged_times import on_controller
from assay.activities.joint.merged_totals import all_usage, all_weight
from assay.activities.plan.layout import part_of
from assay.activities.trials.inflight import Inflight, read_inflight
from assay.activities.trials.trial import TrialContext
from assay.activities.visits.visit import Visit, machine_visit
from assay.design import plan_trials
from assay.model.activity import ActivityPlan, PlannedGuest
from assay.model.doubt import Doubt
from assay.model.errors import AssayError
from assay.model.machines.clock import ClockCheck, ClockReading, Instant
from assay.model.metric import Direction, Metric
from assay.model.platforms.layout import Layout
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.trial import Arm, Member, State, Trial, Usage
from assay.model.work.page_cache import CacheState
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Reading, Success
from assay.model.work.workload import Workload
from assay.report.doubts import worded
from assay.store.record import read_trial
from assay.workloads import Parameters, Sizes, command_workload, with_parameters
from assay.workloads.parameters import ContainerRun
from tests.builders import plan_of

SUMMARY = Path(__file__).parents[2] / "workloads/captures/hep-workloads-2.1-cms-reco.json"
SECOND = 10**9
TRIALS = plan_trials(("job",), blocks=1, seed=1)
TREATED = next(trial for trial in TRIALS if trial.arm is Arm.TREATMENT)


def workload(*argv: str, copies: int = 4) -> Workload:
    return replace(command_workload("job", argv), placement=PlacementSpec(copies=copies))


def plan(layout: Layout) -> ActivityPlan:
    made = plan_of(TRIALS)
    wanted = PlannedGuest(1, 2**30, "none", "i", (), layout)
    return replace(made, treatment=replace(made.treatment, guest=wanted))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the common moment for places of this machine, whose clocks are one: a late start fails nothing."""
    monkeypatch.setattr(group_run, "LEAD_S", 0.1)


@pytest.fixture
def places(tmp_path: Path, soon: None) -> Iterator[list[Visit]]:
    """Visits of this machine, each with a folder and a probe of its own."""
    with ExitStack() as stack:
        arm = plan_of(()).baseline
        made = []
        for number in range(2):
            visit = stack.enter_context(machine_visit(arm, f"place-{number}", home=tmp_path))
            visit.boot = f"boot-{number}"
            made.append(visit)
        yield made


def run(places: list[Visit], job: Workload, tmp_path: Path, layout: Layout) -> Trial:
    first, *others = places
    first.beside = tuple(others)
    context = TrialContext(plan(layout), tmp_path / "activity", Interrupts(), lambda: None)
    (tmp_path / "activity" / "trials").mkdir(parents=True)
    trial = run_group(context, first, TREATED, job)
    assert read_inflight(context.folder) is None
    assert read_trial(context.folder / "trials" / TREATED.name) == trial
    return trial


def test_each_runs_its_part_and_the_record_joins_them(places: list[Visit], tmp_path: Path) -> None:
    trial = run(places, workload("sleep", "0.1"), tmp_path, Layout(2))
    assert trial.state is State.ENDED
    assert [(one.name, one.boot, one.copies, one.asked_s) for one in trial.members] == [
        ("guest-0", "boot-0", 2, 0.0),
        ("guest-1", "boot-1", 2, 0.0),
    ]
    assert [copy.copy for copy in trial.copies] == [0, 1, 2, 3]
    folder = tmp_path / "activity" / "trials" / TREATED.name
    assert (folder / "guest-1" / "probe.json").is_file()
    assert not (folder / "probe.json").exists()
    cpu_s = sum(one.usage.user_s + one.usage.system_s for one in trial.members if one.usage)
    figures = {figure.metric.name: figure.value for figure in trial.measurements}
    assert figures["cpu_time"] == pytest.approx(cpu_s)
    assert trial.usage is not None
    assert figures["wall_time"] == trial.usage.wall_s
    starts = [one.started_s for one in trial.members if one.started_s is not None]
    ends = [one.ended_s for one in trial.members if one.ended_s is not None]
    assert trial.usage.wall_s == pytest.approx(max(ends) - min(starts))


def test_a_stagger_is_seen_in_the_record_and_in_the_wall_time(places: list[Visit], tmp_path: Path) -> None:
    trial = run(places, workload("true"), tmp_path, Layout(2, 0.6))
    first, second = trial.members
    assert (first.asked_s, second.asked_s) == (0.0, 0.6)
    assert first.started_s is not None
    assert second.started_s is not None
    assert second.ended_s is not None
    assert first.started_s >= 0.0
    assert second.started_s >= 0.6
    assert trial.usage is not None
    assert trial.usage.wall_s == pytest.approx(second.ended_s - first.started_s)


def test_preloaded_files_are_found_in_memory_in_every_place(places: list[Visit], tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"x" * 300_000)
    job = replace(workload("cat", "data"), inputs=(str(tmp_path / "data"),))
    for place in places:
        place.cache = CacheState.WARM
    trial = run(places, job, tmp_path, Layout(2, preload=True))
    assert trial.cache is not None
    assert trial.cache.state is CacheState.WARM
    found = trial.cache.machine
    assert found is not None
    assert found.resident_bytes == found.bytes >= 4 * 300_000
    each = [one.cache.machine.bytes for one in trial.members if one.cache and one.cache.machine]
    assert sum(each) == found.bytes


def test_one_that_fails_fails_the_trial_and_leaves_no_figure(places: list[Visit], tmp_path: Path) -> None:
    fails = workload("sh", "-c", "case $PWD in */place-1/*) echo no >&2; exit 3;; esac")
    trial = run(places, fails, tmp_path, Layout(2))
    assert trial.state is State.FAILED
    assert trial.measurements == ()
    assert trial.exit_code == 3
    assert trial.cause is not None
    assert trial.cause.startswith("guest-1: ")
    assert "it said: no" in trial.cause


def test_work_that_cannot_be_shared_evenly_is_refused() -> None:
    assert part_of(workload("true"), 2).placement.copies == 2
    with pytest.raises(AssayError, match="cannot share job between 3 guests: it has 4 copies"):
        part_of(workload("true"), 3)
    staggered = replace(workload("true"), placement=PlacementSpec(copies=4, stagger_s=1.0))
    assert part_of(staggered, 1).placement.stagger_s == 1.0
    assert part_of(staggered, 2).placement == PlacementSpec(copies=2, stagger_s=1.0)
    with pytest.raises(AssayError, match="its server has one client at a time"):
        part_of(workload("iperf3", "-c", "{server}"), 2)


def test_the_host_and_all_guests_are_read_while_the_jobs_wait_for_their_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts: list[str] = []

    def act(name: str, result: object = None) -> Callable[..., object]:
        def done(*_given: object, **_named: object) -> object:
            acts.append(name)
            return result

        return done

    def begin(*_given: object) -> int:
        acts.append("start")
        return time.monotonic_ns() + 5 * SECOND

    def collected(
        _context: TrialContext, begun: Sequence[Begun], *_given: object, **_named: object
    ) -> list[object]:
        return [one.note.hypervisor_cpu for one in begun]

    used = [HypervisorCpu(1.0, 0.5), HypervisorCpu(2.0, 0.5)]
    visits = [
        Mock(hypervisor_cpu=act(f"cpu {at}", cpu), beside=(), joined=False) for at, cpu in enumerate(used)
    ]
    visits[0].beside = (visits[1],)
    note = Inflight(TREATED.index, "x", "b", None, 1, None, None)
    monkeypatch.setattr(group_run, "ready", act("ready", note))
    monkeypatch.setattr(group_run, "evict_again", act("evict", [None, None]))
    monkeypatch.setattr(group_run, "before_trial", act("host"))
    monkeypatch.setattr(group_run, "_start", begin)
    monkeypatch.setattr("time.sleep", lambda s: acts.append(f"sleep {s:.0f}"))
    monkeypatch.setattr(group_run, "_wait", act("wait"))
    monkeypatch.setattr(group_run, "_collect", collected)
    context = TrialContext(plan(Layout(2)), tmp_path, Interrupts(), lambda: None)
    found: Any = run_group(context, visits[0], TREATED, workload("true"))
    assert acts == ["ready", "ready", "evict", "start", "sleep 5", "host", "cpu 0", "cpu 1", "wait"]
    assert found == used


def test_moments_of_a_fast_clock_lie_where_they_were_on_the_controller_s() -> None:
    before = ClockReading(here_ns=10 * SECOND, there_ns=1 * SECOND, offset_s=2.0, uncertainty_s=0.001)
    after = replace(before, here_ns=20 * SECOND, there_ns=12 * SECOND)
    clock = ClockCheck(before, after, 1.1, 1e-4)
    moved = on_controller(Instant(12 * SECOND, 50 * SECOND), clock)
    assert moved.mono_ns == pytest.approx(20 * SECOND)
    assert moved.real_ns == 48 * SECOND
    assert on_controller(Instant(5, 6), None) == Instant(5, 6)


def test_what_one_guest_does_not_tell_all_of_them_do_not() -> None:
    reported = Usage(2.0, 1.0, 0.5, 100, 10, None, steal_s=0.25)
    silent = replace(reported, read_bytes=None, rss_bytes=300)
    total = all_usage([(reported, 1.0), (silent, 2.0)], 3.5)
    assert total is not None
    assert (total.wall_s, total.user_s, total.system_s) == (3.5, 1.5, 0.75)
    assert (total.rss_bytes, total.read_bytes, total.steal_s) == (300, None, 0.375)
    assert all_usage([(reported, 1.0), (None, 1.0)], 3.5) is None
    weight = GuestWeight(10, 5, 2, 1, 8.0)
    assert all_weight([weight, replace(weight, age_s=9.0)]) == GuestWeight(20, 10, 4, 2, 9.0)


def test_a_doubt_of_all_guests_is_said_once_and_one_of_some_names_them() -> None:
    shared, own = Doubt("a", "Shared."), Doubt("b", "Own.")
    found = list(joint_doubts([(shared,), (shared, own), (own, shared)]))
    assert found == [shared, Doubt("b", "In guest-1, guest-2: Own.")]


def test_a_late_release_is_a_doubt_with_its_time() -> None:
    member = Member("guest-1", "g", "b", (), 1, 1, 5.0, 5.4, 6.0, None, None, None, None)
    (doubt,) = late_doubts([replace(member, started_s=5.01), member, replace(member, started_s=None)])
    assert doubt.code == "late-start"
    assert worded(doubt).sentence == "Guests were released later than asked: guest-1 by 0.40 s."


def test_figures_that_copies_say_themselves_are_joined_over_all_places(
    places: list[Visit], tmp_path: Path
) -> None:
    metric = Metric("rate", "events/s", Direction.HIGHER)
    says = replace(
        workload("sh", "-c", "echo '{\"rate\": 10}' > out.json"),
        readings=(Reading(metric, pointer="/rate", file="out.json"),),
        success=Success(files=("out.json",)),
    )
    trial = run(places, says, tmp_path, Layout(2))
    assert trial.cause is None
    figures = {figure.metric.name: figure.value for figure in trial.measurements}
    assert figures["rate"] == pytest.approx(40.0)
    folder = tmp_path / "activity" / "trials" / TREATED.name
    assert (folder / "guest-1/files/copy-1/out.json").is_file()


def container(folder: Path, copies: int) -> Workload:
    """Return a container of so many copies, by an engine that writes the summary of a real run of 16."""
    engine = folder / "podman"
    engine.write_text(
        "#!/bin/sh\n"
        "for word; do case $word in *:/results) into=${word%:/results};; esac; done\n"
        f'echo "$@"; cp {SUMMARY} "$into/cms-reco_summary.json"\n'
    )
    engine.chmod(0o755)
    run = ContainerRun("registry.example.org/cms-reco-bmk:v2.1", "reco", threads=4, copies=copies)
    given = Parameters(events=50, container=run)
    made = with_parameters("hep-workload", given, sizes=Sizes(None, 2**30, 256))
    return replace(made, name="job", command=(str(engine), *made.command[1:]))


def test_guests_run_a_container_each_with_their_part_of_its_copies(
    places: list[Visit], tmp_path: Path
) -> None:
    trial = run(places, container(tmp_path, 32), tmp_path, Layout(2))
    assert trial.state is State.ENDED
    figures = {figure.metric.name: figure.value for figure in trial.measurements}
    assert figures == {"score": pytest.approx(2 * 5.3813), "slowest_copy": pytest.approx(0.3255)}
    assert [member.copies for member in trial.members] == [1, 1]
    folder = tmp_path / "activity" / "trials" / TREATED.name
    printed = (folder / "guest-1/stdout").read_text()
    assert printed.endswith("cms-reco-bmk:v2.1 -W -c 16 -t 4 -e 50\n")


def test_a_container_that_ran_other_copies_has_no_score(places: list[Visit], tmp_path: Path) -> None:
    trial = run(places, container(tmp_path, 64), tmp_path, Layout(2))
    assert {figure.metric.name: figure.value for figure in trial.measurements} == {
        "score": None,
        "slowest_copy": None,
    }
    doubt, _ = [one for one in trial.doubts if one.code == "no-figure"]
    assert doubt.sentence == (
        "hep-workloads printed no number for score: expected 32 copies, as was asked for, got 16."
    )


def test_a_copy_of_one_place_that_did_not_succeed_fails_the_trial(
    places: list[Visit], tmp_path: Path
) -> None:
    half = replace(
        workload("sh", "-c", "[ $ASSAY_COPY = 1 ] || echo done > out"), success=Success(files=("out",))
    )
    trial = run(places, half, tmp_path, Layout(2))
    assert (trial.state, trial.measurements, trial.cause_kind) == (State.FAILED, (), None)
    assert trial.cause == (
        "guest-0: the job did not succeed: copy 1: expected the file 'out' with something in it, got none"
    )
