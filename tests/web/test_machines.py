"""The pages of machines: searched, looked at, added, edited, checked and removed."""

from __future__ import annotations

import asyncio
import html
import json
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser
from starlette.requests import HTTPConnection

from assay.machines.batch.lock import open_lock, take_lock
from assay.model.files.home import mark_home
from assay.model.machines.check import Check, Found
from assay.model.machines.health import Health
from assay.model.machines.inventory import Entry, Role
from assay.model.machines.machine import Fingerprint, Machine, Reach
from assay.platforms.claims import claim, release
from assay.store.checks import keep_found
from assay.store.fingerprints import keep_fingerprint, write_fingerprint
from assay.store.store import Store
from assay.web.access import person as persons
from assay.web.access.audit import Audit
from assay.web.acts.carry import Commands
from assay.web.acts.looks import OwnLooks
from assay.web.acts.requests import ACTS
from assay.web.app import make_app
from assay.web.site import Site
from tests.builders import FACTS
from tests.cli.conftest import home_with_result
from tests.in_gate import in_gate
from tests.results.test_outcome import PLAN, records
from tests.web.conftest import Served, serving
from tests.web.homes import home_of

BAD = "<script>alert(1)</script>"
AS_PAGE = {"accept": "text/html"}
DAY = 86_400 * 10**9
ODD = Entry(
    Machine("odd", Reach.SSH, "127.0.0.1", "root", 1), ("farm",), (("a", f"b, {BAD}"), ("gpu", "")),
    Role.BASELINE, f"{BAD}\nsecond line", "n01",
)  # fmt: skip


def fill(home: Path) -> None:
    """Note machines whose texts are hostile, and how they were."""
    store = Store(home)
    nodes = [Entry(Machine(f"n{at:02}", Reach.SSH, "127.0.0.1", None, 1), ("farm",)) for at in range(1, 4)]
    store.add_machines([*nodes, ODD])
    now = time.time_ns()
    looks = [Health("odd", now - at * DAY // 24, None, at, at / 100, 0.01, 10**9, 40.0) for at in range(72)]
    store.add_health([*looks, Health("odd", now + 2 * 10**9, BAD), Health("n01", now + 1, None, 3.0)])
    keep_found(home, Found("odd", now, BAD, None, (Check(BAD, good=False, sentence=BAD),)))
    for days, kernel in ((2, "6.1"), (1, BAD)):
        facts = {"kernel": {"note": BAD}, "hardware": {"flags": [BAD, kernel]}}
        fingerprint = Fingerprint(FACTS, facts, now - days * DAY)
        keep_fingerprint(home, "odd", fingerprint)
    store.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a home with machines, one result and hostile texts."""
    home = home_with_result(tmp_path_factory.mktemp("machines") / "home")
    mark_home(home)
    fill(home)
    with serving(home) as server:
        yield server


PATHS = (
    "/machines", "/machines?find=odd", "/machines/odd", "/machines/odd?days=1", "/machines/odd/edit",
    "/machines/odd/facts", "/machines/odd/diff", "/machines/odd/changes", "/add-machine",
)  # fmt: skip


def json_of(site: Served, path: str) -> Any:
    place, _, query = path.partition("?")
    answer = site.client.get(f"{place}.json?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(site: Served, query: str) -> list[str]:
    return [one["name"] for one in json_of(site, f"/machines?{query}")["machines"]]


def test_no_text_of_a_machine_becomes_markup(site: Served) -> None:
    for path in PATHS:
        page = site.client.get(path, headers=AS_PAGE)
        assert page.status_code == 200, path
        assert BAD not in page.text, path
        assert isinstance(json_of(site, path), dict)
    assert "&lt;script&gt;" in site.client.get("/machines/odd").text
    assert BAD not in site.client.get("/machines/odd.charts.json").text


def test_machines_are_found_by_the_words_that_name_them(site: Served) -> None:
    assert names(site, "") == ["local", "n01", "n02", "n03", "odd"]
    assert names(site, "find=farm") == ["n01", "n02", "n03", "odd"]
    assert names(site, "find=n[01-02],local") == ["local", "n01", "n02"]
    assert names(site, "find=@gpu") == ["odd"]
    page = json_of(site, "/machines?find=fram")
    assert (page["machines"], "nearest: 'farm'" in page["wrong"]) == ([], True)
    assert page["groups"] == [{"who": "farm", "machines": 4}]
    assert [one["who"] for one in page["tags"]] == ["@a", "@gpu"]


def test_machines_are_sorted_by_what_was_seen_and_those_not_seen_come_last(site: Served) -> None:
    assert names(site, "sort=load")[0] == "n01"
    assert names(site, "sort=seen")[:2] == ["n01", "odd"], "the last look did not reach odd"
    assert site.client.get("/machines.json?sort=x").status_code == 422


def test_a_thousand_machines_come_in_small_pages(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    mark_home(home)
    store = Store(home)
    tags = tuple((f"key{at}", "a value") for at in range(5))
    entries = [
        Entry(Machine(f"node{at:04}.site", Reach.SSH, f"10.1.1.{at}", "root"), ("farm", f"g{at % 40}"), tags)
        for at in range(1000)
    ]
    store.add_machines(entries)
    now = time.time_ns()
    store.add_health(Health(entry.name, now, None, 1.5, 0.4, 0.01) for entry in entries)
    store.close()
    with serving(home) as server:
        assert len(server.client.get("/machines").content) < 200_000
        seen = [name for at in range(1, 12) for name in names(server, f"at={at}")]
        assert (len(seen), len({*seen})) == (1001, 1001)
        assert json_of(server, "/machines?at=99")["at"] == 11


def test_a_machine_tells_how_it_is_and_was(site: Served) -> None:
    page = json_of(site, "/machines/odd")
    assert (page["machine"]["health"]["why"], page["machine"]["guest_of"]) == (BAD, "n01")
    assert (page["over_time"]["looks"], page["over_time"]["missed"]) == (73, 1)
    assert page["machine"]["looked"] > page["machine"]["seen"], "the last look did not reach it"
    assert "last seen" in site.client.get("/machines/odd").text
    load = page["over_time"]["quantities"][0]
    assert (load["now"], load["least"], load["most"]) == (None, "0.00", "71.00")
    assert json_of(site, "/machines/odd?days=1")["over_time"]["looks"] == 25
    assert (page["found"]["scene"], page["kept_count"]) == (BAD, 2)
    assert json_of(site, "/machines/n01")["guests"] == ["odd"]
    assert len(site.client.get("/machines/odd.charts.json").json()) == 4
    assert json_of(site, "/machines/n02")["over_time"]["since"] is None


def test_results_are_those_of_the_machine(site: Served) -> None:
    (line,) = json_of(site, "/machines/local")["results"]
    assert f'href="/results/{line["id"]}"' in site.client.get("/machines/local").text
    assert json_of(site, "/machines/n01")["results"] == []


def test_two_dates_are_compared_and_what_changed_is_dated(site: Served) -> None:
    page = json_of(site, "/machines/odd/diff")
    assert [one["field"] for one in page["differences"]] == ["flags"]
    older, newer = page["a"]["name"], page["b"]["name"]
    turned = json_of(site, f"/machines/odd/diff?a={newer}&b={older.partition('@')[2]}")
    assert (turned["a"]["name"], turned["b"]["name"]) == (newer, older)
    assert json_of(site, "/machines/n01/diff?a=odd&b=odd")["differences"] == []
    (change,) = json_of(site, "/machines/odd/changes")["changes"]
    assert (change["differences"][0]["field"], change["before"]) == ("flags", None)


def test_the_results_before_and_after_a_change_are_compared(tmp_path: Path) -> None:
    plans = (PLAN, replace(PLAN, id="0b0b0b0b"))
    home = home_of(tmp_path / "home", *plans)
    (machine,) = {record.machine for record in records()}
    for at, plan in enumerate(plans, 1):
        fingerprint = Fingerprint(replace(FACTS, kernel=f"6.{at}"), {}, at * DAY)
        seen = home / "activities" / plan.id / "facts"
        seen.mkdir()
        for boot in {record.boot for record in records()}:
            write_fingerprint(seen / f"{boot}.json", fingerprint)
        store = Store(home)
        store.import_folder(seen.parent)
        store.close()
    with serving(home) as server:
        (change,) = json_of(server, f"/machines/{machine}/changes")["changes"]
        assert (change["before"], change["since"]) == tuple(plan.id for plan in plans)
        page = server.client.get(f"/machines/{machine}/changes").text
        links = [html.unescape(one) for one in re.findall(r'href="(/compare[^"]*)"', page)]
        assert links == [f"/compare?with={change['before']}&with={change['since']}"]
        assert server.client.get(links[0], headers=AS_PAGE).status_code == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/machines/nope", 404), ("/machines/nope/edit", 404), ("/machines/nope/changes", 404),
        ("/machines/local/edit", 422), ("/machines/n01/facts", 422), ("/machines/n01/diff", 422),
        ("/machines/odd/facts?at=1999", 404), ("/machines/odd/diff?a=../x&b=odd", 422),
        ("/machines/odd/diff?a=..&b=odd", 422), ("/machines/odd/diff?a=..@last", 422),
        ("/machines/..%2f..%2fx/facts", 404), (f"/machines/{'a' * 400}/facts", 422),
        ("/machines/odd?days=0", 422), ("/machines?at=0", 422),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said(site: Served, path: str, status: int) -> None:
    assert site.client.get(path, headers=AS_PAGE).status_code == status


def test_an_activity_under_way_is_told_with_the_way_to_stop_it(site: Served) -> None:
    assert json_of(site, "/machines/local")["booked"] is None
    (result,) = json_of(site, "/machines/local")["results"]
    store = Store(site.home)
    store.set_state(result["id"], "running", ended_ns=None)  # type: ignore[arg-type]
    claim(site.home, result["id"])
    try:
        assert json_of(site, "/machines/local")["booked"]["id"] == result["id"]
        assert f'action="/activities/{result["id"]}/stop"' in site.client.get("/machines/local").text
    finally:
        release(site.home, result["id"])
        store.set_state(result["id"], "complete", ended_ns=None)  # type: ignore[arg-type]
        store.close()


def form_of(page: str) -> dict[str, str]:
    """Return what a browser would send with the form that changes something, as it was filled in."""
    found = dict(re.findall(r'<input[^>]* name="(\w+)" value="([^"]*)"', page))
    found |= dict(re.findall(r'<textarea[^>]* name="(\w+)"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL))
    for name, options in re.findall(r'<select[^>]* name="(\w+)">(.*?)</select>', page, re.DOTALL):
        chosen = re.search(r"<option selected>(\w+)", options)
        found[name] = chosen[1] if chosen else ""
    return {name: html.unescape(value).replace("\n", "\r\n") for name, value in found.items()}


def send(site: Served, path: str, form: dict[str, str]) -> httpx.Response:
    form = {"token": site.token(), **form}
    return site.client.post(path, data=form, headers={**AS_PAGE, "origin": site.at}, follow_redirects=True)


def test_a_form_that_is_sent_as_it_was_shown_changes_nothing_and_an_emptied_field_is_emptied(
    site: Served,
) -> None:
    store = Store(site.home)
    before = {entry.name: entry for entry in store.entries()}["odd"]
    form = form_of(site.client.get("/machines/odd/edit").text)
    assert form["notes"] == f"{BAD}\r\nsecond line"
    answer = send(site, "/machines/odd/edit", form)
    assert (answer.status_code, answer.url.path) == (200, "/machines/odd"), answer.text
    assert {entry.name: entry for entry in store.entries()}["odd"] == before
    emptied = {**form, "notes": "", "groups": "", "tags": "", "meant_for": "", "guest_of": ""}
    assert send(site, "/machines/odd/edit", emptied).status_code == 200
    now = {entry.name: entry for entry in store.entries()}["odd"]
    assert (now.notes, now.groups, now.tags, now.role, now.guest_of) == ("", (), (), None, None)
    assert send(site, "/machines/odd/edit", {**form, "ssh": ""}).status_code == 422
    assert send(site, "/machines/odd/edit", form).status_code == 200
    assert {entry.name: entry for entry in store.entries()}["odd"] == before
    store.close()


def test_what_a_program_does_not_send_stays(site: Served) -> None:
    assert site.post("/machines/n02/edit", notes="a fan is loud").json()["code"] == 0
    line = next(one for one in json_of(site, "/machines")["machines"] if one["name"] == "n02")
    assert (line["notes"], line["groups"]) == ("a fan is loud", ["farm"])


def test_a_machine_is_added_and_what_its_check_found_is_shown_then_it_is_removed(site: Served) -> None:
    form = {"name": "new", "ssh": "root@127.0.0.1:1", "groups": "farm, other", "tags": "rack=a 7\r\ngpu"}
    added = send(site, "/machines", form)
    assert (added.status_code, added.url.path) == (200, "/machines/new")
    assert "cannot reach new" in added.text
    page = json_of(site, "/machines/new")
    assert page["machine"]["tags"] == ["gpu", "rack=a 7"]
    assert page["found"]["error"].startswith("cannot reach new")
    again = send(site, "/machines", form)
    assert (again.status_code, "the name is taken" in again.text) == (422, True)
    checked = site.post("/machines/new/check")
    assert checked.json()["answer"]["machines"][0]["good"] is False
    assert site.post("/machines/new/facts").status_code == 502
    removed = send(site, "/machines/new/remove", {})
    assert (removed.url.path, "new" in names(site, "")) == ("/machines", False)


def test_a_machine_may_be_called_add(site: Served) -> None:
    assert send(site, "/machines", {"name": "add", "ssh": "root@127.0.0.1:1"}).url.path == "/machines/add"
    assert json_of(site, "/machines/add")["machine"]["name"] == "add"
    send(site, "/machines/add/remove", {})


def test_the_own_machine_is_checked_and_its_facts_are_kept(site: Served) -> None:
    assert site.post("/machines/local/check").status_code == 200
    assert site.post("/machines/local/facts").status_code == 200
    page = json_of(site, "/machines/local")
    assert (page["found"]["error"], page["kept_count"]) == (None, 1)
    assert dict(page["facts"])["kernel"]
    assert site.post("/machines/local/remove").status_code == 422


def test_a_value_is_never_an_option() -> None:
    edit = {
        "kind": "machine-edit",
        "name": "n",
        "notes": "--help",
        "tags": "--x\n-y=1",
        "groups": "",
        "ssh": "h",
    }
    words = ACTS.validate_python(edit).words()
    options = [word for word in words[:-2] if word.startswith("-")]
    assert words[-2:] == ["--", "n"]
    assert options == ["--json", "--ssh=h", "--notes=--help", "--group=", "--tag=--x", "--tag=-y=1"]


class As:
    """Knows everybody as one person of a role."""

    signs_in = False

    def __init__(self, role: persons.Role) -> None:
        self._role = role

    def answers(self, connection: HTTPConnection) -> bool:
        del connection
        return True

    def person(self, connection: HTTPConnection) -> persons.Person:
        del connection
        return persons.Person("somebody", self._role, key="somebody")


@pytest.mark.parametrize(
    ("role", "shown"),
    [
        (persons.Role.VIEWER, ()),
        (persons.Role.OPERATOR, ("check", "facts")),
        (persons.Role.ADMIN, ("check", "facts", "remove")),
    ],
)
def test_only_what_a_person_may_do_is_shown(
    tmp_path: Path, role: persons.Role, shown: tuple[str, ...]
) -> None:
    fill(tmp_path)
    store = Store(tmp_path)
    audit = Audit(tmp_path / "serve")
    made = Site(tmp_path, store, As(role), Commands(tmp_path, audit), audit, OwnLooks(tmp_path, store))
    app = httpx.ASGITransport(make_app(made, hosts={"here"}))  # type: ignore[arg-type]

    async def pages(*paths: str) -> list[str]:
        async with httpx.AsyncClient(transport=app, base_url="http://here", headers=AS_PAGE) as client:
            return [(await client.get(path)).text for path in paths]

    page, edit, listed = asyncio.run(pages("/machines/odd", "/machines/odd/edit", "/machines"))
    assert tuple(re.findall(r'method="post" action="/machines/odd/(\w+)"', page)) == shown
    admin = role is persons.Role.ADMIN
    assert ('href="/machines/odd/edit"' in page) is admin
    assert ('method="post"' in edit) is admin
    assert ('href="/add-machine"' in listed) is admin
    store.close()


@pytest.mark.live
@pytest.mark.parametrize("width", in_gate([420, 1400], 1))
def test_a_browser_draws_and_loads_what_is_opened_and_axe_finds_nothing_serious(
    site: Served, browser: Browser, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(bypass_csp=False, viewport={"width": width, "height": 900})
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    root = "document.documentElement"
    for path in PATHS:
        page.goto(site.at + path)
        if page.locator("[data-chart]").count():
            page.locator("html[data-charts=drawn]").wait_for(state="attached")
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0, path
    page.goto(f"{site.at}/machines/odd")
    for words, loaded in (("Show: all facts", "#all-facts"), ("Show: what changed", "#changes")):
        page.get_by_text(words).click()
        page.locator(loaded).wait_for()
    assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0
    assert said == []
    context.close()
    context = browser.new_context(bypass_csp=True, viewport={"width": width, "height": 900})
    page = context.new_page()
    for path in PATHS:
        page.goto(site.at + path)
        found = Axe().run(page).response["violations"]
        grave = [one for one in found if one["impact"] in {"serious", "critical"}]
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in grave] == [], path
    context.close()


def test_a_node_of_a_batch_system_keeps_its_address(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store = Store(home)
    store.add_machines([Entry(Machine("wn0", Reach.SLURM, "wn0", job=(("partition", "main"),)))])
    store.close()
    mark_home(home)
    with serving(home) as served:
        page = served.client.get("/machines/wn0/edit", headers={"accept": "text/html"}).text
        assert 'name="ssh"' not in page
        assert served.client.get("/machines/wn0.json").json()["machine"]["address"] == "slurm: wn0"
        assert served.post("/machines/wn0/edit", notes="slow fan").status_code == 200
        assert served.post("/machines/wn0/edit", ssh="root@wn0").status_code == 422
        assert served.client.get("/machines/wn0/edit.json").json()["notes"] == "slow fan"


def test_nodes_that_are_ours_are_shown_and_one_that_was_left_can_be_given_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store = Store(home)
    store.add_machines([Entry(Machine(f"wn{at}", Reach.SSH, "127.0.0.1", None, 1)) for at in range(3)])
    store.close()
    mark_home(home)
    notes = {
        name: {"machine": name, "engine": "slurm", "node": name, **more}
        for name, more in (("wn0", {}), ("wn1", {}), ("wn2", {"job": "12"}))
    }
    places = [home / "run" / "drained" / f"wn{at}.json" for at in range(2)]
    places.append(home / "run" / "assay-0123456789ab.used.lock")
    with serving(home) as served, ExitStack() as stack:
        for place, note in zip(places, notes.values(), strict=True):
            file = open_lock(place)
            stack.callback(file.close)
            file.write(json.dumps(note))
            file.flush()
            assert place == places[1] or take_lock(file)
        (home / "run" / "drained" / "odd.json").write_text("[]")
        page = served.client.get("/machines", headers={"accept": "text/html"}).text
        how = r"(held by job 12|drained, and measured|by an evaluation that was killed)"
        assert re.findall(how, page) == [
            "drained, and measured", "by an evaluation that was killed", "held by job 12",
        ]  # fmt: skip
        assert re.findall(r'action="(/machines/\w+/undrain)"', page) == ["/machines/wn1/undrain"]
        nodes = served.client.get("/machines.json").json()["nodes"]
        assert [(one["machine"], one["job"], one["used"]) for one in nodes] == [
            ("wn0", None, True), ("wn1", None, False), ("wn2", "12", True),
        ]  # fmt: skip
        assert served.post("/machines/wn0/undrain").status_code == 422
