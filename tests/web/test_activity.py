"""The page of an activity, as it goes on and when it is over."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from playwright.sync_api import Browser, expect
from starlette.requests import HTTPConnection

from assay.activities import following
from assay.activities.fleet.pages import fleet_page
from assay.model.fleet import Failure, Lane, Stop
from assay.store.fleet import write_fleet, write_stop
from assay.store.rows import ActivityRow, FleetRow
from assay.store.store import Store
from assay.web.access.audit import Audit
from assay.web.access.person import Person, Role
from assay.web.acts.carry import Done, check_allowed
from assay.web.acts.looks import OwnLooks
from assay.web.acts.requests import Act
from assay.web.app import make_app
from assay.web.live.feed import Feeds
from assay.web.live.watches import FOLLOWED_S, MOST_LEFT, Now, Watches
from assay.web.site import Site
from tests.results.test_outcome import PLAN
from tests.store.test_fleet import FLEET, laid
from tests.web.conftest import Served, serving
from tests.web.going import HOSTILE, Going
from tests.web.homes import home_of

CLIENTS = 200
AT = "/activities/0123abcd"


@pytest.fixture
def going(tmp_path: Path) -> Iterator[Going]:
    """An activity that goes on, of which one block has ended."""
    made = Going(tmp_path / "home")
    made.record(3)
    yield made
    made.end()


@dataclass
class Known:
    """Everybody is the same person.

    Attributes:
        role: What they may.
    """

    role: Role
    signs_in: bool = False

    def answers(self, _: HTTPConnection) -> bool:
        return True

    def person(self, _: HTTPConnection) -> Person:
        return Person("p", self.role, key="p")


@dataclass
class Kept:
    """Keeps what it is asked for, and does nothing.

    Attributes:
        acts: What it was asked for.
        answer: What it says a command has printed.
    """

    acts: list[Act] = field(default_factory=list)
    answer: dict[str, Any] | None = None

    def carry_out(self, act: Act, person: Person) -> Done:
        check_allowed(act, person)
        self.acts.append(act)
        return Done(None, "begun", self.answer)

    def close(self) -> None:
        """Nothing waits."""


@dataclass
class Here:
    """An application that this process serves.

    Attributes:
        at: Its address.
        client: Asks it as a browser would.
        site: What it is made of.
        asked: What it was asked for.
    """

    at: str
    client: httpx.Client
    site: Site
    asked: Kept

    def post(self, path: str, **form: str) -> httpx.Response:
        """Send a form of a page."""
        fields = {"token": self.client.get("/me.json").json()["token"], **form}
        return self.client.post(path, data=fields, headers={"origin": self.at})


@contextmanager
def here(
    home: Path,
    role: Role,
    feeds: Feeds | None = None,
    watches: Watches | None = None,
    *,
    access: Known | None = None,
) -> Iterator[Here]:
    """Serve a home where everybody has a role, and nothing that is asked for is done."""
    store, kept = Store(home), Kept()
    audit, known, looks = Audit(home / "serve"), access or Known(role), OwnLooks(home, store)
    site = Site(home, store, known, kept, audit, looks, feeds or Feeds(), watches or Watches())
    with socket.create_server(("127.0.0.1", 0), backlog=CLIENTS) as listening:
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(make_app(site, hosts=[host]), log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            headers, at = {"accept": "text/html"}, f"http://{host}"
            with httpx.Client(base_url=at, timeout=30, trust_env=False, headers=headers) as client:
                yield Here(at, client, site, kept)
        finally:
            server.should_exit = True
            thread.join(30)
            store.close()
    assert not thread.is_alive()


def context(client: httpx.Client, at: str = AT) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{at}.json").json()
    return found


def events(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and content of each event."""
    name, data = "", []
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data:"):
            data.append(line[6:])
        elif not line and name:
            yield name, "\n".join(data)
            name, data = "", []


def test_an_activity_that_goes_on_is_shown_with_all_that_is_known(going: Going) -> None:
    going.fail(f"exit 1: {HOSTILE}")
    going.doubt("Others used the processor.")
    going.say(f"trial 4 ended {HOSTILE}")
    planned = going.begin()
    with serving(going.home) as served:
        found = context(served.client)
        (lane,) = found["lanes"]
        assert (found["going"], found["done"], found["left"], found["failures"]) == (True, 5, 13, 1)
        assert lane["now"]["state"] == "running"
        assert lane["now"]["trial"].startswith(f"block {planned.block} ")
        assert found["failed"][0]["cause"] == f"exit 1: {HOSTILE}"
        assert found["doubts"][0]["sentence"] == "Others used the processor."
        assert found["log"] == [f"trial 4 ended {HOSTILE}"]
        assert found["acts"] == ["stop"]
        looks = found["courses"][0]["looks"]
        assert [look["blocks"] for look in looks] == [1]
        page = served.client.get(AT).text
        assert HOSTILE not in page
        assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 2
        assert f"{AT}/events?have=" in page
        charts = served.client.get(f"{AT}.charts.json").json()
        assert charts[0]["data"]["values"][0]["loss"] == looks[0]["loss"]


def test_the_stream_tells_what_has_changed_and_ends_when_nobody_conducts_it(going: Going) -> None:
    with (
        serving(going.home) as served,
        served.client.stream("GET", f"{AT}/events") as stream,
    ):
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert "content-security-policy" in stream.headers
        told = events(stream.iter_lines())
        first = dict(next(told) for _ in range(4))
        assert "3 of 18 trials" in first["lanes"]
        assert 'data-chart="0"' in first["course"]
        assert first["troubles"].strip() == ""
        going.fail(HOSTILE)
        changed = {}
        while "troubles" not in changed:
            name, text = next(told)
            changed[name] = text
        assert "&lt;script&gt;" in changed["troubles"]
        assert HOSTILE not in changed["troubles"]
        going.end()
        rest = list(told)
        assert rest[-1] == ("over", "")
        assert all(name in {"lanes", "course", "over"} for name, _ in rest), "the log has not changed"
        going.end()


def test_the_page_has_what_the_stream_would_send_first(going: Going) -> None:
    with serving(going.home) as served:
        page = served.client.get(AT).text
        have = page.partition("/events?have=")[2].partition('"')[0]
        going.end()
        with served.client.stream("GET", f"{AT}/events?have={have}") as stream:
            names = [name for name, _ in events(stream.iter_lines())]
        assert names == ["lanes", "over"], "its state alone has changed"


@dataclass
class Counted(Watches):
    """Counts looks, and those at the same time."""

    def __post_init__(self) -> None:
        super().__init__()
        self.looks = self.most = self._now = 0

    def now(self, home: Path, row: ActivityRow | FleetRow) -> Now:
        self.looks, self._now = self.looks + 1, self._now + 1
        self.most = max(self.most, self._now)
        found = super().now(home, row)
        self._now -= 1
        return found


def test_many_clients_on_one_activity_share_one_look(going: Going) -> None:
    watches = Counted()
    with here(going.home, Role.VIEWER, Feeds(look_s=0.5), watches) as served:
        following = _follow_all(served.at, going, served.site.feeds, watches)
        with ThreadPoolExecutor(1) as thread:  # a browser of other tests keeps a loop in this one
            thread.submit(asyncio.run, following).result()


async def _follow_all(at: str, going: Going, feeds: Feeds, watches: Counted) -> None:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=at, timeout=60, trust_env=False, limits=limits) as client:
        begun = asyncio.Semaphore(0)

        async def follow() -> list[str]:
            names = []
            async with client.stream("GET", f"{AT}/events") as stream:
                async for line in stream.aiter_lines():
                    if line.startswith("event: "):
                        names.append(line.removeprefix("event: "))
                    if len(names) == 4:
                        begun.release()
            return names

        tasks = [asyncio.create_task(follow()) for _ in range(CLIENTS)]
        for _ in range(CLIENTS):
            await asyncio.wait_for(begun.acquire(), 60)
        assert feeds.followed == (going.id,)
        before = watches.looks
        going.record(3)
        going.end()
        told = await asyncio.gather(*tasks)
    assert all(names[:4] == ["lanes", "course", "troubles", "log"] for names in told)
    assert all(names[-1] == "over" and names.count("course") >= 2 for names in told)
    assert watches.most == 1
    assert watches.looks - before <= 4, "one look after the change, two that it is over, one under way"


def test_a_server_with_open_streams_ends_at_once(going: Going) -> None:
    words = [sys.executable, "-m", "assay", "serve", "--port", "0"]
    env = {**os.environ, "ASSAY_HOME": str(going.home), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        at = server.stdout.readline().split()[3].rstrip("/")
        with (
            httpx.Client(base_url=at, timeout=30, trust_env=False) as client,
            client.stream("GET", f"{AT}/events") as stream,
        ):
            told = events(stream.iter_lines())
            next(told)
            server.send_signal(signal.SIGINT)
            assert "over" not in [name for name, _ in told], "whoever follows comes again"
        said = server.communicate(timeout=60)[0]
        assert "Cancel" not in said
        assert "Traceback" not in said


@pytest.mark.parametrize("blocks", [0, 1, 6])
def test_what_goes_on_can_be_stopped(tmp_path: Path, blocks: int) -> None:
    going = Going(tmp_path / "home")
    going.record(3 * blocks)
    with here(going.home, Role.OPERATOR) as served:
        assert context(served.client)["acts"] == ["stop"]
    going.end()


def test_what_was_cut_off_can_be_resumed_and_what_is_finished_extended(going: Going) -> None:
    going.end()
    with here(going.home, Role.OPERATOR) as served:
        found = context(served.client)
        assert (found["going"], found["acts"]) == (False, ["resume"])
        assert found["line"]["state"] == "interrupted"
        going.record(15)
        found = context(served.client)
        assert (found["line"]["state"], found["acts"]) == ("complete", ["extend"])
        page = served.client.get(AT).text
        assert f'href="/results/{going.id}"' in page
        assert "sse-connect" not in page
        answer = served.post(f"{AT}/extend", blocks="4")
        assert answer.status_code == 303
        assert answer.headers["location"].startswith(f"{AT}?said=")
        words = ["activity", "extend", "--blocks=4", "--detach", "--wait", "--json", "--", going.id]
        assert [act.words() for act in served.asked.acts] == [words]
        assert 'hx-trigger="load delay:3s"' in served.client.get(answer.headers["location"]).text
        assert served.post(f"{AT}/extend", blocks="0").status_code == 422


def test_a_viewer_sees_no_buttons_and_is_refused(going: Going) -> None:
    with here(going.home, Role.VIEWER) as served:
        assert context(served.client)["acts"] == []
        assert "<form" not in served.client.get(AT).text
        for act in ("stop", "resume", "retry", "extend"):
            fields = {"blocks": "3"} if act == "extend" else {}
            assert served.post(f"{AT}/{act}", **fields).status_code == 403, act
        assert served.asked.acts == []


def test_stop_reaches_the_process_that_conducts_it(going: Going) -> None:
    """That is this process: it gets the signal that Ctrl-C sends."""
    stopped = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: stopped.set())
    try:
        with serving(going.home) as served:
            answer = served.post(f"{AT}/stop")
            assert answer.status_code == 200, answer.text
            assert stopped.wait(30)
    finally:
        signal.signal(signal.SIGINT, before)


def test_machines_have_pages_of_their_own_and_those_taken_out_can_be_tried_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    folder = laid(store.home)
    write_stop(folder, FLEET.lanes[2], Stop(Failure.REFUSED, f"its key {HOSTILE}", None, 1, 1, 4))
    store.import_fleet(folder)
    assert fleet_page(folder, store.home).state == "interrupted"
    store.close()
    with here(tmp_path / "home", Role.OPERATOR) as served:
        found = context(served.client, f"/activities/{FLEET.id}")
        states = [(lane["activity"], lane["now"]["state"]) for lane in found["lanes"]]
        assert states == [("0000000a", "complete"), ("0000000b", "interrupted"), (None, "out")]
        assert found["acts"] == ["resume", "retry", "extend"]
        page = served.client.get(f"/activities/{FLEET.id}").text
        assert HOSTILE not in page
        assert 'href="/activities/0000000a"' in page
        lane = context(served.client, "/activities/0000000a")
        assert (lane["fleet"], lane["acts"]) == (FLEET.id, [])


def test_a_thousand_machines_come_in_small_pages(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    more = tuple(Lane(f"node{at:04d}", f"{at:08x}") for at in range(256, 1253))
    fleet = replace(FLEET, lanes=(*FLEET.lanes, *more))
    folder = laid(store.home)
    write_fleet(folder, fleet)
    for lane in fleet.lanes[500:650]:
        write_stop(folder, lane, Stop(Failure.REFUSED, "its host key has changed", None, 1, 1, 4))
    store.import_fleet(folder)
    store.close()
    at = f"/activities/{FLEET.id}"
    with here(tmp_path / "home", Role.VIEWER) as served:
        found = context(served.client, at)
        counts = {one["state"]: one["machines"] for one in found["states"]}
        assert counts == {"out": 150, "interrupted": 1, "waiting": 848, "complete": 1}
        assert (found["machines"], len(found["lanes"])) == (1000, 100)
        assert {lane["now"]["state"] for lane in found["lanes"]} == {"out"}
        page = served.client.get(at).text
        assert f'href="{at}/machines?state=out"' in page
        assert len(page) < 60_000
        with served.client.stream("GET", f"{at}/events") as stream:
            sent = dict(events(stream.iter_lines()))
        assert sent["lanes"].count("<tr>") == 101
        assert len(sent["lanes"]) < 60_000

        names = []
        for number in (1, 2):
            asked = {"state": "out", "at": number}
            part = served.client.get(f"{at}/machines.json", params=asked).json()
            assert (part["pages"], part["machines"]) == (2, 1000)
            names += [lane["now"]["machine"] for lane in part["lanes"]]
        assert names == [lane.machine for lane in fleet.lanes[500:650]]
        text = served.client.get(f"{at}/machines?state=out").text
        assert f'rel="next" href="{at}/machines?at=2&state=out"' in text
        assert len(text) < 60_000
        assert len(context(served.client, f"{at}/machines")["lanes"]) == 100
        assert served.client.get(f"{at}/machines?state=running").status_code == 200
        assert served.client.get(f"{at}/machines?state=lost").status_code == 422


def test_there_is_a_limit_of_streams(going: Going, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.web.live.feed.MOST_EACH", 0)
    with here(going.home, Role.VIEWER) as served:
        answer = served.client.get(f"{AT}/events", headers={"accept": "text/event-stream"})
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "5"


class _Sessions(Known):
    """One person, in another session for each request."""

    def person(self, _: HTTPConnection) -> Person:
        self.made = getattr(self, "made", 0) + 1
        return Person("Vera", self.role, key=f"session {self.made}", subject="vera")


class _Full(Feeds):
    """Has no room for anybody, and remembers who asked."""

    def has_room(self, who: str) -> bool:
        self.asked = {*getattr(self, "asked", ()), who}
        return False


def test_streams_of_all_sessions_of_a_person_are_counted_together(going: Going) -> None:
    feeds = _Full()
    with here(going.home, Role.VIEWER, feeds, access=_Sessions(Role.VIEWER)) as served:
        assert [served.client.get(f"{AT}/events").status_code for _ in range(3)] == [429] * 3
    assert feeds.asked == {Person("Vera", Role.VIEWER, key="any", subject="vera").who}


def test_as_many_activities_are_kept_as_are_followed(tmp_path: Path) -> None:
    now, read = 100.0, []
    watches = Watches(clock=lambda: now)
    ids = [f"{at:08x}" for at in range(20)]
    home = home_of(tmp_path / "home", *(replace(PLAN, id=one) for one in ids))
    store = Store(home)
    rows = {one: store.find(one) for one in ids}
    with pytest.MonkeyPatch.context() as changed:
        real = following.read_trial
        changed.setattr(following, "read_trial", lambda *given: read.append(1) or real(*given))
        for _ in range(3):
            for row in rows.values():
                watches.now(home, row)
            now += 1
        once = len(read)
        assert once == len(ids) * len(list((home / "activities" / ids[0] / "trials").iterdir()))
        now += FOLLOWED_S
        watches.now(home, rows[ids[0]])
        assert len(watches._known) == MOST_LEFT
        assert len(read) == once
        watches.now(home, rows[ids[1]])
        assert len(read) == once + once // len(ids), "that was forgotten, as nobody followed it"
        changed.setattr("assay.web.live.watches.MOST_FOLLOWED", 10)
        for row in rows.values():
            watches.now(home, row)
        assert len(watches._known) == 10
    store.close()


def test_an_activity_that_is_not_there_is_said(served: Served) -> None:
    for at in ("/activities/feed", "/activities/feed/events"):
        answer = served.client.get(at)
        assert answer.status_code == 404
        assert "unknown activity" in json.loads(answer.text)["error"]


def test_the_overview_shows_how_far_it_is(tmp_path: Path) -> None:
    going = Going(tmp_path / "home", title=HOSTILE)
    going.record(6)
    with here(going.home, Role.VIEWER) as served:
        (one,) = served.client.get("/index.json").json()["under_way"]
        assert (one["done"], one["left"], one["remaining_s"] > 0) == (6, 12, True)
        page, part = served.client.get("/").text, served.client.get("/under-way").text
        assert part.strip() in page
        assert 'hx-get="/under-way" hx-trigger="every 5s"' in page
        assert "6 of 18 trials</label>" in part
        assert "<html" not in part
        assert HOSTILE not in page
        going.end()
        assert "Nothing is being measured" in served.client.get("/under-way").text


@pytest.mark.live
@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_follows_an_activity_to_its_end(tmp_path: Path, browser: Browser, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    going = Going(tmp_path / "home", title=HOSTILE)
    seen = browser.new_context(color_scheme=scheme, bypass_csp=False, viewport={"width": 420, "height": 900})
    page, said = seen.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    with serving(going.home) as served:
        page.goto(served.at + AT)
        expect(page.get_by_text("0 of 18 trials")).to_be_visible()
        going.record(3)
        page.locator("html[data-charts=drawn]").wait_for(state="attached")
        expect(page.locator("[data-chart] svg .mark-symbol path")).to_have_count(1)
        going.fail(HOSTILE)
        going.record(5)
        expect(page.get_by_text("9 of 18 trials")).to_be_visible(timeout=30_000)
        expect(page.locator("[data-chart] svg .mark-symbol path")).to_have_count(3)
        expect(page.get_by_role("heading", name="Failed trials")).to_be_visible()
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0
        going.end()
        expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=30_000)
        assert said == []
        checked = browser.new_context(color_scheme=scheme, bypass_csp=True).new_page()
        checked.goto(served.at + AT)
        found = Axe().run(checked).response["violations"]
        grave = [(one["id"], one["nodes"][0]["html"][:200]) for one in found]
        assert grave == []
        checked.context.close()
    seen.close()
