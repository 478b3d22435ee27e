"""The list of activities: pages of it, and those of a scene or in a state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.design import plan_trials
from assay.model.activity import ActivityState
from assay.model.files.home import mark_home
from assay.store.fleet import write_fleet
from assay.store.record import write_activity
from assay.store.store import Store
from tests.builders import plan_of
from tests.store.test_fleet import FLEET
from tests.web.conftest import Served, serving

COUNT = 60
TRIALS = plan_trials(("spin",), blocks=3, seed=1)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a home with many activities, one of them on several machines."""
    home: Path = tmp_path_factory.mktemp("many") / "home"
    store = Store(home)
    for number in range(COUNT):
        scene = "quick" if number % 3 else "<script>alert(1)</script>"
        plan = plan_of(TRIALS, id=f"{number:08x}", scene=scene, created_ns=10**18 + number * 10**9)
        folder = home / "activities" / plan.id
        folder.mkdir(parents=True)
        write_activity(folder, plan)
        store.add_activity(plan, folder)
        state = ActivityState.FAILED if number % 10 == 0 else ActivityState.COMPLETE
        store.set_state(plan.id, state, ended_ns=1)
    folder = home / "activities" / FLEET.id
    folder.mkdir()
    write_fleet(folder, FLEET)
    store.add_fleet(FLEET, folder, ActivityState.COMPLETE)
    store.close()
    mark_home(home)
    with serving(home) as served:
        yield served


def shown(many: Served, query: str) -> dict[str, Any]:
    found: dict[str, Any] = many.client.get(f"/activities.json{query}").json()
    return found


def test_pages_hold_all_activities_the_newest_first(many: Served) -> None:
    first, second = shown(many, ""), shown(many, "?page=2")
    ids = [one["id"] for one in [*first["activities"], *second["activities"]]]
    assert ids == [*(f"{number:08x}" for number in reversed(range(COUNT))), FLEET.id]
    assert (len(first["activities"]), first["older"], second["older"]) == (50, True, False)
    page = many.client.get("/activities?page=2").text
    assert 'rel="prev" href="/activities?page=1"' in page
    assert 'rel="next"' not in page


def test_those_of_a_scene_or_in_a_state_are_told_by_the_database(many: Served) -> None:
    assert len(shown(many, "?scene=quick")["activities"]) == 40
    failed = shown(many, "?state=failed&scene=quick")["activities"]
    assert {(one["state"], one["scene"]) for one in failed} == {("failed", "quick")}
    assert len(failed) == 4
    assert [one["id"] for one in shown(many, "?scene=spin")["activities"]] == [FLEET.id]
    assert shown(many, "?state=nonsense")["state"] is None
    assert many.client.get("/activities?page=0").status_code == 422


def test_a_scene_with_any_name_is_chosen_and_shown_as_text(many: Served) -> None:
    query = "?scene=%3Cscript%3Ealert(1)%3C/script%3E"
    assert len(shown(many, query)["activities"]) == 20
    page = many.client.get(f"/activities{query}").text
    assert "<script>alert" not in page
    assert "<option selected>&lt;script&gt;" in page
