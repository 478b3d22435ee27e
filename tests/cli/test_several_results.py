"""``assay report A B …``: several results beside each other."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest

from assay.store.store import Store
from tests.command import run
from tests.report.packed import held_in
from tests.results.test_outcome import PLAN
from tests.store.test_fleet import FLEET, laid

OTHER = "89abcdef"


@pytest.fixture
def both(measured: Path) -> Path:
    """Return a home with a second result, which is the first under another name."""
    folder = measured / "activities" / OTHER
    shutil.copytree(measured / "activities" / PLAN.id, folder)
    for path in folder.rglob("*.json"):
        path.write_text(path.read_text().replace(PLAN.id, OTHER))
    store = Store(measured)
    store.import_folder(folder)
    store.close()
    return measured


def test_each_result_has_a_row_and_each_metric_its_losses(both: Path) -> None:
    text = run("report", PLAN.id, OTHER, "--format", "text", home=both).out
    for name in (PLAN.id, OTHER):
        assert f"{name}, 2023-11-14, other  100.5 events/s  50.10 events/s  49.17 to 51.11 %" in text
        assert any(line.startswith(f"{name}  quick") for line in text.splitlines())
    assert "node (A CPU)" in text
    shown = run("report", PLAN.id, OTHER, home=both).out
    assert shown.startswith("# 2 results\n")
    assert "| 89abcdef |" in shown


def test_the_order_is_that_of_the_names_and_one_that_is_named_twice_counts_once(both: Path) -> None:
    page = run("report", OTHER, PLAN.id, OTHER, "--json", home=both).page
    assert page["schema"] == "assay.several-results"
    assert [one["result"]["id"] for one in page["results"]] == [OTHER, PLAN.id]
    single = run("report", PLAN.id, "--json", home=both).page
    assert page["results"][1]["estimates"][0]["loss"] == single["estimates"][0]["loss"]


def test_the_page_draws_a_chart_a_metric_and_asks_the_network_for_nothing(both: Path) -> None:
    html = run("report", PLAN.id, OTHER, "--format", "html", home=both).out
    charts = held_in(html, "chart-data")
    assert [len(chart["data"]["values"]) for chart in charts] == [2]
    assert html.count("data-chart=") == 1
    assert "src=" not in html.partition("<script")[0]


def test_its_charts_and_tables_can_be_taken_away(both: Path, tmp_path: Path) -> None:
    made = run("report", PLAN.id, OTHER, "--chart", "loss", "--output", str(tmp_path / "a.pdf"), home=both)
    assert made.code == 0
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    rows = list(csv.DictReader(io.StringIO(run("report", PLAN.id, OTHER, "--format", "csv", home=both).out)))
    assert [row["result"] for row in rows] == [PLAN.id, OTHER]


def test_of_one_on_several_machines_each_machine_is_laid_beside_the_other(measured: Path) -> None:
    store = Store(measured)
    store.import_fleet(laid(measured))
    store.close()
    page = run("report", PLAN.id, FLEET.id, "--json", home=measured).page
    assert [one["result"]["id"] for one in page["results"]] == [
        PLAN.id,
        *(lane.activity for lane in FLEET.lanes[:2]),
    ]
    compared = run("result", "compare", PLAN.id, FLEET.id, home=measured)
    assert (compared.code, "it is an activity on several machines" in compared.err) == (3, True)
    assert f"assay activity show {FLEET.id}" in compared.err
    (listed,) = run("result", "list", "--json", home=measured).page["fleets"]
    assert (listed["id"], listed["machines"], listed["who"]) == (FLEET.id, 3, FLEET.who)
    assert listed["headline"] in run("result", "list", home=measured).out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--table", "values"), "unknown table of several results 'values' (known: estimates, results)"),
        (("--format", "xml"), "unknown format of several results 'xml'"),
        (("ffff",), "ffff"),
    ],
)
def test_what_there_is_not_is_refused(both: Path, words: tuple[str, ...], told: str) -> None:
    done = run("report", PLAN.id, OTHER, *words, home=both)
    assert (done.code, done.out) == (3, "")
    assert told in done.err
