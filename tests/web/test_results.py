"""A result's page: what is left, long sections, trials, records, files, downloads, advice."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser

from assay.model.files.home import mark_home
from assay.model.fleet import Failure, Stop
from assay.report.render.frame import filled
from assay.results.fleet.fleet_rows import fleet_rows
from assay.results.series.profiles import FOLDED
from assay.store.fleet import write_fleet, write_stop
from assay.store.store import Store
from assay.web import late
from assay.web.frame import templates
from assay.web.views import results
from tests.report.fleets import page_with
from tests.results.fleet.test_fleet_rows import with_outliers
from tests.results.test_outcome import PLAN
from tests.results.test_sweep import RECORDS as SWEPT
from tests.results.test_sweep import SWEEP
from tests.store.test_fleet import FLEET, laid
from tests.web.conftest import Served, serving
from tests.web.homes import SCRIPT, SEARCH, fleet_home, home_of, hostile_home

FRAME = ("style", "style_hash", "library", "draw", "hashes", "charts")
AT = f"/results/{PLAN.id}"


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a home whose names are scripts."""
    with serving(hostile_home(tmp_path_factory.mktemp("nasty") / "home")) as server:
        yield server


PAGES = (
    "/",
    AT,
    "/results",
    f"{AT}/parts/losses",
    f"{AT}/parts/trials",
    f"{AT}/trials",
    f"{AT}/trials/0",
    f"{AT}/advice",
    f"{AT}/files",
    f"{AT}/downloads",
    "/compare",
    f"/compare?with={PLAN.id}&with=0b0b0b0b",
    f"/compare/parts/doubts?with={PLAN.id}&with=0b0b0b0b",
    f"/compare/facts?with={PLAN.id}&with=0b0b0b0b",
    "/tune",
    f"/tune/{SEARCH}",
)


def test_no_name_becomes_a_script_on_any_page(nasty: Served) -> None:
    for path in PAGES:
        page = nasty.client.get(path, headers={"accept": "text/html"})
        assert page.status_code == 200, path
        assert "<script>alert" not in page.text, path
        assert "<b onload" not in page.text, path
        assert len(page.content) < 200_000, path
        at, _, asked = path.partition("?")
        context = nasty.client.get(f"{'/index' if at == '/' else at}.json?{asked}")
        assert context.status_code == 200, path
        assert isinstance(context.json(), dict), path


@pytest.mark.live
def test_a_browser_shows_every_page_and_runs_nothing_of_a_name(nasty: Served, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 420, "height": 900})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    for path in PAGES:
        page.goto(nasty.at + path)
        if page.locator("[data-chart]").count():
            page.locator("html[data-charts=drawn]").wait_for(state="attached")
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0, f"{path} is wider than a phone"
    assert said == []
    context.close()


@pytest.mark.live
def test_axe_finds_nothing_serious(nasty: Served, browser: Browser) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    for path in PAGES:
        page.goto(nasty.at + path)
        found = Axe().run(page).response["violations"]
        worst = [one for one in found if one["impact"] in {"serious", "critical"}]
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in worst] == [], path
    context.close()


def test_a_result_begins_with_what_is_left(served: Served) -> None:
    headline = served.client.get(f"{AT}.json").json()["headline"]
    (line,) = headline["lines"]
    assert line["left"] == pytest.approx(0.5, abs=0.01)
    assert line["low"] <= line["left"] <= line["high"]
    assert (headline["workload"], line["machines"], line["cost"]) == ("spin", None, None)
    page = served.client.get(f"{AT}?machines=100").text
    assert "of your 100 machines" in page
    assert page.index("of your 100 machines") < page.index("<h1>")


def test_energy_and_price_are_told_of_events_that_were_counted(served: Served, nasty: Served) -> None:
    cost = served.client.get(f"{AT}.json?watts=360&machines=").json()["headline"]["lines"][0]["cost"]
    assert cost["baseline_kwh"] == pytest.approx(1e6 / 100.5 / 3600 * 0.36, rel=1e-3)
    assert cost["treatment_kwh"] == pytest.approx(2 * cost["baseline_kwh"], rel=0.02)
    assert cost["baseline_price"] is None
    asked = "watts=360&price_kwh=0.5&currency=EUR"
    priced = served.client.get(f"{AT}.json?{asked}").json()["headline"]["lines"][0]["cost"]
    assert priced["treatment_price"] == pytest.approx(0.5 * priced["treatment_kwh"])
    assert "EUR on host" in served.client.get(f"{AT}?{asked}").text
    assert nasty.client.get(f"{AT}.json?watts=360").json()["headline"]["lines"][0]["cost"] is None
    assert "nothing here tells of events" in nasty.client.get(f"{AT}?watts=360").text


@pytest.mark.parametrize(
    "asked", ["machines=0", "watts=-1", "watts=nan", "watts=inf", "currency=<b>", "machines=x"]
)
def test_what_no_site_can_say_of_itself_is_refused(served: Served, asked: str) -> None:
    assert served.client.get(f"{AT}?{asked}").status_code == 422


def test_a_long_section_is_a_page_of_its_own(served: Served) -> None:
    put = late.long_ones_late("/results/x")
    short = '<section aria-labelledby="doubts">\n<h2 id="doubts">Doubts &amp; more</h2></section>'
    assert put("doubts", lambda: short) == short
    stub = put("doubts", lambda: short + "x" * late.AT_ONCE)
    assert 'hx-get="/results/x/parts/doubts"' in stub
    assert '<a href="/results/x/parts/doubts">' in stub
    assert "Doubts &amp; more" in stub
    many = [put("doubts", lambda: short + "x" * 15_000) for _ in range(20)]
    assert sum(map(len, many)) < late.PAGE + 20 * 700
    known = late.long_ones_late("/results/x", "with=a&with=b", surely={"trials": "Trials <of> all"})
    stub = known("trials", lambda: pytest.fail("a section that is known to be long is not made"))
    assert 'hx-get="/results/x/parts/trials?with=a&amp;with=b"' in stub
    assert "Trials &lt;of&gt; all" in stub
    part = served.client.get(f"{AT}/parts/trials").text
    assert "Trials of each block" in part
    assert "How it was measured" not in part
    assert served.client.get(f"{AT}/parts/nothing").status_code == 422


def test_a_number_opens_its_trials_and_these_their_records(served: Served) -> None:
    page = served.client.get(AT).text
    assert f"{AT}/trials?workload=spin&amp;metric=" in page
    shown = served.client.get(f"{AT}/trials.json").json()
    assert [block["block"] for block in shown["blocks"]] == [0, 1, 2]
    first = shown["blocks"][0]
    assert [round(visit["value"]) for visit in first["baseline"]] == [100, 101]
    assert [visit["value"] for visit in first["treatment"]] == [50.0]
    index = first["treatment"][0]["index"]
    record = served.client.get(f"{AT}/trials/{index}.json").json()
    assert record["record"]["planned"]["index"] == index
    assert record["record"]["measurements"][0]["value"] == 50.0
    assert served.client.get(f"{AT}/trials?workload=nothing").status_code == 404
    assert served.client.get(f"{AT}/trials/99").status_code == 404


def test_of_many_blocks_some_are_shown_at_a_time(served: Served) -> None:
    some = served.client.get(f"{AT}/trials.json?start=2").json()
    assert (some["start"], some["total"], [block["block"] for block in some["blocks"]]) == (2, 3, [2])


def test_a_file_of_a_trial_is_saved_as_text_and_nothing_else_is_given_out(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", PLAN)
    place = min((home / "activities" / PLAN.id / "trials").iterdir())
    (place / "page.html").write_text(SCRIPT)
    (place / "binary").write_bytes(b"\x7fELF\0")
    (place / "out").symlink_to("/etc/passwd")
    (place / "below").mkdir()
    (place / "below" / "it's.txt").write_text("below")
    (place / "away").symlink_to("/etc")
    with serving(home) as served:
        files = f"{AT}/trials/0/files"
        html = served.client.get(f"{files}/page.html")
        assert html.headers["content-type"].startswith("text/plain")
        assert html.headers["content-disposition"].startswith("attachment;")
        assert html.headers["x-content-type-options"] == "nosniff"
        assert served.client.get(f"{files}/below/it's.txt").text == "below"
        assert served.client.get(f"{files}/binary").status_code == 422
        for path in ("out", "away/passwd", "..%2ftrial.json", "%2e%2e/x", "nothing", "below", ""):
            assert served.client.get(f"{files}/{path}").status_code == 404, path
        listed = served.client.get(f"{AT}/trials/0.json").json()["files"]
        assert {one["path"] for one in listed} == {
            "trial.json",
            "stdout",
            "page.html",
            "binary",
            "below/it's.txt",
        }
        assert served.client.get(f"{AT}/trials/0").text.count("it%27s.txt") == 1


def test_a_result_is_had_as_every_format_tables_and_charts(served: Served) -> None:
    known = served.client.get(f"{AT}/downloads.json").json()
    assert {"html", "pdf", "md", "json", "text"} <= set(known["reports"])
    for form in ("html", "md", "json", "text"):
        made = served.client.get(f"{AT}/report.{form}")
        assert made.status_code == 200, form
        assert made.headers["content-disposition"].startswith(f'attachment; filename="{PLAN.id}.')
    assert json.loads(served.client.get(f"{AT}/report.json").text)["schema"] == "assay.report"
    rows = list(csv.DictReader(io.StringIO(served.client.get(f"{AT}/tables/estimates.csv").text)))
    assert [row["workload"] for row in rows] == ["spin"]
    assert served.client.get(f"{AT}/tables/estimates.parquet").content[:4] == b"PAR1"
    chart = served.client.get(f"{AT}/charts/{known['charts'][0]['name']}.svg")
    assert chart.text.startswith("<svg")
    assert chart.headers["content-disposition"].startswith("attachment;")
    for path in ("report.nothing", "tables/nothing.csv", "charts/nothing.svg"):
        assert served.client.get(f"{AT}/{path}").status_code == 404, path
    assert served.client.get(f"{AT}/tables/estimates.exe").status_code == 422


def test_what_may_be_changed_is_what_the_command_says(served: Served) -> None:
    told = served.client.get(f"{AT}/advice.json").json()
    assert told["result"]["id"] == PLAN.id
    assert "What to change" in served.client.get(AT).text
    assert 'id="advised"' in served.client.get(f"{AT}/advice").text


def test_two_results_are_compared_and_the_address_says_which(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", PLAN, replace(PLAN, id="0b0b0b0b"), replace(PLAN, id="0c0c0c0c"))
    with serving(home) as served:
        assert 'name="with" value="0b0b0b0b"' in served.client.get("/results").text
        one = served.client.get("/compare?with=0b0b0b0b")
        assert "Choose two or more" in one.text
        assert 'value="0b0b0b0b" form="compare" aria-label="Compare 0b0b0b0b" checked' in one.text
        two = served.client.get("/compare.json?with=0b0b0b0b&with=0c0c0c0c").json()
        assert (two["difference"]["a"]["id"], two["difference"]["b"]["id"]) == ("0b0b0b0b", "0c0c0c0c")
        assert two["difference"]["rows"][0]["difference"] == pytest.approx(0, abs=0.01)
        assert two["differing"] == []
        three = served.client.get(f"/compare.json?with=0b0b0b0b&with=0c0c0c0c&with={PLAN.id}").json()
        assert [one["result"]["id"] for one in three["several"]["results"]] == three["chosen"]
        assert three["difference"] is None
        assert served.client.get("/compare?with=feed&with=0b0b0b0b").status_code == 404
        assert served.client.get("/compare?" + "with=0b0b0b0b&" * 21).status_code == 422

        (pair,) = served.client.get("/machines/local.json").json()["pairs"]
        newest = [one["id"] for one in served.client.get("/results.json?machine=local").json()["results"]]
        assert len(newest) == 3
        assert (pair["scene"], pair["newer"], pair["older"]) == (PLAN.scene, *newest[:2])
        page = served.client.get("/machines/local").text
        assert f'href="/compare?with={newest[1]}&amp;with={newest[0]}">{PLAN.scene}</a>' in page
        assert f'name="with" value="{newest[2]}" form="compare"' in page
        assert served.client.get("/results.json?machine=elsewhere").json()["total"] == 0


def test_treatments_of_results_are_compared(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home_of(home, SWEEP, replace(SWEEP, id="0b0b0b0b"), trials=SWEPT)
    home_of(home, replace(PLAN, id="0c0c0c0c"))
    none, unsafe = (arm.label for arm in SWEEP.treatments)
    with serving(home) as served:

        def compare(*sides: str, at: str = "/compare.json") -> httpx.Response:
            return served.client.get(at, params={"with": sides})

        page = served.client.get(f"/results/{SWEEP.id}").text
        within = [f"{SWEEP.id}:{none}", f"{SWEEP.id}:{unsafe}"]
        assert f'href="/compare?{urlencode([("with", one) for one in within])}"'.replace("&", "&amp;") in page
        two = compare(*within).json()
        assert two["chosen"] == within
        assert [one["result"]["treatment"] for one in two["several"]["results"]] == [none, unsafe]
        losses = [one["estimates"][0]["loss"] for one in two["several"]["results"]]
        assert losses == pytest.approx([0.5, 0.2], abs=0.01)
        assert two["difference"] is None
        assert "they share their baseline" in compare(*within, at="/compare").text

        apart = compare(f"{SWEEP.id}:{none}", f"0b0b0b0b:{unsafe}").json()["difference"]
        assert (apart["a"]["treatment"], apart["b"]["treatment"]) == (none, unsafe)
        (row,) = apart["rows"]
        assert (row["metric"], row["difference"]) == ("events", pytest.approx(-0.3, abs=0.01))
        assert "treatments-differ" in [doubt["code"] for doubt in apart["doubts"]]
        same = compare(f"{SWEEP.id}:{unsafe}", f"0b0b0b0b:{unsafe}").json()["difference"]
        assert "treatments-differ" not in [doubt["code"] for doubt in same["doubts"]]
        (row,) = compare(f"{SWEEP.id}:{none}", "0c0c0c0c").json()["difference"]["rows"]
        assert row["difference"] == pytest.approx(0, abs=0.01)

        for sides in (
            within,
            [within[1], f"0b0b0b0b:{none}"],
            [SWEEP.id, "0b0b0b0b"],
            [within[1], "0c0c0c0c"],
        ):
            shown = compare(*sides, at="/compare").text
            links = [unescape(one) for one in re.findall(r'href="([^"]*/trials\?[^"]*)"', shown)]
            assert links
            opened = {(one.split("/")[2], served.client.get(one).status_code) for one in links}
            assert opened == {(one.partition(":")[0], 200) for one in sides}
            asked = {parse_qs(urlsplit(one).query).get("treatment", [""])[0] for one in links}
            assert asked >= {one.partition(":")[2] for one in sides if ":" in one}
            assert ('id="recipe"' in shown) is (":" not in "".join(sides))
        form = compare(SWEEP.id, "0c0c0c0c", at="/compare").text
        assert f'<option value="{SWEEP.id}:{unsafe}">' in form
        assert '<input type="hidden" name="with" value="0c0c0c0c">' in form
        assert compare(*within, at="/compare/facts").status_code == 200
        wrong = compare(f"{SWEEP.id}:disk.cache nnoe", "0c0c0c0c")
        assert wrong.status_code == 404
        assert "nearest: 'disk.cache none'" in wrong.json()["error"]


def test_machines_of_an_activity_are_compared_by_its_id(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    store.import_fleet(laid(store.home))
    mark_home(store.home)
    store.close()
    with serving(tmp_path / "home") as served:
        found = served.client.get(f"/compare.json?with={FLEET.id}").json()
        assert found["chosen"] == ["0000000a", "0000000b"]
        assert found["difference"]["b"]["id"] == "0000000b"
        page = served.client.get("/results").text
        assert f'name="with" value="{FLEET.id}" form="compare"' in page


@pytest.mark.live
def test_a_long_section_comes_when_it_is_opened_and_its_charts_are_drawn(
    tmp_path: Path, browser: Browser
) -> None:
    home = home_of(tmp_path / "home", *(replace(PLAN, id=f"0b0b0b{number:02x}") for number in range(10)))
    with serving(home) as served:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{served.at}{AT.replace(PLAN.id, '0b0b0b00')}")
        advice = page.locator("section[aria-labelledby=advice]")
        advice.locator("summary").click()
        advice.locator(".came > *").first.wait_for()
        advice.get_by_text("On a page of its own").wait_for(state="detached")
        page.goto(f"{served.at}/compare?" + "&".join(f"with=0b0b0b{number:02x}" for number in range(10)))
        doubts = page.locator("section[aria-labelledby=doubts]")
        assert doubts.locator("h2").count() == 1
        context.close()


def test_a_result_of_several_machines_leads_to_that_of_each() -> None:
    found = page_with(fleet_rows(with_outliers()))
    made = results.drawn(results.Shown(None, found))
    assert made.template == "fleet_result.html"
    lane = next(lane for lane in found.lanes if lane.trials)
    html = filled(made, templates=templates(), frame="frame.html", **dict.fromkeys(FRAME, ""))
    assert f'href="/results/{lane.activity}"' in html
    assert "/report.html" not in html, "what lies beside the page of a file"


def test_a_result_of_several_machines_begins_with_what_is_left_over_all(tmp_path: Path) -> None:
    home = fleet_home(tmp_path / "home")
    folder = home / "activities" / FLEET.id
    write_stop(folder, FLEET.lanes[2], Stop(Failure.UNREACHABLE, "it is gone", None, 1, 0, 7))
    with serving(home) as served:
        at = f"/results/{FLEET.id}"
        told = served.client.get(f"{at}.json?machines=100&watts=360&price_kwh=0.5").json()
        (line,) = told["headline"]["lines"]
        assert line["left"] == pytest.approx(0.5, abs=0.01)
        assert line["low"] <= line["left"] <= line["high"]
        assert line["machines"] == pytest.approx(50, abs=1)
        rate = (100.5 * 100.5 / 1.1) ** 0.5  # the two machines' geometric mean
        assert line["cost"]["baseline_kwh"] == pytest.approx(1e6 / rate / 3600 * 0.36, rel=1e-3)
        assert line["cost"]["treatment_kwh"] == pytest.approx(2 * line["cost"]["baseline_kwh"], rel=0.02)
        assert line["verdict"] == "loss"
        assert told["trust"] in {"low", "limited", "good"}
        page = served.client.get(f"{at}?machines=100&watts=360&price_kwh=0.5&currency=EUR").text
        assert "of the throughput of each machine&#39;s baseline is left" in page
        assert "of your 100 machines" in page
        assert "EUR on the baseline" in page
        assert "Each of 2 machines counts once." in page
        assert 'aria-label="Contents"' in page
        assert f'<a class="button" href="{at}/downloads">' in page
        assert f'<a class="button" href="/activities/{FLEET.id}">' in page
        compared = served.client.get("/compare?with=0000000a&with=0000000b")
        assert 'href="/compare?with=0000000a&amp;with=0000000b">Compare its machines</a>' in page
        assert "Comparison of 2 results" in compared.text
        assert len(page) < 200_000


def test_a_result_of_several_machines_without_a_measurement_has_no_first_line(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = home / "activities" / FLEET.id
    folder.mkdir(parents=True)
    write_fleet(folder, FLEET)
    store = Store(home)
    store.import_fleet(folder)
    store.close()
    mark_home(home)
    with serving(home) as served:
        told = served.client.get(f"/results/{FLEET.id}.json?watts=360").json()
        assert (told["headline"], told["trust"]) == (None, None)
        page = served.client.get(f"/results/{FLEET.id}").text
        assert "In short" not in page
        assert "/compare?" not in page


def test_flame_graphs_come_when_they_are_opened(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", PLAN)
    for place in (home / "activities" / PLAN.id / "trials").iterdir():
        (place / FOLDED).write_text("job;main;<b>spin</b> 90\njob;main;wait 10\n")
    with serving(home) as served:
        assert f'hx-get="{AT}/parts/profiles"' in served.client.get(AT).text
        page = served.client.get(f"{AT}/parts/profiles").text
        assert 'id="profiles"' in page
        assert "<b>spin" not in page


@pytest.mark.live
def test_a_tag_is_given_found_and_taken_back_by_page(tmp_path: Path, browser: Browser) -> None:
    with serving(home_of(tmp_path / "home", PLAN)) as served:
        context = browser.new_context(viewport={"width": 420, "height": 900})
        page = context.new_page()
        page.goto(f"{served.at}{AT}")
        page.get_by_label("Tag", exact=True).fill("before-upgrade")
        page.get_by_role("button", name="Add", exact=True).click()
        page.get_by_role("link", name="before-upgrade").click()
        page.get_by_role("heading", name="Results", exact=True).wait_for()
        assert page.url == f"{served.at}/results?tag=before-upgrade"
        (line,) = served.client.get("/results.json?tag=before-upgrade").json()["results"]
        assert (line["id"], line["tags"]) == (PLAN.id, ["before-upgrade"])
        page.goto(f"{served.at}{AT}")
        page.get_by_role("button", name="Remove the tag before-upgrade").click()
        page.get_by_role("link", name="before-upgrade").wait_for(state="detached")
        assert served.client.get("/results.json").json()["tags"] == []
        assert served.post(f"{AT}/tag", tag="<b>").status_code == 422
        context.close()
