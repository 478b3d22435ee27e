"""What a site sees first: what has changed since a week ago, results that are searched for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.model.files.home import mark_home
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Fingerprint, Machine, Reach
from assay.store.fingerprints import keep_fingerprint
from assay.store.record import write_activity, write_trial
from assay.store.store import Store
from tests.builders import FACTS
from tests.results.test_outcome import PLAN, records
from tests.web.conftest import Served, serving
from tests.web.homes import SCRIPT

DAY_NS = 86_400 * 10**9
OLD, NEW, STEP = "0123abcd", "1123abcd", "2123abcd"


def _add(home: Path, activity: str, *, days_ago: float, factor: float = 1.0, **more: Any) -> None:
    """Add a result whose treatment is slower by a factor."""
    made = time.time_ns() - int(days_ago * DAY_NS)
    plan = replace(PLAN, id=activity, created_ns=made, **{"title": "A title", **more})
    folder = home / "activities" / activity
    for record in records():
        place = folder / "trials" / record.planned.name
        place.mkdir(parents=True)
        slower = factor if str(record.planned.arm) == "treatment" else 1.0
        measured = tuple(
            one if one.value is None else replace(one, value=one.value / slower)
            for one in record.measurements
        )
        facts = replace(record.facts, hostname=plan.title)
        write_trial(place, replace(record, activity=activity, measurements=measured, facts=facts))
    write_activity(folder, plan)
    store = Store(home)
    store.import_folder(folder)
    store.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a home with a result of ten days ago, a slower one of today, and a step of a search."""
    home = tmp_path_factory.mktemp("overview") / "home"
    _add(home, OLD, days_ago=10)
    _add(home, NEW, days_ago=1, factor=2.0)
    _add(home, STEP, days_ago=0.5, factor=4.0, title="Tuning 9123abcd: search, step 1")
    (home / "tunings" / "9123abcd").mkdir(parents=True)
    mark_home(home)
    with serving(home) as server:
        yield server


def test_a_loss_that_is_another_than_before_this_week_is_told(site: Served) -> None:
    told = site.client.get("/index.json").json()["result_changes"]
    assert {(one["older"], one["newer"]) for one in told} == {(OLD, NEW)}
    page = site.client.get("/").text
    assert "Changed since a week ago" in page
    assert f"/compare?with={OLD}&amp;with={NEW}" in page


def test_steps_of_a_search_are_not_among_the_newest_results(site: Served) -> None:
    assert [one["id"] for one in site.client.get("/index.json").json()["latest"]] == [NEW, OLD]
    assert len(site.client.get("/results.json").json()["results"]) == 3


def test_what_changed_of_a_machine_this_week_is_told(site: Served) -> None:
    before = site.client.get("/index.json").json()["machine_changes"]
    for days_ago, kernel in ((20, "6.0"), (10, "6.1"), (3, "6.2"), (1, "6.2")):
        facts = replace(FACTS, kernel=kernel)
        looked = Fingerprint(facts, {"kernel": {"release": kernel}}, time.time_ns() - days_ago * DAY_NS)
        keep_fingerprint(site.home, "local", looked)
    told = site.client.get("/index.json").json()["machine_changes"]
    assert before == []
    assert [(one["machine"], len(one["what"]) > 0) for one in told] == [("local", True)]
    assert "kernel.release: 6.1 → 6.2" in told[0]["what"]
    assert "6.1 → 6.2" in site.client.get("/").text


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ({}, {OLD, NEW, STEP}),
        ({"scene": "quick"}, {OLD, NEW, STEP}),
        ({"scene": "other"}, set()),
        ({"find": "tuning"}, {STEP}),
        ({"treatment": PLAN.treatments[0].label}, {OLD, NEW, STEP}),
        ({"treatment": PLAN.treatments[0].label[1:]}, set()),
        ({"treatment": "no-such"}, set()),
        ({"hardware": "a cpu"}, {OLD, NEW, STEP}),
        ({"hardware": "epyc"}, set()),
        ({"verdict": "not-measured"}, set()),
        ({"find": "", "scene": "", "verdict": "", "since": "", "page": "1"}, {OLD, NEW, STEP}),
    ],
)
def test_results_are_searched(site: Served, asked: dict[str, str], ids: set[str]) -> None:
    found = site.client.get("/results.json", params=asked)
    assert found.status_code == 200, found.text
    assert {one["id"] for one in found.json()["results"]} == ids
    assert found.json()["total"] == len(ids)
    assert found.json()["asked"] == {name: value for name, value in asked.items() if value and name != "page"}


def test_lists_of_results_say_how_far_each_can_be_trusted(site: Served) -> None:
    listed = site.client.get("/results.json").json()["results"]
    words = {one["id"]: one["trust"] for one in listed}
    assert set(words.values()) <= {"good", "limited", "low"}
    for path, ids in (("/results", words), ("/", (OLD, NEW)), ("/scenes/quick", words)):
        page = site.client.get(path).text
        for one in ids:
            row = page.partition(f'<a href="/results/{one}">')[2].partition("</tr>")[0]
            assert f'<span class="trust {words[one]}">trust: {words[one]}</span>' in row, path


def test_no_name_becomes_a_script_on_the_overview(tmp_path: Path) -> None:
    home = tmp_path / "home"
    treatment = replace(PLAN.treatments[0], label=SCRIPT)
    names = {"title": SCRIPT, "scene": SCRIPT, "treatment": treatment}
    _add(home, OLD, days_ago=10, **names)
    _add(home, NEW, days_ago=1, factor=2.0, **names)
    store = Store(home)
    store.add_machines([Entry(replace(Machine("n1", Reach.SSH, SCRIPT, SCRIPT, 22), name=SCRIPT))])
    store.add_health([Health(SCRIPT, time.time_ns(), f"cannot reach {SCRIPT}")])
    store.close()
    mark_home(home)
    with serving(home) as served:
        told = served.client.get("/index.json").json()
        page = served.client.get("/").text
    assert {one["title"] for one in told["latest"]} == {SCRIPT}
    assert {one["treatment"] for one in told["result_changes"]} == {SCRIPT}
    assert SCRIPT in {one["name"] for one in told["machines"]}
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 8


def test_results_are_searched_by_day(site: Served) -> None:
    week_ago = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 7 * 86_400))
    since = site.client.get("/results.json", params={"since": week_ago}).json()["results"]
    until = site.client.get("/results.json", params={"until": week_ago}).json()["results"]
    assert [{one["id"] for one in some} for some in (since, until)] == [{NEW, STEP}, {OLD}]


@pytest.mark.parametrize(
    "asked", [{"since": "2026-02-30"}, {"since": "x"}, {"verdict": "x"}, {"page": "0"}, {"page": "x"}]
)
def test_a_question_that_is_none_is_refused(site: Served, asked: dict[str, str]) -> None:
    assert site.client.get("/results.json", params=asked).status_code == 422


def test_a_page_of_results_keeps_what_was_asked(site: Served) -> None:
    page = site.client.get("/results", params={"find": '"><script>alert(1)</script>'}).text
    assert "<script>alert" not in page
    assert "nothing" in site.client.get("/results", params={"find": "nothing"}).text
    assert json.loads(site.client.get("/results.json", params={"page": 3}).text)["results"] == []
