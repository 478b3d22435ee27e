"""What guests lose where QEMU is killed: of whom it is counted, what follows from it, and how it is gone on
with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from assay.activities.tuning import lost
from assay.activities.tuning.kills import Wanted
from assay.activities.tuning.lost import KILLS, LATEST_S, SOONEST_S, at_risk, moment, with_losses
from assay.model.machines.machine import Machine, Reach
from assay.pages.tuning import Kill, Killed, Tuning, tuning_from_json, tuning_to_json
from assay.report.render.tuning import text_tuning
from tests.activities.tuning.world import SCENE, World, keeps_all, nothing, world
from tests.contracts import fits
from tests.report.tunings import tuning as shown

__all__ = ["world"]

BUS_ALONE = {"disk.bus": "scsi"}


def unsafe_is_best(workload: str, levels: Mapping[str, str]) -> float:
    del workload
    return {"directsync": 0.3, "unsafe": 0.0}.get(levels["disk.cache"], 0.2)


def search(*changes: Mapping[str, str]) -> Tuning:
    """Return a search that found these change-sets."""
    names = ("safe", "any")
    page = shown()
    found = [replace(page.found[at], name=names[at], changes=one) for at, one in enumerate(changes)]
    return replace(page, found=tuple(found))


@pytest.mark.parametrize(
    ("found", "current", "whose"),
    [
        (search({"disk.cache": "writeback"}), {"disk.cache": "none"}, ("current", "safe")),
        (search({"disk.cache": "none"}, {"disk.cache": "unsafe"}), {"disk.cache": "directsync"},
         ("current", "safe", "any")),
        (search(BUS_ALONE, {"disk.cache": "unsafe"}), {"disk.cache": "none"}, ("current", "any")),
        (search(BUS_ALONE), {"disk.cache": "none"}, ()),
        (search(BUS_ALONE), {"disk.cache": "unsafe"}, ("current", "safe")),
        (search({}), {"disk.cache": "unsafe"}, ("current",)),
        (search({}), {"disk.cache": "none"}, ()),
        (search(BUS_ALONE), {"disk.cache": "none", "host.dirty_ratio": "40"}, ("current", "safe")),
        (search(BUS_ALONE), {"disk.cache": "none", "data.access": "nfs"}, ()),
    ],
)  # fmt: skip
def test_it_is_counted_of_guests_with_another_cache_mode_or_a_level_that_may_lose_data(
    found: Tuning, current: Mapping[str, str], whose: tuple[str, ...]
) -> None:
    assert at_risk(found, current) == whose


def test_each_guest_is_killed_some_times_after_the_confirmation_and_what_was_counted_is_kept(
    world: World,
) -> None:
    tuning = world.tuned(world.laid_out())
    assert [(one.name, one.number) for one in world.kills] == [
        (name, number) for name in ("current", "safe") for number in range(KILLS)
    ]
    assert {(one.name, one.level) for one in world.kills} == {("current", None), ("safe", 0)}
    assert [one.name for one in tuning.killed] == ["current", "safe"]
    for one in tuning.killed:
        assert (one.acknowledged_bytes, one.lost_bytes, one.damaged_bytes) == (3 * 40960, 0, 0)
    assert tuning.over
    assert tuning.found[0].recommended
    assert world.kept(tuning) == tuning
    assert tuning_from_json(tuning_to_json(tuning)) == tuning
    fits(json.loads(tuning_to_json(tuning)), "tuning-v1")
    text = text_tuning(tuning)
    assert "QEMU killed 3 times while the guest wrote: nothing lost of 120 KiB acknowledged" in text
    assert "A power cut of the host was not tried." in text


def test_a_safe_change_set_that_loses_acknowledged_bytes_is_not_recommended(world: World) -> None:
    def loses(wanted: Wanted) -> Kill:
        lost_bytes = 4096 if (wanted.name, wanted.number) == ("safe", 1) else 0
        return Kill(wanted.after_s, 40960, lost_bytes, 0)

    world.losses = loses
    (found,) = world.tuned(world.laid_out()).found
    assert not found.recommended
    assert found.reason == "it lost 4 KiB of acknowledged writes when QEMU was killed"
    assert found.saved


def test_a_safe_change_set_whose_guest_does_not_come_back_is_not_recommended(world: World) -> None:
    world.losses = lambda wanted: Kill(wanted.after_s, 40960, None, None, "it gave up")
    (found,) = world.tuned(world.laid_out()).found
    assert not found.recommended
    assert found.reason.endswith("could not be read back after QEMU was killed: it gave up")


def test_any_change_set_that_loses_some_is_recommended_and_it_is_said(world: World) -> None:
    world.truth = unsafe_is_best

    def loses(wanted: Wanted) -> Kill:
        return Kill(wanted.after_s, 40960, 8192 if wanted.name == "any" else 0, 4096)

    world.losses = loses
    tuning = world.tuned(world.laid_out(allowed=("migration", "data"), evaluations=80))
    safe, best = tuning.found
    assert (safe.recommended, best.recommended) == (True, True)
    assert {one.name for one in world.kills} == {"current", "safe", "any"}
    assert {one.level for one in world.kills if one.name == "any"} == {1}
    assert "QEMU killed 3 times while the guest wrote: 24 KiB lost of 120 KiB acknowledged" in text_tuning(
        tuning
    )


def test_what_was_not_counted_is_no_loss_says_why_and_is_not_tried_again(world: World) -> None:
    world.losses = lambda wanted: Kill(wanted.after_s, None, None, None, "another user's")
    tuning = world.tuned(world.laid_out())
    assert [(one.name, one.number) for one in world.kills] == [("current", 0), ("safe", 0)]
    (current, safe) = tuning.killed
    assert (current.acknowledged_bytes, current.lost_bytes, current.damaged_bytes) == (None, None, None)
    assert safe.kills[0].reason == "another user's"
    assert tuning.found[0].recommended
    assert "lost writes were not counted: another user's" in text_tuning(tuning)


def test_where_no_data_are_at_risk_nothing_is_killed(world: World) -> None:
    tuning = world.tuned(world.laid_out(names=("disk.bus",)))
    assert tuning.over
    assert tuning.found[0].changes
    assert (world.kills, world.tidied, tuning.killed) == ([], 0, ())


def test_a_guest_that_is_at_risk_as_it_is_is_counted_where_nothing_pays_too(world: World) -> None:
    text = SCENE.replace("disk.cache: directsync", "disk.cache: unsafe")
    world.scene = lambda _=text: World.scene(world, text)  # type: ignore[method-assign]
    world.truth = nothing
    tuning = world.tuned(world.laid_out(names=("disk.bus",)))
    if not any(one.changes for one in tuning.found):
        assert {run.kind for run in tuning.runs} == {"search"}
        assert {one.name for one in world.kills} == {"current"}
    assert "current" in {one.name for one in world.kills}
    assert tuning.over


@pytest.mark.parametrize("killed", [0, 1, 3, 5])
def test_it_goes_on_after_the_kills_that_were_counted_and_makes_none_twice(world: World, killed: int) -> None:
    tuning = world.laid_out()
    world.stop_kills_after = killed
    with pytest.raises(KeyboardInterrupt):
        world.tuned(tuning)
    kept = world.kept(tuning)
    assert not kept.over
    assert sum(len(one.kills) for one in kept.killed) == killed
    measured = len(world.measured)
    world.stop_kills_after = None
    ended = world.on(kept)
    assert ended.over
    assert len(world.measured) == measured
    made = [(one.name, one.number) for one in world.kills]
    assert made == [(name, number) for name in ("current", "safe") for number in range(KILLS)]
    assert [len(one.kills) for one in ended.killed] == [KILLS, KILLS]
    assert world.tidied == 0


def test_where_it_was_cut_off_after_the_last_kill_what_it_left_is_ended(world: World) -> None:
    tuning = world.tuned(world.laid_out())
    assert world.on(replace(tuning, state="begun")) == tuning
    assert (world.tidied, len(world.kills)) == (1, 2 * KILLS)


def test_the_moments_follow_from_the_seed_and_differ_from_kill_to_kill(world: World) -> None:
    drawn = {(guest, number): moment(3, guest, number) for guest in range(3) for number in range(KILLS)}
    assert len(set(drawn.values())) == len(drawn)
    assert all(SOONEST_S <= one <= LATEST_S for one in drawn.values())
    assert drawn[1, 2] == moment(3, 1, 2) != moment(4, 1, 2)
    world.tuned(world.laid_out(seed=3))
    assert [one.after_s for one in world.kills] == [drawn[at, n] for at in range(2) for n in range(KILLS)]


def test_guests_on_another_machine_or_of_a_result_that_is_gone_are_named_with_the_reason(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuning = replace(world.tuned(world.laid_out()), state="begun", killed=())
    world.kills.clear()
    real = lost.read_activity

    def elsewhere(folder: object) -> object:
        plan = real(folder)  # type: ignore[arg-type]
        return replace(plan, baseline=replace(plan.baseline, machine=Machine("far", Reach.SSH, "far.site")))

    monkeypatch.setattr(lost, "read_activity", elsewhere)
    ended = world.on(tuning)
    assert ended.killed == (Killed("current", (), lost.FAR), Killed("safe", (), lost.FAR))
    assert ended.found[0].recommended
    monkeypatch.setattr(lost, "read_activity", real)
    monkeypatch.setattr(lost, "activity_folder", lambda home, _activity: home / "gone")
    ended = world.on(tuning)
    assert ended.over
    assert "gone" in ended.killed[0].reason
    assert world.kills == []


def test_a_search_of_an_earlier_assay_has_no_kills(world: World) -> None:
    values = json.loads(tuning_to_json(world.tuned(world.laid_out())))
    del values["killed"]
    values["version"] = [1, 0]
    tuning = tuning_from_json(json.dumps(values).encode())
    assert tuning.killed == ()
    assert "QEMU" not in text_tuning(tuning)


def test_a_loss_changes_nothing_of_a_set_that_was_refused_before() -> None:
    page = shown()
    refused = replace(page.found[0], recommended=False, reason="its gain was not confirmed")
    killed = (Killed("safe", (Kill(1.0, 4096, 4096, 0),)), Killed("any", (Kill(1.0, 4096, 4096, 0),)))
    assert with_losses(replace(page, found=(refused, page.found[1]), killed=killed)) == (
        refused,
        page.found[1],
    )
    assert keeps_all(Wanted("safe", 0, 0, 1.0)).counted
