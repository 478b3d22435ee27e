"""Results are found by what they have in common, the newest first, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from assay.design import plan_trials
from assay.model.activity import ActivityState
from assay.model.figures.estimate import Verdict
from assay.store import tables as t
from assay.store.rows import KeptSummary
from assay.store.search import Filter
from assay.store.store import Store
from tests.builders import plan_of, record_of
from tests.store.test_fleet import FLEET

TRIALS = plan_trials(("spin",), blocks=1, seed=1)
MADE_BY, DAY_NS = "this assay", 86_400 * 10**9
FIRST, SECOND, THIRD, LANE = "aaaa0000", "bbbb0000", "cccc0000", "dddd0000"


def kept(activity: str, headline: str, verdicts: tuple[Verdict, ...], *machines: str) -> KeptSummary:
    content = {"estimates": [{"verdict": verdict} for verdict in verdicts], "machines": machines}
    return KeptSummary(
        activity, 0, MADE_BY, "complete", "2026-11-20T12:00:00+00:00", headline, content=json.dumps(content)
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return a store of three results, a day apart, and of a lane of an activity on several machines."""
    opened = Store(tmp_path / "home")
    for at, (name, scene, title) in enumerate(
        (
            (FIRST, "quick", "All in short"),
            (SECOND, "quick", "All in short"),
            (THIRD, "disk", "50 % of Disks"),
        )
    ):
        plan = plan_of(TRIALS, id=name, scene=scene, title=title, created_ns=at * DAY_NS)
        opened.add_activity(plan, opened.home / "activities" / name)
    opened.set_state(FIRST, ActivityState.COMPLETE, ended_ns=DAY_NS)
    opened.keep_summary(kept(FIRST, "1 metric: 1 loss", (Verdict.LOSS,), "node01 (AMD EPYC)", "guest"))
    opened.keep_summary(kept(SECOND, "2 metrics: equal", (Verdict.EQUIVALENT, Verdict.LOSS), "node02"))
    folder = opened.home / "activities" / FLEET.id
    opened.add_fleet(FLEET, folder)
    opened.add_activity(plan_of(TRIALS, id=LANE, created_ns=5 * DAY_NS), folder / "lanes" / LANE)
    opened.keep_summary(kept(LANE, "1 metric: 1 gain", (Verdict.GAIN,), "node09"))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(), [THIRD, SECOND, FIRST]),
        (Filter(scene="quick"), [SECOND, FIRST]),
        (Filter(scene="quic"), []),
        (Filter(treatment="other"), [THIRD, SECOND, FIRST]),
        (Filter(treatment="host"), []),
        (Filter(state=ActivityState.COMPLETE), [FIRST]),
        (Filter(machine="node01"), [FIRST]),
        (Filter(machine="node01 (AMD EPYC)"), [FIRST]),
        (Filter(machine="node0"), []),
        (Filter(verdict=Verdict.LOSS), [SECOND, FIRST]),
        (Filter(verdict=Verdict.EQUIVALENT), [SECOND]),
        (Filter(verdict=Verdict.GAIN), []),
        (Filter(since_ns=DAY_NS), [THIRD, SECOND]),
        (Filter(until_ns=DAY_NS), [FIRST]),
        (Filter(since_ns=DAY_NS, until_ns=2 * DAY_NS), [SECOND]),
        (Filter(text="ALL in"), [SECOND, FIRST]),
        (Filter(text="Equal"), [SECOND]),
        (Filter(text="50 %"), [THIRD]),
        (Filter(text="5_ %"), []),
        (Filter(scene="quick", verdict=Verdict.LOSS, machine="node02", text="metrics"), [SECOND]),
    ],
    ids=str,
)
def test_results_are_found_by_all_that_is_asked(store: Store, wanted: Filter, found: list[str]) -> None:
    page = store.search(wanted)
    assert ([row.id for row in page.rows], page.total) == (found, len(found))


def test_results_of_this_home_are_found_by_the_inventorys_name_of_a_machine(store: Store) -> None:
    for name in (SECOND, LANE):
        ran = record_of(TRIALS[0], 1.0, activity=name)
        store.add_record(replace(ran, machine="rack7"))
    assert [row.id for row in store.search(Filter(machine="rack7")).rows] == [SECOND]
    assert [fleet.id for fleet in store.search_fleets(Filter(machine="rack7"))] == [FLEET.id]
    with store._engine.begin() as connection:
        connection.execute(sa.update(t.activity).values(origin="elsewhere"))
    assert store.search(Filter(machine="rack7")).rows == ()


def test_a_page_says_how_many_there_are_on_all(store: Store) -> None:
    pages = [store.search(Filter(), limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [[row.id for row in page.rows] for page in pages] == [[THIRD, SECOND], [FIRST], []]
    assert {page.total for page in pages} == {3}
    only = store.search(Filter(verdict=Verdict.LOSS), limit=1)
    assert ([row.id for row in only.rows], only.total) == ([SECOND], 2)


def test_a_result_is_found_by_its_newest_summary_and_by_none_that_is_gone(store: Store) -> None:
    store.keep_summary(kept(FIRST, "1 metric: 1 gain", (Verdict.GAIN,), "node03"))
    assert [row.id for row in store.search(Filter(verdict=Verdict.GAIN)).rows] == [FIRST]
    assert store.search(Filter(machine="node01")).total == 0
    store.add_record(record_of(TRIALS[0], 1.0, activity=FIRST))
    assert store.search(Filter(verdict=Verdict.GAIN)).total == 1, "by what its last look said"
    store.add_record(record_of(TRIALS[0], 2.0, activity=FIRST))
    assert store.search(Filter(verdict=Verdict.GAIN)).total == 0


def test_those_without_a_summary_that_is_right_are_told(store: Store) -> None:
    assert [row.id for row in store.without_summary(MADE_BY)] == [THIRD]
    assert [row.id for row in store.without_summary("another")] == [THIRD, SECOND, FIRST]


def test_summaries_are_those_asked_for(store: Store) -> None:
    assert [*store.summaries(MADE_BY, [SECOND, THIRD])] == [SECOND]
    assert {*store.summaries(MADE_BY)} == {FIRST, SECOND, LANE}


def test_an_activity_on_several_machines_is_found_by_a_lane(store: Store) -> None:
    (fleet,) = store.search_fleets(Filter())
    for wanted in (Filter(machine="node09"), Filter(scene=FLEET.scene, verdict=Verdict.GAIN)):
        assert store.search_fleets(wanted) == (fleet,)
    assert store.search_fleets(Filter(scene=FLEET.scene)) == (fleet,)
    for other in (Filter(machine="node01"), Filter(scene="quick", machine="node09")):
        assert store.search_fleets(other) == ()
