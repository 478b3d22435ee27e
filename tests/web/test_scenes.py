"""Scenes in the browser's pages: found, planned, written, kept in versions."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser

from assay.model.files.home import mark_home
from assay.model.units import format_bytes
from assay.scenes import ready_names
from assay.store.own_scenes import check_scene, save_scene
from assay.store.store import Store
from assay.web.access.person import Role
from assay.web.acts.requests import PlanScene
from assay.web.views.plan import Wish
from assay.web.views.scene_editor import NEW
from tests.web.conftest import Served, serving
from tests.web.test_activity import here

TEXT = NEW.replace("my-scene", "mine")


def test_the_editor_begins_with_a_scene() -> None:
    assert check_scene("my-scene", NEW, "new").name == "my-scene"


def test_ready_scenes_are_listed_and_searched(served: Served) -> None:
    ready = [one["name"] for one in served.client.get("/scenes.json").json()["ready"]]
    assert sorted(ready) == sorted(ready_names())
    found = served.client.get("/scenes.json", params={"find": "HUGE pag"}).json()["ready"]
    assert [one["name"] for one in found] == ["huge-pages"]


def test_a_scene_is_shown_with_its_text_as_it_is(served: Served) -> None:
    shown = served.client.get("/scenes/quick.json").json()
    assert "\nscene: quick\ntitle: " in shown["text"]
    assert "\nscene: quick\ntitle: " in served.client.get("/scenes/quick").text


@pytest.mark.parametrize(
    "name", ["..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd.yaml", "no-such", "x.yaml", "quick@2x"]
)
def test_a_path_of_the_server_is_no_scene(served: Served, name: str) -> None:
    for path in (f"/scenes/{name}.json", f"/scenes/{name}/plan.json", f"/scenes/{name}/edit.json"):
        answer = served.client.get(path)
        assert answer.status_code in {404, 422}, path
        assert served.client.get("/new-scene.json", params={"like": unquote(name)}).status_code == 404
    for path, fields in (("evaluate", {}), ("tune", {"factors": "disk", "budget": "1h"})):
        assert served.post(f"/scenes/{name}/{path}", **fields).status_code in {404, 422}, path


def test_no_file_of_the_server_is_read_as_a_scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x.yaml", "y.yml"):
        (tmp_path / name).write_text("scene: hush\nsecret: word\n")
    monkeypatch.chdir(tmp_path)
    Store(tmp_path / "home").close()
    mark_home(tmp_path / "home")
    with serving(tmp_path / "home") as served:
        for name in ("x.yaml", "y.yml"):
            for answer in (
                served.client.get(f"/scenes/{name}/plan.json"),
                served.client.get(f"/scenes/{name}/plan", headers={"accept": "text/html"}),
                served.post(f"/scenes/{name}/evaluate"),
                served.post(f"/scenes/{name}/tune", factors="disk", budget="1h"),
            ):
                assert answer.status_code in {404, 422}
                assert "secret" not in answer.text
                assert "word" not in answer.text


def test_a_plan_says_blocks_time_and_order(served: Served) -> None:
    plan = served.client.get("/scenes/cpu-quota/plan.json", params={"blocks": 4}).json()
    assert plan["blocks"] == 4
    assert len(plan["order"]) == 4
    assert plan["arms"][0] == "host"
    assert plan["seconds"] > 0
    assert plan["asked"] == {"blocks": "4"}


@pytest.mark.parametrize(
    "wish",
    [
        {"blocks": "2"},
        {"blocks": "x"},
        {"on": "--help"},
        {"on": "-h"},
        {"precision": "2"},
        {"against": "a b"},
    ],
)
def test_a_wish_that_is_none_is_refused_before_any_command(served: Served, wish: dict[str, str]) -> None:
    assert served.client.get("/scenes/quick/plan.json", params=wish).status_code == 422


def test_what_a_scene_declares_is_what_is_planned(served: Served) -> None:
    declared = served.client.get("/scenes/cpu-quota.json").json()["declared"]
    plan = served.client.get("/scenes/cpu-quota/plan.json").json()
    assert (declared["blocks"], declared["trials"]) == (plan["blocks"], plan["trials"])
    assert len(declared["arms"]) == len(plan["arms"])
    workloads = len(declared["workloads"])
    assert [len(block) * workloads for block in declared["order"]] == [len(one) for one in plan["order"]]


def test_all_that_a_plan_depends_on_can_be_wished() -> None:
    assert set(Wish.model_fields) == set(PlanScene.model_fields) - {"kind", "scene"}


def test_a_plan_is_made_for_nodes_that_are_drained(served: Served) -> None:
    answer = served.client.get("/scenes/quick/plan.json", params={"drain": "slurm"})
    assert answer.status_code == 422
    assert "--drain takes --on" in answer.json()["error"]


def test_a_plan_on_a_machine_that_is_not_there_names_the_nearest(served: Served) -> None:
    answer = served.client.get("/scenes/quick/plan.json", params={"on": "locl"})
    assert answer.status_code == 422
    assert "local" in answer.json()["error"]


def test_the_plan_of_a_thousand_machines_is_a_small_page(tmp_path: Path) -> None:
    lane = {"machine": "node", "trials": 12, "seconds": 60.0, "disk_bytes": 2**30, "error": None}
    lanes: list[dict[str, Any]] = [{**lane, "machine": f"node{at:04d}"} for at in range(1000)]
    for at in (300, 600):
        error = {"message": "cannot reach it", "hint": None}
        lanes[at] |= {"trials": None, "seconds": None, "disk_bytes": None, "error": error}
    Store(tmp_path / "home").close()
    with here(tmp_path / "home", Role.OPERATOR) as served:
        served.asked.answer = {"lanes": lanes}
        found = served.client.get("/scenes/quick/plan.json?on=farm").json()["lanes"]
        assert [lane["machine"] for lane in found[:3]] == ["node0300", "node0600", "node0000"]
        assert len(found) == 1000
        page = served.client.get("/scenes/quick/plan?on=farm").text
    assert "998 machines can be measured, 2 cannot." in page
    assert page.count('<th scope="row">') == 100
    assert len(page) < 60_000
    assert "<dd>998 GiB, all machines together</dd>" in page
    assert '<td data-label="free disk" class="number">1 GiB</td>' in page
    assert '<td data-label="why not">cannot reach it</td>' in page


def test_a_plan_shows_the_blocks_that_the_goal_takes_by_what_and_the_disk(served: Served) -> None:
    at, wished = "/scenes/cpu-quota/plan", {"precision": "2 %"}
    plan = served.client.get(f"{at}.json", params=wished).json()
    assert plan["basis"]
    assert plan["disk_bytes"] >= 2**30
    page = served.client.get(at, params=wished).text
    blocks = "" if plan["predicted"] is None else f"{plan['predicted']}, "
    assert f"<dt>blocks that the goal takes</dt><dd>{blocks}{escape(plan['basis'])}</dd>" in page
    assert f"<dt>free disk that it needs</dt><dd>{format_bytes(plan['disk_bytes'])}</dd>" in page
    guessed = {**plan, "blocks_predicted": 7, "basis": "by <the> noise", "arms": (), "trials": ()}
    with here(served.home, Role.OPERATOR) as other:
        other.asked.answer = guessed
        shown = other.client.get(at).text
    assert "<dt>blocks that the goal takes</dt><dd>7, by &lt;the&gt; noise</dd>" in shown


def test_a_text_is_checked_as_it_is_typed(served: Served) -> None:
    def check(text: str) -> dict[str, object]:
        headers = {"origin": served.at, "x-assay-token": served.token()}
        answer = served.client.post("/scenes/check", json={"text": text}, headers=headers)
        assert answer.status_code == 200
        return dict(answer.json())

    assert check(TEXT) == {"problems": [], "title": "One line for people"}
    problems: Any = check(TEXT.replace("blocks: 6", "blocks: six"))["problems"]
    assert [(one["line"], one["column"]) for one in problems] == [(6, 18)]
    assert "six" in problems[0]["sentence"]
    for wrong in ("", "{", "scene: [", "a: " * 50_000):
        assert check(wrong)["problems"]


def test_a_scene_is_saved_in_versions_compared_and_removed(served: Served) -> None:
    assert served.post("/scenes", text=TEXT, note="the first").status_code == 200
    assert served.post("/scenes", text=TEXT).status_code == 200, "the same text makes no other version"
    assert served.post("/scenes", text=TEXT.replace("blocks: 6", "blocks: 8")).status_code == 200
    shown = served.client.get("/scenes/mine.json").json()
    assert [(one["version"], one["note"]) for one in shown["own"]] == [(2, None), (1, "the first")]
    assert shown["own"][0]["by"] == served.client.get("/me.json").json()["name"]
    lines = served.client.get("/scenes/mine/diff.json", params={"a": 1, "b": 2}).json()["lines"]
    assert "-design: {blocks: 6}" in lines
    assert served.client.get("/scenes/mine@1.json").json()["blocks"] == 6
    assert [one["name"] for one in served.client.get("/scenes.json").json()["own"]] == ["mine"]
    assert served.post("/scenes/mine/remove").status_code == 200
    assert served.client.get("/scenes/mine.json").status_code == 404


def test_a_scene_may_be_called_new(served: Served) -> None:
    assert served.post("/scenes", text=TEXT.replace("mine", "new")).status_code == 200
    assert served.client.get("/scenes/new.json").json()["name"] == "new"
    assert served.post("/scenes/new/remove").status_code == 200


@pytest.mark.parametrize("factors", ["", "--help", "-x", "a b", "disk;ls"])
def test_a_search_for_no_factor_is_refused_before_any_command(served: Served, factors: str) -> None:
    assert served.post("/scenes/quick/tune", factors=factors, budget="1h").status_code == 422


def test_a_search_that_cannot_begin_says_why(served: Served) -> None:
    answer = served.post("/scenes/quick/tune", factors="disk.cachee", budget="1h")
    assert answer.status_code == 422
    assert "disk.cache" in answer.json()["error"]


def test_a_wrong_scene_is_refused_with_its_place(served: Served) -> None:
    answer = served.post("/scenes", text=TEXT.replace("treatment:", "treatmen:"))
    assert answer.status_code == 422
    assert "mine.yaml:4:1" in answer.json()["error"]


def test_a_viewer_is_offered_no_editor(tmp_path: Path) -> None:
    Store(tmp_path / "home").close()
    save_scene(tmp_path / "home", "mine", TEXT, by="ada")
    pages = ("/scenes", "/scenes/mine", "/new-scene", "/new-scene?like=quick", "/scenes/mine/edit")
    for role, offered in ((Role.VIEWER, False), (Role.OPERATOR, True)):
        with here(tmp_path / "home", role) as served:
            for path in pages:
                text = served.client.get(path).text
                links = 'href="/new-scene' in text or ('action="/scenes"' in text and "hx-post" in text)
                assert links is offered, (role, path)
            assert ("Only an operator saves scenes" in text) is not offered


@pytest.mark.live
def test_a_person_writes_a_scene_and_sees_what_is_wrong(served: Served, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(f"{served.at}/new-scene")
    page.locator("#problems .said").wait_for()
    page.locator("#text").fill(TEXT.replace("blocks: 6", "blocks: six"))
    page.locator("#problems li").wait_for()
    assert "line 6" in page.locator("#problems").inner_text()
    page.locator("#text").fill(TEXT)
    page.locator("#problems .said").wait_for()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/scenes/mine?said=saved")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove").click()
    page.wait_for_url("**/scenes?said=removed")
    page.close()
