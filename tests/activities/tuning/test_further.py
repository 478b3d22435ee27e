"""A confirmation by which the mix is undecided: it is extended where there is room, and else says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from assay.activities import extend
from assay.activities.tuning.further import MOST_BLOCKS, further_blocks, with_further
from assay.activities.tuning.searched import search_of
from assay.machines import UnreachableError
from assay.model.errors import AssayError
from assay.pages.tuning import MixRow, Tuning, TuningRun, tuning_from_json, tuning_to_json
from assay.report.render.tuning import text_tuning
from assay.report.render.tuning_html import html_tuning
from assay.store.record import read_activity
from tests.activities.tuning.world import World, world
from tests.contracts import fits
from tests.report.tunings import SAFE
from tests.report.tunings import tuning as written

__all__ = ["world"]

SMALL, LARGER, LARGE = 24, 60, 120
"""Evaluations: a confirmation of 4 blocks without room for more, of 4 with, of 8 with."""


def trap(workload: str, levels: Mapping[str, str]) -> float:
    """What helps one workload costs the other 20 %."""
    cached = levels["disk.cache"] != "directsync"
    return 0.3 * (not cached) if workload == "spin" else 0.223 * cached


def harmless(workload: str, levels: Mapping[str, str]) -> float:
    """What helps one workload does nothing to the other."""
    return 0.3 * (workload == "spin" and levels["disk.cache"] == "directsync")


@pytest.fixture
def noisy(world: World) -> World:
    """Return a world in which four blocks do not tell what is lost of the workload beside."""
    world.truth = trap
    world.noises["twist"] = 0.2
    return world


def laid_out(world: World, evaluations: int | None, **wanted: Any) -> Tuning:
    given = {"names": ("disk.cache",), "workloads": ("spin",), "seed": 4}
    return world.laid_out(evaluations=evaluations, **given | wanted)


def confirmation(tuning: Tuning) -> TuningRun:
    return next(run for run in tuning.runs if run.kind == "confirm")


def visits(tuning: Tuning) -> int:
    return sum(run.blocks * (1 + len(run.configs)) for run in tuning.runs)


def test_a_trap_that_the_first_blocks_do_not_decide_is_refused_after_more(noisy: World) -> None:
    tuning = noisy.tuned(laid_out(noisy, LARGER))
    (found,) = tuning.found
    assert "the mix is undecided: 4 more blocks of the confirmation, all workloads" in noisy.watcher.said
    assert confirmation(tuning).blocks == 8
    assert (found.recommended, found.undecided) == (False, False)
    assert found.reason.startswith("it costs others of the mix: twist wall_time loses 2")
    assert [(row.workload, row.worse, row.undecided) for row in found.mix] == [
        ("spin", False, False),
        ("twist", True, False),
    ]
    assert [saved.blocks for saved in found.saved if saved.over == "current"] == [8]
    assert visits(tuning) <= LARGER
    assert len(noisy.measured) == len(set(noisy.measured))


def test_its_further_blocks_are_judged_as_those_of_any_result_that_is_extended(noisy: World) -> None:
    tuning = noisy.tuned(laid_out(noisy, LARGER))
    plan = read_activity(noisy.store.activity(confirmation(tuning).activity).folder)
    (extension,) = plan.extended
    assert (extension.after, extension.blocks) == (4, 4)
    assert {said.verdict for said in extension.said if said.loss is not None} == {"gain", "inconclusive"}
    assert "after 4 blocks the mix was undecided, and the confirmation was extended by 4" in text_tuning(
        tuning
    )


def test_a_harmless_workload_is_cleared_by_more_blocks(world: World) -> None:
    world.truth = harmless
    world.noises["twist"] = 0.03
    tuning = world.tuned(laid_out(world, LARGE))
    (found,) = tuning.found
    assert confirmation(tuning).blocks == 16
    assert (found.recommended, found.undecided, found.reason) == (True, False, "")
    (beside,) = [row for row in found.mix if row.workload == "twist"]
    assert beside.high is not None
    assert beside.high <= 0.02
    assert "recommended: confirmed, mix clean" in text_tuning(tuning)
    assert visits(tuning) <= LARGE


def test_without_room_for_more_it_is_undecided_and_says_how_many_blocks_would_decide(noisy: World) -> None:
    tuning = noisy.tuned(laid_out(noisy, SMALL))
    (found,) = tuning.found
    assert tuning.over
    assert confirmation(tuning).blocks == 4
    assert (found.recommended, found.undecided, found.confirmed) == (False, True, True)
    (beside,) = [row for row in found.mix if row.undecided]
    assert beside.high is not None
    line = (
        f"not shown to be harmless: twist wall_time may lose up to {100 * beside.high:.3g} %; "
        f"about {beside.blocks_more} more blocks would decide it at this noise"
    )
    assert found.reason == line
    for page in (text_tuning(tuning), html_tuning(tuning)):
        assert f"confirmed, mix undecided: {line}" in page
    assert tuning_from_json(tuning_to_json(tuning)) == tuning
    fits(json.loads(tuning_to_json(tuning)), "tuning-v1")


@pytest.mark.parametrize("later", [0, 1, 7, 15])
def test_it_goes_on_in_its_further_blocks_where_it_was_cut_off(noisy: World, later: int) -> None:
    whole = noisy.tuned(laid_out(noisy, LARGER))
    before = len(noisy.measured) - 2 * 2 * 4  # of four further blocks of two guests and two workloads
    noisy.measured.clear()
    noisy.stop_after = before + later
    tuning = laid_out(noisy, LARGER)
    with pytest.raises(KeyboardInterrupt):
        noisy.tuned(tuning)
    left = noisy.kept(tuning)
    assert (left.runs[-1].kind, left.runs[-1].state, left.runs[-1].blocks) == ("confirm", "begun", 8)
    noisy.stop_after = None
    ended = noisy.on(left)
    assert ended.over
    assert ended.found == whole.found
    assert len(noisy.measured) == len(set(noisy.measured)) == before + 16


def test_what_is_cut_off_before_the_plan_has_further_blocks_has_them_later(
    noisy: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: Any, **__: Any) -> str:
        msg = "cannot reach local"
        raise UnreachableError(msg, machine="local")

    looks = extend.look_around
    monkeypatch.setattr(extend, "look_around", gone)
    tuning = laid_out(noisy, LARGER)
    with pytest.raises(UnreachableError):
        noisy.tuned(tuning)
    left = noisy.kept(tuning)
    assert (left.runs[-1].state, left.runs[-1].blocks, left.found[0].undecided) == ("begun", 8, True)
    monkeypatch.setattr(extend, "look_around", looks)
    ended = noisy.on(left)
    assert ended.over
    plan = read_activity(noisy.store.activity(confirmation(ended).activity).folder)
    assert (plan.blocks, len(plan.extended)) == (8, 1)
    assert len(noisy.measured) == len(set(noisy.measured))


def test_what_ended_undecided_is_extended_by_as_many_blocks_as_are_asked_for(noisy: World) -> None:
    noisy.truth = noisy.elsewhere["node7"] = harmless
    tuning = noisy.tuned(laid_out(noisy, 36, also="node7"))
    before = confirmation(tuning).blocks
    noisy.truth = trap
    assert ([run.kind for run in tuning.runs][-1], tuning.found[0].undecided) == ("check", True)
    noisy.stop_after = len(noisy.measured) + 5
    with pytest.raises(KeyboardInterrupt):
        noisy.tuned(with_further(tuning, 20))
    noisy.stop_after = None
    ended = noisy.on(noisy.kept(tuning))
    (found,) = ended.found
    assert ended.over
    assert [run.kind for run in ended.runs][-2:] == ["check", "confirm"]
    assert confirmation(ended).blocks == before + 20
    assert found.reason.startswith("it costs others of the mix: twist wall_time loses")
    assert (ended.killed, found.checks) == (tuning.killed, tuning.found[0].checks)
    assert len(noisy.measured) == len(set(noisy.measured))
    with pytest.raises(AssayError, match="no change-set of it is undecided"):
        with_further(ended, 1)
    with pytest.raises(AssayError, match="it has not ended"):
        with_further(replace(tuning, state="begun"), 1)


def test_what_is_refused_gets_no_second_chance_by_blocks_that_are_made_for_another(world: World) -> None:
    def truth(workload: str, levels: Mapping[str, str]) -> float:
        if workload == "spin":
            return {"directsync": 0.3, "unsafe": 0.0}.get(levels["disk.cache"], 0.2)
        return 0.9 * (levels["disk.cache"] == "unsafe")

    world.truth = truth
    world.noises["twist"] = 0.1
    tuning = world.tuned(laid_out(world, LARGE, allowed=("migration", "data")))
    named = {one.name: one for one in tuning.found}
    assert named["any"].reason.startswith("it costs others of the mix: twist")
    blocks = {name: one.saved[0].blocks for name, one in named.items()}
    assert blocks["any"] < blocks["safe"] == confirmation(tuning).blocks


def test_a_time_is_kept_with_further_blocks_in_it(noisy: World) -> None:
    noisy.truth = harmless
    tuning = noisy.tuned(laid_out(noisy, None, budget_s=1500.0))
    assert any("more blocks of the confirmation" in text for text in noisy.watcher.said)
    assert sum(run.seconds for run in tuning.runs) <= 1500


def test_a_budget_that_is_not_small_has_room_for_further_blocks_however_long_it_is_searched(
    world: World,
) -> None:
    for evaluations, kept in ((47, 0), (48, 8), (90, 15)):
        tuning = world.laid_out(evaluations=evaluations)
        search = search_of(tuning)
        longest = (
            search.for_search + (1 + 2) * search.pairs
        )  # confirmed over the guest as it is, and the default
        assert longest <= evaluations - kept


def test_what_the_second_machine_takes_is_left_to_it(noisy: World) -> None:
    noisy.truth = harmless
    noisy.elsewhere["node7"] = harmless
    tuning = noisy.tuned(laid_out(noisy, 80, also="node7"))
    assert any("more blocks of the confirmation" in text for text in noisy.watcher.said)
    assert [run.kind for run in tuning.runs][-1] == "check"
    assert visits(tuning) <= 80
    (check,) = tuning.found[0].checks
    assert check.holds
    assert check.undecided.startswith("not shown to be harmless: twist wall_time may lose up to")
    assert check.undecided in text_tuning(tuning)


def undecided(more: int | None, *, blocks: int, extended: int = 0, evaluations: int = 1000) -> Tuning:
    """Return a search after a confirmation of so many blocks, with one metric undecided."""
    row = MixRow("flops", "flops", tuned=False, loss=0.1, low=-0.1, high=0.3, worse=False)
    row = replace(row, undecided=True, blocks_more=more)
    known = written()
    run = replace(known.runs[-1], blocks=blocks, extended=extended)
    found = replace(SAFE, recommended=False, undecided=True, mix=(row,), checks=())
    return replace(
        known, state="begun", runs=(run,), found=(found,), killed=(), budget_s=None, evaluations=evaluations
    )


@pytest.mark.parametrize(
    ("more", "blocks", "extended", "further"),
    [
        (6, 20, 0, 6),  # as many as would decide it
        (200, 20, 0, 20),  # no more than it has
        (1, 2, 0, 3),  # as many as the first sequence takes that is finite
        (200, 90, 70, 10),  # no more than the limit
        (200, MOST_BLOCKS, 80, 0),
        (None, 20, 0, 0),  # no number would decide it
    ],
)
def test_it_is_extended_by_what_would_decide_it_within_limits(
    more: int | None, blocks: int, extended: int, further: int
) -> None:
    assert further_blocks(undecided(more, blocks=blocks, extended=extended), 0.95) == further


def test_a_first_extension_for_which_there_is_no_room_is_not_begun() -> None:
    room = undecided(200, blocks=20, evaluations=120)
    assert further_blocks(room, 0.95) == 20
    short = replace(room, evaluations=119)
    assert further_blocks(short, 0.95) == 0
    assert further_blocks(undecided(200, blocks=20, extended=10, evaluations=119), 0.95) == 19


def test_nothing_is_extended_once_lost_writes_are_counted() -> None:
    tuning = undecided(6, blocks=20)
    assert further_blocks(replace(tuning, killed=written().killed), 0.95) == 0
