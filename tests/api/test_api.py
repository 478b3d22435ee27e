"""``import assay``: what the commands say, in Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

import assay
from assay.api.result import FleetResult, Result
from assay.api.tables import Table
from assay.model.errors import AssayError, MissingError, UnknownNameError
from assay.pages.flat import Column
from assay.pages.flat import Table as FlatTable
from assay.report.tables.fleet import fleet_headline, metric_cells
from assay.store.store import Store
from tests.command import run
from tests.results.test_outcome import PLAN
from tests.store.test_fleet import FLEET, laid

MIXED = FlatTable(
    "mixed",
    "One row a case.",
    (
        Column("word", str, "A word."),
        Column("count", int, "A count."),
        Column("share", float, "A share."),
        Column("truth", bool, "A truth."),
        Column("never", float, "Nothing."),
    ),
    lambda: [("<b>a</b>", 2**60, 0.1, True, None), (None, None, None, None, None)],
)


@pytest.fixture
def result(measured: Path) -> Result:
    found = assay.load("last", home=measured)
    assert isinstance(found, Result)
    return found


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    heavy = ("numpy", "scipy", "sqlalchemy", "click", "pandas")
    code = f"import assay, sys; print([one for one in {heavy} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "table", ["estimates", "trials", "values", "phases", "budget", "causes", "doubts", "samples", "facts"]
)
def test_each_table_is_that_of_the_command(measured: Path, result: Result, table: str) -> None:
    page = run("report", "last", "--table", table, "--json", home=measured).page
    made: Table = getattr(result, table)
    assert made.name == table
    assert [column.name for column in made.columns] == [column["name"] for column in page["columns"]]
    assert [list(row.values()) for row in made] == page["rows"]
    assert getattr(result, table) is made


def test_the_loss_of_the_only_metric_is_that_of_its_page(result: Result) -> None:
    (row,) = result.page.estimates
    assert result.loss == row.loss
    assert result.estimates["loss"] == [row.loss]
    with pytest.raises(KeyError):
        result.estimates["losses"]


def test_data_frames_have_the_types_and_keep_what_is_not_there() -> None:
    made = Table(MIXED)
    frame = made.pandas()
    assert [str(kind) for kind in frame.dtypes[1:]] == ["Int64", "float64", "boolean", "float64"]
    assert frame["count"].tolist()[0] == 2**60
    assert frame.isna().iloc[1].all()
    polar = made.polars()
    assert polar.dtypes == [polars.String, polars.Int64, polars.Float64, polars.Boolean, polars.Float64]
    assert [tuple(row) for row in polar.rows()] == list(MIXED.rows())
    arrow = made.arrow()
    assert [str(kind) for kind in arrow.schema.types] == ["string", "int64", "double", "bool", "double"]
    assert arrow.to_pylist() == list(made)
    assert arrow.schema.field("word").metadata == {b"about": b"A word."}


def test_an_empty_table_keeps_its_types() -> None:
    made = Table(FlatTable("none", "", MIXED.columns, list))
    assert len(made) == 0
    assert str(made.pandas().dtypes["count"]) == "Int64"
    assert made.polars().shape == (0, 5)
    assert made.arrow().num_rows == 0


def test_a_notebook_shows_the_table_escaped_and_without_columns_that_are_empty() -> None:
    html = Table(MIXED)._repr_html_()
    assert "&lt;b&gt;a&lt;/b&gt;" in html
    assert "never" not in html
    assert "mixed: 2 rows. One row a case." in html


def test_a_notebook_shows_a_result_with_its_table_and_its_chart(result: Result) -> None:
    html = result._repr_html_()
    assert "49.17 to 51.11 %" in html
    assert "<svg" in html
    assert PLAN.id in html
    assert repr(result) == f"<assay result {PLAN.id}, quick: 1 metric: 1 loss, it matters>"
    assert str(result).startswith("A title\nquick, result 0123abcd, complete")


@pytest.fixture
def several(measured: Path) -> FleetResult:
    """Return a result of three machines: one complete, one cut off, one never planned."""
    folder = laid(measured)
    store = Store(measured)
    store.import_fleet(folder)
    store.close()
    found = assay.load(FLEET.id, home=measured)
    assert isinstance(found, FleetResult)
    return found


def test_a_notebook_shows_a_result_of_several_machines_with_its_table_and_its_chart(
    several: FleetResult,
) -> None:
    html = several._repr_html_()
    assert several.page.rows
    assert f"spin, result {FLEET.id}, interrupted, 3 machines: {fleet_headline(several.page)}" in html
    assert html.count("<tr>") == 1 + sum(1 for row in several.page.rows for _ in metric_cells(row))
    assert "<svg" in html
    assert str(several).startswith(f"activity {FLEET.id}: Spin on three")


def test_each_machine_of_several_is_a_result_of_its_own(several: FleetResult) -> None:
    one = several.lane("n1")
    assert (one.id, len(one.trials)) == (FLEET.lanes[0].activity, 3)
    assert one.page.result.state == "complete"
    with pytest.raises(UnknownNameError, match="unknown machine 'n3'"):
        several.lane("n3")


def test_without_what_draws_a_notebook_shows_the_table_alone(
    result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    html = result._repr_html_()
    assert "<table>" in html
    assert "<svg" not in html
    assert result.chart()._repr_html_() is None


@pytest.mark.parametrize(("name", "begins"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_a_chart_is_saved_by_the_file_s_ending(
    result: Result, tmp_path: Path, name: str, begins: bytes
) -> None:
    result.chart("loss").save(tmp_path / name, size="slide")
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_what_there_is_not_is_said_with_what_there_is(result: Result, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="known: budget, loss, trial"):
        result.chart("x")
    with pytest.raises(UnknownNameError, match="format of a chart 'gif'"):
        result.chart().save(tmp_path / "a.gif")
    with pytest.raises(UnknownNameError, match="size 'huge'"):
        result.chart().svg(size="huge")
    with pytest.raises(AssayError, match="ffff"):
        assay.load("ffff", home=result._home)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_library_that_is_not_there_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    made: Any = Table(MIXED)
    act = getattr(made, {"pyarrow": "arrow"}.get(library, library))
    with pytest.raises(MissingError, match=f"{library}: it is not installed") as caught:
        act()
    assert (
        caught.value.hint
        == f"pip install {library}, or all three kinds of table: pip install 'assay[frames]'"
    )


def test_a_home_lists_what_the_commands_list(measured: Path) -> None:
    with assay.open(measured) as home:
        (listed,) = home.results()
        (loss,) = home.losses(scene=PLAN.scene, limit=1)
        assert len(home.results(scene="another")) == 0
        page = run("result", "list", "--json", home=measured).page["results"][0]
        assert (listed["id"], listed["headline"], listed["state"]) == (
            page["id"],
            page["headline"],
            page["state"],
        )
        assert (loss["result"], loss["loss"]) == (PLAN.id, page["estimates"][0]["loss"])
        assert [row["name"] for row in home.machines()] == ["local"]
        scenes = run("scene", "list", "--json", home=measured).page["scenes"]
        assert home.scenes()["name"] == [scene["name"] for scene in scenes]
        assert repr(home) == f"<assay home {measured}: 1 results>"


def test_the_home_of_the_commands_is_the_default(measured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(measured))
    assert assay.open().path == measured
    assert assay.load().id == PLAN.id


def test_results_are_compared_as_the_command_does(measured: Path, result: Result) -> None:
    made = assay.compare(result, "last", home=measured)
    assert str(made) == run("result", "compare", "last", "last", home=measured).out
    assert "1 metrics" in repr(made)


def test_each_machine_of_an_activity_on_several_is_a_result(measured: Path) -> None:
    store = Store(measured)
    store.import_fleet(laid(measured))
    lanes = {row.id for row in store.lanes_of(FLEET.id)}
    store.close()
    with assay.open(measured) as home:
        results = home.results()
        assert {*results["id"]} == {PLAN.id, *lanes}
        assert {*home.losses()["result"]} <= {*results["id"]}
        for one in lanes:
            assert isinstance(home.load(one), Result)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "expected a scene or a command"),
        ({"scene": "quick", "command": ["true"]}, "expected a scene or a command"),
        ({"scene": "quick", "blocks": 3, "precision": 0.1}, "does not go with precision"),
        ({"scene": "quick", "precision": 1.5}, "expected a precision above 0 and below 1"),
        ({"scene": "quick", "time_budget_s": -1.0}, "expected time_budget_s above 0, got -1"),
        ({"scene": "quick", "maximum_blocks": 0}, "expected maximum_blocks above 0, got 0"),
        ({"scene": "quick", "settings": {"disk.cahce": "none"}}, "disk.cache"),
        ({"scene": "quick", "workloads": ["nothing"]}, "nothing"),
    ],
)
def test_what_cannot_be_evaluated_is_said_before_anything_runs(
    tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(AssayError, match=said):
        assay.evaluate(**given, home=tmp_path)


def test_what_is_asked_for_is_in_the_scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[Any, Any]] = []
    monkeypatch.setattr("assay.api.act.evaluate", lambda _home, scene, **named: found.append((scene, named)))
    assay.evaluate(
        "quick", settings={"disk.cache": "none,writeback"}, baseline="guest", workloads=["flops"],
        precision=0.01, time_budget_s=60, seed=7, wait_quiet_s=5, home=tmp_path,
    )  # fmt: skip
    assay.evaluate(command=["/bin/true", "a b"], blocks=4, home=tmp_path)
    (scene, _), (own, named) = found
    goal = scene.design.goal
    assert (goal.precision, goal.time_budget_s, goal.wait_quiet_s, scene.design.seed) == (0.01, 60, 5, 7)
    assert [workload.name for workload in scene.workloads] == ["flops"]
    assert len(scene.more) == 1
    assert (own.design.blocks, named["command"]) == (4, ["/bin/true", "a b"])


@pytest.mark.live
def test_a_scene_is_measured_and_its_result_returned(tmp_path: Path) -> None:
    scene = tmp_path / "sleep.yaml"
    scene.write_text(
        "scene: sleep\ntitle: Asleep\nbaseline: {machine: local}\ntreatment: {machine: local}\n"
        "workloads: [{name: sleep, command: sleep 0.1}]\n"
    )
    done = assay.evaluate(scene, blocks=3, wait_quiet_s=0, home=tmp_path / "home")
    assert isinstance(done, Result)
    assert (done.page.result.state, len(done.trials)) == ("complete", 9)
    assert len(done.samples) >= 18
    assert "cpu.model" in {f"{row['group']}.{row['field']}" for row in done.facts} or len(done.facts) > 20
    fleet: Any = assay.evaluate(scene, on="local", blocks=3, wait_quiet_s=0, home=tmp_path / "home")
    assert [row["machine"] for row in fleet.machines] == ["local"]
    assert isinstance(fleet.estimates.pandas(), pandas.DataFrame)
    assert fleet.chart().svg().startswith("<svg")
