"""Starts of several guests in a search: what is tried, what it is judged by, what is said of one guest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest

from assay.activities.tuning.factors import Allowed, choice_of
from assay.activities.tuning.guests import default_guest, guest_with, levels_of, with_starts
from assay.activities.tuning.values import objective_of
from assay.model.errors import AssayError
from assay.model.platforms.layout import Layout
from assay.model.work.placement import PlacementSpec
from assay.pages.tuning import Tuning
from assay.report.render.tuning import text_space, text_tuning
from assay.scenes.values.scene import Guest
from assay.store.record import read_activity
from assay.workloads import command_workload
from assay.workloads.command import with_job_time
from tests.activities.tuning.world import SEVERAL, AnyHost, World, world

__all__ = ["world"]

FOUR = Guest(4, 2 << 30, layout=Layout(4))
START = ("start",)


def tried(tuning: Tuning) -> dict[str, tuple[str, ...]]:
    return {one.name: one.levels for one in tuning.factors}


def reasons(tuning: Tuning) -> dict[str, str]:
    return {one.name: one.reason for one in tuning.left_out}


def crowd(world: World, *, layout: str = "{guests: 4}") -> World:
    world.text = SEVERAL.replace("{guests: 4}", layout)
    return world


def seconds_of(levels: Mapping[str, str]) -> float:
    return float(levels["start.stagger"].removesuffix(" s"))


def staggered(workload: str, levels: Mapping[str, str]) -> float:
    """5 s and 10 s apart win 20 % of the time of the group; a minute apart costs; in pairs they win half."""
    del workload
    apart = seconds_of(levels)
    won = 0.0 if apart == 0 else -0.2 if apart <= 10 else 0.3
    return won / 2 if levels["start.at_once"] != "1" else won


def test_starts_of_several_guests_are_tried_and_as_many_at_once_as_there_are_not(world: World) -> None:
    tuning = crowd(world).laid_out(names=START)
    assert tried(tuning) == {
        "start.stagger": ("0 s", "2 s", "5 s", "10 s", "60 s"),
        "start.at_once": ("1", "2"),
        "start.preload": ("off", "on"),
    }
    assert reasons(tuning) == {"start.at_once=4": "there are 4 guests: as many at once are start.stagger=0 s"}
    assert [one.cost for one in tuning.factors] == ["live"] * 3
    assert {"start.stagger": "0 s", "start.at_once": "2"} in tuning.exclude
    assert "start.stagger  0 s" in text_space(tuning)


def test_levels_that_are_said_are_tried_beside_those_of_the_layout(world: World) -> None:
    tuning = crowd(world, layout="{guests: 4, stagger: 90 s, at-once: 3, preload: true}").laid_out(
        names=(),
        given={"start.stagger": ("0 s", "0.5 s"), "start.at_once": ("1",), "start.preload": ("off",)},
    )
    assert tried(tuning) == {
        "start.stagger": ("90 s", "0 s", "0.5 s"),
        "start.at_once": ("3", "1"),
        "start.preload": ("on", "off"),
    }


def test_of_one_guest_alone_a_preload_is_tried_and_starts_apart_are_left_out(world: World) -> None:
    tuning = world.laid_out(names=START)
    assert tried(tuning) == {"start.preload": ("off", "on")}
    why = "it takes several guests: layout: {guests: 4}"
    assert reasons(tuning) == {"start.stagger": why, "start.at_once": why}


def test_pairs_of_guests_take_a_stagger_that_may_be_changed(world: World) -> None:
    with pytest.raises(AssayError, match=r"start.at_once=2 with start.stagger=0 s: all start at once then"):
        crowd(world).laid_out(names=("start.at_once",))
    alone = crowd(world, layout="{guests: 4, stagger: 5 s}").laid_out(names=("start.at_once",))
    assert tried(alone) == {"start.at_once": ("1", "2")}
    assert alone.exclude == ()


def test_what_a_third_factor_makes_possible_is_not_excluded(world: World) -> None:
    """Two at once go with no level of another factor as the guests are, and with all beside a stagger."""
    tuning = crowd(world).laid_out(names=("start.stagger", "start.at_once", "disk.discard"))
    assert all("start.stagger" in one for one in tuning.exclude)
    guest = replace(FOUR, layout=Layout(), disk_cache="writeback")
    names = ("disk.cache", "disk.io", "disk.discard")
    made = choice_of(guest, names, {}, Allowed(AnyHost(), ("migration",)))  # type: ignore[arg-type]
    assert not any(one.get("disk.io") == "native" and "disk.discard" in one for one in made.exclude)
    assert {"disk.cache": "writeback", "disk.io": "native"} in made.exclude


def test_pins_that_would_be_the_same_for_every_guest_are_left_out(world: World) -> None:
    tuning = crowd(world).laid_out(
        names=("disk.discard",), given={"cpu.vcpupin": ("1:1", "0/1")}, allowed=("others",)
    )
    assert tried(tuning)["cpu.vcpupin"] == ("", "1:1")
    assert reasons(tuning)["cpu.vcpupin=0/1"] == "it would pin all guests to the same processors"


def test_a_shared_base_image_is_tried_for_several_guests(world: World) -> None:
    tuning = crowd(world).laid_out(names=("disk.backing",))
    assert tried(tuning)["disk.backing"][:2] == ("", "0")


def test_a_stagger_that_pays_is_found_and_confirmed_by_the_time_of_the_group(world: World) -> None:
    world.truth = staggered
    world.job = lambda workload, levels: -0.05 * seconds_of(levels)
    tuning = crowd(world).tuned(world.laid_out(names=START))
    (found,) = tuning.found
    assert found.recommended
    assert found.changes.keys() == {"start.stagger"}
    assert found.changes["start.stagger"] in {"2 s", "5 s", "10 s"}
    (current,) = found.saved
    assert current.low is not None
    assert current.high is not None
    assert current.low < 1 - math.exp(-0.2) < current.high
    assert [(row.metric, row.worse) for row in found.mix] == [("job_time", False), ("wall_time", False)]
    assert "start.stagger  0 s" in text_tuning(tuning)


def test_a_stagger_that_costs_the_group_more_than_it_saves_each_job_is_not_found(world: World) -> None:
    world.truth = lambda workload, levels: 0.02 * seconds_of(levels)
    world.job = lambda workload, levels: -0.2 * (seconds_of(levels) > 0)
    tuning = crowd(world).tuned(world.laid_out(names=("start.stagger",)))
    assert not any(one.recommended for one in tuning.found)


def test_a_stagger_that_is_there_is_given_up_though_each_job_then_takes_longer(world: World) -> None:
    world.truth = lambda workload, levels: 0.02 * seconds_of(levels)
    world.job = lambda workload, levels: -0.02 * seconds_of(levels)
    tuning = crowd(world, layout="{guests: 4, stagger: 10 s}").tuned(world.laid_out(names=START))
    (found,) = tuning.found
    assert found.recommended
    assert found.changes == {"start.stagger": "0 s"}
    worse = {row.metric: row.worse for row in found.mix}
    assert worse == {"job_time": True, "wall_time": False}


def test_a_longer_time_of_single_jobs_counts_where_no_start_changes(world: World) -> None:
    world.truth = lambda workload, levels: 0.2 * (levels["disk.cache"] == "none")
    world.job = lambda workload, levels: 0.2 * (levels["disk.cache"] != "none")
    tuning = crowd(world, layout="{guests: 4, stagger: 10 s}").tuned(world.laid_out(names=("disk.cache",)))
    (found,) = tuning.found
    assert not found.recommended
    assert found.reason.startswith("it costs others of the mix: spin job_time loses ")


def test_pairs_at_once_are_found_where_they_are_best(world: World) -> None:
    world.truth = lambda workload, levels: -0.2 * (levels["start.at_once"] == "2")
    tuning = crowd(world).tuned(world.laid_out(names=START))
    (found,) = tuning.found
    assert found.recommended
    assert found.changes["start.at_once"] == "2"
    assert found.changes["start.stagger"] != "0 s"
    for run in tuning.runs:
        for config in run.configs:
            levels = {one.name: one.levels[at] for one, at in zip(tuning.factors, config, strict=False)}
            assert (levels.get("start.stagger"), levels.get("start.at_once")) != ("0 s", "2")


def test_all_arms_of_a_step_are_as_many_guests_and_differ_in_their_starts(world: World) -> None:
    world.truth = staggered
    crowd(world).tuned(world.laid_out(names=START))
    for activity in world.store.activities():
        plan = read_activity(activity.folder)
        assert {arm.layout.guests for arm in plan.arms} == {4}
        assert plan.baseline.layout == Layout(4)
        assert len({arm.layout for arm in plan.arms}) == len(plan.arms)


@pytest.mark.parametrize(
    ("layout", "levels"),
    [
        (Layout(), {"start.preload": "off"}),
        (Layout(preload=True), {"start.preload": "on"}),
        (Layout(4), {"start.stagger": "0 s", "start.at_once": "1", "start.preload": "off"}),
        (
            Layout(4, 300.0, preload=True, at_once=3),
            {"start.stagger": "300 s", "start.at_once": "3", "start.preload": "on"},
        ),
        (Layout(2, 0.0005), {"start.stagger": "0.0005 s", "start.at_once": "1", "start.preload": "off"}),
    ],
)
def test_levels_of_a_guest_are_those_of_its_layout_and_come_back_to_it(
    layout: Layout, levels: dict[str, str]
) -> None:
    guest = replace(FOUR, layout=layout, settings=(("disk.bus", "scsi"),))
    assert levels_of(guest) == {"disk.cache": "none", "disk.bus": "scsi", **levels}
    assert guest_with(guest, {}) == guest
    assert guest_with(guest, levels) == guest


def test_levels_of_starts_become_the_layout_and_no_setting() -> None:
    guest = guest_with(FOUR, {"start.stagger": "5 s", "start.at_once": "2", "disk.bus": "scsi"})
    assert (guest.layout, guest.settings) == (Layout(4, 5.0, at_once=2), (("disk.bus", "scsi"),))
    assert guest_with(guest, {"start.at_once": "4"}).layout == Layout(4)
    assert guest_with(guest, {"start.preload": "on"}).layout == Layout(4, 5.0, preload=True, at_once=2)
    alone = replace(FOUR, layout=Layout())
    assert guest_with(alone, {"start.preload": "on"}).layout == Layout(preload=True)


def test_the_default_of_starts_is_all_at_once_and_nothing_loaded() -> None:
    guest = replace(FOUR, layout=Layout(4, 5.0, preload=True, at_once=2))
    assert default_guest(guest, ("start.stagger", "start.at_once", "start.preload")).layout == Layout(4)
    assert default_guest(guest, ("start.preload", "disk.cache")).layout == Layout(4, 5.0, at_once=2)


def test_a_change_of_starts_is_exported_with_both_words_of_them() -> None:
    guest = replace(FOUR, layout=Layout(4, 5.0, at_once=2))
    assert with_starts(guest, {"start.stagger": "10 s"}) == {"start.stagger": "10 s", "start.at_once": "2"}
    assert with_starts(guest, {"start.at_once": "1", "disk.bus": "scsi"}) == {
        "start.at_once": "1",
        "disk.bus": "scsi",
        "start.stagger": "5 s",
    }
    assert with_starts(guest, {"start.preload": "on"}) == {"start.preload": "on"}
    assert with_starts(replace(FOUR, layout=Layout()), {"start.preload": "on"}) == {"start.preload": "on"}


def test_several_guests_are_judged_by_the_time_of_all_and_one_by_that_of_its_copies() -> None:
    plain = replace(command_workload("spin", ("spin",)), placement=PlacementSpec(copies=4))
    job = with_job_time(plain)
    assert (objective_of(job, 1), objective_of(job, 4)) == (("job_time",), ("wall_time",))
    assert (objective_of(plain, 1), objective_of(plain, 4)) == (("wall_time",), ("wall_time",))
