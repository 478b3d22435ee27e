"""A search for the settings that pay, from its first step to the confirmation."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.tuning import conduct
from assay.activities.tuning.scenes import run_scene
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, NoRoomError, UnknownNameError
from assay.pages.tuning import Tuning, TuningRun, tuning_from_json, tuning_to_json
from assay.report.render.tuning import text_space, text_tuning
from tests.activities.tuning.world import SCENE, AnyHost, World, nothing, trap, world
from tests.contracts import fits

__all__ = ["world"]


def test_what_pays_is_found_and_confirmed_with_its_size(world: World) -> None:
    tuning = world.tuned(world.laid_out())
    (found,) = tuning.found
    assert tuning.over
    assert found.recommended
    assert set(found.changes) == {"disk.cache", "disk.bus"}
    assert found.changes["disk.cache"] != "directsync"
    (current, default) = found.saved
    assert (current.over, default.over) == ("current", "default")
    assert current.low is not None
    assert current.high is not None
    assert current.low < 1 - math.exp(-0.3) < current.high
    assert default.low is not None
    assert default.high is not None
    assert default.low < 0 < default.high
    assert [(row.workload, row.worse) for row in found.mix] == [("spin", False), ("twist", False)]
    assert {run.kind for run in tuning.runs} == {"search", "confirm"}
    assert tuning_from_json(tuning_to_json(tuning)) == tuning
    assert world.kept(tuning) == tuning
    fits(json.loads(tuning_to_json(tuning)), "tuning-v1")


def test_its_text_says_what_to_change_what_it_saves_and_what_stays(world: World) -> None:
    text = text_tuning(world.tuned(world.laid_out()))
    assert "The change-set that keeps data safe: recommended" in text
    assert "disk.cache  directsync  " in text
    assert "the guest as it is" in text
    assert "Stays as it is: disk.discard" in text
    assert "The way of the search" in text


def test_where_nothing_pays_nothing_is_recommended(world: World) -> None:
    world.truth = nothing
    tuning = world.tuned(world.laid_out())
    assert tuning.over
    assert not any(one.recommended for one in tuning.found)
    if not any(one.changes for one in tuning.found):
        assert "Nothing pays" in text_tuning(tuning)
        assert {run.kind for run in tuning.runs} == {"search"}


def test_a_setting_that_costs_another_workload_of_the_mix_is_refused_with_the_reason(world: World) -> None:
    world.truth = trap
    tuning = world.tuned(world.laid_out(workloads=("spin",)))
    (found,) = tuning.found
    assert "disk.cache" in found.changes
    assert not found.recommended
    assert found.reason.startswith("it costs others of the mix: twist wall_time loses 1")
    assert [(row.workload, row.tuned, row.worse) for row in found.mix] == [
        ("spin", True, False),
        ("twist", False, True),
    ]
    assert f"not recommended: {found.reason}" in text_tuning(tuning)


def test_the_search_runs_only_what_it_is_for_and_the_confirmation_all(world: World) -> None:
    tuning = world.tuned(world.laid_out(workloads=("spin",)))
    ran = {(activity, name.rpartition("-")[2]) for activity, name in world.measured}
    for run in tuning.runs:
        wanted = {"spin"} if run.kind == "search" else {"spin", "twist"}
        assert {workload for activity, workload in ran if activity == run.activity} == wanted


@pytest.mark.parametrize("killed", [0, 1, 5, 15, 16, 17, 40, 70, 90, 110])
def test_it_goes_on_where_it_was_cut_off_and_runs_no_trial_twice(world: World, killed: int) -> None:
    tuning = world.laid_out()
    world.stop_after = killed
    with pytest.raises(KeyboardInterrupt):
        world.tuned(tuning)
    world.stop_after = None
    ended = world.on(world.kept(tuning))
    assert ended.over
    assert len(world.measured) == len(set(world.measured))
    assert len({run.activity for run in ended.runs}) == len(ended.runs)
    (found,) = ended.found
    assert found.recommended


def test_the_same_seed_and_figures_give_the_same_steps(world: World) -> None:
    one, other = (world.tuned(world.laid_out(seed=5)) for _ in range(2))
    assert one.id != other.id
    assert one.runs[0].configs == other.runs[0].configs


def test_a_level_that_fails_is_not_recommended(world: World) -> None:
    def truth(workload: str, levels: Mapping[str, str]) -> float | None:
        del workload
        if levels.get("disk.bus") == "scsi":
            return None
        return 0.2 * (levels["disk.cache"] == "directsync")

    world.truth = truth
    tuning = world.tuned(world.laid_out())
    (found,) = tuning.found
    assert found.recommended
    assert found.changes.get("disk.bus") != "scsi"
    assert any(one.value is None for run in tuning.runs for one in run.values)


def test_a_guest_that_never_works_as_it_is_cannot_be_tuned(world: World) -> None:
    world.truth = lambda workload, levels: None if levels["disk.cache"] == "directsync" else 0.0
    with pytest.raises(AssayError, match="the guest as it is failed in every step"):
        world.tuned(world.laid_out())


def test_levels_that_may_lose_data_make_a_change_set_of_their_own(world: World) -> None:
    def truth(workload: str, levels: Mapping[str, str]) -> float:
        del workload
        return {"directsync": 0.3, "unsafe": 0.0}.get(levels["disk.cache"], 0.2)

    world.truth = truth
    tuning = world.tuned(world.laid_out(allowed=("migration", "data"), evaluations=80))
    safe, best = tuning.found
    assert (safe.name, best.name) == ("safe", "any")
    assert best.changes["disk.cache"] == "unsafe"
    assert "data" in best.hazards
    assert safe.changes["disk.cache"] != "unsafe"
    assert [one.over for one in best.saved] == ["current", "default", "safe"]
    more = best.saved[-1]
    assert more.low is not None
    assert more.low < 1 - math.exp(-0.2) < (more.high or 0)


def test_a_safe_change_set_leaves_no_risk_that_the_guest_has_as_it_is(world: World) -> None:
    text = SCENE.replace("disk.cache: directsync", "disk.cache: unsafe")
    world.scene = lambda _=text: World.scene(world, text)  # type: ignore[method-assign]
    world.truth = lambda workload, levels: (
        0.3 * (levels.get("disk.bus") == "ide") - 0.1 * (levels["disk.cache"] == "unsafe")
    )
    tuning = world.tuned(world.laid_out())
    (safe,) = tuning.found
    assert safe.recommended
    assert safe.changes["disk.cache"] not in {"unsafe", ""}
    assert "data" not in safe.hazards
    both = world.tuned(world.laid_out(allowed=("migration", "data"), evaluations=80))
    named = {one.name: one for one in both.found}
    assert "data" not in named["safe"].hazards
    assert "disk.cache" not in named["any"].changes
    assert "data" in named["any"].hazards
    assert "unsafe: data" in text_space(tuning)


def test_what_cannot_be_planned_is_left_out_with_the_reason_and_the_search_goes_on(world: World) -> None:
    world.refused = {"disk.bus": "scsi"}
    tuning = world.tuned(world.laid_out())
    (found,) = tuning.found
    assert found.recommended
    assert found.changes.get("disk.bus") != "scsi"
    reasons = [one.reason for one in tuning.left_out if one.name == "disk.bus=scsi"]
    assert reasons == ["cannot plan {'disk.bus': 'scsi'}"]
    assert {"disk.bus": "scsi"} in tuning.exclude
    assert all(one.state == "ended" for one in tuning.runs)


def test_a_plan_that_is_refused_whatever_the_levels_ends_the_search(world: World) -> None:
    world.lacking.add("local")
    with pytest.raises(AssayError, match="local has no libvirt"):
        world.tuned(world.laid_out())


def test_a_level_without_a_driver_is_left_out(world: World) -> None:
    tuning = world.laid_out(names=("disk.bus",))
    reasons = {one.name: one.reason for one in tuning.left_out}
    assert "has no driver for it" in reasons["disk.bus=usb"]
    assert "usb" not in tuning.factors[0].levels


def test_the_evaluations_are_not_exceeded(world: World) -> None:
    for evaluations, allowed in ((24, ("migration",)), (40, ("migration",)), (60, ("migration", "data"))):
        tuning = world.tuned(world.laid_out(evaluations=evaluations, allowed=allowed))
        visits = sum(run.blocks * (1 + len(run.configs)) for run in tuning.runs)
        assert visits <= evaluations
        assert {run.kind for run in tuning.runs} == {"search", "confirm"}


def test_a_time_that_is_too_short_is_refused(world: World) -> None:
    with pytest.raises(AssayError, match="cannot tune in 60 s"):
        world.laid_out(evaluations=None, budget_s=60.0)


def test_a_time_is_kept_with_the_confirmation_in_it(world: World) -> None:
    tuning = world.tuned(world.laid_out(evaluations=None, budget_s=3000.0))
    assert tuning.over
    assert sum(run.seconds for run in tuning.runs) <= 3000


def test_names_that_are_none_are_refused(world: World) -> None:
    with pytest.raises(UnknownNameError, match="cashe"):
        world.laid_out(names=("disk.cashe",))
    with pytest.raises(UnknownNameError, match="spinn"):
        world.laid_out(workloads=("spinn",))


def test_a_scene_of_several_treatments_is_refused(world: World) -> None:
    text = SCENE.replace("disk.cache: directsync", "disk.cache: [directsync, none]")
    world.scene = lambda _=text: World.scene(world, text)  # type: ignore[method-assign]
    with pytest.raises(AssayError, match="it has several treatments"):
        world.laid_out()


def shown(tuning: Tuning) -> str:
    return text_space(tuning)


def test_what_is_not_allowed_is_left_out_with_the_option_that_allows_it(world: World) -> None:
    tuning = world.laid_out(allowed=())
    tried = {one.name: one.levels for one in tuning.factors}
    assert tried["disk.cache"] == ("directsync", "none")
    reasons = {one.name: one.reason for one in tuning.left_out}
    assert reasons["disk.cache=unsafe"] == "it may put at risk: data, migration (--allow data,migration)"
    assert "disk.cache=writethrough, writeback: it may" in shown(tuning) or "writeback" in shown(tuning)


def test_levels_that_are_said_are_the_ones_that_are_tried(world: World) -> None:
    tuning = world.laid_out(names=(), given={"disk.cache": ("none", "writeback")})
    assert [(one.name, one.levels) for one in tuning.factors] == [
        ("disk.cache", ("directsync", "none", "writeback"))
    ]


def test_what_changes_the_work_or_takes_a_reboot_is_not_tried(world: World) -> None:
    tuning = world.laid_out(names=("disk.bus", "cpu.vcpus", "host.ept", "data.access"))
    reasons = {one.name: one.reason for one in tuning.left_out}
    assert "changes the size of the guest" in reasons["cpu.vcpus"]
    assert "reboot" in reasons["host.ept"]
    assert "data" in reasons["data.access"]


def test_what_takes_a_reboot_is_told_with_what_to_boot_with(world: World) -> None:
    tuning = world.laid_out(
        names=("disk.bus", "host.isolcpus", "host.ept"), given={"host.mitigations": ("off",)}
    )
    boots = {one.name: one.boots for one in tuning.left_out if one.boots}
    assert boots == {"host.isolcpus": ("isolcpus=2-7",), "host.mitigations": ("mitigations=off",)}
    text = text_tuning(tuning)
    assert "host.isolcpus: isolcpus=2-7 (may put at risk: others)" in text
    assert "--factors disk.bus,host.isolcpus,host.mitigations --budget" in text


def test_combinations_that_rules_refuse_are_never_tried(world: World) -> None:
    tuning = world.laid_out(names=("disk.cache", "disk.io"))
    assert any(one.get("disk.io") == "native" for one in tuning.exclude)
    ended = world.tuned(tuning)
    places = {one.name: at for at, one in enumerate(ended.factors)}
    for run in ended.runs:
        for config in run.configs:
            if config:
                levels = {one.name: one.levels[config[places[one.name]]] for one in ended.factors}
                assert not any(part.items() <= levels.items() for part in ended.exclude)


def test_levels_that_do_not_go_with_what_the_guest_has_are_left_out_with_the_reason(world: World) -> None:
    text = SCENE.replace("disk.cache: directsync", "disk.cache: writeback")
    world.scene = lambda _=text: World.scene(world, text)  # type: ignore[method-assign]
    tuning = world.laid_out(names=("disk.io", "disk.discard"))
    tried = {one.name: one.levels for one in tuning.factors}
    assert "native" not in tried.get("disk.io", ())
    assert any(one.name == "disk.io=native" for one in tuning.left_out)


def test_a_time_allows_as_many_evaluations_as_visits_took(world: World) -> None:
    """A made-up trial of each workload takes 4 s, one after the other 10 s."""
    tuning = world.laid_out(evaluations=None, budget_s=3000.0)
    ended = world.tuned(tuning)
    assert ended.evaluations != tuning.evaluations
    visits = sum(1 + len(run.configs) for run in ended.runs if run.kind == "search")
    spent = sum(run.seconds for run in ended.runs if run.kind == "search")
    assert ended.evaluations == pytest.approx(3000 / (spent / visits), abs=1)


def test_each_step_says_how_far_it_is_and_how_long_the_rest_takes(world: World) -> None:
    world.tuned(world.laid_out(evaluations=60))
    steps = [text for text in world.watcher.said if text.startswith("search, step")]
    assert steps[0] == "search, step 1: 8 guests; 0 of 60 evaluations"
    assert re.fullmatch(r"search, step 2: 8 guests; 8 of 60 evaluations; about .* left", steps[1])
    confirming, counting = world.watcher.said[-2:]
    assert confirming.startswith("confirmation of safe: ")
    assert counting == "lost writes of 2 guests: 6 kills of QEMU left; about 3 min 18 s"


def test_what_is_recommended_is_checked_on_a_second_machine(world: World) -> None:
    tuning = world.tuned(world.laid_out(also="node7", evaluations=80))
    (found,) = tuning.found
    (check,) = found.checks
    assert found.recommended
    assert (check.machine, check.holds, check.reason) == ("node7", True, "")
    assert check.saved[0].low is not None
    assert check.saved[0].low > 0
    assert {row.workload for row in check.mix} == {"spin", "twist"}
    assert [run.kind for run in tuning.runs][-2:] == ["confirm", "check"]
    assert [run.machine for run in tuning.runs][-2:] == ["", "node7"]
    assert sum(run.blocks * (1 + len(run.configs)) for run in tuning.runs) <= 80
    assert "Checked on node7, " in text_tuning(tuning)
    assert tuning_from_json(tuning_to_json(tuning)) == tuning
    fits(json.loads(tuning_to_json(tuning)), "tuning-v1")


def test_what_costs_something_on_a_second_machine_is_recommended_no_more(world: World) -> None:
    world.elsewhere["node7"] = trap
    tuning = world.tuned(world.laid_out(also="node7", evaluations=80))
    (found,) = tuning.found
    assert not found.recommended
    assert found.reason.startswith("on node7 it costs others of the mix: twist wall_time loses 1")
    assert not found.checks[0].holds


def test_a_gain_that_a_second_machine_has_not_is_said_and_refuses_nothing(world: World) -> None:
    world.elsewhere["node7"] = nothing
    tuning = world.tuned(world.laid_out(also="node7", evaluations=80, seed=4))
    (found,) = tuning.found
    assert found.recommended is found.checks[0].holds
    assert found.checks[0].reason


def test_a_second_machine_that_cannot_have_it_is_the_reason_against_it(world: World) -> None:
    world.lacking.add("node7")
    tuning = world.tuned(world.laid_out(also="node7", evaluations=80))
    (found,) = tuning.found
    assert tuning.over
    assert not found.recommended
    assert found.reason == "on node7 it cannot be had: node7 has no libvirt"


def test_a_check_that_lacks_room_in_its_midst_is_gone_on_with(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuning = world.laid_out(also="node7", evaluations=80)

    def full(plan: ActivityPlan, folder: Path, **given: Any) -> ActivityState:
        if plan.baseline.machine.name == "node7":
            msg = "the disk is full"
            raise NoRoomError(msg)
        return world.follow(plan, folder, **given)

    monkeypatch.setattr(conduct, "follow", full)
    with pytest.raises(NoRoomError):
        world.tuned(tuning)
    monkeypatch.setattr(conduct, "follow", world.follow)
    left = world.kept(tuning)
    assert (left.runs[-1].kind, left.runs[-1].state) == ("check", "begun")
    ended = world.on(left)
    assert ended.found[0].checks[0].holds
    assert ended.found[0].recommended


def test_nothing_is_checked_elsewhere_that_is_not_recommended(world: World) -> None:
    world.truth = trap
    tuning = world.tuned(world.laid_out(also="node7", workloads=("spin",), evaluations=80))
    assert tuning.over
    assert [run.kind for run in tuning.runs][-1] == "confirm"


def test_levels_that_the_second_machine_cannot_have_are_left_out_with_its_name(world: World) -> None:
    class Older(AnyHost):
        qemu = (4, 0, 0)

    world.hosts["node7"] = Older()
    names = ("disk.cache", "disk.extended_l2")
    assert "disk.extended_l2" in {one.name for one in world.laid_out(names=names).factors}
    tuning = world.laid_out(names=names, also="node7", evaluations=80)
    assert "disk.extended_l2" not in {one.name for one in tuning.factors}
    (reason,) = {one.reason for one in tuning.left_out if one.name == "disk.extended_l2"}
    assert reason.startswith("on node7: ")


def test_the_machine_of_the_search_is_no_second_one(world: World) -> None:
    with pytest.raises(AssayError, match="cannot check the change-set on local"):
        world.laid_out(also="local")


def test_more_arms_take_more_evaluations(world: World) -> None:
    with pytest.raises(AssayError, match="cannot tune by 24 evaluations: 36 are the least") as caught:
        world.laid_out(also="node7", evaluations=24, allowed=("migration", "data"))
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("--budget 36")
    tuning = world.tuned(world.laid_out(also="node7", evaluations=36, allowed=("migration", "data")))
    assert sum(run.blocks * (1 + len(run.configs)) for run in tuning.runs) <= 36


@pytest.mark.parametrize("killed", [0, 2, 7])
def test_a_check_is_gone_on_with_where_it_was_cut_off(world: World, killed: int) -> None:
    tuning = world.laid_out(also="node7", evaluations=80)
    whole = world.tuned(tuning)
    before = [name for activity, name in world.measured if activity != whole.runs[-1].activity]
    world.measured.clear()
    world.stop_after = len(before) + killed
    tuning = world.laid_out(also="node7", evaluations=80)
    with pytest.raises(KeyboardInterrupt):
        world.tuned(tuning)
    world.stop_after = None
    ended = world.on(world.kept(tuning))
    assert ended.over
    assert len(ended.found[0].checks) == 1
    assert len(world.measured) == len(set(world.measured))


def test_it_is_measured_again_at_a_later_time(world: World) -> None:
    tuning = world.tuned(world.laid_out())
    world.truth = nothing
    again = world.checked(tuning)
    (found,) = again.found
    (check,) = found.checks
    assert again.over
    assert found.recommended
    assert check.machine == ""
    assert check.reason
    assert check.activity == again.runs[-1].activity
    assert again.runs[-1].kind == "check"
    assert "Checked measured again" not in text_tuning(again)
    assert "Measured again, " in text_tuning(again)
    assert world.kept(tuning) == again


def test_a_later_measurement_is_gone_on_with_where_it_was_cut_off(world: World) -> None:
    tuning = world.tuned(world.laid_out())
    world.stop_after = len(world.measured) + 3
    with pytest.raises(KeyboardInterrupt):
        world.checked(tuning)
    world.stop_after = None
    left = world.kept(tuning)
    assert not left.over
    ended = world.checked(left)
    assert ended.over
    assert len(ended.runs) == len(tuning.runs) + 1
    assert len(world.measured) == len(set(world.measured))


def test_nothing_is_measured_again_where_nothing_is_recommended(world: World) -> None:
    world.truth = trap
    tuning = world.tuned(world.laid_out(workloads=("spin",)))
    with pytest.raises(AssayError, match="nothing to measure again"):
        world.checked(tuning)


def test_a_setting_of_the_host_is_measured_beside_what_it_was_before(world: World) -> None:
    class Held(AnyHost):
        def read(self, path: str) -> str | None:
            return "[always] madvise never" if path.endswith("transparent_hugepage/enabled") else None

    world.hosts["local"] = Held()
    tuning = world.laid_out(names=("host.thp",))
    (factor,) = tuning.factors
    assert factor.held == "always"
    run = TuningRun("check", ((1,),), ("safe",), 4, 1, "0000000a", "begun")
    scene = run_scene(world.scene(), tuning, run)
    assert scene.baseline_guest is not None
    assert dict(scene.baseline_guest.settings)["host.thp"] == "always"
    assert dict(scene.treatment.settings)["host.thp"] == factor.levels[1]  # type: ignore[union-attr]
    elsewhere = run_scene(world.scene(), tuning, replace(run, machine="node7"))
    assert elsewhere.baseline == "node7"
    assert "host.thp" not in dict(elsewhere.baseline_guest.settings)  # type: ignore[union-attr]


def test_a_change_set_that_is_the_default_is_confirmed_once(world: World) -> None:
    """Two arms that are the same guest cannot be told apart."""
    world.truth = lambda workload, levels: 0.2 * (levels["disk.cache"] != "none")
    tuning = world.tuned(world.laid_out(names=("disk.cache",)))
    (found,) = tuning.found
    assert found.recommended
    assert found.changes == {"disk.cache": "none"}
    (confirmation,) = [run for run in tuning.runs if run.kind == "confirm"]
    assert confirmation.names == ("safe",)
    assert [one.over for one in found.saved] == ["current"]
