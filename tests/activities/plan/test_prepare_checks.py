"""What a plan is refused for, what it is doubted for, and what it is expected to take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.plan import prepare
from assay.activities.plan.arms import Arms
from assay.activities.plan.prepare import (
    BOOT_S,
    _check_layouts,
    _check_placements,
    _decided,
    _disk_doubts,
    _size_doubts,
    _users_own,
    _vhost_doubts,
    booted,
    fresh,
    plan_cost,
    plan_prediction,
)
from assay.design import plan_trials
from assay.design.shape import SwitchCost
from assay.model.activity import PlannedGuest
from assay.model.errors import AssayError, MissingError
from assay.model.goal import Goal, Shape
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.machines.machine import Machine, Reach
from assay.model.metric import Direction, Metric
from assay.model.platforms.layout import Layout
from assay.model.trial import Arm
from assay.model.work.placement import Pinning, PlacementSpec
from assay.report.doubts import worded
from assay.scenes import Guest
from assay.workloads import Sizes
from tests.builders import RATE, WORKLOAD, plan_of

TRIALS = plan_trials(("spin",), blocks=4, seed=1)
PLAN = plan_of(TRIALS)
WANTED = PlannedGuest(2, 1 << 30, "none", "image")
OTHER = Metric("latency", "s", Direction.LOWER)
TWO = replace(WORKLOAD, metrics=(RATE, OTHER))
SIZES = Sizes(cache_bytes=None, memory_bytes=1 << 30, cpus=2)


def floor_with(*sigmas: tuple[str, float | None], work: str = WORKLOAD.work) -> SiteFloor:
    metrics = tuple(MetricFloor(work, "spin", name, 5, 20, sigma, 0.01) for name, sigma in sigmas)
    return SiteFloor("node", 0, 5, 0, metrics)


def arms_of(layout: Layout | None = None, *, more: Layout | None = None) -> Arms:
    """Return arms whose treatments are guests of these layouts, or this machine."""

    def arm(label: str, lay: Layout | None) -> Any:
        return replace(PLAN.treatment, label=label, guest=lay and replace(WANTED, layout=lay))

    others = () if more is None else (arm("more", more),)
    return Arms(PLAN.baseline, arm("other", layout), SIZES, more=others)


def goal_of(precision: float | None, sessions: int = 3) -> Goal:
    return Goal(adaptive=True, precision=precision, sessions=sessions)


def test_work_that_two_guests_cannot_share_is_refused_on_any_arm() -> None:
    odd = [replace(WORKLOAD, placement=PlacementSpec(copies=3))]
    turned = arms_of(Layout(2))
    turned = replace(turned, baseline=turned.treatment, treatment=turned.baseline)
    for arms in (
        arms_of(Layout(2)),
        arms_of(Layout(1), more=Layout(2)),
        arms_of(None, more=Layout(2)),
        turned,
    ):
        with pytest.raises(AssayError, match="cannot share spin between 2 guests: it has 3 copies"):
            _check_layouts(odd, arms)
    _check_layouts(odd, arms_of(Layout(1)))
    _check_layouts(odd, arms_of(Layout(3)))
    _check_layouts(odd, arms_of(None))


def test_what_one_guest_alone_runs_need_not_be_shared() -> None:
    _check_layouts([replace(WORKLOAD, needs_network=True)], arms_of(Layout(1)))


def test_pinnings_that_an_arm_has_too_few_processors_for_are_refused() -> None:
    each = PlacementSpec(copies=3, pinning=Pinning.EACH)
    with pytest.raises(MissingError, match="cannot pin spin on host"):
        _check_placements([WORKLOAD, replace(WORKLOAD, placement=each)], arms_of(None))
    _check_placements([replace(WORKLOAD, placement=replace(each, copies=2))], arms_of(None))


def scene_of(goal: Goal, *, guest: bool = False, restored: bool = False, more: tuple[Any, ...] = ()) -> Any:
    treatment = Guest(restored=restored) if guest else SimpleNamespace()
    return SimpleNamespace(design=SimpleNamespace(goal=goal), treatment=treatment, more=more, name="quick")


@pytest.mark.parametrize(
    ("guest", "restored", "boot_s"), [(True, False, BOOT_S), (True, True, 0.0), (False, False, 0.0)]
)
def test_the_shape_of_blocks_follows_from_what_a_switch_costs(
    monkeypatch: pytest.MonkeyPatch, guest: bool, restored: bool, boot_s: float
) -> None:
    asked: list[object] = []

    def switch_cost(_store: object, *, scene: str, workloads: object, boot_s: float) -> SwitchCost:
        asked.append((scene, boot_s))
        return SwitchCost(run_s=4.0, switch_s=boot_s or 1.0)

    monkeypatch.setattr(prepare, "switch_cost", switch_cost)
    scene = scene_of(Goal(shape=Shape.AUTO), guest=guest, restored=restored)
    goal = _decided(scene, [WORKLOAD], cast("Any", None))
    assert asked == [("quick", boot_s)]
    assert (goal.shape, goal.runs) == ((Shape.CHAINED, 2) if boot_s else (Shape.PAIRS, 1))


def test_a_shape_that_is_said_stays_and_sweeps_have_double_blocks() -> None:
    nothing = cast("Any", None)
    said = Goal(shape=Shape.PAIRS)
    assert _decided(scene_of(said), [], nothing) is said
    assert _decided(scene_of(Goal(shape=Shape.AUTO), more=(1,)), [], nothing).shape is Shape.DOUBLE


def test_guests_are_booted_for_each_visit_and_restored_ones_only_begin_anew() -> None:
    def plan(**wanted_each: PlannedGuest) -> Any:
        every = {name: replace(getattr(PLAN, name), guest=wanted) for name, wanted in wanted_each.items()}
        return replace(PLAN, **every)

    restored = replace(WANTED, restored=True)
    assert (booted(PLAN), fresh(PLAN)) == (frozenset(), frozenset())
    for made, boots in ((WANTED, {Arm.TREATMENT}), (restored, set())):
        assert (booted(plan(treatment=made)), fresh(plan(treatment=made))) == (boots, {Arm.TREATMENT})
    both = plan(baseline=WANTED, treatment=restored)
    assert (booted(both), fresh(both)) == ({Arm.BASELINE}, set(Arm))


def test_a_whole_plan_takes_its_trials_and_the_boots_of_its_guests() -> None:
    work_s = 12 * (WORKLOAD.seconds + 1)
    assert plan_cost(PLAN).seconds == work_s
    guest = replace(PLAN, treatment=replace(PLAN.treatment, guest=WANTED))
    assert (plan_cost(guest).trials, plan_cost(guest).seconds) == (12, work_s + 4 * BOOT_S)


def test_the_blocks_of_a_plan_are_fixed_by_its_design_or_told_by_the_site() -> None:
    assert plan_prediction(PLAN).blocks == 4
    assert plan_prediction(PLAN).basis == "fixed by the design"
    adaptive = replace(PLAN, goal=goal_of(0.05, sessions=1))
    assert plan_prediction(adaptive).blocks is None
    known = plan_prediction(replace(adaptive, floor=floor_with(("events", None))))
    assert (known.blocks, known.basis) == (6, "the scatter of this site's A/A campaigns")


def test_limits_of_a_user_s_own_libvirt_are_said_where_this_machine_makes_guests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prepare, "local_hypervisor", lambda: SimpleNamespace(reported="guests are slow"))
    here = arms_of(Layout())
    (doubt,) = _users_own(here)
    assert (doubt.code, worded(doubt).sentence) == ("users-own-libvirt", "Guests are slow.")
    far = replace(here.baseline, machine=Machine("far", Reach.SSH, "far"))
    assert _users_own(arms_of(None)) == _users_own(replace(here, baseline=far)) == ()
    monkeypatch.setattr(prepare, "local_hypervisor", lambda: SimpleNamespace(reported=""))
    assert _users_own(here) == ()


@pytest.mark.parametrize(
    ("mounts", "said"),
    [
        ("/ ext4\n/var tmpfs\n", "tmpfs"),
        ("/ ramfs\n", "ramfs"),
        ("/ ext4\n/var tmpfs\n/var/lib ext4\n", None),
        ("/ tmpfs\n/var/lib xfs\n", None),
        ("/ ext4\n/va tmpfs\n", None),
        ("/ ext4\n/var ext4\n/var tmpfs\n", "tmpfs"),
    ],
)
def test_a_disk_that_is_memory_is_said_by_the_mount_nearest_to_the_home(
    monkeypatch: pytest.MonkeyPatch, mounts: str, said: str | None
) -> None:
    lines = "".join(f"dev {line} rw 0 0\n" for line in mounts.splitlines())
    monkeypatch.setattr(Path, "read_text", lambda _path: lines)
    doubts = [(doubt.code, worded(doubt).sentence) for doubt in _disk_doubts(Path("/var/lib/none"))]
    wanted = f"The disk workloads run under /var/lib/none, on a {said}: they measure memory, not a disk."
    assert doubts == ([("disk-is-memory", wanted)] if said else [])


@pytest.mark.parametrize("there", [True, False])
def test_packets_that_the_kernel_itself_may_carry_are_a_doubt(
    monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    monkeypatch.setattr(Path, "exists", lambda path: there and str(path) == "/dev/vhost-net")
    assert [doubt.code for doubt in _vhost_doubts()] == ["vhost-not-confined"] * there


def test_workloads_that_are_smaller_than_their_rule_are_named_with_their_notes() -> None:
    small = replace(WORKLOAD, rule_met=False, note="1 GiB of 2 GiB")
    (doubt,) = _size_doubts([WORKLOAD, small, replace(small, name="copy")])
    assert (doubt.code, worded(doubt).sentence) == (
        "size-rule",
        "spin: 1 GiB of 2 GiB; copy: 1 GiB of 2 GiB.",
    )
    assert _size_doubts([WORKLOAD]) == ()
