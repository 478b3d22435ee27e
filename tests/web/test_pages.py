"""Every page and its JSON, of a home with one result."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from assay.web.frame import file_of
from tests.web.conftest import Served

PAGES = (
    "/", "/machines", "/add-machine", "/machines/local", "/machines/local/changes", "/scenes",
    "/scenes/quick", "/scenes/quick/plan", "/new-scene", "/activities", "/results", "/api", "/audit",
)  # fmt: skip
LIBRARIES = Path(__file__).parents[2] / "src/assay/web/static/lib"
MOST_BYTES = 200_000


def _paths(served: Served) -> list[str]:
    result = served.client.get("/results.json").json()["results"][0]["id"]
    return [*PAGES, f"/results/{result}", f"/activities/{result}"]


def test_every_page_has_its_context_at_the_same_address(served: Served) -> None:
    for path in _paths(served):
        page = served.client.get(path, headers={"accept": "text/html"})
        assert page.status_code == 200, path
        assert page.headers["content-type"].startswith("text/html")
        context = served.client.get(("/index" if path == "/" else path) + ".json")
        assert context.status_code == 200, path
        assert isinstance(context.json(), dict)


def test_every_page_is_small(served: Served) -> None:
    for path in _paths(served):
        assert len(served.client.get(path).content) < MOST_BYTES, path


def test_what_is_not_there_is_a_page_and_a_line(served: Served) -> None:
    page = served.client.get("/results/feed", headers={"accept": "text/html"})
    assert (page.status_code, "feed" in page.text) == (404, True)
    line = served.client.get("/results/feed.json")
    assert line.status_code == 404
    assert "unknown activity" in line.json()["error"]


def test_an_address_makes_a_page_say_nothing_of_its_own(served: Served) -> None:
    assert "your password" not in served.client.get("/results", params={"said": "send us your password"}).text
    assert ">removed</p>" in served.client.get("/scenes", params={"said": "removed"}).text


def test_a_file_of_another_content_is_not_there(served: Served) -> None:
    good = re.findall(r'(?:src|href)="(/static/[^"]+)"', served.client.get("/").text)
    assert len(good) >= 4
    assert all(served.client.get(one).status_code == 200 for one in good)
    assert served.client.get("/static/000000000000/site.css").status_code == 404
    assert served.client.get("/static/000000000000/../../app.py").status_code == 404


def test_libraries_are_those_of_the_table() -> None:
    told = re.findall(r"\| `([a-z.-]+\.js)` .* `([0-9a-f]{64})` \|", (LIBRARIES / "README.md").read_text())
    assert {name for name, _ in told} == {one.name for one in LIBRARIES.glob("*.js")}
    for name, digest in told:
        assert hashlib.sha256(file_of(f"lib/{name}")).hexdigest() == digest
