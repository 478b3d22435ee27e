"""A search that begins with trials of a share of the work."""

from __future__ import annotations

import json

import pytest

from assay.activities.tuning.short import shortened
from assay.activities.tuning.time_taken import left_s, mean_cost
from assay.model.errors import AssayError
from assay.pages.tuning import tuning_to_json
from assay.report.render.tuning import text_tuning
from assay.scenes.values.chosen import Own, Ready
from assay.workloads import Parameters
from tests.activities.tuning.world import SCENE, World, world
from tests.contracts import fits

__all__ = ["world"]

COUNTED = SCENE.replace("command: spin", 'command: "spin {events}", events: 1000').replace(
    "command: twist", 'command: "twist {events}", events: 2000'
)


@pytest.fixture
def counted(world: World) -> World:
    """Return a world whose scene counts events."""
    world.scene = lambda text=COUNTED: World.scene(world, text)  # type: ignore[method-assign]
    return world


def test_it_begins_with_short_trials_ends_with_whole_ones_and_finds_the_same(counted: World) -> None:
    tuning = counted.tuned(counted.laid_out(short=0.1))
    shares = [run.share for run in tuning.runs]
    assert set(shares) == {0.1, 1.0}
    assert shares == sorted(shares)
    assert [run.kind for run in tuning.runs if run.share == 1][-1] == "confirm"
    (found,) = tuning.found
    assert found.recommended
    assert set(found.changes) == {"disk.cache", "disk.bus"}
    short, whole = (next(run for run in tuning.runs if run.share == share) for share in (0.1, 1.0))
    value = {share: run.values[0].value for share, run in ((0.1, short), (1.0, whole))}
    assert value[0.1] is not None
    assert value[1.0] is not None
    assert value[0.1] < value[1.0] / 5
    fits(json.loads(tuning_to_json(tuning)), "tuning-v1")
    assert "1, 0.1 of the work" in text_tuning(tuning)


def test_a_share_of_a_visit_is_dearer_than_that_of_its_work(counted: World) -> None:
    """A guest is started for a short trial, too."""
    tuning = counted.laid_out(short=0.1)
    assert 0.1 < tuning.short_cost < 0.5
    assert tuning.short_cost < mean_cost(tuning) < 1


def test_a_time_allows_more_of_them(counted: World) -> None:
    whole = counted.laid_out(evaluations=None, budget_s=20_000.0)
    short = counted.laid_out(evaluations=None, budget_s=20_000.0, short=0.1)
    assert short.evaluations > 1.3 * whole.evaluations
    assert left_s(short) == 0  # nothing was seen yet


def test_a_workload_that_says_no_events_cannot_be_short(world: World) -> None:
    with pytest.raises(AssayError, match="cannot shorten spin: it says no number of events") as caught:
        world.laid_out(short=0.1)
    assert caught.value.hint is not None
    assert "{events}" in caught.value.hint


def test_only_what_is_tuned_for_is_short(counted: World) -> None:
    text = SCENE.replace("command: spin", 'command: "spin {events}", events: 1000')
    counted.scene = lambda _=text: World.scene(counted, text)  # type: ignore[method-assign]
    tuning = counted.tuned(counted.laid_out(short=0.1, workloads=("spin",)))
    assert tuning.over


@pytest.mark.parametrize(
    ("chosen", "events"),
    [
        (Own("job", ("job", "{events}"), events=(1000,)), (100,)),
        (Own("job", ("job", "{events}"), events=(15,)), (2,)),
        (Ready("flops", events=(40,)), (4,)),
    ],
)
def test_events_are_a_whole_share(chosen: Own | Ready, events: tuple[int, ...]) -> None:
    assert shortened(chosen, 0.1).events == events
    assert shortened(chosen, 1) is chosen


def test_a_timed_tool_runs_for_a_share_of_its_time() -> None:
    made = shortened(Ready("fio", Parameters(runtime_s=30)), 0.2)
    assert isinstance(made, Ready)
    assert made.parameters.runtime_s == 6


@pytest.mark.parametrize(
    ("chosen", "share"),
    [(Own("job", ("job", "{events}"), events=(2,)), 0.1), (Ready("fio", Parameters(runtime_s=1)), 0.5)],
)
def test_a_share_of_nothing_is_refused(chosen: Own | Ready, share: float) -> None:
    with pytest.raises(AssayError, match="is no smaller number above 0"):
        shortened(chosen, share)


def test_several_numbers_of_events_cannot_be_short() -> None:
    with pytest.raises(AssayError, match="no number of events"):
        shortened(Own("job", ("job", "{events}"), events=(10, 20)), 0.5)
