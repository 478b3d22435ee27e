"""What a request passes before a page sees it, against a real server."""

from __future__ import annotations

import asyncio
import http.client
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from assay.model.errors import MissingError
from assay.store.store import Store
from assay.web.access.alone import Alone
from assay.web.access.person import Person, Role
from assay.web.frame import asset, file_of
from assay.web.gate import Gate
from assay.web.guard import limits
from assay.web.guard.browser import SECURITY_HEADERS
from assay.web.guard.limits import Limiter, Rate
from assay.web.guard.peer import peer_uid
from tests.passing import pass_by
from tests.web.conftest import Served
from tests.web.test_activity import here

OTHER = 65534
"""Uid of somebody else: nobody."""


def test_every_answer_has_the_headers_that_keep_a_browser_to_us(served: Served) -> None:
    for path in ("/", "/results.json", "/nothing", "/openapi.json", "/static/x/y"):
        headers = served.client.get(path).headers
        assert {name: headers.get(name) for name in SECURITY_HEADERS} == SECURITY_HEADERS, path
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "http" not in policy


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1", ""])
def test_another_name_that_leads_here_is_refused(served: Served, host: str) -> None:
    assert served.client.get("/", headers={"host": host}).status_code in {400, 421}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"x-assay-token": "0" * 64},
        {"origin": "SELF"},
        {"origin": "SELF", "x-assay-token": "0" * 64},
        {"origin": "SELF", "x-assay-token": ""},
        {"origin": "http://["},
        {"origin": "http://[", "x-assay-token": "0" * 64},
        {"origin": "SELF", "x-assay-token": "\xe9"},
    ],
)
def test_what_changes_something_needs_origin_and_token(served: Served, headers: dict[str, str]) -> None:
    sent = {name: value.replace("SELF", served.at).encode("iso-8859-1") for name, value in headers.items()}
    answer = served.client.post("/machines", json={"name": "n", "ssh": "root@h"}, headers=sent)
    assert answer.status_code == 403
    assert answer.headers["content-security-policy"]
    assert not [one for one in served.client.get("/machines.json").json()["machines"] if one["name"] == "n"]


def test_a_token_in_a_form_serves_a_page_without_scripts(served: Served) -> None:
    form = {"name": "-x", "ssh": "root@h", "token": served.token()}
    answer = served.client.post("/machines", data=form, headers={"origin": served.at})
    assert answer.status_code == 422, "past the gate: the name is what is wrong"


@pytest.mark.parametrize("token", ["é", "\ud800", "\x00", "0" * 64])
def test_a_token_that_is_none_is_refused_whatever_its_letters(served: Served, token: str) -> None:
    form = {"name": "n", "ssh": "root@h", "token": token.encode("utf-8", "surrogatepass")}
    answer = served.client.post("/machines", data=form, headers={"origin": served.at})
    assert (answer.status_code, answer.headers["x-frame-options"]) == (403, "DENY")


FOREIGN = [
    ({"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": to}, followed)
    for site in ("cross-site", "same-site")
    for mode, to, followed in (
        ("no-cors", "image", False),
        ("cors", "empty", False),
        ("navigate", "iframe", False),
        ("navigate", "document", True),
    )
]


@pytest.mark.parametrize(("headers", "followed"), FOREIGN)
def test_a_page_of_another_site_gets_no_answer_but_a_link_that_is_followed(
    served: Served, headers: dict[str, str], followed: bool
) -> None:
    for path in ("/", "/results.json", "/static/x/y"):
        known = served.client.get(path).status_code
        assert served.client.get(path, headers=headers).status_code == (known if followed else 403), path


@pytest.mark.parametrize("headers", [one for one, _ in FOREIGN])
@pytest.mark.parametrize("path", ["plan", "plan.json", "pl%61n"])
def test_no_page_of_another_site_has_a_scene_planned(
    served: Served, headers: dict[str, str], path: str
) -> None:
    answer = served.client.get(f"/scenes/no-such/{path}", headers=headers)
    assert (answer.status_code, answer.json()["error"][-16:]) == (403, "(Sec-Fetch-Site)")


@contextmanager
def foreign_page(text: str) -> Iterator[int]:
    """Serve a page of somebody else's; give its port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.live
@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
def test_a_page_of_another_site_can_only_lead_a_browser_to_us(
    served: Served, browser: Browser, name: str
) -> None:
    text = (
        f'<iframe src="{served.at}/machines"></iframe>'
        f'<a href="{served.at}/scenes">ours</a> <a href="{served.at}/scenes/quick/plan">planned</a>'
    )
    told: dict[str, int] = {}
    context = browser.new_context()
    page = context.new_page()
    page.on("response", lambda one: told.setdefault(httpx.URL(one.url).path, one.status))
    with foreign_page(text) as port:
        for link in ("ours", "planned"):
            page.goto(f"http://{name}:{port}/", wait_until="networkidle")
            page.get_by_role("link", name=link).click()
            page.wait_for_url(f"{served.at}/**")
    context.close()
    told.pop("/", None)
    told = {path: status for path, status in told.items() if not path.startswith(("/static", "/favicon"))}
    assert told == {"/machines": 403, "/scenes": 200, "/scenes/quick/plan": 403}


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_own_pages_and_typed_addresses_are_answered(served: Served, site: str) -> None:
    asked = {"sec-fetch-site": site, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}
    assert served.client.get("/results.json", headers=asked).status_code == 200
    assert served.client.get("/scenes/no-such/plan", headers=asked).status_code != 403


class _Failing(Alone):
    """Does not know who asks, for a reason of its own."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def answers(self, connection: HTTPConnection) -> bool:
        raise self._error


@pytest.mark.parametrize(("error", "status"), [(MissingError("no helper"), 409), (ValueError("a bug"), 500)])
def test_what_the_gate_itself_fails_at_has_the_headers_too(error: Exception, status: int) -> None:
    gate = Gate(_nothing, _Failing(error), {"testserver"}, b"secret")
    with ThreadPoolExecutor(1) as own:  # a browser's test may have left a loop running in this thread
        answer = own.submit(asyncio.run, _asked(gate)).result()
    assert answer.status_code == status
    assert {name: answer.headers.get(name) for name in SECURITY_HEADERS} == SECURITY_HEADERS
    assert "a bug" not in answer.text


async def _asked(app: ASGIApp) -> httpx.Response:
    inside = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=inside, base_url="http://testserver") as client:
        return await client.get("/")


async def _nothing(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise AssertionError


def test_a_large_body_is_not_read(served: Served) -> None:
    headers = {"origin": served.at, "x-assay-token": served.token(), "content-type": "application/json"}
    answer = served.client.post("/machines", content=b"x" * (limits.MOST_BYTES + 1), headers=headers)
    assert answer.status_code == 413

    def parts() -> object:
        for _ in range(40):
            yield b"x" * (limits.MOST_BYTES // 32)

    assert served.client.post("/machines", content=parts(), headers=headers).status_code == 413


def test_another_user_of_this_machine_is_not_answered(served: Served) -> None:
    if os.geteuid() != 0:
        pass_by("only root becomes another user")
    script = (
        "import os, sys, urllib.request, urllib.error\n"
        f"os.setgid({OTHER}); os.setuid({OTHER})\n"
        "try: print(urllib.request.urlopen(sys.argv[1]).status)\n"
        "except urllib.error.HTTPError as error: print(error.code)\n"
    )
    done = subprocess.run(
        ["/usr/bin/python3", "-c", script, f"{served.at}/me.json"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "403"


def test_a_request_that_is_sent_and_left_is_nobodys() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        client = socket.create_connection(listening.getsockname())
        end, peer = listening.accept()
        with end:
            assert peer_uid(peer, end.getsockname()) == os.getuid()
            client.close()
            assert peer_uid(peer, end.getsockname()) is None


def test_an_address_of_version_six_is_looked_up() -> None:
    try:
        listening = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pass_by("this machine has no IPv6")
    with listening, socket.create_connection(listening.getsockname()[:2]):
        end, peer = listening.accept()
        with end:
            assert peer_uid(peer[:2], end.getsockname()[:2]) == os.getuid()


def test_a_client_that_asks_too_often_is_told_when_to_come_again() -> None:
    now = 100.0
    limiter = Limiter(Rate(burst=2, per_s=0.5), clock=lambda: now)
    assert [limiter.wait_s("a") for _ in range(3)] == [0, 0, 2.0]
    assert limiter.wait_s("b") == 0
    now += 2
    assert limiter.wait_s("a") == 0
    assert limiter.wait_s("a") > 0


def test_clients_that_are_remembered_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_KNOWN", 3)
    limiter = Limiter(Rate(burst=1, per_s=0.001))
    for client in "abcd":
        limiter.wait_s(client)
    assert limiter.wait_s("a") == 0, "forgotten, the one that was quiet longest"
    assert limiter.wait_s("d") > 0


def test_nothing_is_served_beyond_loopback_without_signing_in(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        done = subprocess.run(
            [sys.executable, "-m", "assay", "serve", "--host", host, "--port", "0"],
            capture_output=True, text=True, check=False, env=_with_home(tmp_path),
        )  # fmt: skip
        assert done.returncode == 3, host
        assert "nobody would have to sign in" in done.stderr


def test_a_taken_port_is_said(served: Served, tmp_path: Path) -> None:
    port = httpx.URL(served.at).port
    done = subprocess.run(
        [sys.executable, "-m", "assay", "serve", "--port", str(port)],
        capture_output=True, text=True, check=False, env=_with_home(tmp_path),
    )  # fmt: skip
    assert done.returncode == 4
    assert "taken" in done.stderr


def _with_home(folder: Path) -> dict[str, str]:
    return {**os.environ, "ASSAY_HOME": str(folder / "home")}


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../app.py", "lib/../../app.py", "/proc/self/pagemap", "lib"]
)
def test_no_file_beyond_those_of_the_pages_is_read(name: str) -> None:
    with pytest.raises(FileNotFoundError):
        file_of(name)


@pytest.mark.parametrize("name", ["lib/././{}", "lib////{}", "lib/{}/", "./lib/{}", "lib/{}%00", "x" * 300])
def test_a_file_of_the_pages_has_one_name_and_no_other_is_remembered(served: Served, name: str) -> None:
    other = name.format("htmx.min.js")
    digest = asset("lib/htmx.min.js").split("/")[2]
    connection = http.client.HTTPConnection(httpx.URL(served.at).netloc.decode())
    with closing(connection):
        connection.request("GET", f"/static/{digest}/{other}")  # httpx would make it shorter
        answer = connection.getresponse()
        assert (answer.status, "there is no such file" in answer.read().decode()) == (404, True)
    before = asset.cache_info().currsize
    with pytest.raises(FileNotFoundError):
        asset(other)
    assert asset.cache_info().currsize == before


def test_a_browser_is_shown_a_page_for_what_the_gate_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "READS", Rate(burst=10, per_s=0.001))
    Store(tmp_path / "home").close()
    with here(tmp_path / "home", Role.OPERATOR) as site:
        form = {"text": "scene: x", "token": "0" * 64}
        answer = site.client.post("/scenes", data=form, headers={"origin": site.at})
        assert (answer.status_code, answer.headers["content-type"][:9]) == (403, "text/html")
        assert "the page is out of date: load it again" in answer.text
        assert 'aria-label="Site"' in answer.text
        assert answer.headers["x-frame-options"] == "DENY"
        program = site.client.post("/scenes", data=form, headers={"origin": site.at, "accept": "*/*"})
        assert program.json()["error"] == "the page is out of date: load it again"
        late = [site.client.get("/healthz") for _ in range(11)][-1]
        assert (late.status_code, late.headers["content-type"][:9]) == (429, "text/html")
        assert int(late.headers["retry-after"]) > 0
        assert "too many requests" in late.text


def test_a_text_that_is_checked_while_it_is_typed_is_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "WRITES", Rate(burst=2, per_s=0.001))
    monkeypatch.setattr(limits, "CHECKS", Rate(burst=20, per_s=0.001))
    Store(tmp_path / "home").close()
    with here(tmp_path / "home", Role.OPERATOR) as site:
        checks = [site.post("/scenes/check", text="scene: x").status_code for _ in range(21)]
        assert checks == [200] * 20 + [429]
        assert site.post("/scenes", text="scene: x").status_code == 303, "and it can be saved"


def test_all_sessions_of_a_person_are_counted_as_one() -> None:
    one = Person("Vera", Role.VIEWER, key="session a", subject="vera")
    other, somebody = replace(one, key="session b"), replace(one, subject="otto")
    assert one.who == other.who != somebody.who
    token, local = Person("token t", Role.VIEWER, key="token 1"), Person("root", Role.ADMIN, key="uid 0")
    assert len({one.who, somebody.who, token.who, local.who}) == 4
