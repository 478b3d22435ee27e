"""Layouts on a machine: cores that all of them can share, what they are called, what is refused
and doubted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.environment import Environment
from assay.activities.interrupts import Interrupts
from assay.activities.places import guest as guest_place
from assay.activities.places import guest_group
from assay.activities.places.shared import Shared
from assay.activities.places.table import place_of
from assay.activities.plan import guest_specs
from assay.activities.plan.arms import Arms
from assay.activities.plan.kinds.kind import Asked
from assay.activities.plan.layout import (
    check_files,
    each_guest,
    layout_doubts,
    layout_labels,
    part_of,
    shares_of,
    starts_of,
    with_fitting_cores,
    with_job_times,
)
from assay.design import plan_trials
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Facts, Limits, Machine
from assay.model.platforms.data import DataFile, DataPlace, DataSet
from assay.model.platforms.layout import Layout
from assay.model.trial import Arm
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import Workload
from assay.platforms.bench_network.bench_links import bench_names
from assay.platforms.guests.guest import GuestSpec
from assay.report.doubts import worded
from assay.scenes import find_scene
from assay.scenes.values.scene import Guest, Scene
from assay.workloads import Parameters, Sizes, with_parameters
from assay.workloads.command import CPU, WALL
from assay.workloads.fill import fill
from tests.builders import FACTS, RATE, WORKLOAD, plan_of

GIB = 1024**3


def of(cpus: int) -> Facts:
    return replace(FACTS, cpus=tuple(range(cpus)), siblings=())


def arm(layout: Layout, cpus: tuple[int, ...]) -> PlannedArm:
    return PlannedArm(
        "guest", Machine("local"), Limits(cpus), PlannedGuest(len(cpus), 2 * GIB, "none", "i", (), layout)
    )


def asked(scene: Scene, here: Facts) -> Asked:
    nothing = cast("Any", None)
    return Asked(scene, here, Machine("local"), Path(), nothing, nothing, nothing)


def consolidation() -> Scene:
    return find_scene("consolidation")


@pytest.mark.parametrize(("cpus", "vcpus"), [(2, 1), (3, 2), (4, 2), (5, 4), (64, 60)])
def test_auto_takes_the_most_cores_that_all_layouts_can_share(cpus: int, vcpus: int) -> None:
    fitted = with_fitting_cores(asked(consolidation(), of(cpus)))
    assert {guest.vcpus for guest in fitted.guests} == {vcpus}


def test_a_scene_without_several_guests_stays_as_it_is() -> None:
    quick = find_scene("quick")
    assert with_fitting_cores(asked(quick, of(4))) is quick


def test_one_guest_of_a_layout_is_checked_for_its_own_share() -> None:
    wanted, vcpus = each_guest(Guest(4, 2 * GIB, layout=Layout(2)), (1, 2, 3, 4))
    assert (wanted.memory_bytes, vcpus) == (GIB, 2)
    with pytest.raises(MissingError, match="cannot share 3 cores between 2 guests"):
        each_guest(Guest(3, layout=Layout(2)), (1, 2, 3))


def test_each_guest_has_host_cores_of_its_own_as_far_as_they_go() -> None:
    apart = arm(Layout(2), (1, 2, 3, 4))
    crowded = arm(Layout(4), (1, 2))
    assert apart.guest is not None
    assert crowded.guest is not None
    assert [share.cpus for share in shares_of(apart, apart.guest)] == [(1, 2), (3, 4)]
    assert [share.cpus for share in shares_of(crowded, crowded.guest)] == [(1,), (2,), (1,), (2,)]


def test_labels_are_those_of_the_layouts_where_there_is_any() -> None:
    assert layout_labels([arm(Layout(), (1,))]) == [""]
    arms = [arm(Layout(), (1,)), arm(Layout(4, 2.0), (1,))]
    assert layout_labels(arms) == ["1 guest", "4 guests on 1 core, stagger 2 s"]


def test_shared_cores_are_a_doubt_of_the_plan() -> None:
    (doubt,) = layout_doubts([arm(Layout(2), (1,)), arm(Layout(4), (1,)), arm(Layout(), (1,))])
    assert doubt.code == "overcommitted"
    assert "2 guests share 1, 4 guests share 1 core, one vCPU each" in worded(doubt).sentence
    assert list(layout_doubts([arm(Layout(2), (1, 2))])) == []


@pytest.mark.parametrize("guests", [1, 2])
def test_each_guest_has_a_tap_and_an_address_of_its_own_on_the_bench_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, guests: int
) -> None:
    specs: list[GuestSpec] = []

    @contextmanager
    def started(_connection: object, asked: list[GuestSpec], *_: object, **__: object) -> Iterator[Any]:
        specs.extend(asked)
        yield SimpleNamespace(beside=())

    def make(_provider: object, spec: GuestSpec) -> Any:
        specs.append(spec)
        return SimpleNamespace(pid=None, destroy=lambda: None)

    @contextmanager
    def opened(*_: object, **__: object) -> Iterator[Any]:
        yield SimpleNamespace(first_clock=None, clock=lambda: None)

    monkeypatch.setattr(guest_group, "several_visits", started)
    monkeypatch.setattr(guest_place, "guest_visit", opened)
    monkeypatch.setattr(guest_place.LibvirtProvider, "make", make)
    monkeypatch.setattr(guest_specs, "image_by_digest", lambda *_: None)
    host = SimpleNamespace(probe=None, own_clock=False, directory="/d")
    monkeypatch.setattr(Shared, "machine", lambda *_: host)
    monkeypatch.setattr(Shared, "connection", lambda *_: None)
    monkeypatch.setattr(Shared, "hypervisor", lambda *_: None)
    trials = plan_trials(("spin",), blocks=1, seed=1)
    other = next(trial for trial in trials if trial.arm is Arm.TREATMENT)
    plan = plan_of(trials, treatment=arm(Layout(guests), (1, 2)))
    shared = Shared(
        plan, tmp_path, cast("Any", SimpleNamespace(step=lambda _: None)), Interrupts(), ExitStack()
    )
    shared.network = bench_names("asy0123ef", guests=2)
    with place_of(plan.treatment, shared).open(other):
        assert [spec.tap for spec in specs] == ["asy0123eft", "asy0123eft1"][:guests]
        assert [spec.address for spec in specs] == ["198.18.0.15/24", "198.18.0.16/24"][:guests]


def test_a_trial_of_several_guests_that_was_cut_off_is_never_collected_and_its_guests_are_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ended: list[str] = []
    monkeypatch.setattr(guest_group, "end_guests", lambda _home, activity, **_: ended.append(activity))
    trials = plan_trials(("spin",), blocks=1, seed=1)
    other = next(trial for trial in trials if trial.arm is Arm.TREATMENT)
    plan = plan_of(trials, treatment=arm(Layout(2), (1,)))
    environment = Environment(plan, tmp_path, cast("Any", SimpleNamespace()), Interrupts())
    with environment.revisit(other, None) as visit:
        assert visit is None
    assert ended == [plan.id]


def test_what_cannot_be_shared_in_equal_parts_is_refused_with_what_can() -> None:
    with pytest.raises(MissingError) as refused:
        each_guest(Guest(3, layout=Layout(2)), (1, 2, 3))
    assert refused.value.message == "cannot share 3 cores between 2 guests in equal parts"
    assert refused.value.hint == "cpu.vcpus: a multiple of 2, or less than 2"


def test_cores_that_a_scene_names_stay_and_a_guest_as_baseline_has_as_many() -> None:
    both = consolidation()
    named = replace(both, treatment=Guest(2, layout=Layout(2)), more=(Guest(2),), baseline_guest=Guest())
    fitted = with_fitting_cores(asked(named, of(8)))
    assert [guest.vcpus for guest in fitted.guests] == [2, 2]
    assert fitted.baseline_guest is not None
    assert fitted.baseline_guest.vcpus == 6
    assert with_fitting_cores(asked(replace(named, baseline_guest=None), of(8))).baseline_guest is None


def test_the_doubt_of_shared_cores_says_what_they_do_to_the_figures() -> None:
    (doubt,) = layout_doubts([arm(Layout(4), (1, 2))])
    assert worded(doubt).sentence == (
        "The host's cores are overcommitted: 4 guests share 2 cores, one vCPU each, and wait for "
        "one another. An emulated guest counts this waiting as CPU time of its jobs; jobs that are staggered "
        "wait less, and their own times are compared with those of the baseline's, which all run at once."
    )
    host = replace(arm(Layout(4), (1,)), guest=None)
    assert list(layout_doubts([host])) == []
    assert layout_labels([host]) == [""]
    assert layout_labels([host, arm(Layout(2), (1,))]) == ["1 guest", "2 guests on 1 core"]


def test_each_of_several_guests_runs_its_part_of_the_copies() -> None:
    eight = replace(WORKLOAD, placement=PlacementSpec(copies=8))
    assert part_of(eight, 4) == replace(eight, placement=PlacementSpec(copies=2))
    staggered = replace(WORKLOAD, placement=PlacementSpec(copies=2, stagger_s=1.0))
    assert part_of(staggered, 1) == staggered


@pytest.mark.parametrize(
    ("changes", "why", "hint"),
    [
        ({"placement": PlacementSpec(copies=3)}, "it has 3 copies", "placement: {copies: 2}"),
        (
            {"placement": PlacementSpec(copies=2), "command": ("iperf3", "-c", "{server}")},
            "its server has one client at a time",
            "netperf-tcp-stream has as many as there are",
        ),
    ],
)
def test_work_that_guests_cannot_share_is_refused(changes: Any, why: str, hint: str) -> None:
    with pytest.raises(AssayError) as refused:
        part_of(replace(WORKLOAD, **changes), 2)
    assert refused.value.message == f"cannot share spin between 2 guests: {why}"
    assert refused.value.hint == hint


def test_guests_share_the_files_of_a_job_that_all_copies_of_a_machine_are() -> None:
    job = with_parameters("root-analysis", Parameters(), sizes=Sizes(None, 1 << 30, 2))
    assert part_of(replace(job, placement=PlacementSpec(copies=2)), 1).command[-1] == "{data-files}"
    eight = replace(job, placement=PlacementSpec(copies=8))
    parts = [part_of(eight, 2, number) for number in range(2)]
    assert [part.placement.copies for part in parts] == [4, 4]
    data = DataPlace("/d", ("/d/a", "/d/b", "/d/c", "/d/d"))
    filled = [fill(p.command, probe="", directory="", server=None, data=data) for p in parts]
    assert [words[-2:] for words in filled] == [("/d/a", "/d/c"), ("/d/b", "/d/d")]
    assert all(part.needs_data for part in parts)
    with pytest.raises(AssayError, match=r"reads \{data"):
        fill(parts[0].command, probe="", directory="", server=None)


def test_files_that_guests_cannot_share_evenly_are_refused_for_such_a_job_alone() -> None:
    job = with_parameters("root-analysis", Parameters(), sizes=Sizes(None, 1 << 30, 2))
    made = Arms(arm(Layout(), (1, 2)), arm(Layout(2), (1, 2)), Sizes(None, 1 << 30, 2))
    three = DataSet(tuple(DataFile(f"f{number}", 1) for number in range(3)), seed=1)
    with pytest.raises(
        AssayError, match="cannot share the 3 files that root-analysis reads between 2 guests"
    ):
        check_files([job], made, three)
    check_files([WORKLOAD], made, three)
    check_files([job], made, None)


def test_copies_keep_their_stagger_over_all_guests_and_that_of_the_layout_comes_on_top() -> None:
    staggered = replace(WORKLOAD, placement=PlacementSpec(copies=4, stagger_s=3.0))
    assert starts_of(staggered, Layout(2)) == (0.0, 6.0)
    assert starts_of(staggered, Layout(2, 10.0)) == (0.0, 16.0)
    assert starts_of(staggered, Layout(4)) == (0.0, 3.0, 6.0, 9.0)
    assert starts_of(replace(WORKLOAD, placement=PlacementSpec(copies=4)), Layout(2, 5.0)) == (0.0, 5.0)


def test_guests_that_start_at_once_keep_the_stagger_of_their_copies() -> None:
    alone = replace(WORKLOAD, placement=PlacementSpec(copies=8))
    assert starts_of(alone, Layout(4, 5.0, at_once=2)) == (0.0, 0.0, 5.0, 5.0)
    staggered = replace(WORKLOAD, placement=PlacementSpec(copies=8, stagger_s=1.0))
    assert starts_of(staggered, Layout(4, 5.0, at_once=2)) == (0.0, 2.0, 9.0, 11.0)


def test_where_jobs_start_apart_the_time_of_each_is_the_first_figure() -> None:
    several = replace(WORKLOAD, metrics=(RATE, WALL, CPU), placement=PlacementSpec(copies=4))
    alone = replace(several, placement=PlacementSpec())
    silent = replace(several, metrics=(RATE,))
    together, apart = arm(Layout(2), (1, 2)), arm(Layout(2, 5.0), (1, 2))

    def figures(workload: Workload, treatment: PlannedArm) -> list[str]:
        arms = Arms(arm(Layout(), (1, 2)), treatment, Sizes(None, GIB, 2))
        return [metric.name for metric in with_job_times([workload], arms)[0].metrics]

    assert figures(several, together) == ["events", "wall_time", "cpu_time"]
    assert figures(several, apart) == ["job_time", "wall_time", "events", "cpu_time"]
    assert figures(alone, apart) == ["events", "wall_time", "cpu_time"]
    assert figures(silent, apart) == ["events"]
    own = replace(several, placement=PlacementSpec(copies=4, stagger_s=1.0))
    assert figures(own, together)[0] == "job_time"
